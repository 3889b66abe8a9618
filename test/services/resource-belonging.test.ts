/** What follows of records that belong to others, and of questions that list several resources, at a yard of crates. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  failure,
  type JournalledMount,
  names,
  ServiceBench,
  text,
  write,
} from '../../src/mount-testing/index.ts';
import { openYard, Yard } from './families/yard.ts';

const HOUR = 3_600_000;

function opened(paint: ((yard: Yard) => string) | null = null) {
  const yard = new Yard();
  const bench = new ServiceBench(
    'yard',
    (options) =>
      openYard({ freshMs: 1_000, ...options }, yard, paint === null ? null : () => paint(yard)),
    {},
  );
  bench.stopClock();
  return { yard, bench, end: () => bench.end() };
}

/** The same, for as long as a test runs. */
function openedHere(paint?: (yard: Yard) => string) {
  const made = opened(paint);
  onTestFinished(() => made.end());
  return { ...made, mount: made.bench.mount() };
}

/** All that a mount shows. */
async function shownOf(mount: JournalledMount): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const { name, type } of await mount.readdir(at)) {
      const path = `${at}/${name}`;
      if (type === 'directory') await visit(path);
      else found.push(`${path}: ${await text(mount, path)}`);
    }
  };
  for (const hall of ['/A', '/B']) await visit(hall);
  return found;
}

const documents = (mount: JournalledMount) => [...mount.documents()].map(({ path }) => path).sort();

test('one question lists crates with their notes page by page, and what is of the whole yard with the first hall alone', async () => {
  const { yard, mount, bench } = openedHere();
  const [one, two, three] = [1, 2, 3].map((n) => yard.addCrate('A', n));
  const other = yard.addCrate('B', 1);
  if (!one || !two || !three) throw new Error('there are three');
  for (const says of ['well', 'wet', 'heavy']) yard.addNote(one, says);
  yard.addStrap(one, two);
  yard.addStrap(three, other);
  expect(await names(mount, '/A')).toEqual(['A-1', 'A-1.md', 'A-2', 'A-2.md', 'A-3', 'A-3.md']);
  expect(await names(mount, '/A/A-1/notes')).toEqual(['n1.md', 'n2.md', 'n3.md']);
  expect(await text(mount, '/A/A-1/notes/n3.md')).toBe('heavy\n');
  expect(yard.told()).toEqual(['A: crates notes straps', 'A: crates notes']);
  // The other hall's crate was not known yet.
  expect(await text(mount, '/A/A-3.md')).toContain('strapped: []');
  await names(mount, '/B');
  expect(yard.told()).toEqual(['B: crates notes']);
  expect(await text(mount, '/A/A-3.md')).toContain('strapped: [B-1]');
  expect(await text(mount, '/B/B-1.md')).toContain('strapped: [A-3]');
  // What has nothing to tell has no table of it.
  expect(await names(mount, '/A/A-1')).toEqual(['notes', 'straps.tsv']);
  yard.straps.pop();
  yard.change(two, { paint: 'blue' });
  bench.move(2_000);
  await names(mount, '/A');
  // A delta finds no deletion, the next whole listing does.
  expect(yard.told()).toEqual(['A: crates notes straps']);
  expect(await text(mount, '/A/A-2.md')).toContain('blue');
  expect(await text(mount, '/A/A-3.md')).toContain('strapped: [B-1]');
  bench.move(HOUR);
  await names(mount, '/A');
  expect(await text(mount, '/A/A-3.md')).toContain('strapped: []');
  expect(await names(mount, '/A/A-3')).toEqual(['notes']);
});

