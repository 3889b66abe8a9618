/**
 * A session's log as its readers see it: read once, and from then on only
 * what was added. Readers take no lock; a line without its newline is still
 * being written, and is not looked at.
 */
import { FsError } from '../errors.ts';
import type { Anchor } from './anchor.ts';
import type { BlobStore } from './blobs.ts';
import { type Entry, type Header, isCompaction, LOG_VERSION } from './entry.ts';
import { decodeLine, faultOfEntry, isHeader } from './line.ts';
import { isSessionId } from './session-id.ts';
import type { LogReader, SessionStore } from './store.ts';
import { type Place, SessionTree } from './tree.ts';

/** A line that cannot be trusted. */
export interface Fault {
  session: string;
  /** Counted from 1, the header's. */
  line: number;
  /** The id of the entry, where it can still be read. */
  id: string | null;
  reason: string;
}

/** Where sessions are kept. */
export interface SessionPlace {
  /** Their logs. */
  store: SessionStore;
  /** What else they keep as files of the host, a directory each: what their background jobs print. */
  files: string;
  blobs: BlobStore;
  /** Signs their heads; null where nothing is known of them but their logs. */
  anchor: Anchor | null;
}

/** Is it the id of a session that has begun? */
export const hasSession = ({ store }: SessionPlace, id: string): boolean =>
  isSessionId(id) && store.stat(id) !== null;

/** Bytes read at a time: what fits into the cache of a processor is hashed and parsed faster. */
const CHUNK = 256 * 1024;
const MIN_CHUNK = 4 * 1024;
/** So many bytes of lines are kept parsed. */
const CACHE_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

/** One session, read from its log and from those of the sessions it was forked from. */
export class SessionFile {
  readonly id: string;
  readonly place: SessionPlace;
  readonly tree = new SessionTree();
  /** What is broken, found so far; the rest can be used. */
  readonly faults: Fault[] = [];
  /** The hash that the next line follows. */
  lastHash = '';
  /** Where the last whole line ends. */
  end = 0;
  #header: Header | null = null;
  #line = 0;
  /** While the line before is broken: the hashes that the next one may follow. */
  #alternatives: Set<string> | null = null;
  /** What stands before a broken line, by the id that can be read in it: its children go on from there. */
  readonly #bridges = new Map<string | null, string | null>();
  /** Its own log, and behind it those that it inherits from. */
  readonly #readers: LogReader[] = [];
  /** Two generations: dropping the older one whole costs nothing, whatever is in it. */
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();
  #youngBytes = 0;

  /** The sessions that were forked from this one, on the way here: none of them can be its parent. */
  readonly #forks: readonly string[];

  constructor(place: SessionPlace, id: string, forks: readonly string[] = []) {
    this.place = place;
    this.id = id;
    this.#forks = forks;
  }

  /** Where its log is, for a person. */
  get file(): string {
    return this.place.store.where(this.id);
  }

  /** Bytes of the log, those of a line that is being written among them; 0 where there is none. */
  get size(): number {
    return this.place.store.stat(this.id)?.bytes ?? 0;
  }

