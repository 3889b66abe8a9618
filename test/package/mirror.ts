/**
 * A checkout whose sources are those of an installed package: every module of
 * `src/`, `mounts/` and `shims/` that the package has hands on the compiled one.
 * Tests and examples, and the processes that they start, run there as they are.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './pack.ts';

const ROOMS = ['entry', 'src', 'mounts', 'shims'];
const COPIED = ['test', 'examples', 'docs', 'agents', 'data', 'README.md', 'ARCHITECTURE.md'];
const CONFIGS = ['package.json', 'vitest.config.ts', 'vitest.long.config.ts', 'tsconfig.json'];

/** @param installed the package's directory @param to where the checkout is made */
export function mirrorCheckout(installed: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of [...COPIED, ...CONFIGS]) {
    cpSync(join(ROOT, name), join(to, name), {
      recursive: true,
      filter: (path) => !path.endsWith('.dirigent'),
    });
  }
  for (const room of ROOMS) {
    for (const entry of readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name).slice(ROOT.length + 1);
      mkdirSync(dirname(join(to, file)), { recursive: true });
      const compiled = join(installed, 'dist', file.replace(/\.ts$/, '.js'));
      // What only tests load is in no package.
      if (!file.endsWith('.ts') || !existsSync(compiled)) cpSync(join(ROOT, file), join(to, file));
      else writeFileSync(join(to, file), handedOn(compiled));
    }
  }
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
}

function handedOn(compiled: string): string {
  const url = JSON.stringify(pathToFileURL(compiled).href);
  const hasDefault = /^export default\b|\bas default\b/m.test(readFileSync(compiled, 'utf8'));
  return `export * from ${url};\n${hasDefault ? `export { default } from ${url};\n` : ''}`;
}
