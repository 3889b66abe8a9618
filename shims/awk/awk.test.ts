/** What awk refuses and how it says so, its ties to the namespace and the shell, and its numbers. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { formatText } from './numbers.ts';
import { Regex } from './regex.ts';
import { GAWK } from './testing/gawk.ts';
import { UTF8 } from './text.ts';

const world = () =>
  inProcessWorld({
    roots: ['/work'],
    files: { '/work/f': 'a b\nc d\n', '/work/p.awk': 'BEGIN {\n  x = 0\n  print 1 / x\n}\n' },
    cwd: '/work',
  });

test.each([
  [`awk 'BEGIN{print ()}'`, 1, /cmd\. line:1: {14}\^ syntax error\n/],
  [`awk 'BEGIN{print (}'`, 1, /cmd\. line:1: {14}\^ syntax error\n/],
  [`awk '{print' f`, 1, /cmd\. line:1: {7}\^ unexpected newline or end of string\n/],
  [
    `awk 'func f(a,,b) { }'`,
    1,
    /^awk: cmd\. line:1: func f\(a,,b\) { }\nawk: cmd\. line:1: {10}\^ syntax error\n$/,
  ],
  [`awk 'func f(a,) { }'`, 1, /cmd\. line:1: {10}\^ syntax error\n/],
  [`awk 'BEGIN\t{\tx y z = 3; ) }'`, 1, /cmd\. line:1: {6}\t \t {11}\^ syntax error\n/],
  [`awk 'BEGIN{print "a'`, 1, /cmd\. line:1: {13}\^ unterminated string\n/],
  [`awk 'BEGIN{/a}'`, 1, /cmd\. line:1: {8}\^ unterminated regexp\n/],
  [`awk 'BEGIN{return}'`, 1, /cmd\. line:1: {7}\^ .return' used outside function context\n/],
  [
    `awk 'BEGIN{continue}'`,
    1,
    /^(?:awk: cmd\. line:1: error: .continue' is not allowed outside a loop\n){2}$/,
  ],
  [
    `awk 'BEGIN {if (1) break; else a = 1}\n{continue}'`,
    1,
    /^(?:awk: cmd\. line:1: error: .break' is not allowed outside a loop or switch\nawk: cmd\. line:2: error: .continue' is not allowed outside a loop\n){2}$/,
  ],
  [`awk 'BEGIN{f()}'`, 2, /^awk: cmd\. line:1: fatal: function .f' not defined\n$/],
  [`awk '{x=0; print 1/x}' f`, 2, /cmd\. line:1: \(FILENAME=f FNR=1\) fatal: division by zero/],
  ['awk -f p.awk', 2, /p\.awk:3: fatal: division by zero/],
  ['awk --csv 1 f', 2, /set FPAT/],
  ['awk -i inplace 1 f', 2, /write to a new file and move it/],
  ['awk -M 1 f', 2, /use bc/],
  [`awk 'BEGIN{print "a" |& "cat"}'`, 1, /no two-way pipes/],
  [`awk '@include "x"'`, 1, /no @include/],
  [`awk "BEGIN{printf \\"%'d\\", 1}"`, 2, /cannot group digits/],
  [`awk 'BEGIN{print SYMTAB["x"]}'`, 1, /there is no SYMTAB here/],
  [`awk 'BEGIN{PROCINFO["sorted_in"]="mine"; for (k in PROCINFO) print k}'`, 2, /only orders such/],
  [`awk 'function f() {return f()} BEGIN{f()}'`, 2, /too deep/],
  [`awk 'BEGIN{a[1]; print a}'`, 2, /array `a' in a scalar context/],
  [`awk 'BEGIN{print "x" > "/bin/y"}'`, 2, /Permission denied\ndirigent: \/bin is mounted ro/],
  [`awk 'BEGIN{print "x" > "/none/y"}'`, 2, /cannot redirect to `\/none\/y': No such file/],
  [`awk 'BEGIN{print "x" > ""}'`, 2, /null string value/],
])('%s is refused with status %i', async (script, status, message) => {
  const { stdout, stderr, exitCode } = await (await world()).run(script);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: status });
  expect(stderr).toMatch(message);
});

test.each([
  // What is never called may be undefined, and what is called is missed after its arguments.
  [`awk 'BEGIN{print 1; if (0) f(); f(g()); print 2} func g() {print "g"}'`, '1\ng\n', 2],
  // What no parameter takes is worked out, and said.
  [
    `awk 'func f(a){return a} func g(){print "G"; return 7} BEGIN{print f(g(),g())}'`,
    'G\nG\n7\n',
    0,
  ],
  [`awk 'BEGIN{print close("none"), ERRNO}'`, '-1 close of redirection that was never opened\n', 0],
  [`awk 'BEGIN{print gensub(/a/, "\\\\", 1, "ab")}'`, '\\b\n', 0],
  [`echo x | awk '{print FILENAME}'`, '-\n', 0],
  [`awk 'BEGIN{print gensub(/a/, "x\\\\", 1, "ab")}'`, 'x\0b\n', 0],
])('%s prints what gawk prints', async (script, stdout, status) => {
  const answer = await (await world()).run(script);
  expect([answer.stdout, answer.exitCode]).toEqual([stdout, status]);
});

test('what was printed before a failure is kept, in files, too', async () => {
  const { run } = await world();
  const { stdout, exitCode } = await run(
    `awk '{print; print > "out"; x = 1 / (NR - 2)}' f; echo $?; cat out`,
  );
  expect({ stdout, exitCode }).toEqual({ stdout: 'a b\nc d\n2\na b\nc d\n', exitCode: 0 });
});

test('output without an end is cut off and told, and its reader has its part', async () => {
  const { run } = await world();
  const { stdout, stderr } = await run(`awk 'BEGIN{while (1) print "y"}' | head -2`);
  expect(stdout).toBe('y\ny\n');
  expect(stderr).toMatch(/stopped after 48 MiB/);
});

test('a pattern runs the same, whichever engine it takes', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    '.',
    '[ab]',
    '[^a]',
    'é',
    'ab',
    '(a|b)',
    '(ab|a)',
    '^',
    '$',
  );
  const repeat = fc.constantFrom('', '', '*', '?', '+', '{1,2}');
  const pattern = fc
    .array(fc.tuple(piece, repeat), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.map(([one, many]) => (/[$^]$/.test(one) ? one : one + many)).join(''));
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'é', '😀'), { maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (source, chars) => {
      const subject = chars.join('');
      // A group that is repeated once is for the engine, and means the same.
      const [plain, forced] = [new Regex(source, false), new Regex(`(${source}){1}`, false)];
      expect(plain.test(subject)).toBe(forced.test(subject));
      expect(plain.find(subject, 0)).toEqual(forced.find(subject, 0));
    }),
    { numRuns: 300 },
  );
});

test('bytes survive reading and writing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const given = Buffer.from(bytes).toString('latin1');
      expect(UTF8.encode(UTF8.decode(given))).toBe(given);
    }),
  );
});

const double = fc.double({ noNaN: true, noDefaultInfinity: true });
/** Halfway between two shorter decimals, where C and JavaScript round differently. */
const halfway = fc
  .tuple(fc.integer({ min: -4000, max: 4000 }), fc.constantFrom(2, 4, 8, 16))
  .map(([above, below]) => above / below);

