/**
 * Contents on their way between the door and the process that serves the
 * kernel. The channel is a socket with room for little, so that a large content
 * would cross it in a thousand turns of both; it goes by a file that is written,
 * named in the message, read and removed.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** From this many bytes on. */
const LARGE = 512 * 1024;

/** A content that is in a file. */
interface InFile {
  bulk: string;
}

export class Bulk {
  readonly #directory: string;
  readonly #side: string;
  #last = 0;

  /**
   * @param directory which both ends have, and nobody else
   * @param side tells the files of one end from those of the other
   */
  constructor(directory: string, side: 'door' | 'server') {
    this.#directory = directory;
    this.#side = side;
  }

  /** Values as they cross the channel. */
  async pack(values: readonly unknown[]): Promise<unknown[]> {
    return Promise.all(
      values.map(async (value) => {
        if (!isLarge(value)) return value;
        this.#last += 1;
        const bulk = join(this.#directory, `${this.#side}-${this.#last}`);
        await writeWhole(bulk, value);
        return { bulk } satisfies InFile;
      }),
    );
  }

  /** Values as they were; contents are in memory that threads share: the next one gets them without a copy. */
  static async unpack(values: readonly unknown[]): Promise<unknown[]> {
    return Promise.all(
      values.map(async (value) => {
        if (!isInFile(value)) return value;
        const bytes = await readWhole(value.bulk);
        await rm(value.bulk);
        return bytes;
      }),
    );
  }
}

// What writes and reads whole files in Node does so by half a megabyte, with a turn of this thread for each.

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await using to = await open(file, 'wx', 0o600);
  for (let at = 0; at < bytes.length; )
    at += (await to.write(bytes, at, bytes.length - at)).bytesWritten;
}

async function readWhole(file: string): Promise<Uint8Array> {
  await using from = await open(file);
  const bytes = Buffer.from(new SharedArrayBuffer((await from.stat()).size));
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await from.read(bytes, at, bytes.length - at);
    if (bytesRead === 0) throw new Error(`${file} ended after ${at} bytes of ${bytes.length}`);
    at += bytesRead;
  }
  return bytes;
}

/** Is there one among them? What has none goes at once, and in its order. */
export const hasLarge = (values: readonly unknown[]): boolean => values.some(isLarge);
export const hasFile = (values: readonly unknown[]): boolean => values.some(isInFile);

const isLarge = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && value.length >= LARGE;

const isInFile = (value: unknown): value is InFile =>
  typeof value === 'object' && value !== null && 'bulk' in value;
