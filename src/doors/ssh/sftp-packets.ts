/**
 * The packets of SFTP, version 3 (draft-ietf-secsh-filexfer-02), with the
 * extensions of OpenSSH: bytes to values, and back.
 */

export const REQUEST = {
  INIT: 1,
  OPEN: 3,
  CLOSE: 4,
  READ: 5,
  WRITE: 6,
  LSTAT: 7,
  FSTAT: 8,
  SETSTAT: 9,
  FSETSTAT: 10,
  OPENDIR: 11,
  READDIR: 12,
  REMOVE: 13,
  MKDIR: 14,
  RMDIR: 15,
  REALPATH: 16,
  STAT: 17,
  RENAME: 18,
  READLINK: 19,
  SYMLINK: 20,
  EXTENDED: 200,
} as const;

const RESPONSE = {
  VERSION: 2,
  STATUS: 101,
  HANDLE: 102,
  DATA: 103,
  NAME: 104,
  ATTRS: 105,
  EXTENDED: 201,
};

export const STATUS = {
  OK: 0,
  EOF: 1,
  NO_SUCH_FILE: 2,
  PERMISSION_DENIED: 3,
  FAILURE: 4,
  BAD_MESSAGE: 5,
  OP_UNSUPPORTED: 8,
} as const;
export type Status = (typeof STATUS)[keyof typeof STATUS];

/** Flags of an open. */
export const OPEN = { READ: 1, WRITE: 2, APPEND: 4, CREAT: 8, TRUNC: 16, EXCL: 32 } as const;

const HAS = { SIZE: 1, OWNER: 2, MODE: 4, TIMES: 8, EXTENDED: 0x8000_0000 } as const;

/** Attributes; what is absent is not said. */
export interface Attributes {
  /** Bytes. */
  size?: number;
  uid?: number;
  gid?: number;
  /** With the type of the file, as st_mode has it. */
  mode?: number;
  /** Seconds since the epoch. */
  atime?: number;
  mtime?: number;
}

/** A packet that says something else than its length, or its kind, lets it. */
export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket';
}

const LENGTH = 4;

/** Takes a stream of bytes apart. No packet has more bytes than `most`. */
export class PacketReader {
  readonly #most: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns the packets that are whole by now, without their lengths @throws MalformedPacket */
  push(piece: Buffer): Buffer[] {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const packets: Buffer[] = [];
    for (;;) {
      const length = this.#length();
      if (length === null || this.#bytes < LENGTH + length) return packets;
      const all = this.#joined();
      packets.push(all.subarray(LENGTH, LENGTH + length));
      this.#pieces = [all.subarray(LENGTH + length)];
      this.#bytes -= LENGTH + length;
    }
  }

  #length(): number | null {
    if (this.#bytes < LENGTH) return null;
    const [first] = this.#pieces;
    const head = first !== undefined && first.length >= LENGTH ? first : this.#joined();
    const length = head.readUInt32BE(0);
    if (length === 0 || length > this.#most)
      throw new MalformedPacket(`a packet has 1 to ${this.#most} bytes, and this one ${length}`);
    return length;
  }

  #joined(): Buffer {
    const all = this.#pieces.length === 1 ? this.#pieces[0] : undefined;
    const joined = all ?? Buffer.concat(this.#pieces);
    this.#pieces = [joined];
    return joined;
  }
}

const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the fields of one packet, in order. Each fails with {@link MalformedPacket} where it is not there. */
export class Fields {
  readonly #packet: Buffer;
  #at = 0;

  constructor(packet: Buffer) {
    this.#packet = packet;
  }

  byte(): number {
    return this.#take(1).readUInt8(0);
  }

  number(): number {
    return this.#take(4).readUInt32BE(0);
  }

  /** @throws MalformedPacket also where it is beyond 2^53 */
  long(): number {
    const value = this.#take(8).readBigUInt64BE(0);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new MalformedPacket('a number is too large');
    return Number(value);
  }

  bytes(): Buffer {
    return this.#take(this.number());
  }

  /** @throws MalformedPacket where it is no UTF-8: another name would be meant by it */
  text(): string {
    try {
      return TEXT.decode(this.bytes());
    } catch (error) {
      if (error instanceof MalformedPacket) throw error;
      throw new MalformedPacket('a name is no UTF-8');
    }
  }

  attributes(): Attributes {
    const has = this.number();
    const given: Attributes = {};
    if ((has & HAS.SIZE) !== 0) given.size = this.long();
    if ((has & HAS.OWNER) !== 0) [given.uid, given.gid] = [this.number(), this.number()];
    if ((has & HAS.MODE) !== 0) given.mode = this.number();
    if ((has & HAS.TIMES) !== 0) [given.atime, given.mtime] = [this.number(), this.number()];
    return given;
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#packet.length) throw new MalformedPacket('a packet ends too early');
    const taken = this.#packet.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const byte = (value: number): Buffer => Buffer.of(value);
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
export const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};
const bytes = (value: Uint8Array): Buffer => Buffer.concat([number(value.length), value]);
const text = (value: string): Buffer => bytes(Buffer.from(value));

function attributes({ size, uid, gid, mode, atime, mtime }: Attributes): Buffer {
  let has = 0;
  const fields: Buffer[] = [];
  if (size !== undefined) {
    has |= HAS.SIZE;
    fields.push(long(size));
  }
  if (uid !== undefined && gid !== undefined) {
    has |= HAS.OWNER;
    fields.push(number(uid), number(gid));
  }
  if (mode !== undefined) {
    has |= HAS.MODE;
    fields.push(number(mode));
  }
  if (atime !== undefined && mtime !== undefined) {
    has |= HAS.TIMES;
    fields.push(number(atime), number(mtime));
  }
  return Buffer.concat([number(has), ...fields]);
}

const packet = (type: number, ...fields: Buffer[]): Buffer =>
  bytes(Buffer.concat([byte(type), ...fields]));

/** One row of a listing. `line` is what `ls -l` would show. */
export interface Named {
  name: string;
  line: string;
  attributes: Attributes;
}

/** The packets that a server sends. */
export const answers = {
  version: (version: number, extensions: Readonly<Record<string, string>>): Buffer =>
    packet(
      RESPONSE.VERSION,
      number(version),
      ...Object.entries(extensions).flatMap(([name, value]) => [text(name), text(value)]),
    ),
  status: (id: number, code: Status, message = ''): Buffer =>
    packet(RESPONSE.STATUS, number(id), number(code), text(message), text('en')),
  handle: (id: number, handle: Uint8Array): Buffer =>
    packet(RESPONSE.HANDLE, number(id), bytes(handle)),
  data: (id: number, data: Uint8Array): Buffer => packet(RESPONSE.DATA, number(id), bytes(data)),
  names: (id: number, names: readonly Named[]): Buffer =>
    packet(
      RESPONSE.NAME,
      number(id),
      number(names.length),
      ...names.flatMap((each) => [text(each.name), text(each.line), attributes(each.attributes)]),
    ),
  attributes: (id: number, given: Attributes): Buffer =>
    packet(RESPONSE.ATTRS, number(id), attributes(given)),
  extended: (id: number, ...fields: Buffer[]): Buffer =>
    packet(RESPONSE.EXTENDED, number(id), ...fields),
};
