// Which test files are near a file: those that need it, over few imports and folders, and speak of what it speaks of.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

/** What the package opens with, and the code of the product; trials of it are for others' tests. */
const ENTRIES = /^(entry\/|src\/(command|mount\/index)\.ts$)/;
const HOUSE = /^(entry|src|shims|mounts|channels)\/(?!.*[/-]testing).*(?<!\.test)\.ts$/;

/** A test that says all that a file says, as often, is this many steps closer. */
const LIKENESS = 20;
/** How often a file says the words of its path, beside its text. */
const PATH = 5;
/** Beyond so many steps a test needs a file as part of a whole world: farther is no farther. */
const WORLD_STEPS = 4;

/** @param {string} file from the root */
export function isTest(file) {
  return file.endsWith('.test.ts');
}

/** Who needs whom, by what the files name: imports, and workers and programs by their paths. */
export class Imports {
  #importers = new Map();
  #needs = new Map();
  #words = new Map();
  #vectors = new Map();
  #rarities;
  #reached;
  #near = new Map();

  /** @param {string} root @param {string[]} files paths from the root */
  constructor(root, files) {
    const sources = new Set(files.filter((file) => /\.(ts|mjs)$/.test(file)));
    for (const file of sources) {
      const text = readFileSync(join(root, file), 'utf8')
        // A type alone runs nothing.
        .replaceAll(/^(import|export) type [^;]*;/gm, '');
      this.#words.set(file, countsOf(wordsOf(`${text}\n${`${file}\n`.repeat(PATH)}`)));
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
    const own = this.#vectorOf(file);
    // What lies beside a file that needs this one is as near as that file: a command's tests come
    // to all commands over the table of them.
    const beside = new Map();
    for (const [each, step] of steps)
      if (HOUSE.test(each) && !beside.has(dirname(each))) beside.set(dirname(each), step + 1);
    const far = (test) =>
      Math.min(steps.get(test), beside.get(dirname(test)) ?? Infinity, WORLD_STEPS) +
      folders(place(file), place(test)) -
      LIKENESS * likeness(own, this.#vectorOf(test));
    const near = [...steps.keys()]
      .filter((each) => isTest(each) && isAbout(each, file))
      .map((test) => ({ test, far: far(test) }))
      .sort((a, b) => a.far - b.far || (a.test < b.test ? -1 : 1))
      .map(({ test }) => test);
    this.#near.set(file, near);
    return near;
  }

  /** What a file says: its words, of which the rare ones count most (TF-IDF), as a vector of length 1. */
  #vectorOf(file) {
    const known = this.#vectors.get(file);
    if (known !== undefined) return known;
    this.#rarities ??= raritiesOf(
      [...this.#words].filter(([each]) => isTest(each)).map(([, counts]) => counts),
    );
    const weights = [...this.#words.get(file)].map(([word, count]) => [
      word,
      Math.sqrt(count) * (this.#rarities.get(word) ?? 0),
    ]);
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    const vector = new Map(weights.map(([word, weight]) => [word, weight / length]));
    this.#vectors.set(file, vector);
    return vector;
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

/** Where a file stands in the house: the tests of a room are as near in `test/ROOM` as in it. */
function place(file) {
  return dirname(file).replace(/^(src|test)\//, '');
}

/** The words of a text, those in names too: `lineReaders` is `line`, `reader`. */
function wordsOf(text) {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2)
    .map((word) => word.replace(/e?s$/, ''));
}

function countsOf(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** What each word tells: nothing if all say it. */
function raritiesOf(all) {
  const saying = countsOf(all.flatMap((counts) => [...counts.keys()]));
  return new Map([...saying].map(([word, count]) => [word, Math.log(all.length / count)]));
}

/** From 0, no word in common, to 1. */
function likeness(one, other) {
  let all = 0;
  for (const [word, weight] of one) all += weight * (other.get(word) ?? 0);
  return all;
}
