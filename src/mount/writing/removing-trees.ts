/**
 * Removing a directory of files that are no records, as one change: what is below it is what was
 * listed, or nothing is sent.
 */
import { createHash } from 'node:crypto';
import type { Change } from '../../changes/change.ts';
import type { ChangeJournal } from '../../changes/journal.ts';
import { FsError } from '../../errors.ts';
import { someOf } from '../../nearest.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { RemoveTree } from '../table/route.ts';
import type { Match } from '../table/table.ts';
import type { Sending } from './sending.ts';

export interface TreeRemovalOptions {
  /** The mount's name in the journal. */
  name: string;
  /** What sentences call the service. */
  title: string;
  journal: ChangeJournal;
  stage: boolean;
  sending: Sending;
}

export class TreeRemoval {
  readonly #options: TreeRemovalOptions;

  constructor(options: TreeRemovalOptions) {
    this.#options = options;
  }

  /**
   * Begins the change that removes what was listed below a directory, in the place of what is
   * staged there; null where that was all. The caller holds the lock of the path.
   */
  begin(path: string, match: Match, tree: RemoveTree): Change | null {
    const { journal, name } = this.#options;
    const staged = journal
      .list({ mount: name, state: 'pending' })
      .filter((change) => change.path.startsWith(`${path}/`));
    for (const { id } of staged) journal.update(id, { state: 'dropped' });
    const files = tree.files(match.params);
    if (files.size === 0) return null;
    const base = listing(files);
    const baseVersion = createHash('sha1').update(base).digest('hex');
    const change = journal.begin({ mount: name, path, op: 'delete', base, baseVersion });
    for (const { id } of staged) journal.update(id, { replacedBy: change.id });
    return change;
  }

  /** Stages the change, or sends it. */
  async remove(change: Change, match: Match, tree: RemoveTree): Promise<void> {
    const { journal, stage } = this.#options;
    if (!stage) return this.commit(change, match, tree);
    const request = tree.request(match.params, tree.files(match.params).keys(), null);
    journal.update(change.id, { state: 'pending', request, error: null });
  }

  /** Asks what is there now, and sends where that is still what was listed. */
  async commit(change: Change, match: Match, tree: RemoveTree): Promise<void> {
    try {
      await this.#send(change, match, tree);
    } catch (error) {
      // Somebody was first in the moment between the question and the requests: with these files,
      // and then the next question shows it, or with others.
      if (!(error instanceof ServiceFailure) || !tree.overtaken(error)) throw error;
      await this.#send(change, match, tree);
    }
  }

  async #send(change: Change, match: Match, tree: RemoveTree): Promise<void> {
    const { sending, title } = this.#options;
    const { path } = change;
    const { files, onto } = await tree.refresh(match.params);
    if (files.size === 0) {
      tree.keep(match.params);
      return sending.applied(change, { path });
    }
    if (listing(files) !== change.base) throw stale(change, title, files);
    const request = tree.request(match.params, files.keys(), onto);
    await sending.send(change, match, request, () => tree.send(match.params, request));
  }
}

/** A line for each file: its path and its version. */
function listing(files: ReadonlyMap<string, string>): string {
  return [...files]
    .map(([path, version]) => `${path}\t${version}\n`)
    .sort()
    .join('');
}

function stale(
  { path, id, base }: Change,
  title: string,
  files: ReadonlyMap<string, string>,
): FsError {
  const before = new Set((base ?? '').split('\n'));
  const other = [...files].filter(([one, version]) => !before.has(`${one}\t${version}`));
  const names = other.map(([one]) => one);
  const what = names.length === 0 ? 'files below it were removed' : someOf(names, 5);
  return new FsError('ESTALE', {
    path,
    op: 'rmdir',
    reason: `what is below it changed on ${title} since it was listed (${what}): nothing was removed; what it was is in /session/changes/${id}/; look again and remove it again`,
  });
}
