/**
 * A session that is being written. The file is the truth: everything else that
 * a session knows is a fold over it.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { FsError } from '../errors.ts';
import { externalize, inline, type KeptValue, keepLong } from './blobs.ts';
import {
  type Entry,
  type EntryDraft,
  type Header,
  type MessageDraft,
  OWN_FIELDS,
  type SessionMessage,
} from './entry.ts';
import { EventHub, type EventOptions, type SessionEvent, type TransientEvent } from './events.ts';
import type { Fault, SessionFile } from './file.ts';
import type { Head } from './head.ts';
import { checkHeads, keptHeads } from './heads.ts';
import { encodeLine } from './line.ts';
import type { LogWriter } from './store.ts';
import type { SessionTree } from './tree.ts';
import type { SessionUsage } from './usage.ts';
import { LineWriter } from './writer.ts';

/** An open session, which only its holder appends to. */
export interface SessionLog {
  readonly id: string;
  /** Where its log is, for a person: a file on the host, where the deployment has no store of its own. */
  readonly file: string;
  readonly header: Omit<Header, 'hash'>;
  /** What was found broken when the session was opened; the rest can be used. */
  readonly faults: readonly Fault[];
  /** Where the torn tail of a killed writer is kept; null if there was none. */
  readonly torn: string | null;
  /** The entry that the next one follows; null before the first. */
  readonly leaf: string | null;
  readonly tree: SessionTree;
  readonly usage: SessionUsage;

  /** Appends an entry after the leaf. It is durable on return. @throws FsError of the disk (ENOSPC, EIO …) */
  append(draft: EntryDraft): Entry;
  /** The same for many at once: durable when the promise resolves; one sync serves all that wait. */
  appendGrouped(draft: EntryDraft): Promise<Entry>;
  /** The same, for those who need no more than the entry's id: its long outputs are not read back. */
  record(draft: EntryDraft): Promise<string>;
  /** Appends a message, in the form of the AI SDK's `ModelMessage`. */
  message(
    message: SessionMessage,
    more?: Pick<MessageDraft, 'usage' | 'model' | 'finishReason'>,
  ): Entry;
  /** Goes on from another entry; null is before the first. What was left stays in the file. */
  travel(to: string | null, options?: TravelOptions): Entry;
  /** Names an entry; null takes the name away. */
  label(id: string, label: string | null): Entry;

  /** An entry with its long outputs, read from the blobs. */
  get(id: string): Entry | undefined;
  /** All entries of this session's own file, long outputs as references. */
  entries(): Entry[];
  /** The entries from the first to `leaf`, with their long outputs. */
  branch(leaf?: string | null): Entry[];
  /** The part of the branch that the model still sees: from the last compaction's first kept entry. */
  context(): Entry[];

  /** Entries once they are durable, and transient events. Ends with the session. */
  events(options?: EventOptions): AsyncIterableIterator<SessionEvent>;
  /** Passes an event to whoever listens; it is not kept. */
  emit(event: Omit<TransientEvent, 'transient'> & { type: string }): void;
  /**
   * Signs what the log holds, with the key of the deployment: at the end of a
   * turn, and by itself at the close. Whatever is cut off or changed from here
   * on, `dirigent session verify` tells. @throws FsError, ConfigError
   */
  sign(): void;
  /** Signs, and lets go of the session. */
  close(): void;
  /** Ends the session and removes it: nothing of it is signed or kept. Only of what nobody has to answer for. */
  discard(): void;
}

/** What is noted when a session goes on from another entry. */
export interface TravelOptions {
  /** What happened on the branch that is left. */
  summary?: string;
  /** The snapshot that /workspace was given. */
  workspace?: string;
  /** The snapshot of what was in it until then. */
  leftWorkspace?: string;
}

/** How a session is opened. */
export interface OpenOptions {
  now?: () => number;
}

const NAMESPACED = /^[a-z0-9-]+[./:]./i;

/** {@link SessionLog}, as this module makes it. */
export class Log implements SessionLog {
  /** Entries that refer to no blob: they are whole as they are. */
  readonly #plain = new WeakSet<Entry>();
  readonly torn: string | null;
  readonly #file: SessionFile;
  readonly #nextId: () => string;
  readonly #now: () => number;
  readonly #hub = new EventHub();
  /** Entries that are written and not known to be durable. */
  readonly #unpublished: Entry[] = [];
  /** The right to write it, from its first entry on. */
  #held: LogWriter | null;
  #writer: LineWriter | null = null;
  /** The header of a session that is not on the disk yet. */
  #toBegin: Omit<Header, 'hash'> | null;
  #closed = false;
  /** Has something been written that no signature covers yet? */
  #unsigned = false;
  /** Lines that were there unsigned when the session was opened. */
  #found: Head['found'] = null;
  /** False where the journal has a head that the file does not hold. */
  #advances = true;

