/**
 * Contents on their way between the door and the process that serves the
 * kernel. The channel is a socket with room for little, so that a large content
 * would cross it in a thousand turns of both; it goes by a file that is written,
 * named in the message, read and removed.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
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
        await writeFile(bulk, value, { flag: 'wx', mode: 0o600 });
        return { bulk } satisfies InFile;
      }),
    );
  }

  /** Values as they were. */
  static async unpack(values: readonly unknown[]): Promise<unknown[]> {
    return Promise.all(
      values.map(async (value) => {
        if (!isInFile(value)) return value;
        const bytes = await readFile(value.bulk);
        await rm(value.bulk);
        return bytes;
      }),
    );
  }
}

/** Is there one among them? What has none goes at once, and in its order. */
export const hasLarge = (values: readonly unknown[]): boolean => values.some(isLarge);
export const hasFile = (values: readonly unknown[]): boolean => values.some(isInFile);

const isLarge = (value: unknown): value is Uint8Array =>
  value instanceof Uint8Array && value.length >= LARGE;

const isInFile = (value: unknown): value is InFile =>
  typeof value === 'object' && value !== null && 'bulk' in value;
