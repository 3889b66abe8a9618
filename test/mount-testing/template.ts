/** The package that `dirigent create mount` writes, on the sources of this checkout, and spoilt where a test wants that. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from '../temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DOORS = {
  "'dirigent/mount/testing'": 'src/mount-testing/index.ts',
  "'dirigent/mount'": 'src/mount/index.ts',
  "'zod'": 'node_modules/zod/index.js',
};

/**
 * @param spoil what is put in the place of what, in `index.js`
 * @returns the directory, which goes away with the test
 */
export function templatePackage(spoil: Readonly<Record<string, string>> = {}): string {
  const directory = temporaryDirectory();
  cpSync(join(ROOT, 'data', 'mount-template'), directory, { recursive: true });
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    let text = readFileSync(file, 'utf8').replaceAll(/@(?:NAME|SLUG|TITLE)@/g, 'acme');
    for (const [door, path] of Object.entries(DOORS))
      text = text.replaceAll(door, `'${pathToFileURL(join(ROOT, path)).href}'`);
    for (const [from, to] of name === 'index.js' ? Object.entries(spoil) : []) {
      if (!text.includes(from)) throw new Error(`the template does not say ${from}`);
      text = text.replace(from, to);
    }
    writeFileSync(file, text);
  }
  return directory;
}
