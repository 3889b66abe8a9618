import { expect, onTestFinished, test } from 'vitest';
import type { Line } from '../../world/line/lines.ts';
import type { LeaseHolder } from '../../world/world.ts';
import { KernelProcess, type MountedFiles } from './door.ts';

/** A world of which a process has nothing but its lease. */
function leasedTo(tell: (holder: LeaseHolder) => void, told: string[]): MountedFiles {
  const line = { close: () => void told.push('line closed') } as Partial<Line>;
  const fs = { line: () => line } as MountedFiles['fs'];
  return {
    fs,
    mounts: [],
    leased: (holder) => {
      tell(holder);
      return { fs, end: () => void told.push('lease ended') };
    },
  } as MountedFiles;
}

test('a lease that is granted to a process in the moment of its end is nobody’s trouble, and its end is told', async () => {
  const told: string[] = [];
  let holder: LeaseHolder | undefined;
  const server = new KernelProcess(
    leasedTo((one) => {
      holder = one;
    }, told),
    (trouble) => told.push(trouble),
  );
  onTestFinished(() => server.close());
  process.kill(server.pid, 'SIGKILL');
  // This thread has not been told of the end yet: its pipe looks open.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  holder?.granted();
  const given = holder?.recalled();
  holder?.forget?.();
  expect(await server.ended).toBe(false);
  await given;
  expect(told).toEqual(['line closed', 'lease ended']);
});
