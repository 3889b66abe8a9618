/**
 * What a worker says while a command runs: changes of memory mounts, steps of
 * changes in the journal, and output. It lies in memory that both threads share, so that it is there when
 * the worker is ended in the middle of a command, and costs no message each.
 *
 * A segment is a number (Int32) of bytes that are written, and then records:
 * length (Uint32), kind (Uint8), bytes. What is written never changes; a
 * full segment is followed by another one. A large content lies beside the
 * segment of its change, and is copied by nobody on its way.
 */
import { deserialize, serialize } from 'node:v8';
import type { Change } from '../changes/index.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import type { LineNews } from './line/protocol.ts';

/** One thing that was said, other than output. */
type OutboxChange =
  | { kind: 'memory'; point: string; change: MemoryOp }
  /** A step of a change in the journal; `point` is where its mount is attached; `job`: the background job that made it. */
  | { kind: 'change'; point: string; change: Change; job?: number }
  /** What a process of the host did on its line. */
  | { kind: 'line'; line: number; news: LineNews };

/** One thing to say. Output is bytes, as a latin1 string. */
export type OutboxRecord = OutboxChange | { kind: 'stdout' | 'stderr'; bytes: string };

/** One thing that was said. Output is bytes in the shared memory, which do not change. */
export type OutboxRead = OutboxChange | { kind: 'stdout' | 'stderr'; bytes: Buffer };

/** What the writer tells by message: there is a new segment. */
export interface OutboxMessage {
  type: 'segment';
  segment: SharedArrayBuffer;
  /** The data of the one change that is in it. */
  content?: Uint8Array;
}

const KINDS = ['memory', 'stdout', 'stderr', 'change', 'line'] as const;
const HEAD_BYTES = 4;
const RECORD_HEAD_BYTES = 5;
const SEGMENT_BYTES = 256 * 1024;

/** The worker's end. */
export class OutboxWriter {
  readonly #post: (message: OutboxMessage) => void;
  #segment: Buffer = Buffer.alloc(0);
  #written: Int32Array | null = null;
  #at = 0;

  constructor(post: (message: OutboxMessage) => void) {
    this.#post = post;
  }

  put(record: OutboxRecord): void {
    if (record.kind === 'memory' && 'data' in record.change && isLarge(record.change.data)) {
      const { data, ...change } = record.change;
      const bytes = serialize([record.point, change]);
      this.#begin(HEAD_BYTES + RECORD_HEAD_BYTES + bytes.length, shared(data));
      this.#write('memory', bytes.length, (to, at) => bytes.copy(to, at));
    } else if (record.kind === 'memory' || record.kind === 'change') {
      const job = record.kind === 'change' ? record.job : undefined;
      const bytes = serialize([record.point, record.change, job]);
      this.#write(record.kind, bytes.length, (to, at) => bytes.copy(to, at));
    } else if (record.kind === 'line') {
      // Paths and sentences: as text, since two of these go with each question of a process.
      const text = JSON.stringify([record.line, record.news]);
      this.#write(record.kind, Buffer.byteLength(text), (to, at) => to.write(text, at));
    } else {
      const { bytes } = record;
      this.#write(record.kind, bytes.length, (to, at) => to.write(bytes, at, 'latin1'));
    }
  }

  #write(kind: OutboxRecord['kind'], length: number, fill: (to: Buffer, at: number) => void): void {
    const needed = RECORD_HEAD_BYTES + length;
    const written =
      this.#written !== null && this.#at + needed <= this.#segment.length
        ? this.#written
        : this.#begin(Math.max(SEGMENT_BYTES, HEAD_BYTES + needed));
    this.#segment.writeUInt32LE(length, this.#at);
    this.#segment.writeUInt8(KINDS.indexOf(kind), this.#at + 4);
    fill(this.#segment, this.#at + RECORD_HEAD_BYTES);
    this.#at += needed;
    Atomics.store(written, 0, this.#at);
  }

  #begin(size: number, content?: Uint8Array): Int32Array {
    const segment = new SharedArrayBuffer(size);
    this.#segment = Buffer.from(segment);
    this.#at = HEAD_BYTES;
    this.#written = new Int32Array(segment, 0, 1);
    Atomics.store(this.#written, 0, HEAD_BYTES);
    this.#post({ type: 'segment', segment, ...(content === undefined ? {} : { content }) });
    return this.#written;
  }
}

/** The supervisor's end. */
export class OutboxReader {
  readonly #segments: Omit<OutboxMessage, 'type'>[] = [];
  #at = HEAD_BYTES;

  add(segment: Omit<OutboxMessage, 'type'>): void {
    this.#segments.push(segment);
  }

  /** What was said since the last time, in order. */
  *read(): Generator<OutboxRead> {
    for (;;) {
      const segment = this.#segments[0];
      if (segment === undefined) return;
      const written = Atomics.load(new Int32Array(segment.segment, 0, 1), 0);
      while (this.#at < written) yield this.#next(segment);
      if (this.#segments.length === 1) return;
      this.#segments.shift();
      this.#at = HEAD_BYTES;
    }
  }

  #next({ segment, content }: Omit<OutboxMessage, 'type'>): OutboxRead {
    const view = Buffer.from(segment);
    const length = view.readUInt32LE(this.#at);
    const kind = KINDS[view.readUInt8(this.#at + 4)] ?? 'memory';
    const start = this.#at + RECORD_HEAD_BYTES;
    this.#at = start + length;
    if (kind === 'stdout' || kind === 'stderr')
      return { kind, bytes: view.subarray(start, this.#at) };
    if (kind === 'line') {
      const text = view.toString('utf8', start, this.#at);
      const [line, news] = JSON.parse(text) as [number, LineNews];
      return { kind, line, news };
    }
    // A copy: what is made from it may keep a view of its bytes.
    const bytes = Buffer.from(view.subarray(start, this.#at));
    const [point, change, job] = deserialize(bytes) as [string, MemoryOp | Change, number?];
    if (kind === 'change')
      return { kind, point, change: change as Change, ...(job === undefined ? {} : { job }) };
    const data = content === undefined ? {} : { data: content };
    return { kind, point, change: { ...change, ...data } as MemoryOp };
  }
}

/** More than a segment that others are in. */
const isLarge = ({ length }: Uint8Array): boolean => length >= SEGMENT_BYTES;

/** What both threads have: it is copied unless they have it already. */
function shared(data: Uint8Array): Uint8Array {
  if (data.buffer instanceof SharedArrayBuffer) return data;
  const both = new Uint8Array(new SharedArrayBuffer(data.length));
  both.set(data);
  return both;
}
