/**
 * A search that knows texts from before finds what a plain walk finds: files of
 * a disk mount are changed through the namespace and behind its back, with the
      const known = await runGrep(this.ns, grepArgs, {
        ...io,
        index: this.index,
        kernelFor: () => this.#kernel,
      });
      expect(known, JSON.stringify(grepArgs)).toEqual(await runGrep(listing, grepArgs, io));
      const rgArgs = [...rg, ...pattern.filter((word) => word !== '-E')];
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { DiskMount } from '../../../src/disk/mount.ts';
import { MemoryMount } from '../../../src/memory-tree/mount.ts';
import type { NamespaceFs } from '../../../src/namespace/types.ts';
import { hostDirectory, namespaceOver } from '../../../test/conformance/support.ts';
import { LineKernel } from '../../support/literal/line-kernel.ts';
import { TextIndex } from '../../support/literal/trigrams/text-index.ts';
import { runRg } from '../rg.ts';
import { runGrep } from '../run.ts';

/** Far above the steps in which file systems keep time, and below the patience of a test. */
const SETTLED_MS = 25;
const PAST = new Date('2020-01-01T00:00:00Z');

const WORDS = [
  'alpha',
  'beta',
  'gamma-ray',
  'Größe',
  'x.y',
  'al',
  'ta',
  'ALPHA',
  '日本語',
  '\0',
  '\xff',
];
/** Few, so that one file goes through much. */
const NAMES = ['b.md', '-e', 'a\nb: é', '.hid', '*.md'];
const DIRECTORIES = ['d', 'd/e', '-r'];

const PATTERNS: readonly (readonly string[])[] = [
  ['alpha'],
  ['alpha'],
  ['beta'],
  ['gamma-ray'],
  ['-i', 'alpha'],
  ['Größe'],
  ['日本'],
  ['al'],
  ['-e', 'alpha', '-e', 'gamma'],
  ['-E', 'alpha|beta'],
  ['-E', '(al|be)(pha|ta)'],
  ['-E', 'alpha.*beta'],
  ['-E', '(alp)ha \\1'],
  ['-P', 'alph(?=a)'],
  ['-F', 'x.y'],
  ['-w', 'beta'],
  ['-w', '-E', '(alpha)*'],
  ['-w', '-e', 'alpha', '-e', 'b*'],
  ['-x', 'alpha beta'],
  ['zzz'],
  [''],
];
const GREP_OPTIONS: readonly (readonly string[])[] = [
  ['-rn'],
  ['-rc'],
  ['-rl'],
  ['-rL'],
  ['-rv'],
  ['-ro'],
  ['-rq'],
  ['-rnm1'],
  ['-rnA1'],
  ['-rnz'],
  ['-ra'],
  ['-rI'],
  ['-rhs', '--include=*.md'],
  ['-rlZ', '--exclude-dir=e'],
  ['-R'],
];
const RG_OPTIONS: readonly (readonly string[])[] = [
  ['-n'],
  ['-c'],
  ['-l'],
  ['--files-without-match'],
  ['-v'],
  ['-U'],
  ['--stats'],
  ['--json'],
  ['-uu'],
  ['--passthru'],
  ['-c', '--include-zero'],
  ['-a', '--crlf'],
  ['--max-filesize', '20'],
  ['-o', '-r', 'X'],
];

/** One step, as plain data: what is done to which of the files with which text. */
const stepOf = fc.record({
  act: fc.constantFrom(
    'write',
    'append',
    'remove',
    'rename',
    'hard link',
    'rename a directory',
    'make a directory',
    'link in its place',
    'outside write',
    'outside rename',
    'outside write, same size and time',
    'outside swap of directories',
    'outside hard link, written through',
    'outside truncate',
    'outside link in its place',
    'set the time back',
  ),
  mount: fc.constantFrom('/m', '/k'),
  one: fc.record({ directory: fc.constantFrom(...DIRECTORIES), name: fc.constantFrom(...NAMES) }),
  two: fc.record({ directory: fc.constantFrom(...DIRECTORIES), name: fc.constantFrom(...NAMES) }),
  words: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }),
  lines: fc.boolean(),
  settle: fc.boolean(),
  pattern: fc.constantFrom(...PATTERNS),
  grep: fc.constantFrom(...GREP_OPTIONS),
  rg: fc.constantFrom(...RG_OPTIONS),
});

type Step = typeof stepOf extends fc.Arbitrary<infer T> ? T : never;

const textOf = ({ words, lines }: Step): Buffer =>
  Buffer.from(words.join(lines ? '\n' : ' '), words.includes('\xff') ? 'latin1' : 'utf8');

/** The same words in another order, padded or cut: a text of the same size. */
function ofSize(text: Buffer, size: number): Buffer {
  return Buffer.concat([text, Buffer.alloc(size, 'al pha be')]).subarray(0, size);
}

