/**
 * Messages on a socket. Each is two numbers (Uint32, the lengths of what follows), its value by
 * `node:v8`, and where its large contents go; and then these, byte for byte: what is large is not
 * serialized, and is read into memory of its own.
 */
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** Rows of values, of which a content may be one; and what else is said. */
export interface Framed {
  rows: readonly (readonly unknown[])[];
  [more: string]: unknown;
}

/** From this many bytes on a content goes by itself. */
const LARGE = 64 * 1024;

const HEAD_BYTES = 8;

/** No value without its contents has more, in bytes. */
const LARGEST_VALUE = 256 * 1024 ** 2;

/** Where a content goes, and how long it is. */
type Place = [row: number, column: number, length: number];

/** Sends messages, those of one turn together. */
export class FrameWriter {
  readonly #socket: Socket;
  #isHeld = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  send(message: Framed): void {
    const large = message.rows.some((row) => row.some(isLarge));
    const { value, places, contents } = large ? taken(message) : { ...none, value: message };
    const bytes = serialize(value);
    const where = places.length === 0 ? EMPTY : serialize(places);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(bytes.length, 0);
    head.writeUInt32LE(where.length, 4);
    this.#hold();
    this.#socket.write(Buffer.concat([head, bytes, where]));
    for (const content of contents) this.#socket.write(content);
  }

  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isHeld = false;
      this.#socket.uncork();
    });
  }
}

const EMPTY = Buffer.alloc(0);
const none: { places: Place[]; contents: Uint8Array[] } = { places: [], contents: [] };

/** A message without its large contents, and these. */
function taken(message: Framed): { value: Framed; places: Place[]; contents: Uint8Array[] } {
  const places: Place[] = [];
  const contents: Uint8Array[] = [];
  const rows = message.rows.map((values, row) =>
    values.map((value, column) => {
      if (!isLarge(value)) return value;
      places.push([row, column, value.length]);
      contents.push(value);
      return null;
    }),
  );
  return { value: { ...message, rows }, places, contents };
}

const isLarge = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && value.length >= LARGE;

/** A message whose contents are still to come. */
interface Begun {
  message: { rows: unknown[][] };
  places: Place[];
  content: Buffer;
  at: number;
}

/** Makes messages of what comes. */
export class FrameReader {
  readonly #memory: (length: number) => Buffer;
  readonly #receive: (message: unknown) => void;
  /** Of a message whose value is not here as a whole. */
  #part: Buffer = EMPTY;
  #filled = 0;
  #begun: Begun | null = null;

  /**
   * @param memory for a large content
   * @param receive gets each message
   */
  constructor(memory: (length: number) => Buffer, receive: (message: unknown) => void) {
    this.#memory = memory;
    this.#receive = receive;
  }

  /** @param bytes are copied @throws Error where they are no messages */
  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; )
      at +=
        this.#begun === null
          ? this.#takeValue(bytes, at)
          : this.#takeContent(this.#begun, bytes, at);
  }

  #takeValue(bytes: Buffer, at: number): number {
    if (this.#filled === 0 && bytes.length - at >= HEAD_BYTES) {
      const whole = lengthOf(bytes, at);
      if (bytes.length - at >= whole) {
        const own = Buffer.allocUnsafeSlow(whole);
        bytes.copy(own, 0, at, at + whole);
        this.#read(own);
        return whole;
      }
    }
    const wanted = this.#filled < HEAD_BYTES ? HEAD_BYTES : lengthOf(this.#part, 0);
    if (this.#part.length < wanted) {
      const grown = Buffer.allocUnsafeSlow(wanted);
      this.#part.copy(grown, 0, 0, this.#filled);
      this.#part = grown;
    }
    const copied = bytes.copy(this.#part, this.#filled, at, at + wanted - this.#filled);
    this.#filled += copied;
    if (this.#filled >= HEAD_BYTES && this.#filled === lengthOf(this.#part, 0)) {
      const own = this.#part;
      this.#part = EMPTY;
      this.#filled = 0;
      this.#read(own);
    }
    return copied;
  }

  /** What is small in it stays a part of these bytes. */
  #read(frame: Buffer): void {
    const end = HEAD_BYTES + frame.readUInt32LE(0);
    const message = deserialize(frame.subarray(HEAD_BYTES, end)) as { rows: unknown[][] };
    if (end === frame.length) return this.#receive(message);
    const places = deserialize(frame.subarray(end)) as Place[];
    this.#next(message, places);
  }

  #next(message: { rows: unknown[][] }, places: Place[]): void {
    const [place] = places;
    this.#begun =
      place === undefined ? null : { message, places, content: this.#memory(place[2]), at: 0 };
    if (this.#begun === null) this.#receive(message);
  }

  #takeContent(begun: Begun, bytes: Buffer, at: number): number {
    const { message, places, content } = begun;
    const copied = bytes.copy(content, begun.at, at);
    begun.at += copied;
    if (begun.at < content.length) return copied;
    const [[row, column] = [0, 0], ...rest] = places;
    const values = message.rows[row];
    if (values === undefined) throw new Error('a content came on a line that belongs to nothing');
    values[column] = content;
    this.#next(message, rest);
    return copied;
  }
}

/** Of a message, but for its contents. */
function lengthOf(bytes: Buffer, at: number): number {
  const length = HEAD_BYTES + bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4);
  if (length > LARGEST_VALUE) throw new Error(`a message of ${length} bytes came on a line`);
  return length;
}