  constructor(
    file: SessionFile,
    nextId: () => string,
    options: OpenOptions,
    toBegin: Omit<Header, 'hash'> | null,
    held: LogWriter | null = null,
    torn: string | null = null,
  ) {
    this.#file = file;
    this.#nextId = nextId;
    this.#now = options.now ?? Date.now;
    this.#toBegin = toBegin;
    this.#held = held;
    this.torn = torn;
  }

  get id(): string {
    return this.#file.id;
  }

  get file(): string {
    return this.#file.file;
  }

  get header(): Omit<Header, 'hash'> {
    return this.#toBegin ?? this.#file.header;
  }

  get faults(): readonly Fault[] {
    return this.#file.faults;
  }

  get leaf(): string | null {
    return this.tree.leaf;
  }

  get tree(): SessionTree {
    if (this.#toBegin !== null && this.#toBegin.parentSession !== null) this.begin();
    return this.#file.tree;
  }

  get usage(): SessionUsage {
    return this.#file.tree.usage;
  }

  append(draft: EntryDraft): Entry {
    const entry = this.#write(draft);
    this.#open().sync();
    this.#publish(entry);
    return this.#whole(entry);
  }

  async appendGrouped(draft: EntryDraft): Promise<Entry> {
    return this.#whole(await this.#appendGrouped(draft));
  }

  async record(draft: EntryDraft): Promise<string> {
    return (await this.#appendGrouped(draft)).id;
  }

  /** Keeps a text or a list, if it is long, without holding anybody up; gives what stands for it in a draft. */
  keepLong<T extends string | readonly unknown[]>(value: T): Promise<T | KeptValue> {
    return keepLong(value, this.#file.place.blobs);
  }

  message(
    message: SessionMessage,
    more: Pick<MessageDraft, 'usage' | 'model' | 'finishReason'> = {},
  ): Entry {
    return this.append({ type: 'message', message, ...more });
  }

  travel(to: string | null, options: TravelOptions = {}): Entry {
    if (to !== null) this.#require(to, 'travel');
    const from = this.leaf;
    const { summary, ...workspaces } = options;
    const leaf = this.append({ type: 'leaf', target: to, from, ...workspaces });
    return summary === undefined
      ? leaf
      : this.append({ type: 'branch_summary', fromId: from, summary });
  }

  label(id: string, label: string | null): Entry {
    this.#require(id, 'label');
    return this.append({ type: 'label', target: id, label });
  }

  get(id: string): Entry | undefined {
    void this.tree;
    const entry = this.#file.get(id);
    return entry === undefined ? undefined : this.#whole(entry);
  }

  entries(): Entry[] {
    return [...this.#file.own()];
  }

  branch(leaf: string | null = this.leaf): Entry[] {
    if (leaf !== null) this.#require(leaf, 'branch');
    return this.#file.branch(leaf).map((entry) => this.#whole(entry));
  }

  context(): Entry[] {
    void this.tree;
    return this.#file.context().map((entry) => this.#whole(entry));
  }

  events(options: EventOptions = {}): AsyncIterableIterator<SessionEvent> {
    const { after, signal } = options;
    if (after !== undefined) this.#require(after, 'events');
    return this.#hub.subscribe(after === undefined ? [] : this.#since(after), signal);
  }

  emit(event: Omit<TransientEvent, 'transient'> & { type: string }): void {
    this.#hub.publish({ ...event, transient: true });
  }

  close(): void {
    this.#end((held) => held.release());
  }

  discard(): void {
    if (this.#closed) return;
    this.#unsigned = false;
    const { anchor, files } = this.#file.place;
    anchor?.forget(this.id);
    this.#end((held) => held.remove());
    fs.rmSync(join(files, this.id), { recursive: true, force: true });
  }

  #end(letGo: (held: LogWriter) => void): void {
    if (this.#closed) return;
    try {
      if (this.#unsigned && this.#writer?.failed === false) {
        this.#writer.flush();
        this.sign();
      }
    } finally {
      this.#closed = true;
      this.#writer?.close();
      // What a failed write has left is not known to be on the disk.
      if (this.#writer?.failed === false) this.#unpublished.splice(0).forEach(this.#tell);
      this.#hub.close();
      this.#file.close();
      if (this.#held !== null) letGo(this.#held);
    }
  }

  sign(): void {
    const { anchor } = this.#file.place;
    const [held, writer] = [this.#held, this.#writer];
    if (anchor === null || held === null || writer === null || !this.#unsigned) return;
    // A signature of what a power failure can take back would tell of a cut that nobody made.
    writer.flush();
    const head = anchor.sign({
      session: this.id,
      lines: this.#file.lines,
      bytes: this.#file.end,
      hash: this.#file.lastHash,
      time: new Date(this.#now()).toISOString(),
      found: this.#found,
    });
    // Not synced itself: lost with the power, it leaves what it has signed.
    if (head.lines > 1) this.#write({ type: 'signature', head });
    this.#found = null;
    this.#unsigned = false;
    held.keepHead(`${JSON.stringify(head)}\n`);
    anchor.keep(head, this.#advances);
  }

  /** Takes over a session that was written before: notes what in it no signature covers. */
  adopt(): void {
    const { place } = this.#file;
    if (place.anchor === null) return;
    const signed = checkHeads(this.#file, keptHeads(place, this.id), place.anchor.keys());
    this.#file.faults.push(...signed.faults);
    this.#advances = signed.recordHolds;
    const { lines } = this.#file;
    if (signed.unsigned > 0) this.#found = [Math.min(signed.lines + 1, lines), lines];
  }

  /** Puts the header of a new session on the disk, if it is not there yet. */
  begin(): void {
    if (this.#toBegin === null) return;
    const header = this.#toBegin;
    const { line, hash } = encodeLine(header);
    const writer = this.#lines();
    const length = writer.write(line);
    writer.sync();
    this.#toBegin = null;
    this.#unsigned = true;
    this.#file.wrote({ ...header, hash }, length);
  }

  #open(): LineWriter {
    if (this.#closed) throw new Error(`session ${this.id} was closed`);
    this.begin();
    return this.#lines();
  }

  #lines(): LineWriter {
    this.#held ??= this.#file.place.store.write(this.id);
    this.#writer ??= new LineWriter(this.#held, this.id, this.#file.end);
    return this.#writer;
  }

  #write(draft: EntryDraft): Entry {
    const writer = this.#open();
    const own = OWN_FIELDS.find((name) => name in draft);
    if (own !== undefined) throw new TypeError(`an entry's ${own} is given by the log`);
    const { type, ...fields } = draft;
    if (type === 'custom' && !NAMESPACED.test(String(fields['name'])))
      throw new TypeError(
        'the name of a custom entry begins with a namespace, as in "plugin/kind"',
      );
    const parentId =
      type === 'leaf' ? ((fields['target'] as string | null) ?? null) : this.tree.leaf;
    const record = {
      id: this.#nextId(),
      parentId,
      timestamp: new Date(this.#now()).toISOString(),
      type,
      ...(externalize(fields, this.#file.place.blobs) as object),
      prev: this.#file.lastHash,
    };
    const { line, hash } = encodeLine(record);
    const length = writer.write(line);
    this.#unsigned = true;
    // As a reader will have it, without what JSON does not keep.
    const entry = JSON.parse(line) as Entry;
    this.#file.wrote({ ...entry, hash }, length);
    this.#unpublished.push(entry);
    return entry;
  }

  async #appendGrouped(draft: EntryDraft): Promise<Entry> {
    const entry = this.#write(draft);
    await this.#open().synced();
    this.#publish(entry);
    return entry;
  }

  /** All that stands before a durable entry is durable, too. */
  #publish(entry: Entry): void {
    const last = this.#unpublished.findIndex(({ id }) => id === entry.id);
    this.#unpublished.splice(0, last + 1).forEach(this.#tell);
  }

  readonly #tell = (entry: Entry): void => this.#hub.publish(entry);

  /** What was durable at the call; what is not will be published. */
  #since(after: string): Iterable<Entry> {
    const first = this.#unpublished[0]?.id;
    const from = this.tree.row(after) ?? 0;
    const to = first === undefined ? this.tree.size : (this.tree.row(first) ?? this.tree.size);
    return this.#between(from + 1, to);
  }

  *#between(from: number, to: number): Generator<Entry> {
    for (let row = from; row < to; row++) {
      const entry = this.#file.get(this.tree.id(row));
      if (entry !== undefined) yield entry;
    }
  }

  #whole(entry: Entry): Entry {
    if (this.#plain.has(entry)) return entry;
    const whole = inline(entry, this.#file.place.blobs) as Entry;
    if (whole === entry) this.#plain.add(entry);
    return whole;
  }

  #require(id: string, op: string): void {
    if (this.tree.has(id)) return;
    throw new FsError('ENOENT', {
      path: `/session/entries/${id}.json`,
      op,
      reason: `session ${this.id} has no entry ${id}`,
    });
  }
}
