// Which test files are near a file: those that need it, over the fewest imports and folders.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** A word that the paths of a test and of a file share brings them this many steps closer. */
const WORD = 3;

/** @param {string} file from the root */
export function isTest(file) {
  return file.endsWith('.test.ts');
}

/** Who needs whom, by what the files name: imports, and workers and programs by their paths. */
export class Imports {
  #importers = new Map();
  #near = new Map();

  /** @param {string} root @param {string[]} files paths from the root */
  constructor(root, files) {
    const sources = new Set(files.filter((file) => /\.(ts|mjs)$/.test(file)));
    for (const file of sources) {
      const text = readFileSync(join(root, file), 'utf8')
        // A type alone runs nothing.
        .replaceAll(/^(import|export) type [^;]*;/gm, '');
      for (const [, name] of text.matchAll(/['"`]([\w./-]+\.(?:ts|mjs))['"`]/g))
        for (const target of [normalize(join(dirname(file), name)), normalize(name)])
          if (target !== file && sources.has(target)) this.#add(target, file);
    }
  }

  #add(target, importer) {
    const known = this.#importers.get(target);
    if (known === undefined) this.#importers.set(target, new Set([importer]));
    else known.add(importer);
  }

  /** Whether code of the house needs a file, through whatever others, or a program is begun by it: not what only tests and trials use. */
  isReached(file) {
    return [...(this.#importers.get(file) ?? [])].some(
      (importer) =>
        !isTest(importer) &&
        !/testing\//.test(file) &&
        (!this.#importers.has(importer) || this.isReached(importer)),
    );
  }

  /** The short test files that need a file, the nearest first. */
  testsNear(file) {
    const known = this.#near.get(file);
    if (known !== undefined) return known;
    const steps = new Map([[file, 0]]);
    for (const [each, step] of steps)
      for (const importer of this.#importers.get(each) ?? [])
        if (!steps.has(importer)) steps.set(importer, step + 1);
    const far = (test) =>
      steps.get(test) +
      folders(dirname(file), dirname(test)) -
      WORD * words(test).filter((word) => words(file).includes(word)).length;
    const near = [...steps.keys()]
      .filter((each) => isTest(each) && !each.endsWith('.long.test.ts'))
      .filter((each) => isAbout(each, file))
      .sort((a, b) => far(a) - far(b) || (a < b ? -1 : 1));
    this.#near.set(file, near);
    return near;
  }
}

/** How many folders one goes up and down on the way. */
function folders(from, to) {
  return relative(from, to)
    .split('/')
    .filter((name) => name !== '').length;
}

/** Not the tests of another command or mount, which need this one by a table, nor those of the checkout itself. */
function isAbout(test, file) {
  const [top, folder, name] = test.split('/');
  if (top === 'test') return name !== undefined;
  if (top === 'src' || folder === 'support' || name === undefined) return top !== 'examples';
  return (
    !/^(shims|mounts)\//.test(file) ||
    file.startsWith(`${top}/${folder}/`) ||
    file.includes('/support/')
  );
}

function words(path) {
  const common = ['src', 'test', 'tests', 'index', 'ts', 'shims', 'mounts', ''];
  return [...new Set(path.split(/[^a-z0-9]+/i))].filter((word) => !common.includes(word));
}
