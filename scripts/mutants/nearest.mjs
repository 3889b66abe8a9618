// Which test files are near a file: those that need it, over the fewest imports and folders.
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';

/** What the package opens with, and the code of the product; trials of it are for others' tests. */
const ENTRIES = /^(entry\/|src\/(command|mount\/index)\.ts$)/;
const HOUSE = /^(entry|src|shims|mounts|channels)\/(?!.*[/-]testing).*(?<!\.test)\.ts$/;

/** A word that the paths of a test and of a file share brings them this many steps closer. */
const WORD = 3;

/** @param {string} file from the root */
export function isTest(file) {
  return file.endsWith('.test.ts');
}

/** Who needs whom, by what the files name: imports, and workers and programs by their paths. */
export class Imports {
  #importers = new Map();
  #needs = new Map();
  #texts = new Map();
  #reached;
  #near = new Map();

  /** @param {string} root @param {string[]} files paths from the root */
  constructor(root, files) {
    const sources = new Set(files.filter((file) => /\.(ts|mjs)$/.test(file)));
    for (const file of sources) {
      const text = readFileSync(join(root, file), 'utf8')
        // A type alone runs nothing.
        .replaceAll(/^(import|export) type [^;]*;/gm, '');
      if (isTest(file)) this.#texts.set(file, text.toLowerCase());
      for (const name of namesIn(text))
        for (const target of [normalize(join(dirname(file), name)), normalize(name)])
          if (target !== file && sources.has(target)) {
            add(this.#importers, target, file);
            add(this.#needs, file, target);
          }
    }
    this.#reached = within(
      [...sources].filter((file) => ENTRIES.test(file)),
      (file) => [...(this.#needs.get(file) ?? [])].filter((each) => HOUSE.test(each)),
    );
  }

  /** Whether the product runs a file: not what only tests and trials use. */
  isReached(file) {
    return this.#reached.has(file);
  }

  /** The short test files that need a file, the nearest first. */
  testsNear(file) {
    return this.#testsOf(file).filter((test) => !isLong(test));
  }

  /** The long test files that are of a file itself: they need it over one other at most, or stand as near as the nearest short ones. */
  longTestsOf(file) {
    const steps = this.#stepsTo(file);
    const near = this.#testsOf(file);
    const second = near.indexOf(this.testsNear(file)[1]);
    return near.filter((test, place) => isLong(test) && (steps.get(test) <= 2 || place < second));
  }

  /** The nearest first. */
  #testsOf(file) {
    const known = this.#near.get(file);
    if (known !== undefined) return known;
    const steps = this.#stepsTo(file);
    const own = words(file);
    const name = words(basename(file));
    // What lies beside a file that needs this one is as near as that file: a command's tests come
    // to all commands over the table of them.
    const beside = new Map();
    for (const [each, step] of steps)
      if (HOUSE.test(each) && !beside.has(dirname(each))) beside.set(dirname(each), step + 1);
    const far = (test) => {
      const text = this.#texts.get(test);
      return (
        Math.min(steps.get(test), beside.get(dirname(test)) ?? Infinity) +
        folders(dirname(file), dirname(test)) -
        WORD * words(test).filter((word) => own.includes(word)).length -
        WORD * name.filter((word) => text.includes(stem(word))).length -
        own.filter((word) => text.includes(stem(word))).length
      );
    };
    const near = [...steps.keys()]
      .filter((each) => isTest(each) && isAbout(each, file))
      .sort((a, b) => far(a) - far(b) || (a < b ? -1 : 1));
    this.#near.set(file, near);
    return near;
  }

  /** Everything that needs a file, with the imports between. */
  #stepsTo(file) {
    return within([file], (each) => this.#importers.get(each) ?? []);
  }
}

function isLong(test) {
  return test.endsWith('.long.test.ts');
}

/** What a text names: `'./a.ts'`, `` `./a.${extension}` ``, `join(ROOT, 'a', 'b.ts')`, `besideModule(import.meta.url, 'a')`, and `'dirigent:a/b'` of an engine's guest. */
function* namesIn(text) {
  for (const [, name] of text.matchAll(/['"`]([\w./-]+\.)(?:ts|mjs|\$\{[^}`]*\})['"`]/g)) {
    yield `${name}ts`;
    yield `${name}mjs`;
  }
  for (const [, folders, name] of text.matchAll(/((?:'[\w.-]+', )+)'([\w./-]+\.ts)'/g))
    yield `${folders.replaceAll(/'([^']*)', /g, '$1/')}${name}`;
  for (const [, name] of text.matchAll(/(?:'dirigent:|\(import\.meta\.url, ')([\w/-]+)'/g))
    yield `./${name}.ts`;
}

/** Everything that one comes to from some places, with the steps to it. */
function within(from, next) {
  const steps = new Map(from.map((each) => [each, 0]));
  for (const [each, step] of steps)
    for (const other of next(each)) if (!steps.has(other)) steps.set(other, step + 1);
  return steps;
}

function add(map, key, value) {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}

/** How many folders one goes up and down on the way. */
function folders(from, to) {
  return relative(from, to)
    .split('/')
    .filter((name) => name !== '').length;
}

/** Not the tests of another command or mount, which need this one by a table. */
function isAbout(test, file) {
  const [top, folder, name] = test.split('/');
  if (top === 'src' || top === 'test' || folder === 'support' || name === undefined)
    return top !== 'examples';
  return (
    !/^(shims|mounts|channels)\//.test(file) ||
    file.startsWith(`${top}/${folder}/`) ||
    file.includes('/support/')
  );
}

function words(path) {
  const common = ['src', 'test', 'tests', 'index', 'ts', 'shims', 'mounts', 'channels', ''];
  return [...new Set(path.split(/[^a-z0-9]+/i))].filter((word) => !common.includes(word));
}

/** `aliases` is written about as `alias`, too. */
function stem(word) {
  return word.toLowerCase().replace(/e?s$/, '');
}