test('what belongs to a crate goes with it to another hall, is no document while it is put away, and is gone with it', async () => {
  const { yard, mount, bench } = openedHere();
  const [one, two] = [yard.addCrate('A', 1), yard.addCrate('A', 2)];
  yard.addNote(one, 'well');
  yard.addStrap(one, two);
  for (const hall of ['/A', '/B']) await names(mount, hall);
  expect(documents(mount)).toEqual(['/A/A-1.md', '/A/A-1/notes/n1.md', '/A/A-2.md']);
  const seq = mount.feed(0).at(-1)?.seq ?? 0;
  yard.moveTo(one, 'B-7');
  bench.move(2_000);
  for (const hall of ['/B', '/A']) await names(mount, hall);
  expect(await names(mount, '/B/B-7/notes')).toEqual(['n1.md']);
  expect(await text(mount, '/A/A-2.md')).toContain('strapped: [B-7]');
  expect(await names(mount, '/A')).toEqual(['A-2', 'A-2.md']);
  const gone = await failure(mount.read('/A/A-1.md'));
  expect(gone).toMatchObject({ code: 'ENOENT' });
  expect(gone.reason).toContain('is B-7 there: /B/B-7.md of this mount');
  expect((await failure(mount.read('/B/A-1.md'))).code).toBe('ENOENT');
  const told = new Map(mount.feed(seq).map(({ path, op }) => [path, op]));
  expect(Object.fromEntries(told)).toEqual({
    '/A/A-1.md': 'delete',
    '/A/A-1/notes/n1.md': 'delete',
    '/A/A-2.md': 'upsert',
    '/B/B-7.md': 'upsert',
    '/B/B-7/notes/n1.md': 'upsert',
  });
  yard.change(one, { isStored: false });
  bench.move(2_000);
  expect(await names(mount, '/B')).toEqual([]);
  expect(documents(mount)).toEqual(['/A/A-2.md']);
  expect(await text(mount, '/B/B-7/notes/n1.md')).toBe('well\n');
  // A whole listing does not have it, and it is there all the same.
  bench.move(HOUR);
  await names(mount, '/B');
  expect(await text(mount, '/B/B-7.md')).toContain('strapped: [A-2]');
  yard.change(one, { isStored: true });
  bench.move(2_000);
  expect(await names(mount, '/B')).toEqual(['B-7', 'B-7.md']);
  expect(documents(mount)).toContain('/B/B-7/notes/n1.md');
  yard.crates.shift();
  bench.move(HOUR);
  expect(await names(mount, '/B')).toEqual([]);
  expect(documents(mount)).toEqual(['/A/A-2.md']);
  expect((await failure(mount.read('/B/B-7/notes/n1.md'))).code).toBe('ENOENT');
});

test('a crate that is named is asked for by itself with what belongs to it, until many are, or its hall is listed', async () => {
  const { yard, mount, bench } = openedHere();
  const all = Array.from({ length: 6 }, (_, n) => yard.addCrate('A', n + 1));
  const [one, , , , , six] = all;
  if (!one || !six) throw new Error('there are six');
  yard.addNote(one, 'well');
  expect(await text(mount, '/A/A-1/notes/n1.md')).toBe('well\n');
  await text(mount, '/A/A-1.md');
  expect(yard.told()).toEqual(['crate A-1 with straps notes']);
  expect((await failure(mount.read('/A/A-9.md'))).code).toBe('ENOENT');
  await text(mount, '/A/A-2.md');
  expect(yard.told()).toEqual(['crate A-9 with straps notes', 'crate A-2 with straps notes']);
  for (const n of [3, 4, 5]) await text(mount, `/A/A-${n}.md`);
  expect(yard.told().map((what) => what.slice(0, 2))).toEqual(['A:', 'A:', 'A:']);
  // What was carried here from a hall that nobody has listed comes with what belongs to it.
  const came = yard.addCrate('B', 1);
  yard.addNote(came, 'from afar');
  yard.moveTo(came, 'A-8');
  for (const note of yard.notes) note.at = 0;
  bench.move(2_000);
  expect(await text(mount, '/A/A-8/notes/n2.md')).toBe('from afar\n');
  expect(yard.told()).toEqual(['A: crates notes straps', 'crate A-8 with straps notes']);
  yard.crates = yard.crates.filter((each) => each !== six);
  bench.move(HOUR);
  await names(mount, '/A');
  expect((await failure(mount.read('/A/A-6.md'))).code).toBe('ENOENT');
});

test('a write of what is part of a crate is seen in both, and is asked for without what is none of it', async () => {
  const { yard, mount, bench } = openedHere();
  const [one] = [yard.addCrate('A', 1), yard.addCrate('A', 2)];
  yard.addNote(one, 'well');
  await names(mount, '/A');
  yard.told();
  const put = async (path: string, from: string, to: string) =>
    write(mount, path, (await text(mount, path)).replace(from, to));
  await put('/A/A-1.md', 'strapped: []', 'strapped: [A-2]');
  expect(yard.told()).toEqual(['crate A-1 with straps', 'POST crate1']);
  expect(await text(mount, '/A/A-2.md')).toContain('strapped: [A-1]');
  await put('/A/A-2.md', 'strapped: [A-1]', 'strapped: []');
  expect(await text(mount, '/A/A-1.md')).toContain('strapped: []');
  expect(yard.straps).toEqual([]);
  // A listing that is older than what we did does not undo it.
  yard.straps = [{ id: 's1', ends: ['crate1', 'crate2'], at: 3 }];
  bench.move(2_000);
  await names(mount, '/A');
  expect(await text(mount, '/A/A-1.md')).toContain('strapped: []');
});

