/** The functions of `bc -l`, by their series, with some digits more than are asked for. */
import {
  add,
  compare,
  type Decimal,
  divide,
  integer,
  multiply,
  negate,
  ONE,
  rescaled,
  squareRoot,
} from './decimal.ts';

const GUARD = 8;

/** e^x */
export function exponential(x: Decimal, scale: number): Decimal {
  const precise = scale + GUARD + String(x.digits).length;
  if (x.digits < 0n) return divide(ONE, exponential(negate(x), precise), scale);
  // e^x = (e^(x/2^k))^(2^k)
  let halvings = 0;
  let small = rescaled(x, precise);
  while (compare(small, { digits: 1n, scale: 1 }) > 0) {
    small = divide(small, integer(2), precise);
    halvings += 1;
  }
  const whole = x.digits / 10n ** BigInt(x.scale);
  const working = precise + halvings + Number(whole < 5000n ? whole : 5000n);
  small = divide(x, integer(2n ** BigInt(halvings)), working);
  let term: Decimal = ONE;
  let sum: Decimal = ONE;
  for (let i = 1; term.digits !== 0n; i++) {
    term = divide(multiply(term, small, working), integer(i), working);
    sum = add(sum, term);
  }
  for (let i = 0; i < halvings; i++) sum = multiply(sum, sum, working);
  return rescaled(sum, scale);
}

/** ln x, of a number above 0. */
export function logarithm(x: Decimal, scale: number): Decimal {
  const precise = scale + GUARD;
  let root = rescaled(x, precise + x.scale);
  let factor = 2n;
  const near = (limit: Decimal) => compare(root, limit);
  while (near({ digits: 11n, scale: 1 }) > 0 || near({ digits: 9n, scale: 1 }) < 0) {
    root = squareRoot(root, precise + GUARD + x.scale);
    factor *= 2n;
  }
  const working = root.scale + GUARD;
  // ln r = 2 artanh((r - 1) / (r + 1))
  const step = divide(add(root, negate(ONE)), add(root, ONE), working);
  const square = multiply(step, step, working);
  let power = step;
  let sum = step;
  for (let i = 3; power.digits !== 0n; i += 2) {
    power = multiply(power, square, working);
    sum = add(sum, divide(power, integer(i), working));
  }
  return rescaled({ digits: sum.digits * factor, scale: sum.scale }, scale);
}

/** arctan x */
export function arctangent(x: Decimal, scale: number): Decimal {
  if (x.digits < 0n) return negate(arctangent(negate(x), scale));
  const working = scale + 2 * GUARD;
  let small = rescaled(x, working);
  let factor = 1n;
  // arctan x = 2 arctan(x / (1 + sqrt(1 + x²)))
  while (compare(small, { digits: 2n, scale: 1 }) > 0) {
    const root = squareRoot(add(ONE, multiply(small, small, working)), working);
    small = divide(small, add(ONE, root), working);
    factor *= 2n;
  }
  const square = multiply(small, small, working);
  let power = small;
  let sum = small;
  for (let i = 3; power.digits !== 0n; i += 2) {
    power = negate(multiply(power, square, working));
    sum = add(sum, divide(power, integer(i), working));
  }
  return rescaled({ digits: sum.digits * factor, scale: sum.scale }, scale);
}

export function sine(x: Decimal, scale: number): Decimal {
  const { small, working } = withinOneTurn(x, scale);
  return rescaled(powers(small, small, 2, working), scale);
}

export function cosine(x: Decimal, scale: number): Decimal {
  const { small, working } = withinOneTurn(x, scale);
  return rescaled(powers(rescaled(ONE, working), small, 1, working), scale);
}

/** The angle without whole turns. */
function withinOneTurn(x: Decimal, scale: number): { small: Decimal; working: number } {
  const working = scale + GUARD + String(x.digits).length;
  const turn = multiply(integer(8), arctangent(ONE, working + GUARD), working);
  const turns = divide(x, turn, 0);
  const whole = { digits: turns.digits * turn.digits, scale: turn.scale };
  return { small: add(rescaled(x, working), negate(whole)), working };
}

/** first - first x²/(n (n+1)) + … */
function powers(first: Decimal, x: Decimal, from: number, working: number): Decimal {
  const square = multiply(x, x, working);
  let term = first;
  let sum = first;
  for (let n = from; term.digits !== 0n; n += 2) {
    term = negate(divide(multiply(term, square, working), integer(n * (n + 1)), working));
    sum = add(sum, term);
  }
  return sum;
}
