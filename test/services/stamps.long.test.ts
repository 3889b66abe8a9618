/** What a mount's stamp promises: as long as it is the same, looking again would show the same and ask nothing. */
import { posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childOf } from '../../src/paths.ts';
import { type RunningService, startService } from './each-service.ts';
import { type JournalledMount, text, write } from './testing.ts';

const FRESH_MS = 5_000;
const RUNS = Number(process.env['DIRIGENT_STAMP_RUNS'] ?? 6);
/** Entries of a walk. */
const MOST = 300;

interface Shown {
  type: string;
  mtime: number;
  /** Of what it holds; null where a read would ask the service, or fails. */
  size: number | null;
}

/** As a namespace tells it: the text is read for it. */
const sizeOf = async (mount: JournalledMount, path: string): Promise<number | null> => {
  if (mount.costly?.(path) === true) return null;
  return mount
    .read(path)
    .then(({ length }) => length)
    .catch(() => null);
};

/** All that a mount shows: each entry, and where the listings have it. */
async function walk(mount: JournalledMount): Promise<Map<string, Shown | string>> {
  const shown = new Map<string, Shown | string>();
  const directories = ['/'];
  for (const directory of directories) {
    const rows = await mount.readdir(directory).catch(({ code }: { code: string }) => code);
    if (typeof rows === 'string') {
      shown.set(`${directory} listed`, rows);
      continue;
    }
    shown.set(`${directory} listed`, rows.map(({ name, type }) => `${type} ${name}`).join('\n'));
    for (const { name, type } of rows) {
      const path = childOf(directory, name);
      const { mtime } = await mount.lstat(path);
      const size = type === 'file' ? await sizeOf(mount, path) : 0;
      shown.set(path, { type, mtime: mtime.getTime(), size });
      if (type === 'directory' && directories.length < MOST) directories.push(path);
    }
  }
  return shown;
}

/** The same entries, times and exact sizes. */
function expectSame(now: Map<string, Shown | string>, then: Map<string, Shown | string>): void {
  for (const [path, said] of now) {
    const before = then.get(path);
    if (typeof said === 'string' || typeof before !== 'object') expect(said, path).toEqual(before);
    else {
      const size = said.size === null || before.size === null ? null : before.size;
      expect({ ...said, size: size === null ? null : said.size }, path).toEqual({
        ...before,
        size,
      });
    }
  }
  expect([...now.keys()]).toEqual([...then.keys()]);
}

type Step = (of: {
  mount: JournalledMount;
  second: JournalledMount;
  move(ms: number): void;
}) => Promise<unknown>;

/** What may happen to a mount between two looks. */
function stepsOf({ places, writes, ...service }: RunningService): Record<string, Step> {
  const edit = writes.find(({ what }) => what === 'an edit');
  const removed = writes.find(({ what }) => what === 'a removed directory of files');
  const quietly = (work: Promise<unknown> | undefined) =>
    work?.catch(() => undefined) ?? Promise.resolve();
  return {
    'a record is read': ({ mount }) => quietly(text(mount, places.record)),
    'a comment is read': ({ mount }) => quietly(text(mount, places.comment)),
    'one that is not there is looked for': ({ mount }) =>
      quietly(mount.lstat(`${places.list}/none-such.md`)),
    'all is fetched': ({ mount }) => quietly(mount.prefetch?.('/')),
    'a moment passes': async ({ move }) => move(700),
    'some time passes': async ({ move }) => move(FRESH_MS + 100),
    'somebody else gives it another title': ({ mount: _ }) => quietly(service.retitle('Another')),
    'somebody else makes one': () => quietly(service.add('A further one')),
    'somebody else removes it': () => quietly(service.removeRecord()),
    'it is edited here': async ({ mount }) =>
      quietly(
        text(mount, places.record).then((before) =>
          write(mount, places.record, edit?.content(before) ?? ''),
        ),
      ),
    'it is edited in another process': async ({ second }) =>
      quietly(
        text(second, places.record).then((before) =>
          write(second, places.record, edit?.content(before) ?? ''),
        ),
      ),
    'another process looks': ({ second }) => quietly(walk(second)),
    'the service fails once': () => quietly(service.fault({ kind: 'server-error', times: 1 })),
    'a directory is made here': ({ mount }) =>
      quietly(mount.mkdir?.(`${posix.dirname(removed?.path ?? places.record)}/made`)),
  };
}

describe.each(['github', 'linear', 'slack'] as const)('%s', (name) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(name);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('what was shown under a stamp is shown as long as it is the same, and asks nothing', async () => {
    const steps = stepsOf(service);
    const order = fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 8, maxLength: 14 });
    let confirmed = 0;
    await fc.assert(
      fc.asyncProperty(order, fc.boolean(), async (names, stage) => {
        await service.clearFaults();
        using bench = await service.bench();
        bench.stopClock();
        const mount = bench.mount({ freshMs: FRESH_MS, stage });
        const second = bench.mount({ freshMs: 0, stage });
        const seen = new Map<string, Map<string, Shown | string>>();
        for (const step of ['a moment passes', ...names]) {
          await steps[step]?.({ mount, second, move: (ms) => bench.move(ms) });
          const stamp = mount.stamp?.() ?? null;
          const then = stamp === null ? undefined : seen.get(stamp);
          await service.asked();
          const now = await walk(mount);
          if (then !== undefined) {
            confirmed += 1;
            expectSame(now, then);
            expect(await service.asked(), step).toEqual([]);
          }
          // What is asked for while it is walked changes it: it is as the second walk shows it.
          const settled = mount.stamp?.() ?? null;
          const shown = await walk(mount);
          if (settled !== null && mount.stamp?.() === settled) seen.set(settled, shown);
        }
      }),
      { numRuns: RUNS },
    );
    expect(confirmed).toBeGreaterThan(0);
  });
});