class World {
  readonly #host = hostDirectory();
  readonly #mount = new DiskMount({ root: this.#host.path, unsettledMs: SETTLED_MS });
  readonly ns = namespaceOver([
    ['/', new MemoryMount()],
    ['/m', this.#mount],
    ['/m/d/e/in', new MemoryMount()],
    ['/k', new MemoryMount()],
    ['/k/in', new MemoryMount()],
  ]);
  readonly index = new TextIndex();
  readonly #kernel = new LineKernel();

  async begin(): Promise<void> {
    for (const directory of DIRECTORIES)
      fs.mkdirSync(join(this.#host.path, directory), { recursive: true });
    for (const [index, name] of NAMES.entries()) {
      const path = join(this.#host.path, 'd', name);
      fs.writeFileSync(path, `${WORDS[index]} and more\nwords ${name}\n`);
      // Not what the host's clock says: that cannot be set again to the last digit.
      fs.utimesSync(path, PAST, PAST);
    }
    await this.ns.writeFile('/m/d/e/in/memory', 'alpha in memory\n');
    await this.ns.writeFile('/k/in/memory', 'alpha in memory\n');
    for (const directory of DIRECTORIES)
      await this.ns.mkdir(`/k/${directory}`, { recursive: true });
    for (const [index, name] of NAMES.entries())
      await this.ns.writeFile(`/k/d/${name}`, `${WORDS[index]} and more\nwords ${name}\n`);
  }

  async end(): Promise<void> {
    await this.#mount.close();
    this.#host.remove();
  }

  /** What cannot be done is not done: nothing is the matter with that. */
  async take(step: Step): Promise<void> {
    try {
      await (step.act.startsWith('outside') ? this.#outside(step) : this.#inside(step));
    } catch (error) {
      if (!/\bE[A-Z]{3,}\b/.test(String(error))) throw error;
    }
  }

  async #inside(step: Step): Promise<void> {
    const { act, mount, one, two } = step;
    const path = join(mount, one.directory, one.name);
    const other = join(mount, two.directory, two.name);
    if (act === 'write') await this.ns.writeFile(path, textOf(step));
    else if (act === 'append') await this.ns.appendFile(path, textOf(step));
    else if (act === 'remove') await this.ns.rm(path);
    else if (act === 'rename') await this.ns.mv(path, other);
    else if (act === 'hard link') await this.ns.link(path, other);
    else if (act === 'rename a directory')
      await this.ns.mv(join(mount, one.directory), join(mount, two.directory, 'moved'));
    else if (act === 'make a directory') await this.ns.mkdir(`${path}/`, { recursive: true });
    else if (act === 'link in its place') {
      await this.ns.rm(path);
      await this.ns.symlink(two.name, path);
    } else await this.ns.utimes(path, PAST, PAST);
  }

  async #outside(step: Step): Promise<void> {
    const { act, one, two } = step;
    const path = join(this.#host.path, one.directory, one.name);
    const other = join(this.#host.path, two.directory, two.name);
    if (act === 'outside write') fs.writeFileSync(path, textOf(step));
    else if (act === 'outside rename') fs.renameSync(path, other);
    else if (act === 'outside truncate') fs.truncateSync(path, 3);
    else if (act === 'outside swap of directories') {
      const aside = join(this.#host.path, 'aside');
      fs.renameSync(join(this.#host.path, 'd'), aside);
      fs.renameSync(join(this.#host.path, '-r'), join(this.#host.path, 'd'));
      fs.renameSync(aside, join(this.#host.path, '-r'));
      fs.mkdirSync(join(this.#host.path, 'd/e'), { recursive: true });
    } else if (act === 'outside link in its place') {
      fs.rmSync(path);
      fs.symlinkSync(other, path);
    } else if (act === 'outside hard link, written through') {
      fs.rmSync(other, { force: true });
      fs.linkSync(path, other);
      const { size } = fs.statSync(other);
      fs.writeFileSync(other, ofSize(textOf(step), size));
      fs.utimesSync(other, PAST, PAST);
    } else {
      const { size } = fs.statSync(path);
      fs.writeFileSync(path, ofSize(textOf(step), size));
      fs.utimesSync(path, PAST, PAST);
    }
  }

  /** Both commands of a step, with the index over a walk at once, and without it over listings. */
  async compare({ pattern, grep, rg }: Step): Promise<void> {
    const listing = listed(this.ns);
    for (const cwd of ['/m', '/k', '/']) {
      const io = { cwd, stdin: '', piped: false, bytes: false };
      const grepArgs = [...grep, ...pattern, '.'];
      const known = await runGrep(this.ns, grepArgs, {
        ...io,
        index: this.index,
        kernelFor: () => this.#kernel,
      });
      expect(known, JSON.stringify(grepArgs)).toEqual(await runGrep(listing, grepArgs, io));
      const rgArgs = [...rg, ...pattern.filter((word) => word !== '-E')];
      const quick = await runRg(this.ns, rgArgs, { ...io, index: this.index });
      expect(quick, JSON.stringify(rgArgs)).toEqual(await runRg(listing, rgArgs, io));
    }
  }
}

/** The same file system, which lists one directory after another instead of walking at once. */
function listed(ns: NamespaceFs): NamespaceFs {
  return new Proxy(ns, {
    get(target, property) {
      if (property === 'walk') return () => null;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Runs the property.
 * @returns how many files were passed over unread, all in all
 */
export async function checkIndexedSearch(runs: number, seed?: number): Promise<number> {
  let passedOver = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = new World();
      try {
        await world.begin();
        for (const step of steps) {
          await world.take(step);
          if (step.settle) await delay(SETTLED_MS + 5);
          await world.compare(step);
        }
        passedOver += world.index.passedOver;
      } finally {
        await world.end();
      }
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }), endOnFailure: true },
  );
  return passedOver;
}
