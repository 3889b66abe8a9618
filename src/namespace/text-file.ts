/**
 * The texts of documents, as files beside them: `report.pdf.md` is the text of
 * `report.pdf`, and `report.pdf:p12` that of its page 12. They are found when
 * they are named, where no file of that name is; no listing, walk or glob has them.
 */
import { FsError } from '../errors.ts';
import type { Dirent, Mount, MountStat } from '../mount/contract/contract.ts';
import { DocumentFault } from '../texts/fault.ts';
import { pagesOf } from '../texts/pages.ts';
import type { DocumentTexts } from '../texts/texts.ts';
import type { Place } from './table.ts';

/** What a text is made of. */
export interface TextSource {
  document: Place;
  /** The document's attributes when the text was looked up. */
  stat: MountStat;
  /** `p12`, or null for the whole text. */
  page: string | null;
}

/** The mount of one text: it has that file, and nothing can be changed in it. */
export class TextFile implements Mount {
  readonly kind: string;
  readonly searchable: boolean;
  readonly #source: TextSource;
  readonly #texts: DocumentTexts;

  constructor(source: TextSource, texts: DocumentTexts) {
    const { mount } = source.document.at;
    this.kind = mount.kind;
    this.searchable = mount.searchable;
    this.#source = source;
    this.#texts = texts;
  }

  get local(): boolean {
    return this.#source.document.at.mount.local === true;
  }

  /** Its size is an estimate until it was read. */
  async lstat(): Promise<MountStat> {
    const { mtime, size } = this.#source.stat;
    const known = this.#texts.lengths.get(this.#look);
    return { type: 'file', mode: 0o444, size: known ?? Math.max(1, size), mtime };
  }

  async readdir(path: string): Promise<Dirent[]> {
    throw new FsError('ENOTDIR', { path, op: 'scandir' });
  }

  async read(path: string): Promise<Uint8Array> {
    const { at, inside } = this.#source.document;
    return this.of(await at.mount.read(inside), path);
  }

  /**
   * The text of these bytes of the document.
   * @param named the path that was asked for
   * @throws FsError EINVAL and others, with what is wrong with the document
   */
  async of(bytes: Uint8Array, named: string): Promise<Uint8Array> {
    const { document, page } = this.#source;
    let text: string;
    try {
      text = await this.#texts.text(bytes, document.path);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      const reason = `${document.path} ${error.message}`;
      throw new FsError(error.code, { path: named, op: 'read', reason, cause: error });
    }
    const content = Buffer.from(page === null ? text : pageOf(text, page, document.path, named));
    this.#texts.lengths.set(this.#look, content.length);
    return content;
  }

  /** Tells this text, of this state of the document, from others. */
  get #look(): string {
    const { document, stat, page } = this.#source;
    return `${document.path}\0${page ?? ''}\0${stat.size}\0${stat.mtime.getTime()}`;
  }
}

function pageOf(text: string, page: string, document: string, named: string): string {
  const pages = pagesOf(text);
  const found = pages.find(({ name }) => name === page);
  if (found !== undefined) return found.text;
  const [first, last] = [pages[0]?.name, pages.at(-1)?.name];
  const has = first === undefined ? 'no pages' : `${first} to ${last}`;
  throw new FsError('ENOENT', { path: named, op: 'open', reason: `${document} has ${has}` });
}

/** What refuses every change of a text. */
export function readOnlyText({ named, document }: Place, op: string): FsError {
  return new FsError('EROFS', {
    path: named,
    op,
    rule: 'the text of a document is read-only',
    reason: `this is the text of ${document?.path ?? 'a document'}, made when it is read: change the document, or write a file of another name`,
  });
}
