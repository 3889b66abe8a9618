/** What reading costs, in requests. */
import { equal, ok } from 'node:assert/strict';
import { text } from './bench.ts';
import type { Subject } from './subject.ts';

/** Requests of one operation after the other, on a mount that holds nothing to begin with. */
export interface RequestCounts {
  /** The directory that lists records. */
  list: number;
  /** The same once more, at once. */
  listAgain: number;
  /** Then a record that was in it. */
  read: number;
  /** The same once more, at once. */
  readAgain: number;
  /** On another mount, a record that nothing was listed before. */
  readAlone: number;
  /** On another mount, all that a walk may fetch ahead. */
  prefetch: number;
}

/**
 * Counts, and holds what must hold of each mount: what was just asked is not asked again, and what a
 * listing brought is not asked for once more.
 * @param most of the counts that are given, no more than that
 * @throws AssertionError naming the operation and what it cost
 */
export async function requestCounts<Held>(
  subject: Subject<Held>,
  most: Partial<RequestCounts> = {},
): Promise<RequestCounts> {
  using bench = await subject.bench();
  bench.stopClock();
  const { list, record } = subject.places;
  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    await subject.asked();
    await work();
    return (await subject.asked()).length;
  };
  const fresh = () => bench.mount({ ...bench.memory(), freshMs: 60_000 });
  const mount = fresh();
  const counts: RequestCounts = {
    list: await counted(() => mount.readdir(list)),
    listAgain: await counted(() => mount.readdir(list)),
    read: await counted(() => text(mount, record)),
    readAgain: await counted(() => text(mount, record)),
    readAlone: await counted(() => text(fresh(), record)),
    prefetch: await counted(async () => fresh().prefetch?.('/')),
  };
  for (const name of ['listAgain', 'readAgain'] as const)
    equal(counts[name], 0, `${name}: ${counts[name]} requests for what is fresh`);
  for (const [name, limit] of Object.entries(most) as [keyof RequestCounts, number][])
    ok(counts[name] <= limit, `${name}: ${counts[name]} requests, and ${limit} are allowed`);
  return counts;
}
