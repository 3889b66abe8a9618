/** What must hold of a write that was disturbed: made once at most, and told truly. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { ChangeState } from '../changes/change.ts';
import type { JournalledMount } from './bench.ts';
import type { Subject, TestedWrite } from './subject.ts';

/** The state of the only change. */
export function stateOf(mount: JournalledMount): ChangeState | 'none' {
  const all = mount.journal.list();
  ok(all.length <= 1, `one write is one change, and there are ${all.length}`);
  return all[0]?.state ?? 'none';
}

/**
 * After everything that disturbed it is over, and what is unknown was asked about: the service
 * holds the write once or not at all, the journal knows which, and nothing was sent by asking.
 */
export async function expectTruth<Held>(
  subject: Subject<Held>,
  mount: JournalledMount,
  write: TestedWrite<Held>,
): Promise<void> {
  await subject.asked();
  const before = write.made(await subject.held());
  ok(before <= 1, `it was made ${before} times`);
  const unknown = mount.journal.list({ state: 'unknown' });
  await mount.journal.settle(unknown.map(({ id }) => id));
  const sent = (await subject.asked()).filter((one) => one.write);
  deepEqual(sent, [], 'asking what became of a write sends nothing');
  equal(write.made(await subject.held()), before);
  const state = stateOf(mount);
  const truths = before === 1 ? ['applied'] : ['none', 'failed', 'unknown'];
  ok(truths.includes(state), `it was made ${before} times, and its change is ${state}`);
}
