/** The files of a document that is a zip archive, unpacked with limits; names are never paths of anything. */
import { type Listed, list, ZipError } from '../../zip.ts';
import { broken, DocumentFault } from '../fault.ts';
import { LARGEST_UNPACKED, MOST_PARTS } from '../limits.ts';

/** What Office encrypts, or made before 2007, is an archive of another kind. */
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

export class DocumentArchive {
  readonly #members = new Map<string, Listed>();
  #left = LARGEST_UNPACKED;

  /** @throws DocumentFault where it is no archive, or a bomb by its own account */
  constructor(bytes: Uint8Array) {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (data.subarray(0, OLE.length).equals(OLE))
      throw broken('is encrypted, or of the format before 2007 (save it as a newer one)');
    const members = within(() => list(data));
    if (members.length > MOST_PARTS) throw broken(`is made of more than ${MOST_PARTS} files`);
    const size = members.reduce((sum, member) => sum + member.size, 0);
    if (size > LARGEST_UNPACKED) throw tooMuch();
    for (const member of members) this.#members.set(member.name, member);
  }

  get names(): string[] {
    return [...this.#members.keys()];
  }

  /** A file of it as text; null where there is none of that name. */
  text(name: string): string | null {
    const bytes = this.bytes(name);
    if (bytes === null) return null;
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
    return new TextDecoder().decode(bytes);
  }

  bytes(name: string): Buffer | null {
    const member = this.#members.get(name);
    if (member === undefined) return null;
    const bytes = within(() => member.read(this.#left));
    this.#left -= bytes.length;
    return bytes;
  }
}

/** What an archive's own fields lead out of its bytes with is a fault of it. */
function within<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ZipError || error instanceof RangeError)
      throw isTooMuch(error) ? tooMuch() : broken(`is no whole zip archive: ${error.message}`);
    throw isTooMuch(error) ? tooMuch() : error;
  }
}

const isTooMuch = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';

const tooMuch = (): DocumentFault =>
  new DocumentFault('EFBIG', `would unpack to more than ${LARGEST_UNPACKED / 1024 / 1024} MiB`);
