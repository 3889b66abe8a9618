/** Documents that are not text: what is indexed of them is their text, made when the index takes them in. */
import { type FsError, isFsError } from '../../errors.ts';
import type { DocumentFs } from '../../namespace/types.ts';
import { isWithin } from '../../paths.ts';
import { documentFormat } from '../../texts/names.ts';
import { pagesOf } from '../../texts/pages.ts';
import type { Pending } from './source.ts';

export class TextDocuments {
  readonly #fs: DocumentFs;
  /** Why some have no text, by their paths. */
  readonly #failed = new Map<string, FsError>();

  constructor(fs: DocumentFs) {
    this.#fs = fs;
  }

  /** What is to be indexed of a file; null where it is gone, or nothing to be searched. */
  async textOf({ path, text }: Pending): Promise<string | null> {
    const format = documentFormat(path);
    if (format === null) return text();
    this.#failed.delete(path);
    try {
      const made = await this.#fs.documentText(path);
      // Of most pictures nobody has said anything.
      return format === 'image' && pagesOf(made).length === 0 ? null : made;
    } catch (error) {
      if (!isFsError(error)) throw error;
      if (error.code !== 'ENOENT') this.#failed.set(path, error.at(path));
      return null;
    }
  }

  /** Those below some paths that could not be read. */
  trouble(paths: readonly string[]): FsError[] {
    return [...this.#failed.values()].filter(({ path }) =>
      paths.some((each) => isWithin(each, path)),
    );
  }

  /**
   * What waits for the index and can be searched literally meanwhile: the bytes of documents are
   * nothing to be searched.
   * @returns with what is to be said of the others
   */
  apart(waiting: readonly Pending[]): { missing: Pending[]; unread: string[] } {
    const missing = waiting.filter(({ path }) => documentFormat(path) === null);
    const count = waiting.length - missing.length;
    const are = count === 1 ? 'document is' : 'documents are';
    const unread =
      count === 0
        ? []
        : [`${count.toLocaleString('en')} ${are} being read and not searched yet; ask again`];
    return { missing, unread };
  }
}