test.skipIf(GAWK === '')('numbers look as gawk prints them', () => {
  const spec = fc
    .tuple(
      fc.constantFrom('', '-', '+', ' ', '0', '#'),
      fc.constantFrom('', '8', '14'),
      fc.constantFrom('', '.0', '.1', '.2', '.5', '.12'),
      fc.constantFrom('d', 'f', 'e', 'g', 'G', 's'),
    )
    // Of 0 with no digits at all gawk drops the sign, too.
    .filter(([, , precision, type]) => type !== 'd' || precision !== '.0')
    .map(([flag, width, precision, type]) => `%${flag}${width}${precision}${type}`);
  const cases = fc.sample(fc.tuple(spec, fc.oneof(double, halfway, fc.integer())), 400);
  const program = cases.map(([one, value]) => {
    const shown =
      Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? value : value.toExponential();
    return `printf "${one}\\n", ${String(shown).replace(/^-/, '0-')}`;
  });
  const { stdout } = spawnSync(GAWK, [`BEGIN{${program.join('\n')}}`], { encoding: 'utf8' });
  const ours = cases.map(([one, value]) => formatText(one, [0 + value], '%.6g'));
  expect(ours).toEqual(stdout.split('\n').slice(0, -1));
});

test('an empty pattern takes a text apart into its characters, and the first seed is 1', async () => {
  const { run } = await world();
  const { stdout } = await run(
    `awk 'BEGIN { n = split("aß😀", a, //, s); print n, a[2], length(s); print srand(7), srand(); print split("", b, //) }'`,
  );
  expect(stdout).toBe('3 ß 2\n1 7\n0\n');
});
