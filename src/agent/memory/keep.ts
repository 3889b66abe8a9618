/** The memory after a turn: facts stay in step with what they were derived from. */
import { isFsError } from '../../errors.ts';
import { rightAt } from '../../policy/rights.ts';
import { BudgetExceeded } from '../budget.ts';
import type { AgentView } from '../harness-view.ts';
import type { Transcript } from '../transcript.ts';
import type { WorldAccess } from '../world-access.ts';
import type { Derive } from './derive.ts';
import type { Readings } from './readings.ts';
import { MEMORY, memoryFile, refreshMemory, remembered } from './refresh.ts';

/** What the memory of an agent is kept with. */
export interface MemoryKeeping {
  transcript: Transcript;
  mounts: readonly string[];
  now?: () => Date;
  /** What turns have read, until there is a memory of it; none begins without. */
  readings?: Readings;
}

/** May an agent keep a memory? One that may only look, or only add, keeps none. */
export const mayRemember = ({ filesystem }: Pick<AgentView, 'filesystem'>): boolean =>
  rightAt(filesystem, MEMORY) === 'read-write';

/** After a turn: facts whose source has changed are derived again, and a mount that was read
 * in several turns gets its first ones. What fails is told, and the turn stands. */
export async function keepMemory(
  { transcript, mounts, readings, now = () => new Date() }: MemoryKeeping,
  { files }: WorldAccess,
  derive: Derive,
  turn: { id: string; filesRead: ReadonlySet<string> },
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  try {
    const known = await remembered(files, mounts);
    const begun = mounts.includes(MEMORY)
      ? (readings?.due(turn.id, mounts, known, turn.filesRead) ?? new Map<string, string[]>())
      : new Map<string, string[]>();
    for (const point of [...known, ...begun.keys()]) {
      const more = begun.get(point) ?? [];
      const sources = await refreshMemory({ files, derive, now, signal }, point, more);
      const changed = sources.filter(({ state }) => state !== 'kept');
      if (changed.length === 0) continue;
      const data = { file: memoryFile(point), sources: changed };
      transcript.append({ type: 'custom', name: 'turn/memory', data });
    }
  } catch (error) {
    if (!isFsError(error) && !(error instanceof BudgetExceeded)) throw error;
    transcript.emit({ type: 'notice', text: `the memory was not refreshed: ${error.message}` });
  }
}
