/** Node.js's own library: the modules of it that run over the guest's bindings, of the version that this package is built with. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readVendored } from '../../src/vendored.ts';

export interface Library {
  /** `24.21.0`: whose library it is. */
  versions: Record<string, string>;
  /** The modules' texts, by their ids. */
  sources: Record<string, string>;
}

/** Reads it out of the package, or, in a checkout, out of the Node.js that the package is built with. */
export function readLibrary(): string {
  const vendored = fileURLToPath(
    new URL('../../vendor/node-library/library.json.br', import.meta.url),
  );
  if (existsSync(vendored)) return readVendored(vendored).toString();
  const extract = fileURLToPath(new URL('../../scripts/node-library.mjs', import.meta.url));
  const node = join(
    dirname(fileURLToPath(import.meta.resolve('node/package.json'))),
    'bin',
    'node',
  );
  return execFileSync(node, ['--no-deprecation', extract], {
    maxBuffer: 64 * 1024 * 1024,
  }).toString();
}
