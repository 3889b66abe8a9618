/**
 * A search that knows the texts of a service from before finds what a plain one finds: records are
 * changed by others, by two mounts on one replica and by staged writes, and after each step every
 * command must say what it says through a mount that was opened just now and knows nothing.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { runRg } from '../../shims/grep/rg.ts';
import { runGrep } from '../../shims/grep/run.ts';
import { TextIndex } from '../../shims/support/literal/trigrams/text-index.ts';
import { isFsError } from '../../src/errors.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import type { Mount } from '../../src/mount/contract/contract.ts';
import type { Namespace } from '../../src/namespace/namespace.ts';
import { namespaceOver } from '../conformance/support.ts';
import type { RunningService } from './each-service.ts';
import { type JournalledMount, text, write } from './testing.ts';

/** Within it nothing is asked again, in ms. */
const FRESH_MS = 10_000;
/** All within a minute, and longer than anything is believed. */
const WAITS = [100, FRESH_MS + 1_000, 90_000];

const WORDS = ['alpha', 'beta', 'gamma-ray', 'Größe'];
const PATTERNS = ['alpha', 'beta', 'gamma', 'Größe', 'frobnicator', 'Comment', 'zzzz', 'title:'];
const OPTIONS = [['-rn'], ['-rl'], ['-rc'], ['-rL'], ['-rni'], ['-rnE']];
const RG_OPTIONS = [['-n'], ['-l'], ['-c']];

const ACTS = [
  'retitle',
  'retitle',
  'add',
  'remove the record',
  'remove a comment',
  'rename what is referred to',
  'write',
  'write through the other mount',
  'stage',
  'stage',
  'stage',
  'take back what is staged',
  'fetch through the other mount',
  'nothing',
] as const;

/** One step, as plain data. */
const stepOf = fc.record({
  act: fc.constantFrom(...ACTS),
  /** Which of the service's writes it is, where it is one. */
  which: fc.nat(20),
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  wait: fc.constantFrom(0, 0, ...WAITS),
  /** Mostly what was said last, which most texts have not. */
  pattern: fc.oneof(fc.constant(null), fc.constant(null), fc.constantFrom(...PATTERNS)),
  grep: fc.constantFrom(...OPTIONS),
  rg: fc.constantFrom(...RG_OPTIONS),
});

type Step = typeof stepOf extends fc.Arbitrary<infer T> ? T : never;
type Bench = Awaited<ReturnType<RunningService['bench']>>;

/** A mount, where a search knows what it read through it before. */
interface Searched {
  mount: JournalledMount;
  ns: Namespace;
  index: TextIndex;
}

/** A busy machine is no failure of the service, ms. */
const PATIENCE_MS = 60_000;

const over = (mount: Mount): Namespace =>
  namespaceOver(
    [
      ['/', new MemoryMount()],
      ['/m', mount],
    ],
    PATIENCE_MS,
  );

class World {
  readonly #service: RunningService;
  readonly #bench: Bench;
  readonly #one: Searched;
  readonly #two: Searched;
  readonly #staging: JournalledMount;
  #added = 0;

  constructor(service: RunningService, bench: Bench) {
    this.#service = service;
    this.#bench = bench;
    bench.stopClock();
    this.#one = this.#searched();
    this.#two = this.#searched();
    this.#staging = bench.mount({ stage: true, freshMs: FRESH_MS });
  }

  get passedOver(): number {
    return this.#one.index.passedOver + this.#two.index.passedOver;
  }

  #searched(): Searched {
    const mount = this.#bench.mount({ freshMs: FRESH_MS });
    return { mount, ns: over(mount), index: new TextIndex() };
  }

  /** What cannot be done is not done: nothing is the matter with that. */
  async take(step: Step): Promise<void> {
    try {
      await this.#act(step);
    } catch (error) {
      if (!isFsError(error) && !/stand-in refused .* has no /.test(String(error))) throw error;
    }
    this.#bench.move(step.wait);
  }

  async #act({ act, which, words }: Step): Promise<void> {
    const service = this.#service;
    const said = words.join(' ');
    if (act === 'retitle') await service.retitle(said);
    else if (act === 'add') await service.add(`${said} ${++this.#added}`);
    else if (act === 'remove the record') await service.removeRecord();
    else if (act === 'remove a comment') await service.removeComment?.();
    else if (act === 'rename what is referred to') await service.renameReferred?.(said);
    else if (act === 'fetch through the other mount') await this.#two.mount.prefetch('/');
    else if (act === 'take back what is staged') {
      const { journal } = this.#staging;
      await journal.drop(journal.list({ state: 'pending' }).map(({ id }) => id));
    } else if (act !== 'nothing') {
      const by = { write: this.#one.mount, stage: this.#staging };
      await this.#write(act in by ? by[act as keyof typeof by] : this.#two.mount, which, said);
    }
  }

  async #write(mount: JournalledMount, which: number, said: string): Promise<void> {
    const { writes } = this.#service;
    const { path, content } = writes[which % writes.length] ?? { path: '', content: () => null };
    const made = content(path.endsWith('/new.md') ? '' : await text(mount, path));
    if (made === null) await mount.unlink?.(path);
    else await write(mount, path, made.replace(/\n*$/, `\n${said}\n`));
  }

  /** Both commands of a step, through mounts that know something and one that does not. */
  async compare({ pattern: asked, words, grep, rg }: Step): Promise<void> {
    const pattern = asked ?? words.at(-1) ?? '';
    // What it cost and when it was asked is in README.md, and another for each mount.
    const grepArgs = [...grep, '--exclude=README.md', pattern, '.'];
    const rgArgs = [...rg, '-g', '!README.md', pattern, '.'];
    for (const { ns, index } of [this.#one, this.#two]) {
      const io = { cwd: '/m', stdin: '', piped: false, bytes: false };
      const known = await runGrep(ns, grepArgs, { ...io, index });
      const fresh = this.#bench.mount({ freshMs: FRESH_MS });
      expect(known, grepArgs.join(' ')).toEqual(await runGrep(over(fresh), grepArgs, io));
      const quick = await runRg(ns, rgArgs, { ...io, index });
      expect(quick, rgArgs.join(' ')).toEqual(await runRg(over(fresh), rgArgs, io));
    }
  }

  async end(): Promise<void> {
    for (const { mount } of [this.#one, this.#two]) await mount.close?.();
    await this.#staging.close?.();
  }
}

/**
 * Runs the property.
 * @returns how many files were passed over, all in all
 */
export async function checkIndexedSearch(service: RunningService, runs: number): Promise<number> {
  let passedOver = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { minLength: 5, maxLength: 10 }), async (steps) => {
      using bench = await service.bench();
      const world = new World(service, bench);
      try {
        for (const step of steps) {
          await world.take(step);
          await world.compare(step);
        }
        passedOver += world.passedOver;
      } finally {
        await world.end();
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  return passedOver;
}
