/** What tests of doors share. */
import { MemoryMount } from '../memory-tree/mount.ts';
import { Namespace } from '../namespace/namespace.ts';
import { MountTable } from '../namespace/table.ts';
import type { FsCall } from '../world/fs-call.ts';
import type { ExecResult, WorldFs } from '../world/world.ts';

/** The files of a world with `/workspace` in memory, in this process. */
export function filesInMemory(): WorldFs {
  const table = new MountTable();
  for (const point of ['/', '/workspace'])
    table.attach({ point, mount: new MemoryMount(), access: { mode: 'rw' }, searchable: false });
  const gate = () => ({ decision: 'allow' as const, rule: 'test', reason: '' });
  const files = new Namespace({ table, gate, timeoutMs: 60_000, origin: 'shell' });
  const all = async (calls: readonly FsCall[]): Promise<unknown[]> => {
    const values: unknown[] = [];
    for (const [method, ...args] of calls) {
      const call = files[method as 'readFile'] as (...given: unknown[]) => unknown;
      values.push(await call.apply(files, args));
    }
    return values;
  };
  return Object.assign(files, { all }) as unknown as WorldFs;
}

/** What a command gives that printed this. */
export const ran = (stdout = '', stderr = '', exitCode = 0): ExecResult =>
  ({
    stdout,
    stderr,
    exitCode,
    stdoutBytes: Buffer.from(stdout),
    stderrBytes: Buffer.from(stderr),
  }) as unknown as ExecResult;
