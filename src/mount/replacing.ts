/**
 * Writing files that are no records: whole, byte for byte, and only onto the
 * version that was read. Such a write names the version that it replaces, so
 * the service itself refuses it where somebody else was first, and the same
 * request cannot be carried out twice.
 */
import type { Change } from '../changes/change.ts';
import type { ChangeJournal } from '../changes/journal.ts';
import { FsError } from '../errors.ts';
import { ServiceFailure } from './failure.ts';
import type { Replace } from './route.ts';
import { type Sending, wantedVersion } from './sending.ts';
import type { Match } from './table.ts';

/** A content as it was read, and of which version it was. */
export interface Original {
  /** null where they are not at hand any more. */
  bytes: Uint8Array | null;
  version: string;
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
  begin(path: string, bytes: Uint8Array | null, original: Original | null): Change {
    const { journal, name } = this.#options;
    const staged = journal.pending(name, path);
    const texts = { mine: bytes === null ? null : textOf(bytes) };
    if (staged !== null && staged.op !== 'delete' && bytes !== null) {
      return journal.update(staged.id, texts);
    }
    if (staged !== null) journal.update(staged.id, { state: 'dropped' });
    const known = original?.bytes ?? null;
    const read = {
      base: known === null ? null : textOf(known),
      baseVersion: original?.version ?? null,
    };
    const base = staged === null ? read : { base: staged.base, baseVersion: staged.baseVersion };
    const op = bytes === null ? 'delete' : base.baseVersion === null ? 'create' : 'update';
    return journal.begin({ mount: name, path, op, ...base, ...texts });
  }

  /** Stages the change, or sends it. */
  async write(
    change: Change,
    match: Match,
    replace: Replace,
    bytes: Uint8Array | null,
  ): Promise<void> {
    const { journal, stage } = this.#options;
    if (change.op === 'delete' && change.baseVersion === null) {
      // A file that was only staged: with that taken back, nothing is left to remove.
      return void journal.update(change.id, { state: 'dropped' });
    }
    if (bytes !== null && replace.versionOf(bytes) === change.baseVersion) {
      return change.state === 'pending'
        ? void journal.update(change.id, { state: 'dropped' })
        : journal.forget(change.id);
    }
    const refused = replace.check?.(match.params, bytes) ?? null;
    if (refused !== null)
      throw new FsError('EINVAL', {
        path: change.path,
        op: 'write',
        reason: `${refused}; nothing was sent`,
      });
    const request = replace.request(match.params, bytes, change.baseVersion);
    if (stage) {
      journal.update(change.id, { state: 'pending', request, error: null });
      return;
    }
    await this.commit(journal.update(change.id, { request }), match, replace);
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
