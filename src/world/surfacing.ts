/** The requests for approval of a world, shown where the deployment says besides. */
import { existsSync } from 'node:fs';
import { changesFile } from '../changes/file.ts';
import type { PartSpec } from '../parts/config.ts';
import { loadPart } from '../parts/load.ts';
import type { ApprovalJournal } from '../policy/approvals.ts';
import { USER } from '../policy/context.ts';
import { type ApprovalSurface, type SurfaceParts, Surfacing } from '../policy/surface.ts';
import type { WorldApprovals } from './proxies.ts';

/** What it is made with. */
export interface SurfacingOptions extends Pick<SurfaceParts, 'onFault'> {
  spec: PartSpec;
  /** The state directory; null where the journal is in the worker's memory alone. */
  state: string | null;
  approvals(): WorldApprovals;
  /** The session, where it is gone on with: what it has asked for is shown again. */
  resumed: string | undefined;
  mayDecide: SurfaceParts['mayDecide'] | undefined;
}

/** Loaded at once: what is wrong with the module is met by the first command, which waits for `ready`. */
export function surfaceApprovals(options: SurfacingOptions): {
  surfacing: Surfacing;
  ready: Promise<void>;
} {
  const { spec, state, approvals, mayDecide = (actor) => actor === USER, onFault } = options;
  const loading = loadPart<ApprovalSurface>(spec);
  const surfacing = new Surfacing({
    surface: () => loading,
    // It may come when the world that asked has been closed: it goes to the journal itself.
    answer: (id, answer) =>
      state === null
        ? approvals().answer(id, answer)
        : inJournal(state, (journal) => journal.answer(id, answer)),
    mayDecide,
    via: spec.module,
    onFault,
  });
  const ready = loading.then(() => showAgain(surfacing, options));
  // Whoever awaits it meets the failure.
  ready.catch(() => undefined);
  return { surfacing, ready };
}

async function showAgain(
  surfacing: Surfacing,
  { state, resumed }: Pick<SurfacingOptions, 'state' | 'resumed'>,
): Promise<void> {
  if (state === null || resumed === undefined || !existsSync(changesFile(state))) return;
  const pending = await inJournal(state, (journal) => journal.list('pending'));
  for (const approval of pending) if (approval.session === resumed) surfacing.step(approval);
}

async function inJournal<T>(state: string, work: (journal: ApprovalJournal) => T): Promise<T> {
  const { ApprovalJournal } = await import('../policy/approvals.ts');
  const journal = new ApprovalJournal(changesFile(state));
  try {
    return work(journal);
  } finally {
    journal.close();
  }
}
