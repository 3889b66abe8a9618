/**
 * The files that jq may see. Its calls cannot wait and the namespace's must be
 * waited for: a file that was not fetched yet ends the run, is fetched, and jq
 * begins anew. Nothing of a run is shown before its end, so nobody can tell.
 */
import { FsError } from '../../src/errors.ts';
import { errnoOf, type Tool } from '../support/tool.ts';
import { type ErrorNumber, numberOf } from '../support/wasi-errno.ts';

/** A file that was asked for and is not there yet: fetch it and begin anew. */
export class NotFetched extends Error {
  readonly path: string;
  readonly what: 'content' | 'kind';

  constructor(what: 'content' | 'kind', path: string) {
    super(`${what} of ${path} is not fetched`);
    this.what = what;
    this.path = path;
  }
}

/** What a path is, or why that cannot be told. */
export type Kind = 'file' | 'directory' | { errno: ErrorNumber };

/** What a file holds, or why it cannot be read. */
export type Content = Buffer | { errno: ErrorNumber };

/** What the namespace answered so far, by path as jq spells it. */
export class FetchedFiles {
  readonly #tool: Tool;
  readonly #contents = new Map<string, Content>();
  readonly #kinds = new Map<string, Kind>();
  /** What a refusal had to say beside its errno, in the order of asking. */
  readonly #reasons = new Map<string, string>();
  #stdin: Buffer | undefined;

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  /** Standard input; read when jq reads it, and not before. */
  get stdin(): Buffer {
    this.#stdin ??= Buffer.from(this.#tool.stdin, 'latin1');
    return this.#stdin;
  }

  get cwd(): string {
    return this.#tool.ctx.cwd;
  }

  content(path: string): Content {
    const known = this.#contents.get(path);
    if (known === undefined) throw new NotFetched('content', path);
    return known;
  }

  kind(path: string): Kind {
    const known = this.#kinds.get(path);
    if (known === undefined) throw new NotFetched('kind', path);
    return known;
  }

  /** Has the namespace been asked for the content of this one? */
  isFetched(path: string): boolean {
    return this.#contents.has(path);
  }

  /** The sentences of what was refused, for whoever reads stderr. */
  get reasons(): string[] {
    return [...new Set(this.#reasons.values())];
  }

  async fetch({ what, path }: Pick<NotFetched, 'what' | 'path'>): Promise<void> {
    if (what === 'content')
      this.#contents.set(path, await this.#answer(path, () => this.#tool.readBytes(path)));
    else this.#kinds.set(path, await this.#answer(path, () => this.#kindOf(path)));
  }

  async #kindOf(path: string): Promise<Kind> {
    const { isDirectory } = await this.#tool.fs.stat(this.#tool.path(path));
    return isDirectory ? 'directory' : 'file';
  }

  async #answer<T>(path: string, ask: () => Promise<T>): Promise<T | { errno: ErrorNumber }> {
    try {
      return await ask();
    } catch (error) {
      const code = errnoOf(error);
      if (code === undefined) throw error;
      if (error instanceof FsError && error.reason !== undefined)
        this.#reasons.set(path, error.reason);
      return { errno: numberOf(code) };
    }
  }
}
