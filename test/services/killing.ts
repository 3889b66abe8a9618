/** Killing a process while it writes, at any step, and looking at what is left. */
import { expect } from 'vitest';
import type { RunningService, Write } from './each-service.ts';
import { readBefore } from './testing.ts';
import { expectTruth, stateOf } from './truth.ts';
import { runWriter } from './writers.ts';

/** The states of a change at which a process can be killed. */
export const STATES = ['draft', 'unknown', 'applied'] as const;

/**
 * Lets a process of its own write, kills it at a step, and does what the next start does. What the
 * service holds then, the journal knows; what was not made can be written again, and is made once.
 *
 * @param step where it is killed, see ./child-writer.ts; '' for no kill
 * @returns was it killed? Under a lag there may be fewer requests, and it ends before it gets there.
 */
export async function killAt(
  service: RunningService,
  write: Write,
  step: string,
  lag = 0,
): Promise<{ killed: boolean; requests: number }> {
  using bench = await service.bench();
  const reader = bench.mount();
  const content = write.content(await readBefore(reader, write.path));
  if (lag > 0) await service.fault({ kind: 'lag', ms: lag });
  const told = ['write', write.path, content ?? 'null', step];
  const { code, signal, said } = await runWriter(service, bench.directory, ...told);
  const killed = signal === 'SIGKILL';
  if (!killed) {
    expect(code).toBe(0);
    expect(write.made(await service.held())).toBe(1);
  }
  const mount = bench.mount();
  await mount.journal.recover();
  expect(mount.journal.list({ state: 'draft' })).toEqual([]);
  const made = write.made(await service.held());
  if (stateOf(mount) === 'applied') expect(made).toBe(1);
  await service.clearFaults();
  await expectTruth(service, mount, write);
  return { killed, requests: killed ? 0 : Number(said) };
}