test('where the records show something else than with the answer before, all are listed anew', async () => {
  const { yard, mount, bench } = openedHere(({ paint }) => paint);
  const one = yard.addCrate('A', 1);
  await names(mount, '/A');
  yard.paint = 'green';
  one.paint = 'green';
  bench.move(2_000);
  await names(mount, '/A');
  expect(await text(mount, '/A/A-1.md')).toContain('green');
  yard.told();
  one.paint = 'no change to the yard';
  bench.move(2_000);
  await names(mount, '/A');
  expect(await text(mount, '/A/A-1.md')).toContain('green');
});

test('two that list at once read each page once, and what is listed next is what changed since', async () => {
  const { yard, bench, mount } = openedHere();
  for (const n of [1, 2, 3, 4, 5]) yard.addCrate('A', n);
  const other = bench.mount();
  await Promise.all([mount.readdir('/A'), other.readdir('/A')]);
  expect(yard.told().filter((what) => what.startsWith('A: crates'))).toHaveLength(3);
  bench.move(2_000);
  await other.readdir('/A');
  expect(yard.told()).toEqual(['A: crates notes straps']);
});

test('a listing that is cut off, wherever and however often, is gone on with, and in the end all is as one that was not', async () => {
  const hall = fc.constantFrom('A', 'B');
  const yards = fc.record({
    halls: fc.array(hall, { minLength: 1, maxLength: 9 }),
    put: fc.array(fc.nat(8), { maxLength: 3 }),
    notes: fc.array(fc.nat(8), { maxLength: 9 }),
    straps: fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { maxLength: 5 }),
    moves: fc.array(fc.tuple(fc.nat(8), hall), { maxLength: 4 }),
    removed: fc.array(fc.nat(8), { maxLength: 2 }),
    cuts: fc.array(fc.nat(4), { maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(yards, async ({ halls, put, notes, straps, moves, removed, cuts }) => {
      const { yard, bench, end } = opened();
      try {
        const at = (n: number) => yard.crates[n % yard.crates.length];
        for (const [n, one] of halls.entries()) yard.addCrate(one, n + 1);
        for (const [n, of] of notes.entries()) {
          const one = at(of);
          if (one) yard.addNote(one, `note ${n}`);
        }
        for (const [a, b] of straps) {
          const [one, two] = [at(a), at(b)];
          if (one && two && one !== two) yard.addStrap(one, two);
        }
        /** Each mount is another process, of which the ones before were ended. */
        const listedInTheEnd = async (): Promise<JournalledMount> => {
          for (const answers of cuts) {
            yard.answers = answers;
            bench.move(1);
            const cut = bench.mount();
            const work = (async () => {
              for (const path of ['/A', '/B']) await cut.readdir(path);
            })();
            // What is held is served; of what is not, the cut is told.
            const error = await work.then(
              () => null,
              () => failure(work),
            );
            if (error !== null) expect(error.reason).toContain('the line is cut');
          }
          yard.answers = Number.POSITIVE_INFINITY;
          bench.move(1);
          const mount = bench.mount();
          for (const path of ['/A', '/B']) await mount.readdir(path);
          return mount;
        };
        await listedInTheEnd();
        const asked = yard.told();
        const uncut = bench.mount(bench.memory());
        for (const path of ['/A', '/B']) await uncut.readdir(path);
        expect(asked).toEqual(yard.told());
        for (const n of put) yard.change(at(n) ?? yard.addCrate('A', 99), { isStored: false });
        for (const [n, to] of moves) {
          const one = at(n);
          if (one) yard.moveTo(one, `${to}-${100 + yard.now()}`);
        }
        for (const n of removed) {
          const one = at(n);
          yard.crates = yard.crates.filter((each) => each !== one);
          yard.notes = yard.notes.filter(({ crate }) => crate !== one?.id);
          yard.straps = yard.straps.filter(({ ends }) => !ends.includes(one?.id ?? ''));
        }
        bench.move(2_000);
        await listedInTheEnd();
        bench.move(HOUR);
        const mount = await listedInTheEnd();
        const fresh = bench.mount(bench.memory());
        for (const path of ['/A', '/B']) await fresh.readdir(path);
        // What is put away is known where it was named, or seen before.
        for (const { hall: at, label, isStored } of yard.crates)
          if (!isStored) expect(await text(fresh, `/${at}/${label}.md`)).toContain('red');
        expect(await shownOf(mount)).toEqual(await shownOf(fresh));
        expect(documents(mount)).toEqual(documents(fresh));
      } finally {
        end();
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 20) },
  );
});
