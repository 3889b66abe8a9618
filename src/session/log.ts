/**
 * The session's log: a JSONL file of a header and entries, appended to by the
 * runtime alone. An entry is on the disk before anything acts on it. `hash`
 * covers the entry and `prev`, the hash before it, so a changed byte shows.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { createUlidFactory } from './ulid.ts';

/** The version of the file format. */
export const LOG_VERSION = 1;

/** What a caller gives for an entry: its type, and fields of its own. */
export interface EntryDraft {
  type: string;
  [field: string]: unknown;
}

/** One line of the log after the header. */
export interface Entry extends EntryDraft {
  id: string;
  /** The entry that this one follows in the tree; null for the first. */
  parentId: string | null;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** The hash of the line before. */
  prev: string;
  /** SHA-256, hex, of the entry without `hash`, as JSON in the order of its keys. */
  hash: string;
}

/** The first line. */
export interface Header {
  type: 'session';
  version: number;
  id: string;
  created: string;
  parentSession: string | null;
  hash: string;
}

/** An open log, to which only its holder appends. */
export interface SessionLog {
  readonly id: string;
  /** The file on the host. */
  readonly file: string;
  /** Appends one entry, durably. @throws Error of the disk (ENOSPC, EIO …) */
  append(draft: EntryDraft): Entry;
  /** The entries that come, from after an entry's id or from now on. */
  events(options?: { after?: string; signal?: AbortSignal }): AsyncIterableIterator<Entry>;
  /** All entries of the file. */
  entries(): Entry[];
  close(): void;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Starts a session of its own under `directory`, as `ID/log.jsonl`. */
export function createSessionLog(directory: string, now: () => number = Date.now): SessionLog {
  const nextId = createUlidFactory(now);
  const id = nextId();
  const folder = join(directory, id);
  fs.mkdirSync(folder, { recursive: true });
  const file = join(folder, 'log.jsonl');
  const descriptor = fs.openSync(file, 'ax', 0o600);
  const listeners = new Set<(entry: Entry) => void>();

  const put = (record: object): string => {
    const hash = digest(JSON.stringify(record));
    fs.writeSync(descriptor, `${JSON.stringify({ ...record, hash })}\n`);
    fs.fdatasyncSync(descriptor);
    return hash;
  };

  const time = (): string => new Date(now()).toISOString();
  let prev = put({
    type: 'session',
    version: LOG_VERSION,
    id,
    created: time(),
    parentSession: null,
  });
  let parentId: string | null = null;

  const append = (draft: EntryDraft): Entry => {
    const record = { id: nextId(), parentId, timestamp: time(), ...draft, prev };
    const entry: Entry = { ...record, hash: put(record) };
    prev = entry.hash;
    parentId = entry.id;
    for (const listener of listeners) listener(entry);
    return entry;
  };

  const entries = (): Entry[] => readEntries(file);
  return {
    id,
    file,
    append,
    entries,
    events: (options = {}) => follow(entries, listeners, options),
    close: () => fs.closeSync(descriptor),
  };
}

/** The whole entries of a log file; a torn last line is not one. */
export function readEntries(file: string): Entry[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  lines.pop();
  return lines.slice(1).map((line) => JSON.parse(line) as Entry);
}

async function* follow(
  entries: () => Entry[],
  listeners: Set<(entry: Entry) => void>,
  options: { after?: string; signal?: AbortSignal },
): AsyncIterableIterator<Entry> {
  const queue: Entry[] = [];
  let wake: (() => void) | undefined;
  const listener = (entry: Entry): void => {
    queue.push(entry);
    wake?.();
  };
  listeners.add(listener);
  const stop = (): void => wake?.();
  options.signal?.addEventListener('abort', stop);
  try {
    if (options.after !== undefined) {
      const all = entries();
      queue.unshift(...all.slice(all.findIndex((entry) => entry.id === options.after) + 1));
    }
    while (options.signal?.aborted !== true) {
      const entry = queue.shift();
      if (entry !== undefined) yield entry;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    listeners.delete(listener);
    options.signal?.removeEventListener('abort', stop);
  }
}
