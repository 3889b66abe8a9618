/** node in a world: its files, its streams, what it starts, and what it does not reach. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';

const programs = { node: true };
const quoted = (code: string): string => `'${code.replaceAll("'", "'\\''")}'`;
const run = (code: string): string => `node -e ${quoted(code)}`;

test('scripts see the namespace, their arguments, their input and the exported environment', async () => {
  const world = testWorld({ programs });
  await world.fs.writeFile(
    '/workspace/s.js',
    `
const fs = require('fs');
const { double } = require('./lib/double');
fs.mkdirSync('d/e', { recursive: true });
fs.writeFileSync('d/e/f.txt', 'hé');
fs.appendFileSync('d/e/f.txt', '!');
console.log(fs.readFileSync('d/e/f.txt', 'utf8'), fs.statSync('d/e/f.txt').size, double(21));
const fd = fs.openSync('d/../d/./e/f.txt', 'r+'), at = Buffer.alloc(2);
console.log(fs.readSync(fd, at, 0, 2, 1), at.toString(), fs.readSync(fd, at, 0, 1), at[0], fs.readSync(fd, at), at.toString());
console.log(fs.writeSync(fd, 'X', 0), fs.writeSync(fd, 'Y'), fs.readFileSync('d/e/f.txt', 'utf8'));
fs.closeSync(fd); fs.copyFileSync('d/e/f.txt', 'd/g'); fs.chmodSync('d/g', 0o755); fs.copyFileSync('d/g', 'd/h');
try { fs.copyFileSync('d/g', 'd/h', fs.constants.COPYFILE_EXCL); } catch (error) { console.log(error.code); }
for (const name of ['d/g', 'd/i']) try { console.log(fs.openSync(name, 'wx') > 2); } catch (error) { console.log(error.code); }
console.log((fs.statSync('d/h').mode & 0o777).toString(8), fs.readFileSync('d/h', 'utf8'));
console.log(process.argv.slice(2), process.env.A, process.env.HIDDEN, fs.readFileSync(0, 'utf8'));
process.exitCode = 4;
`,
  );
  await world.exec(`mkdir lib; echo 'exports.double = (x) => 2 * x' > lib/double.js`);
  const ran = await world.exec(
    'HIDDEN=1; export A=b; printf in | node s.js x "y z"; echo $?; cat d/e/f.txt',
  );
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toBe(
    "hé! 4 42\n2 é 1 104 2 é\n1 1 XéY\nEEXIST\nEEXIST\ntrue\n755 XéY\n[ 'x', 'y z' ] b undefined in\n4\nXéY",
  );
});

test('ES modules, TypeScript and texts run alike, and values are shown as node shows them', async () => {
  const world = testWorld({ programs });
  await world.fs.writeFile(
    '/workspace/m.mjs',
    `import path, { join } from 'node:path';
import { readFile } from 'fs/promises';
console.log(join('a', 'b'), path.sep, (await readFile('m.mjs', 'utf8')).length > 9);
`,
  );
  const ran =
    await world.exec(`echo 'const n: number = 5; console.log({ n } satisfies object)' > t.ts
node m.mjs; node t.ts; node -p 'new Map([["a", [1, { b: null }]]])'
node -p '[{}, new Map([[1, 2]]), /x/].map((value) => Object.setPrototypeOf(value, null))'
echo 'console.log(typeof require)' | node -
node --input-type=module -e 'console.log(typeof require, await 7)'`);
  expect(ran.stderr).toBe('');
  expect(ran.stdout.split('\n')).toEqual([
    'a/b / true',
    '{ n: 5 }',
    "Map(1) { 'a' => [ 1, { b: null } ] }",
    '[',
    '  [Object: null prototype] {},',
    '  [Map(1): null prototype] { 1 => 2 },',
    '  [RegExp: null prototype] /x/',
    ']',
    'function',
    'undefined 7',
    '',
  ]);
});

test('an error that nobody caught is shown with its place, and the status is 1', async () => {
  const world = testWorld({ programs });
  await world.exec(`printf 'const a = {};\\na.b.c;\\n' > bad.js; echo 'let = = 1' > syntax.js`);
  const ran = await world.exec('node bad.js');
  expect(ran.exitCode).toBe(1);
  expect(ran.stderr).toMatch(
    /^\/workspace\/bad\.js:2\na\.b\.c;\n *\^\n\nTypeError: Cannot read properties of undefined \(reading 'c'\)\n {4}at .*bad\.js:2:/,
  );
  expect(ran.stderr).toMatch(/\n\nNode\.js v\d+\.\d+\.\d+\n$/);
  const rejected = await world.exec(run('(async () => { throw new RangeError("late") })()'));
  expect(rejected.exitCode).toBe(1);
  expect(rejected.stderr).toContain('RangeError: late');
  const syntax = await world.exec('node --check syntax.js');
  expect(syntax.exitCode).toBe(1);
  expect(syntax.stderr).toContain('SyntaxError: ');
  expect((await world.exec('node --nosuch')).exitCode).toBe(9);
});

test('what the engine says otherwise is said in the words of node', async () => {
  const script = `
const nothing = undefined, none = null, fixed = 1, symbol = Symbol('s');
const cases = [
  () => nothing.a, () => none.a, () => { nothing.a = 1; }, () => { none.a = 1; },
  () => { fixed = 2; }, () => { early; let early = 1; }, () => absent,
  () => new Array(-1), () => [].reduce((a, b) => a + b), () => symbol + '', () => +symbol,
  () => new Date(NaN).toISOString(), () => decodeURIComponent('%4'), () => (1).toFixed(101),
  () => 1 instanceof {}, () => 1n + 1, () => +1n,
  () => nothing(), () => cases.none(), () => cases.map.none(),
  () => { new cases.Gone(); }, () => { this.none(); },
];
for (const each of cases) {
  try {
    each();
    console.log('nothing was thrown');
  } catch (error) {
    console.log(error.name + ': ' + error.message);
  }
}`;
  const world = testWorld({ programs });
  await world.fs.writeFile('/workspace/words.js', script);
  const ran = await world.exec('node words.js');
  const first = await world.exec(run('const x = {}; x.none()'));
  expect(first.stderr).toContain('TypeError: x.none is not a function');
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect(ran.stdout.split('\n')).toEqual(stdout.split('\n'));
});

test('bytes are searched, filled, compared and cut as those of node', async () => {
  const script = `
const all = Buffer.from('abcabcab'), wide = Buffer.from('aébé', 'utf16le');
const show = (value) => console.log(value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value));
for (const part of ['abc', 'b', '', 'x', 'abcabcabc', 98, Buffer.from('ca')])
  for (const at of [undefined, 0, 1, 3, 8, 9, -1, -3, -9, 1.5, NaN])
    show([all.indexOf(part, at), all.lastIndexOf(part, at), all.includes(part, at)]);
for (const at of [0, 1, 2, -2, -8]) show([wide.indexOf('é', at, 'utf16le'), wide.lastIndexOf('é', at, 'utf16le')]);
show(Buffer.alloc(7, 'abc')); show(Buffer.alloc(5).fill('é', 1, 4)); show(Buffer.alloc(4).fill(257)); show(Buffer.alloc(3, ''));
for (const [a, b] of [['a', 'b'], ['b', 'a'], ['a', 'a'], ['a', 'aa'], ['', 'a'], ['\\xff', 'z']])
  show([Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1')), Buffer.from(a).equals(Buffer.from(b))]);
show(all.compare(Buffer.from('bca'), 0, 2, 1, 3)); show(all.copy(wide, 2, 1, 4)); show(wide); show(all.subarray(-3, -1));
for (const [text, how] of [['aGk=', 'base64'], ['aGk', 'base64url'], ['6869f', 'hex'], ['h\\xe9', 'latin1'], ['hé', 'ucs2'], ['hé', 'ascii']])
  show(Buffer.from(text, how));
for (const how of ['utf8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le']) show(Buffer.from([104, 195, 169, 255, 0, 216]).toString(how, 0, 6));
show(Buffer.byteLength('hé', 'utf8')); show(Buffer.concat([all, wide], 10)); show(all.swap16()); show(all.readInt32BE(2)); show(all.writeDoubleLE(1.5));
`;
  const world = testWorld({ programs });
  await world.fs.writeFile('/workspace/bytes.js', script);
  const ran = await world.exec('node bytes.js');
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  expect([ran.stderr, ran.stdout.split('\n')]).toEqual(['', stdout.split('\n')]);
});

test('child_process runs commands of the world', async () => {
  const world = testWorld({ programs });
  const ran = await world.exec(
    run(`
const { execSync, spawnSync, execFileSync, spawn } = require('child_process');
require('fs').writeFileSync('in', 'abc');
console.log(execSync('tr a-z A-Z < in').toString(), execFileSync('printf', ['%s|', 'a b', '$HOME']).toString());
console.log(spawnSync('sh', ['-c', 'cat; echo err >&2; exit 3'], { input: 'x', encoding: 'utf8' }));
try { execSync('exit 5', { stdio: 'pipe' }) } catch (error) { console.log(error.status, error.message) }
const child = spawn('wc', ['-c']);
child.stdout.on('data', (data) => console.log('data', String(data).trim()));
child.on('close', (code) => console.log('close', code));
child.stdin.end('12345');
`),
  );
  expect(ran.stderr).toBe('');
  expect(ran.stdout.replace(/pid: \d+/, 'pid: 1').split('\n')).toEqual([
    'ABC a b|$HOME|',
    '{',
    '  status: 3,',
    '  signal: null,',
    "  output: [ null, 'x', 'err\\n' ],",
    '  pid: 1,',
    "  stdout: 'x',",
    "  stderr: 'err\\n'",
    '}',
    '5 Command failed: exit 5',
    'data 5',
    'close 0',
    '',
  ]);
});

test('a refused write is an error of node, with the rule on stderr, and changes nothing', async () => {
  const world = testWorld({ programs, mounts: { '/mnt/ro': 'mem:ro' } });
  const code = `try { require('fs').writeFileSync('/mnt/ro/x', 'a') } catch (e) { console.log(e.code, e.syscall, e.path) }`;
  const ran = await world.exec(`${run(code)}; ls /mnt/ro`);
  expect(ran.stdout).toBe('EACCES open /mnt/ro/x\n');
  expect(ran.stderr).toContain('/mnt/ro is mounted ro');
});

const ESCAPES = [
  "require('fs').readFileSync('/etc/passwd')",
  "require('fs').readFileSync('/proc/self/environ')",
  "process.binding('fs')",
  "process.dlopen({}, '/lib/x.so')",
  "[].constructor.constructor('return process')().mainModule.require('x')",
  "this.constructor.constructor('return __host')()",
  "globalThis.__host('stat', '/')",
  "require('internal/bootstrap/realm')",
  "require('node:internal/util')",
  "require('http').get('http://127.0.0.1/')",
  "require('net').connect(80)",
  "new (require('worker_threads').Worker)('x')",
  "require('vm').runInNewContext('1')",
  "require('child_process').fork('x.js')",
  'fetch("http://127.0.0.1/")',
  "import('http://127.0.0.1/x.mjs')",
];

test('nothing of the host is in reach: its files, processes, environment, network', async () => {
  const world = testWorld({ programs });
  for (const code of ESCAPES) {
    const ran = await world.exec(run(code));
    expect([code, ran.exitCode, ran.stdout]).toEqual([code, 1, '']);
    expect(ran.stderr, code).toMatch(/Error\b/);
    expect(ran.stderr, code).not.toMatch(/worker\.ts|engine\.ts|node_modules\/quickjs/);
  }
  const { stdout } = await world.exec(
    `unset OLDPWD; node -p 'Object.keys(process.env).sort().join()'`,
  );
  expect(stdout).toBe('HOME,LANG,PATH,PWD,USER\n');
});

test('what a script does to the built-ins harms itself alone', async () => {
  const world = testWorld({ programs });
  const harm = `
Object.prototype.errno = 'EPERM'; Object.prototype.error = 'x';
Array.prototype.push = () => { throw 1 }; JSON.parse = JSON.stringify = null;
Error.prepareStackTrace = () => { throw new Error('mine') };
try { globalThis[Symbol.for('dirigent.entries')].round = null } catch {}
process.exit(7)`;
  const ran = await world.exec(
    `${run(harm)}; echo $?; ${run('console.log([1].concat({ a: {} }))')}`,
  );
  expect(ran.stdout).toBe('7\n[ 1, { a: {} } ]\n');
});

test('a world without it says who turns it on', async () => {
  const world = testWorld();
  const ran = await world.exec('node -e 1');
  expect(ran.exitCode).toBe(127);
  expect(ran.stderr).toContain('programs: { node: true }');
  expect((await world.exec('ls /bin')).stdout).not.toMatch(/^node$/m);
});

test('what never ends is no whole: its beginning is read, its end is an error', async () => {
  const world = testWorld({ programs });
  const part = await world.exec(
    `node -e "const fs = require('fs'), fd = fs.openSync('/dev/zero'), b = Buffer.alloc(3); console.log(fs.readSync(fd, b), fs.readSync(0, b), fs.readFileSync('/dev/null').length)" < /dev/zero`,
  );
  expect([part.stdout, part.exitCode, part.stderr]).toEqual(['3 3 0\n', 0, '']);
  for (const read of [
    "readFileSync('/dev/zero')",
    "readFileSync('/dev/zero', 'utf8')",
    'readFileSync(0)',
  ]) {
    const whole = await world.exec(
      `node -e "console.log(require('fs').${read}.length)" < /dev/zero`,
    );
    expect([whole.stdout, whole.exitCode]).toEqual(['', 1]);
    expect(whole.stderr).toContain('/dev/zero never ends, and this is its beginning alone');
    expect(whole.stderr).toContain('EFBIG');
  }
});

test('the case of a text is that of a language where one is named, and everybody’s where none is', async () => {
  const world = testWorld({ programs });
  const code = `
console.log('iı'.toLocaleUpperCase(), 'iı'.toLocaleUpperCase('tr'), 'Iİ'.toLocaleLowerCase('tr').length, 'IX'.toLocaleLowerCase());
`;
  const real = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8' }).stdout;
  expect(real).toBe('II İI 2 ix\n');
  expect((await world.exec(run(code))).stdout).toBe(real);
});
