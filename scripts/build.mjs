// Compiles the package to dist/. Node strips no types inside node_modules, so
// what is installed is JavaScript; tsc makes it, with declarations, file by file.
// What the shell is made of comes along (vendor.mjs).
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pruneTypings } from './typings.mjs';
import { vendor } from './vendor.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** Runs a program of node_modules with this Node, its output on stderr: `npm pack` owns stdout. */
function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (run.status !== 0) {
    process.stderr.write('dirigent: the build failed\n');
    process.exit(run.status ?? 1);
  }
}

rmSync(dist, { recursive: true, force: true });
compile();

// In a class whose name it has to replace, the compiler replaces the key of a
// destructuring of that name, too: `({ Name: x })` would read `_a`, which nobody has.
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (file.endsWith('.js') && /[{,]\s*_[a-z]\s*:/.test(readFileSync(file, 'utf8'))) {
    throw new Error(`${file} takes a property by a name that the compiler made up`);
  }
}
await vendor(join(root, 'node_modules'), dist);
// Modules for browsers, as they are: the server names to them what they import.
const page = join('src', 'serve', 'console', 'page');
cpSync(join(root, page), join(dist, page), { recursive: true });
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
pruneTypings(
  root,
  Object.values(exports).map(({ types }) => types),
);
