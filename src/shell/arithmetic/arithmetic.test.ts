/** Arithmetic in every form, against this machine's bash: random expressions, all of them in one bash. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../../test/world/in-process.ts';

const there = spawnSync('bash', ['-c', 'echo $((1 << 40))'], { encoding: 'utf8' }).stdout;
if (there !== '1099511627776\n') console.warn('skipped: there is no bash here to compare with');

/** What every script begins with. */
const SETUP = [
  'x=9007199254740993; y=-7; z=4611686018427387905; e="x + y"; str=abcdefghij',
  'a=(1 -9223372036854775808 9223372036854775807 12); declare -A m=([k]=8589934592 [two]=3)',
  'set -- 5000000000 -3; f() { local l=$1; echo $((l + 1)); }; declare -n ref=z',
].join('\n');

const number = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map((value) => `( ${value} )`),
  fc.integer({ min: 0, max: 70 }).map(String),
  fc.constantFrom('0x7fffffffffffffff', '017', '2#1011', '36#zz', '64#@_', '0', '1'),
);
const name = fc.constantFrom('x', 'y', 'z', 'e', 'ref', 'unset');
const element = fc.constantFrom('a[1]', 'a[2]', 'a[-1]', 'a[y + 8]', 'a', 'm[k]', 'm[two]', 'a[9]');
/** Text that is expanded before it is arithmetic. */
const expansion = fc.constantFrom(
  ...['$x', '${y}', '$1', '${2}', '$#', '${a[1]}', '${#a[@]}', '${#str}', '${m[k]}', '${unset:-5}'],
  ...[
    '$(echo 9007199254740995)',

    '$(f 8589934592)',
    '`echo 6`',
    '${str:+77}',
    '$e',
  ],
);

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    number,
    name,
    element,
    expansion,
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '&', '|', '^', '<', '<=', '>', '>=', '==', '!=', '&&', '||'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `( ${left} ) ${operator} ( ${right} )`),
    fc
      .tuple(tie('expression'), fc.constantFrom('<<', '>>', '**'), tie('expression'))
      .map(([left, operator, right]) => `( ${left} ) ${operator} ( ( ${right} ) & 63 )`),
    // No division by zero, and none that overflows.
    fc
      .tuple(tie('expression'), fc.constantFrom('/', '%'), tie('expression'))
      .map(([left, operator, right]) => `( ${left} ) ${operator} ( ( ( ${right} ) & 1023 ) | 1 )`),
    fc
      .tuple(fc.constantFrom('-', '+', '!', '~'), tie('expression'))
      .map(([operator, operand]) => `${operator} ( ${operand} )`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([condition, yes, no]) => `( ${condition} ) ? ( ${yes} ) : ( ${no} )`),
    fc
      .tuple(
        fc.constantFrom('v', 'a[2]', 'm[new]', 'ref', 'b[3]'),
        fc.constantFrom('=', '+=', '-=', '*=', '|=', '^=', '&='),
        tie('expression'),
      )
      .map(([target, operator, value]) => `( ${target} ${operator} ( ${value} ) )`),
    fc.constantFrom('x++', '--y', 'a[3]++', '++m[two]', '( 1, z )'),
  ),
}));

/** Statements that compute, each printing what it found. */
const FORMS: ReadonlyArray<(one: string, two: string) => string> = [
  (one, two) => `echo $(( ${one} )) "$(( ${two} ))"`,
  (one) => `((v = ${one} )); echo $? $v`,
  (one, two) => `for ((i = ${one}, n = 0; n < 2; n++, i += ${two} )); do echo $i; done`,
  (one, two) => `declare -i d="${one}"; echo $d; d+="${two}"; echo $d; d="${two}"; echo $d`,
  (one, two) => `let "v = ${one}" "w = ( ${two} ) + v"; echo $? $v $w`,
  (one, two) => `[[ "${one}" -lt "${two}" ]]; echo $?; [[ "${one}" -eq "${one}" ]]; echo $?`,
  (one, two) =>
    `[ $(( ${one} )) -ge $(( ${two} )) ]; echo $?; test $(( ${one} )) -ne $(( ${two} )) -a 1 -eq 1; echo $?`,
  (one, two) =>
    `((a[x & 3] = ${one} )); ((a[(x ^ z) & 3] += ${two} )); echo "\${a[@]}" "\${a[(1 << 33 >> 33) + 1]}"`,
  (one, two) => `echo "\${str:( ( ${one} ) & 3 ):( ( ${two} ) & 3 )}"; cat <<< "$(( ${one} ))"`,
  (one, two) =>
    `for w in $(( ${one} )) $(( ${two} )); do echo $w; done; case $(( ${one} )) in -*) echo neg;; *) echo pos;; esac`,
  (one) => `g() { local l=$(( ${one} )); local -i k="${one}"; echo $l $k; }; g`,
  (one) => `(echo $(( ${one} ))); l=([1+1]=$(( ${one} ))); echo "\${!l[@]}" "\${l[2]}"`,
];

const script = fc.tuple(fc.constantFrom(...FORMS), expression, expression);

/** As one script: each in a subshell, so that none sees another's variables. */
function together(scripts: readonly string[]): string {
  const each = scripts.map((one, i) => `(\n${one}\n)\necho "-- ${i}"`);
  return `${SETUP}\n${each.join('\n')}\n`;
}

async function outputs(scripts: readonly string[]): Promise<{ ours: string[]; bash: string[] }> {
  const whole = together(scripts);
  const world = await inProcessWorld({ roots: ['/work'], cwd: '/work' });
  const { stdout } = await world.shell.exec(whole, { deadlineMs: 120_000 });
  const bash = spawnSync('bash', ['--norc', '-c', whole], { encoding: 'utf8', input: '' });
  const cut = (text: string): string[] => text.split(/-- \d+\n/);
  return { ours: cut(Buffer.from(stdout).toString()), bash: cut(bash.stdout) };
}

test.skipIf(there !== '1099511627776\n')(
  'every form computes what bash computes',
  async () => {
    const scripts = fc.sample(script, { numRuns: 300 }).map(([form, one, two]) => form(one, two));
    const { ours, bash } = await outputs(scripts);
    expect(bash).toHaveLength(scripts.length + 1);
    const wrong = scripts.flatMap((one, i) =>
      ours[i] === bash[i] ? [] : [{ script: one, ours: ours[i], bash: bash[i] }],
    );
    expect(wrong).toEqual([]);
  },
  120_000,
);