  /** @throws FsError EINVAL where the file has no whole header */
  get header(): Header {
    if (this.#header !== null) return this.#header;
    throw new FsError('EINVAL', {
      path: this.file,
      op: 'read',
      rule: 'the header of a session',
      reason: `session ${this.id} has no whole header: its first write was interrupted, and nothing was kept in it`,
    });
  }

  get hasHeader(): boolean {
    return this.#header !== null;
  }

  /** Whole lines of the file, read so far. */
  get lines(): number {
    return this.#line;
  }

  /** Reads what was added since the last time. @throws the error of the store, such as ENOENT */
  refresh(): this {
    this.#read(this.#own(), this.end, (line, offset) => {
      this.#take(line, offset);
    });
    return this;
  }

  /** Notes a line that this process's writer has appended. */
  wrote(record: Entry | Header, length: number): void {
    const offset = this.end;
    this.#line += 1;
    this.end += length;
    this.lastHash = record.hash;
    this.#alternatives = null;
    if (isHeader(record)) {
      this.#own();
      return this.#begin(record);
    }
    const entry = record as Entry;
    this.tree.add(entry, { source: 0, line: this.#line, offset, length: length - 1 }, true);
    this.#keep(entry, length);
  }

  /** An entry as it is in the file: long outputs are references. */
  get(id: string): Entry | undefined {
    const kept = this.#young.get(id) ?? this.#old.get(id);
    if (kept !== undefined) return kept;
    const row = this.tree.row(id);
    if (row === undefined) return undefined;
    const entry = JSON.parse(this.lineAt(this.tree.place(row)).toString('utf8')) as Entry;
    this.#keep(entry, this.tree.place(row).length);
    return entry;
  }

  /** The bytes of a line. */
  lineAt({ source, offset, length }: Place): Buffer {
    const reader = source === 0 ? this.#own() : this.#readers[source];
    if (reader === undefined) throw new Error(`session ${this.id} was closed`);
    return bytesAt(reader, offset, length);
  }

  /** Bytes of its own log, as they are kept: as many as there are, and were asked for. */
  bytes(from = 0, length: number = this.size): Buffer {
    return bytesAt(this.#own(), from, length);
  }

  /** The entries of this session itself, one after the other; those inherited from a parent are not among them. */
  *own(): Generator<Entry> {
    for (let row = 0; row < this.tree.size; row++) {
      const place = this.tree.place(row);
      if (place.source === 0) yield this.get(this.tree.id(row)) as Entry;
    }
  }

  /** From the first entry to `leaf`. */
  branch(leaf: string | null = this.tree.leaf): Entry[] {
    return [...this.tree.up(leaf)].reverse().map((row) => this.get(this.tree.id(row)) as Entry);
  }

  /**
   * The part of the branch that is still seen after its last compaction: from
   * the first entry which that one kept. The whole branch where there was none.
   */
  context(leaf: string | null = this.tree.leaf): Entry[] {
    const seen: Entry[] = [];
    let firstKept: string | null = null;
    for (const row of this.tree.up(leaf)) {
      const entry = this.get(this.tree.id(row)) as Entry;
      seen.push(entry);
      if (firstKept === null && isCompaction(entry)) firstKept = entry.firstKeptEntryId;
      if (entry.id === firstKept) break;
    }
    return seen.reverse();
  }

  close(): void {
    for (const reader of this.#readers.splice(0)) reader.close();
  }

  #own(): LogReader {
    this.#readers[0] ??= this.place.store.read(this.id);
    return this.#readers[0];
  }

  #read(reader: LogReader, from: number, take: (line: Buffer, offset: number) => void): void {
    // One buffer for all: what is taken from a line is copied out of it.
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(MIN_CHUNK, this.size - from)));
    let kept = 0;
    let start = from;
    for (let at = from; ; ) {
      // A line that fills the whole buffer needs a longer one.
      if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const read = reader.read(buffer.subarray(kept), at);
      if (read === 0) return;
      at += read;
      const filled = buffer.subarray(0, kept + read);
      let begin = 0;
      for (let end = filled.indexOf(NEWLINE); end !== -1; end = filled.indexOf(NEWLINE, begin)) {
        take(filled.subarray(begin, end), start);
        start += end + 1 - begin;
        begin = end + 1;
      }
      buffer.copyWithin(0, begin, filled.length);
      kept = filled.length - begin;
    }
  }

  #take(line: Buffer, offset: number): void {
    this.#line += 1;
    this.end = offset + line.length + 1;
    const decoded = decodeLine(line);
    if ('fault' in decoded) {
      this.#alternatives ??= new Set([this.lastHash]);
      if (decoded.claimed !== null) this.#alternatives.add(decoded.claimed);
      if (decoded.computed !== null) this.#alternatives.add(decoded.computed);
      // The id itself may be what was damaged: any child without a parent is taken to be one of this line.
      for (const id of [decoded.id, null]) this.#bridges.set(id, this.tree.leaf);
      return this.#fault(decoded.id, decoded.fault);
    }
    const { record, hash } = decoded;
    if (this.#header === null && this.tree.size === 0 && isHeader(record)) {
      this.#begin(record);
    } else {
      this.#takeEntry(record as Entry, {
        source: 0,
        line: this.#line,
        offset,
        length: line.length,
      });
    }
    this.lastHash = hash;
    this.#alternatives = null;
  }

  #takeEntry(entry: Entry, place: Place): void {
    const wrong = faultOfEntry(entry);
    if (wrong !== null) return this.#fault(typeof entry.id === 'string' ? entry.id : null, wrong);
    const follows = this.#alternatives?.has(entry.prev) ?? entry.prev === this.lastHash;
    if (!follows) {
      this.#fault(entry.id, 'it does not follow the line before: something was removed or moved');
    }
    const { parentId } = entry;
    const lost = this.#bridges.size > 0 && parentId !== null && !this.tree.has(parentId);
    const bridge = lost ? (this.#bridges.get(parentId) ?? this.#bridges.get(null)) : undefined;
    const misplaced = this.tree.add(entry, place, true, bridge);
    if (misplaced !== null) this.#fault(entry.id, misplaced);
  }

  #begin(header: Header): void {
    if (header.version > LOG_VERSION) {
      throw new FsError('ENOTSUP', {
        path: this.file,
        op: 'read',
        rule: 'the version of the format',
        reason: `session ${this.id} has format ${header.version}, this program knows ${LOG_VERSION}: use a newer one`,
      });
    }
    this.#header = header;
    if (header.parentSession !== null) this.#inherit(header, header.parentSession);
  }

  /** Takes the parent's entries, up to the one that this session goes on from. */
  #inherit(header: Header, parentId: string): void {
    const forks = [...this.#forks, this.id];
    const parent = new SessionFile(this.place, parentId, forks);
    try {
      if (!isSessionId(parentId)) throw new Error(`"${parentId}" is no id of a session`);
      if (forks.includes(parentId)) throw new Error('it would be a fork of itself');
      parent.refresh();
      const last = parent.tree.row(header.parentEntry ?? '');
      if (last === undefined) throw new Error(`it has no entry ${header.parentEntry}`);
      for (let row = 0; row <= last; row++) {
        const entry = parent.get(parent.tree.id(row)) as Entry;
        if (row === last && entry.hash !== header.prev) {
          this.#fault(null, `the entry ${entry.id} of its parent is not the one it was forked at`);
        }
        const place = parent.tree.place(row);
        this.tree.add(entry, { ...place, source: place.source + 1 }, false);
      }
      this.faults.push(...parent.faults);
      this.#readers.push(...parent.#readers.splice(0));
    } catch (error) {
      parent.close();
      if (!(error instanceof Error)) throw error;
      this.#fault(null, `its parent session ${parentId} cannot be read: ${error.message}`);
    }
  }

  #fault(id: string | null, reason: string): void {
    this.faults.push({ session: this.id, line: this.#line, id, reason });
  }

  #keep(entry: Entry, bytes: number): void {
    if (this.#youngBytes + bytes > CACHE_BYTES / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngBytes = 0;
    }
    this.#young.set(entry.id, entry);
    this.#youngBytes += bytes;
  }
}

/** As many bytes as there are, and were asked for. */
function bytesAt(reader: LogReader, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const read = reader.read(bytes.subarray(done), from + done);
    if (read === 0) return bytes.subarray(0, done);
    done += read;
  }
  return bytes;
}
