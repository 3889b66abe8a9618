/** A service that is down, refuses, or answers what nobody expected: said as it is, and never as "nothing there". */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { failure, readBefore, text } from './bench.ts';
import type { LineFault, Subject } from './subject.ts';

type Kind = LineFault['kind'];

/** What each may be told as. */
const ERRNOS: Partial<Record<Kind, readonly string[]>> = {
  cut: ['EIO', 'ETIMEDOUT'],
  'cut-body': ['EIO', 'ETIMEDOUT'],
  'server-error': ['EIO', 'EAGAIN'],
  refused: ['EACCES'],
  limited: ['EAGAIN'],
  garbled: ['EIO'],
};

/** Past every window in which a mount does not ask, ms. */
const LATER_MS = 600_000;

/**
 * With each fault on every request: nothing held, a listing and a read fail with an errno that fits
 * and a sentence; with something held, that is shown and said to be old, or refused; and once the
 * fault is over the mount goes on by itself.
 * @param kinds by default all that the stand-in's line can have
 * @throws AssertionError naming the fault and what was made of it
 */
export async function faults<Held>(
  subject: Subject<Held>,
  { kinds = Object.keys(ERRNOS) as Kind[] }: { kinds?: readonly Kind[] } = {},
): Promise<void> {
  for (const kind of kinds) {
    await withNothing(subject, kind);
    await withSomething(subject, kind);
  }
}

async function withNothing<Held>(subject: Subject<Held>, kind: Kind): Promise<void> {
  using bench = await subject.bench();
  const mount = bench.mount({ freshMs: 0 });
  await subject.fault({ kind } as LineFault);
  const { list, record } = subject.places;
  for (const [what, work] of [
    [`listing ${list}`, () => mount.readdir(list)],
    [`reading ${record}`, () => mount.read(record)],
  ] as const) {
    const { code, reason = '' } = await failure(work());
    ok(ERRNOS[kind]?.includes(code), `${kind}: ${what} failed with ${code}, which it is not`);
    ok(reason.length > 10, `${kind}: ${what} failed with ${code} and no sentence`);
  }
  await subject.clearFaults();
  bench.move(LATER_MS);
  ok((await text(mount, record)).length > 0, `${kind}: once it is over, ${record} is read`);
}

async function withSomething<Held>(subject: Subject<Held>, kind: Kind): Promise<void> {
  using bench = await subject.bench();
  const mount = bench.mount({ freshMs: 0 });
  const { record, list } = subject.places;
  const before = await readBefore(mount, record);
  const names = (await mount.readdir(list)).map(({ name }) => name);
  await subject.fault({ kind } as LineFault);
  bench.move(LATER_MS);
  try {
    equal(await text(mount, record), before, `${kind}: ${record} is shown as it was`);
    ok(bench.notices.length > 0, `${kind}: that what is shown is old is said`);
    deepEqual(
      (await mount.readdir(list)).map(({ name }) => name),
      names,
      `${kind}: ${list}`,
    );
  } catch (error) {
    const { code } = await failure(Promise.reject(error));
    notEqual(code, 'ENOENT', `${kind}: ${record} is not said to be gone`);
  }
  await subject.clearFaults();
  bench.move(LATER_MS);
  equal(await text(mount, record), before, `${kind}: once it is over, ${record} is read`);
}
