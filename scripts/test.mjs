// `npm test`: the tests, and beside them the types, the style and the unused code. Most tests wait
// for threads and processes of their own, so that the checks cost less time here than before them.
// Arguments go to vitest. It fails where anything fails, and says what.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The scripts of package.json that check, and what a failure of each is called. */
const CHECKS = { typecheck: 'types', lint: 'lint', unused: 'unused code' };

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a program to its end: `{ ok, output }`, the output empty where it went to the terminal. */
function run(name, args, stdio) {
  return new Promise((resolve, reject) => {
    // On Windows npm's programs are scripts of its shell.
    const child = spawn(name, args, { cwd: root, stdio, shell: process.platform === 'win32' });
    const output = [];
    child.stdout?.on('data', (data) => output.push(data));
    child.stderr?.on('data', (data) => output.push(data));
    child.on('error', reject);
    child.on('close', (status) => resolve({ ok: status === 0, output: Buffer.concat(output) }));
  });
}

/** One after the other, since the tests have the machine. Tells of each failure at once. */
async function check() {
  const failed = [];
  for (const [script, what] of Object.entries(CHECKS)) {
    const { ok, output } = await run(
      'npm',
      ['run', '--silent', script],
      ['ignore', 'pipe', 'pipe'],
    );
    if (ok) continue;
    failed.push(what);
    process.stderr.write(`\n${what}: npm run ${script} failed\n${output}\n`);
  }
  return failed;
}

const [failed, tests] = await Promise.all([
  check(),
  run('vitest', ['run', ...process.argv.slice(2)], 'inherit'),
]);
if (!tests.ok) failed.push('tests');
if (failed.length > 0) process.stderr.write(`\nnpm test failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
