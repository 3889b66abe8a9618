/**
 * isomorphic-git, of which one file is used: the others would bring fifty
 * packages. It is a script for browsers, and is given what it needs of them.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the package offers. */
export type Git = typeof import('isomorphic-git').default;

/** Loads it; takes some 30 ms. */
export function loadGit(): Git {
  const directory = dirname(fileURLToPath(import.meta.resolve('isomorphic-git')));
  const source = readFileSync(`${directory}/index.umd.min.js`, 'utf8');
  const scope = { exports: {} };
  const { TextEncoder, TextDecoder, URL } = globalThis;
  const subtle = {
    digest: async (_algorithm: string, data: Uint8Array) =>
      new Uint8Array(createHash('sha1').update(data).digest()).buffer,
  };
  const self = { crypto: { subtle }, TextEncoder, TextDecoder, URL };
  new Function('self', 'crypto', 'module', 'exports', source)(
    self,
    self.crypto,
    scope,
    scope.exports,
  );
  return scope.exports as Git;
}
