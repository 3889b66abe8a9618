/** The memory after a turn: facts stay in step with what they were derived from. */
import { isFsError } from '../../errors.ts';
import { BudgetExceeded } from '../budget.ts';
import type { Transcript } from '../transcript.ts';
import type { WorldAccess } from '../world-access.ts';
import type { Derive } from './derive.ts';
import { memoryFile, refreshMemory, remembered } from './refresh.ts';

/** What the memory of an agent is kept with. */
export interface MemoryKeeping {
  transcript: Transcript;
  mounts: readonly string[];
  now?: () => Date;
}

/** After a turn: facts whose source has changed are derived again. What fails is told, and the turn stands. */
export async function keepMemory(
  { transcript, mounts, now = () => new Date() }: MemoryKeeping,
  { files }: WorldAccess,
  derive: Derive,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  try {
    for (const point of await remembered(files, mounts)) {
      const sources = await refreshMemory({ files, derive, now, signal }, point);
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
