/** factor: numbers as products of primes. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';

/** Enough bases for every number of 81 bits; beyond, a composite would have to be made for them. */
const BASES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n];
const SMALL = 10_000;

function powerMod(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** Miller and Rabin. */
function isPrime(n: bigint): boolean {
  let odd = n - 1n;
  let twos = 0;
  while ((odd & 1n) === 0n) {
    odd >>= 1n;
    twos++;
  }
  return BASES.every((base) => {
    if (base % n === 0n) return true;
    let x = powerMod(base, odd, n);
    if (x === 1n || x === n - 1n) return true;
    for (let i = 1; i < twos; i++) {
      x = (x * x) % n;
      if (x === n - 1n) return true;
    }
    return false;
  });
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y > 0n) [x, y] = [y, x % y];
  return x;
}

/** Steps whose differences are multiplied before one common divisor is looked for. */
const BATCH = 128;

/** A divisor of a composite number, by Pollard's rho with Brent's cycle. */
async function divisor(tool: Tool, n: bigint): Promise<bigint> {
  for (let c = 1n; ; c++) {
    const step = (x: bigint): bigint => (x * x + c) % n;
    let fast = 2n;
    let slow = 2n;
    let found = 1n;
    for (let length = 1; found === 1n; length *= 2) {
      slow = fast;
      for (let done = 0; done < length && found === 1n; done += BATCH) {
        let product = 1n;
        const before = fast;
        const steps = Math.min(BATCH, length - done);
        for (let i = 0; i < steps; i++) {
          fast = step(fast);
          product = (product * (slow > fast ? slow - fast : fast - slow)) % n;
          const rest = tool.pulse();
          if (rest !== undefined) await rest;
        }
        found = gcd(product, n);
        if (found !== n) continue;
        found = 1n;
        fast = before;
        for (let i = 0; i < steps && found === 1n; i++) {
          fast = step(fast);
          found = gcd(slow > fast ? slow - fast : fast - slow, n);
        }
      }
    }
    if (found !== n) return found;
  }
}

/** The primes of a number above 1, ascending. */
async function primes(tool: Tool, given: bigint): Promise<bigint[]> {
  const out: bigint[] = [];
  let n = given;
  for (let p = 2n; p < SMALL && p * p <= n; p += p === 2n ? 1n : 2n) {
    while (n % p === 0n) {
      out.push(p);
      n /= p;
    }
  }
  const open = n > 1n ? [n] : [];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part < SMALL * SMALL || isPrime(part)) out.push(part);
    else {
      const one = await divisor(tool, part);
      open.push(one, part / one);
    }
  }
  return out.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function asPowers(list: readonly bigint[]): string[] {
  const counts = new Map<bigint, number>();
  for (const prime of list) counts.set(prime, (counts.get(prime) ?? 0) + 1);
  return [...counts].map(([prime, count]) => (count === 1 ? `${prime}` : `${prime}^${count}`));
}

async function factor(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'h', long: { exponents: 'h' } });
  const given = options.operands.length > 0;
  const words = given
    ? options.operands
    : toText(tool.stdin)
        .split(/\s+/)
        .filter((word) => word !== '');
  for (const word of words) {
    const digits = /^\s*\+?(\d+)\s*$/.exec(word)?.[1];
    if (digits === undefined) {
      tool.fail(`'${word}' is not a valid positive integer`);
      continue;
    }
    const n = BigInt(digits);
    const list = n > 1n ? await primes(tool, n) : [];
    const shown = options.has('h') ? asPowers(list) : list.map(String);
    tool.print(`${[`${n}:`, ...shown].join(' ')}\n`);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
}

/** factor. */
export const factorShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'factor',
      usage:
        'Usage: factor [OPTION] [NUMBER]...\nPrint the prime factors of each NUMBER, or of those on standard input.\n\n  -h, --exponents  print repeated factors as p^e',
    },
    factor,
  ),
];
