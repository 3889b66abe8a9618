/**
 * Watches what a program of the host takes, with all that it has started: the
 * kernel's own limits are of single processes, and none of processes holds root.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { ProgramLimits } from './sandbox.ts';

/** How often it is looked at, ms. */
const LOOK_MS = 50;
const PAGE = 4096;

/**
 * @param pid of the process that all others of the sandbox descend from
 * @param onExcess told once, in a few words, what there was too much of
 * @returns how to stop
 */
export function watchTree(
  pid: number,
  { memory, processes }: Pick<ProgramLimits, 'memory' | 'processes'>,
  onExcess: (what: string) => void,
): () => void {
  const timer = setInterval(() => {
    // The two processes of bubblewrap itself are none of the program's.
    const tree = descendants(pid, processes + 2);
    const what =
      tree.length > processes + 2
        ? `it started more than ${processes} processes`
        : tree.reduce((sum, each) => sum + residentOf(each), 0) > memory
          ? `it took more than ${memory / 1024 ** 2} MiB of memory`
          : null;
    if (what === null) return;
    clearInterval(timer);
    onExcess(what);
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** A process and those that descend from it; no more than one above a limit. */
function descendants(pid: number, limit: number): number[] {
  const found = [pid];
  for (const each of found) {
    found.push(...childrenOf(each));
    if (found.length > limit) break;
  }
  return found;
}

function childrenOf(pid: number): number[] {
  return orNothing(() =>
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        .split(' ')
        .filter((text) => text !== '')
        .map(Number),
    ),
  );
}

/** Bytes that are in memory, those of files and those that are shared among them. */
function residentOf(pid: number): number {
  const [pages = 0] = orNothing(() => [
    Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]),
  ]);
  return pages * PAGE;
}

/** One that has ended meanwhile has nothing. */
function orNothing(look: () => number[]): number[] {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
