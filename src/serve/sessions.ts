/** The sessions of a deployment, as those who are served see them. */
import { entered } from '../doors/owner.ts';
import { FsError, isFsError } from '../errors.ts';
import type { DoorName } from '../policy/gate.ts';
import { inline } from '../session/blobs.ts';
import { type Entry, type FileChange, isMessage, textOf } from '../session/entry.ts';
import { hasSession, SessionFile, type SessionPlace } from '../session/file.ts';
import { forkSession } from '../session/fork.ts';
import type { Log } from '../session/log.ts';
import { sessionIds } from '../session/mount.ts';
import { createSession } from '../session/open.ts';
import { ownerOf } from '../session/owner.ts';
import { isSessionId } from '../session/session-id.ts';
import type { SessionUsage } from '../session/usage.ts';
import { changedPatch } from '../session/workspace/diff.ts';

/** A session, in a list. */
export interface SessionSummary {
  id: string;
  /** ISO 8601, UTC. */
  created: string;
  updated: string;
  actor: string;
  agent: string | null;
  /** How it began: the first message, or the first command. */
  title: string;
  parentSession: string | null;
  /** The session whose turn delegated a task to this one. */
  delegatedBy: string | null;
  usage: Pick<SessionUsage, 'entries' | 'commands' | 'messages' | 'tokens' | 'models' | 'requests'>;
  /** Lines that cannot be trusted. */
  faults: number;
}

const MADE = 'serve/session';
const TITLE = 200;

/** The door of those who are served. */
export const DOOR: DoorName = 'http';

/** Reads sessions, and makes them. */
export class ServedSessions {
  readonly #place: SessionPlace;
  /** What was read, by the length of the log at that time. */
  readonly #known = new Map<string, { bytes: number; summary: SessionSummary | null }>();

  constructor(place: SessionPlace) {
    this.#place = place;
  }

  /** Begins a session. It is on the disk when this returns. */
  create(actor: string, agent: string | null): SessionSummary {
    const log = createSession(this.#place);
    try {
      this.#begin(log, actor, agent);
    } finally {
      log.close();
    }
    return this.get(log.id);
  }

  /**
   * Begins a session that goes on from an entry of another one, with /workspace as it was then.
   * @throws FsError ENOENT where there is no such entry, EIO where no snapshot was taken at it
   */
  fork(from: string, at: string, actor: string, agent: string | null): SessionSummary {
    const { log } = this.read(from, (file) => forkSession(this.#place, file, at));
    try {
      this.#begin(log, actor, agent);
    } finally {
      log.close();
    }
    return this.get(log.id);
  }

  /** What a command did to a file, as a patch; null where that cannot be shown. @throws FsError EIO */
  patch(change: FileChange): string | null {
    return changedPatch(this.#place.blobs, change);
  }

  #begin(log: Log, actor: string, agent: string | null): void {
    log.append(entered(DOOR, { actor, ...(agent === null ? {} : { agent }) }));
    log.append({ type: 'custom', name: MADE, data: { actor } });
  }

  /** @throws FsError ENOENT */
  get(id: string): SessionSummary {
    const summary = this.#summary(id);
    if (summary !== null) return summary;
    throw noSession(id);
  }

  /** Newest first, those in which nothing was said left out. @param before the id of the last one of the page before */
  *list(before?: string): Generator<SessionSummary> {
    for (const id of sessionIds(this.#place).reverse()) {
      if (before !== undefined && id >= before) continue;
      const summary = this.#summary(id);
      if (summary !== null) yield summary;
    }
  }

  /** Reads a session, which is closed then. @throws FsError ENOENT */
  read<T>(id: string, work: (file: SessionFile) => T): T {
    const file = this.open(id);
    try {
      return work(file);
    } finally {
      file.close();
    }
  }

  /** @throws FsError ENOENT */
  open(id: string): SessionFile {
    if (!hasSession(this.#place, id)) throw noSession(id);
    return new SessionFile(this.#place, id).refresh();
  }

  /** An entry with its long outputs. @throws FsError ENOENT */
  entry(id: string, entry: string): Entry {
    return this.read(id, (file) => {
      const found = file.get(entry);
      if (found === undefined) throw noEntry(id, entry);
      return inline(found, this.#place.blobs) as Entry;
    });
  }

  /** null for one that cannot be read, or that only looks at files. */
  #summary(id: string): SessionSummary | null {
    if (!isSessionId(id)) return null;
    const stat = this.#place.store.stat(id);
    if (stat === null) return null;
    const known = this.#known.get(id);
    if (known?.bytes === stat.bytes) return known.summary;
    const summary = this.#readSummary(id, stat.changed);
    this.#known.set(id, { bytes: stat.bytes, summary });
    return summary;
  }

  #readSummary(id: string, changed: Date): SessionSummary | null {
    try {
      return this.read(id, (file) => summaryOf(file, changed));
    } catch (error) {
      if (isFsError(error)) return null;
      throw error;
    }
  }
}

function summaryOf(file: SessionFile, changed: Date): SessionSummary | null {
  const { id, created, parentSession } = file.header;
  const { actor, agent = null } = ownerOf(file);
  const { title, isMade, isVisit, delegatedBy } = beginningOf(file);
  const { entries, commands, messages, tokens, models, requests } = file.tree.usage;
  // Whoever looks at files has a session for it: nobody speaks in it.
  if (isVisit && !isMade && messages.user === 0) return null;
  return {
    id,
    created,
    updated: changed.toISOString(),
    actor,
    agent,
    title: title.length > TITLE ? `${title.slice(0, TITLE)}…` : title,
    parentSession,
    delegatedBy,
    usage: { entries, commands, messages, tokens, models, requests },
    faults: file.faults.length,
  };
}

function beginningOf(file: SessionFile) {
  let command = '';
  let isMade = false;
  let isVisit = false;
  let delegatedBy: string | null = null;
  for (const entry of file.own()) {
    if (isMessage(entry) && entry.message.role === 'user')
      return { title: textOf(entry.message), isMade, isVisit, delegatedBy };
    if (command === '' && entry.type === 'bash_start') command = `$ ${entry['command']}`;
    if (entry.type !== 'custom') continue;
    const data = entry['data'] as { door?: string; parentSession?: string } | undefined;
    if (entry['name'] === MADE) isMade = true;
    else if (data?.door === DOOR) isVisit = true;
    else if (entry['name'] === 'turn/delegate') delegatedBy = data?.parentSession ?? null;
  }
  return { title: command, isMade, isVisit, delegatedBy };
}

const noSession = (id: string): FsError =>
  new FsError('ENOENT', {
    path: `/sessions/${id}`,
    op: 'open',
    reason: `there is no session ${id}`,
  });

export const noEntry = (id: string, entry: string): FsError =>
  new FsError('ENOENT', {
    path: `/sessions/${id}/entries/${entry}`,
    op: 'open',
    reason: `session ${id} has no entry ${entry}`,
  });
