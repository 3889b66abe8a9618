// Installs what is missing before a script runs. Runs on any Node from 20, so
// it is JavaScript, and it leaves stdout to the command that follows.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Is `node_modules` at least as new as the lock file it was made from? */
function installed() {
  try {
    const made = statSync(join(root, 'node_modules', '.package-lock.json')).mtimeMs;
    const wanted = Object.keys(
      JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages,
    );
    const have = JSON.parse(
      readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8'),
    ).packages;
    const needed = wanted.filter((name) => name !== '' && !name.includes('/node_modules/'));
    statSync(join(root, 'node_modules', 'node', 'bin'));
    // Optional packages of other platforms are in the lock and never on disk.
    return made > 0 && needed.filter((name) => name in have).length > 0;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

if (!installed()) {
  process.stderr.write('dirigent: installing dependencies (once)\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const run = spawnSync(npm, ['ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) {
    process.stderr.write('dirigent: the install failed; run "npm ci" by hand to see why\n');
    process.exit(run.status ?? 1);
  }
}
