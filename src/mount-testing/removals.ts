/** What someone else removes at the service is gone here: by its listing, by its name, from the search and its feed. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { failure, type JournalledMount, names, text } from './bench.ts';
import type { Subject } from './subject.ts';

/** A listing that tells of changes alone is read from end to end after this, ms. */
const RECONCILED_MS = 3_601_000;

/**
 * Has someone else remove `places.record`, once after it was listed and once after it was read by its
 * name alone: from the next look past the hour it is nowhere, and what is beside it stays.
 * @returns how many ways of looking were tried
 * @throws AssertionError naming the path; Error where the stand-in has no `removeRecord`
 */
export async function removals<Held>(subject: Subject<Held>): Promise<number> {
  const { record } = subject.places;
  let looks = 0;
  for (const isListed of [true, false]) {
    using bench = await subject.bench();
    bench.stopClock();
    const mount = bench.mount();
    const before = isListed ? await beside(mount, subject) : null;
    if (before !== null) ok(before.own, `${record} is in the listing of its directory`);
    if (isListed) await mount.prefetch('/');
    ok((await text(mount, record)).length > 0, `${record} has a text`);
    const wasDocument = mount.document(record) !== null;
    const seq = mount.feed(0).at(-1)?.seq ?? 0;
    await removed(subject);
    bench.move(RECONCILED_MS);
    if (before !== null) {
      const after = await beside(mount, subject);
      deepEqual(after, { ...before, own: false }, `${record} is in no listing, all others are`);
      looks += 1;
    }
    for (const work of [mount.lstat(record), mount.read(record)]) {
      equal((await failure(work)).code, 'ENOENT', `${record} was removed at the service`);
      looks += 1;
    }
    equal(mount.document(record), null, `${record} is no document any more`);
    const told = mount.feed(seq).some(({ path, op }) => path === record && op === 'delete');
    ok(told || !wasDocument, `${record}: an index is told that it is gone`);
  }
  return looks;
}

/** Is the record in the listing of its directory, and what is there beside it? */
async function beside<Held>(
  mount: JournalledMount,
  { places: { record } }: Subject<Held>,
): Promise<{ own: boolean; others: string[] }> {
  const cut = record.lastIndexOf('/');
  const own = record.slice(cut + 1);
  const all = await names(mount, record.slice(0, cut) || '/');
  const stem = own.replace(/\.[^.]+$/, '');
  // What has its name is its own: a directory of its comments.
  const others = all.filter((name) => name !== own && name !== stem);
  return { own: all.includes(own), others };
}

async function removed<Held>({ name, removeRecord }: Subject<Held>): Promise<void> {
  if (removeRecord === undefined) throw new Error(`the stand-in of ${name} has no removeRecord()`);
  await removeRecord();
}
