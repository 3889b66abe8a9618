/**
 * Programs of the host that commands of a world run. How they are run is known
 * to whoever opened the world; here is in whose name they use its files.
 */
import { randomUUID } from 'node:crypto';
import { type FsError, isFsError } from '../errors.ts';
import type { ActingContext } from '../policy/context.ts';
import type { HostProgram, HostProgramEnd } from '../shell/host-programs.ts';
import type { CallWatch } from './job.ts';
import type { HostDirectory, WorldMount } from './places.ts';
import type { RunForWorld } from './program-runs.ts';
import type { Refusal } from './protocol.ts';
import type { WorldFs } from './proxies.ts';

/** What a program has of its world. */
export interface ProgramUse {
  /** The files, in the name of whoever runs it. */
  fs: WorldFs;
  mounts: readonly WorldMount[];
  hostDirectories: readonly HostDirectory[];
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Runs a program of the host to its end.
 * @throws ConfigError saying what is missing on this machine
 */
export type RunProgram = (program: HostProgram, use: ProgramUse) => Promise<HostProgramEnd>;

/** Of a world: its files for somebody. */
type FilesOf = (acting: () => ActingContext, watch: CallWatch) => WorldFs;

/** More refusals of one program than this say nothing new. */
const REFUSALS_TOLD = 20;

/** @param load loads what runs programs, when the first one is run */
export function programsOf(
  load: () => Promise<RunProgram>,
  files: FilesOf,
  world: Omit<ProgramUse, 'fs' | 'signal'>,
): RunForWorld {
  return async (program, acting, signal) => {
    const read = new Set<string>();
    const changed = new Set<string>();
    const refused = new Map<string, FsError>();
    // Its operations are one turn, as those of a line are: what it has read, it knows when it writes.
    const turn = randomUUID();
    const inTurn = (): ActingContext => ({ ...acting(), turn: acting().turn ?? turn });
    const fs = files(inTurn, {
      signal,
      onRead: (points) => {
        for (const point of points) read.add(point);
      },
      onChanged: (paths) => {
        for (const path of paths) changed.add(path);
      },
      onFailed: (error) => {
        if (!isFsError(error) || error.rule === undefined || refused.size === REFUSALS_TOLD) return;
        if (['EACCES', 'EPERM', 'EBUSY', 'EINVAL'].includes(error.code))
          refused.set(`${error.op} ${error.path} ${error.rule}`, error);
      },
    });
    const run = await load();
    const end = await run(program, { ...world, fs, signal });
    const said = [...refused.values()].map(
      ({ path, rule, reason }) => `dirigent: ${path}: ${reason ?? rule}\n`,
    );
    return {
      ...end,
      // Of an error a program knows its number alone.
      stderr: Buffer.concat([end.stderr, Buffer.from(said.join(''))]),
      read: [...read],
      changed: [...changed],
      refused: [...refused.values()].map(
        ({ path, op, code, rule = '' }): Refusal => ({ path, op, code, rule }),
      ),
    };
  };
}
