/** How a run of node ends that would not end by itself. */
import { expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';

const programs = { node: true };
const run = (code: string): string => `node -e '${code}'`;

test('a run ends with its command: at its deadline, at its limit of memory, of stack', async () => {
  const world = testWorld({ programs, timeoutMs: 60_000 });
  for (const code of [
    'for (;;);',
    'const f = () => Promise.resolve().then(f); f()',
    '/(a+)+$/.test("a".repeat(40) + "b")',
    'setInterval(() => {}, 1e6)',
  ]) {
    expect([code, (await world.exec(`timeout 2 ${run(code)}`)).exitCode]).toEqual([code, 124]);
  }
  const hungry = await world.exec(
    run('const x = []; for (;;) x.push(new Uint8Array(1e8).fill(1))'),
  );
  expect(hungry.exitCode).not.toBe(0);
  expect(hungry.stderr).toMatch(/memory|allocation/i);
  const deep = await world.exec(
    run('const f = () => f(); try { f() } catch (e) { console.log(e.name, e.message) }'),
  );
  expect(deep.stdout).toBe('RangeError Maximum call stack size exceeded\n');
  expect((await world.exec('echo on')).stdout).toBe('on\n');
});

test('node that starts itself again and again comes to an end', async () => {
  const world = testWorld({ programs });
  await world.fs.writeFile(
    '/workspace/again.js',
    `const n = Number(process.argv[2]);
const ran = require('child_process').spawnSync('node', ['again.js', String(n + 1)], { encoding: 'utf8' });
console.log(ran.status === 126 ? \`\${n} \${ran.stderr.trim().slice(0, 38)}\` : ran.stdout.trim());
`,
  );
  expect((await world.exec('node again.js 1')).stdout).toBe(
    '4 node: Resource temporarily unavailable\n',
  );
});
