/**
 * Writing files that are no records: whole, byte for byte, and only onto the
 * version that was read. Such a write names the version that it replaces, so
 * the service itself refuses it where somebody else was first, and the same
 * request cannot be carried out twice.
 */
import { type Change, changeDigest } from '../../changes/change.ts';
import type { ChangeJournal } from '../../changes/journal.ts';
import { FsError } from '../../errors.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Replace } from '../table/route.ts';
import type { Match } from '../table/table.ts';
import { type Sending, wantedVersion } from './sending.ts';

/** A content as it was read, and of which version it was. */
export interface Original {
  /** null where they are not at hand any more. */
  bytes: Uint8Array | null;
  version: string;
}

/** A change that has begun, and what was staged before for the same path. */
export interface Begun {
  change: Change;
  staged: Change | null;
}

export interface ReplacingOptions {
  /** The mount's name in the journal. */
  name: string;
  /** What sentences call the service. */
  title: string;
  journal: ChangeJournal;
  stage: boolean;
  sending: Sending;
}

export class Replacing {
  readonly #options: ReplacingOptions;

  constructor(options: ReplacingOptions) {
    this.#options = options;
  }

  /**
   * Begins the change that makes a file's content `bytes`, or removes it with null, over what
   * was read of it (null: there was none). The caller holds the lock of the path.
   */
  begin(path: string, bytes: Uint8Array | null, original: Original | null): Begun {
    const { journal, name } = this.#options;
    const staged = journal.pending(name, path);
    const known = original?.bytes ?? null;
    const read = {
      base: known === null ? null : textOf(known),
      baseVersion: original?.version ?? null,
    };
    const base = staged === null ? read : { base: staged.base, baseVersion: staged.baseVersion };
    const op = bytes === null ? 'delete' : base.baseVersion === null ? 'create' : 'update';
    const mine = bytes === null ? null : textOf(bytes);
    return { change: journal.begin({ mount: name, path, op, ...base, mine }), staged };
  }

  /** Stages the change in the place of what was staged before, or sends it. */
  async write(
    change: Change,
    match: Match,
    replace: Replace,
    bytes: Uint8Array | null,
    staged: Change | null,
  ): Promise<void> {
    const { journal, stage } = this.#options;
    const { baseVersion } = change;
    // A file that was only staged is not there to be removed; what is there need not be written.
    const nothing =
      bytes === null ? baseVersion === null : replace.versionOf(bytes) === baseVersion;
    if (nothing) {
      if (staged !== null) journal.update(staged.id, { state: 'dropped' });
      return journal.forget(change.id);
    }
    const refused = replace.check?.(match.params, bytes) ?? null;
    if (refused !== null)
      throw new FsError('EINVAL', {
        path: change.path,
        op: 'write',
        reason: `${refused}; nothing was sent`,
      });
    const request = replace.request(match.params, bytes, baseVersion);
    if (!stage) {
      await this.commit(journal.update(change.id, { request }), match, replace);
      return journal.replace(listOf(staged), change.id);
    }
    if (staged !== null && isSameWish(staged, { ...change, request }))
      return journal.forget(change.id);
    journal.stage(change.id, request, listOf(staged));
  }

  /** Asks what is there now, and sends where that is still what was read. */
  async commit(change: Change, match: Match, replace: Replace): Promise<void> {
    const { title, sending } = this.#options;
    const { path, request, baseVersion } = change;
    if (request === null)
      throw new FsError('EINVAL', {
        path,
        op: 'write',
        reason: 'it was never checked: write it again',
      });
    const theirs = await replace.refresh(match.params);
    if (theirs === wantedVersion(replace, request)) {
      replace.keep(match.params, replace.contentOf(request));
      return sending.applied(change, { path });
    }
    if (theirs !== baseVersion) throw stale(change, title, theirs === null);
    const send = () =>
      sending.send(change, match, request, () => replace.send(match.params, request));
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.status !== 409) throw error;
      // Somebody was first in the moment between the question and the request: with this file, or
      // with another one, and then it is only to be sent again.
      if ((await replace.refresh(match.params)) !== baseVersion) throw stale(change, title, false);
      await send();
    }
  }
}

export const listOf = (staged: Change | null): Change[] => (staged === null ? [] : [staged]);

/** Would both do the very same? Then what was staged, and perhaps reviewed, goes on standing. */
export const isSameWish = (a: Change, b: Change): boolean => changeDigest(a) === changeDigest(b);

function stale({ path, id }: Change, title: string, gone: boolean): FsError {
  const what = gone ? `it was removed from ${title}` : `it changed on ${title}`;
  return new FsError('ESTALE', {
    path,
    op: 'write',
    reason: `${what} since it was read: nothing was sent; what you wrote is in /session/changes/${id}/; read the file again and write it again`,
  });
}

/** A content as the journal shows it. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not text: the journal shows what it is, and the request has the bytes.
    return `binary, ${bytes.length} bytes\n`;
  }
}
