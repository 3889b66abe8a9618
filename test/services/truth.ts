/** What must hold of a write that was disturbed: made once at most, and told truly. */
import { expect } from 'vitest';
import type { ChangeState } from '../../src/changes/change.ts';
import type { RunningService, Write } from './each-service.ts';
import type { JournalledMount } from './testing.ts';

/** The state of the only change. */
export function stateOf(mount: JournalledMount): ChangeState | 'none' {
  const all = mount.journal.list();
  expect(all.length).toBeLessThanOrEqual(1);
  return all[0]?.state ?? 'none';
}

/**
 * After everything that disturbed it is over, and what is unknown was asked about: the service
 * holds the write once or not at all, the journal knows which, and nothing was sent by asking.
 */
export async function expectTruth(
  service: RunningService,
  mount: JournalledMount,
  write: Write,
): Promise<void> {
  await service.asked();
  const before = write.made(await service.held());
  expect(before, 'how often it was made').toBeLessThanOrEqual(1);
  const unknown = mount.journal.list({ state: 'unknown' });
  await mount.journal.settle(unknown.map(({ id }) => id));
  expect((await service.asked()).filter((one) => one.write)).toEqual([]);
  expect(write.made(await service.held())).toBe(before);
  const state = stateOf(mount);
  if (before === 1) expect(state).toBe('applied');
  else expect(['none', 'failed', 'unknown']).toContain(state);
}
