/** What commands did to files, as whoever is served may see it: by the log, and by their own right to read. */
import { isFsError, sentenceOf } from '../errors.ts';
import type { FileChange } from '../session/entry.ts';
import type { Conversations } from './conversations.ts';
import type { ServedFiles } from './files.ts';
import type { Caller } from './rights.ts';
import type { ServedSessions } from './sessions.ts';

/** A file that a command changed. */
export interface ChangedFile {
  path: string;
  /** null where there is none to show. */
  patch: string | null;
  /** Why there is none. */
  reason: string | null;
}

/** Shown at once. */
const MOST = 50;
const NO_TEXT = 'it is no text, or no part of /workspace';

/** Shows what commands changed. */
export class ChangedFiles {
  readonly #conversations: Conversations;
  readonly #sessions: ServedSessions;
  readonly #files: ServedFiles;

  constructor(conversations: Conversations, sessions: ServedSessions, files: ServedFiles) {
    this.#conversations = conversations;
    this.#sessions = sessions;
    this.#files = files;
  }

  /** @param entry the end of the command @throws FsError ENOENT */
  async list(caller: Caller, session: string, entry: string): Promise<ChangedFile[]> {
    const changed = this.#conversations.changed(caller, session, entry).slice(0, MOST);
    const shown: ChangedFile[] = [];
    for (const change of changed) shown.push(await this.#show(caller, change));
    return shown;
  }

  /** Others may have changed a file while the command ran, which its session tells of, too. */
  async #show(caller: Caller, change: FileChange): Promise<ChangedFile> {
    const { path } = change;
    try {
      if (!(await this.#files.mayRead(caller, path)))
        return { path, patch: null, reason: `${caller.actor} may not read it` };
      const patch = this.#sessions.patch(change);
      return { path, patch, reason: patch === null ? NO_TEXT : null };
    } catch (error) {
      if (isFsError(error)) return { path, patch: null, reason: sentenceOf(error) };
      throw error;
    }
  }
}
