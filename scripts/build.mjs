// Compiles the package to dist/. Node strips no types inside node_modules, so
// what is installed is JavaScript; tsc makes it, with declarations. Then the
// modules of the worker become one file, and so does zod with the config's
// schema: reading some 300 files would be most of the start-up time.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/**
 * Puts a compiled module and what it imports into one file, in its place; what
 * it loads later stays a file of its own.
 */
async function bundle(name, external) {
  const { rolldown } = await import('rolldown');
  const file = join(dist, 'src', 'world', `${name}.js`);
  const built = await rolldown({ input: file, external, platform: 'node' });
  const { output } = await built.generate({
    format: 'esm',
    entryFileNames: `${name}.js`,
    chunkFileNames: `${name}-[name].js`,
  });
  await built.close();
  for (const chunk of output) {
    if (chunk.type !== 'chunk') throw new Error(`unexpected ${chunk.fileName} in the bundle`);
    const ours = chunk.moduleIds.filter((id) => id.startsWith(dist));
    for (const id of ours) {
      if (/\bimport\.meta\.(url|dirname|filename)/.test(readFileSync(id, 'utf8'))) {
        throw new Error(
          `${id} reads import.meta, which a bundle changes; hand it the path in the WorldSpec`,
        );
      }
    }
    writeFileSync(join(dist, 'src', 'world', chunk.fileName), chunk.code);
  }
}

rmSync(dist, { recursive: true, force: true });
compile();
// just-bash brings a bundle of its own, and loads parts of it by their path.
await bundle('worker', (id) => /^(just-bash|node:)/.test(id) || isBuiltin(id));
// Only zod goes in: an error's class must be one and the same for all who test for it.
await bundle('config', (id, from) => from?.startsWith(dist) === true && id.startsWith('.'));
const main = join(dist, 'src', 'cli', 'main.js');
if (!readFileSync(main, 'utf8').startsWith('#!')) throw new Error(`${main} has no #! line`);
chmodSync(main, 0o755);
