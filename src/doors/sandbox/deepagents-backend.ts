/** A world as a backend of `deepagents`: its file tools, and its `execute`. */
import { childOf, resolvePath } from '../../paths.ts';
import type { Visit } from '../door.ts';
import { contentOf, type FileInfo, failureOf, pageOf, told } from './deepagents-answers.ts';
import { fromHome, HOME, writeFromHome } from './files.ts';
import { findNames, findText } from './search.ts';

/** A backend, as `SandboxBackendProtocolV2` of `deepagents` describes it. */
export class WorldBackend implements AsyncDisposable {
  readonly #visit: Visit;
  readonly #onClose: () => Promise<void>;

  constructor(visit: Visit, onClose: () => Promise<void>) {
    this.#visit = visit;
    this.#onClose = onClose;
  }

  /** The id of the session. */
  get id(): string {
    return this.#visit.session;
  }

  async execute(command: string) {
    const { stdout, stderr, exitCode } = await this.#visit.exec(command);
    return { output: `${stdout}${stderr}`, exitCode, truncated: false };
  }

  ls(path: string) {
    return told(async () => {
      const directory = fromHome(path);
      const rows = await this.#visit.fs.readdir(directory);
      return { files: await Promise.all(rows.map((name) => this.#info(childOf(directory, name)))) };
    });
  }

  /** @param offset lines before the first one @param limit lines */
  read(path: string, offset = 0, limit = Number.POSITIVE_INFINITY) {
    return told(async () => {
      return pageOf(await this.#visit.fs.readFileBuffer(fromHome(path)), offset, limit);
    });
  }

  readRaw(path: string) {
    return told(async () => {
      const whole = fromHome(path);
      const { content, mimeType } = contentOf(await this.#visit.fs.readFileBuffer(whole));
      const at = (await this.#visit.fs.stat(whole)).mtime.toISOString();
      return { data: { content, mimeType, created_at: at, modified_at: at } };
    });
  }

  write(path: string, content: string) {
    return told(async () => {
      return { path: await writeFromHome(this.#visit, path, content), filesUpdate: null };
    });
  }

  edit(path: string, before: string, after: string, all = false) {
    return told(async () => {
      const whole = fromHome(path);
      const text = await this.#visit.fs.readFile(whole);
      const occurrences = before === '' ? 0 : text.split(before).length - 1;
      if (occurrences === 0) return { error: `the text is not in ${whole}` };
      if (occurrences > 1 && !all)
        return {
          error: `the text is ${occurrences} times in ${whole}: give more of it, or replace all`,
        };
      await this.#visit.fs.writeFile(whole, text.split(before).join(after));
      return { path: whole, filesUpdate: null, occurrences };
    });
  }

  delete(path: string) {
    return told(async () => {
      const whole = fromHome(path);
      await this.#visit.fs.rm(whole, { recursive: true });
      return { path: whole, filesUpdate: null };
    });
  }

  /** Literally, as the shell's `grep -F` finds it. */
  grep(
    text: string,
    path: string | null = null,
    glob: string | null = null,
    maxCount: number | null = null,
  ) {
    return findText(this.#visit, text, path ?? HOME, glob, maxCount);
  }

  async glob(pattern: string, path = HOME) {
    const directory = fromHome(path);
    const found = await findNames(this.#visit, pattern, directory);
    if ('error' in found) return found;
    const infos = await Promise.all(
      found.names.map((name) => this.#info(resolvePath(directory, name))),
    );
    return { files: infos.filter(({ is_dir }) => is_dir !== true) };
  }

  uploadFiles(files: [string, Uint8Array][]) {
    return Promise.all(
      files.map(async ([path, content]) => {
        const error = await failureOf(async () => {
          await writeFromHome(this.#visit, path, content);
        });
        return { path, error };
      }),
    );
  }

  downloadFiles(paths: string[]) {
    return Promise.all(
      paths.map(async (path) => {
        let content: Uint8Array | null = null;
        const error = await failureOf(async () => {
          content = new Uint8Array(await this.#visit.fs.readFileBuffer(fromHome(path)));
        });
        return { path, content, error };
      }),
    );
  }

  /** Ends the session, and its world. */
  async close(): Promise<void> {
    await this.#visit.close();
    await this.#onClose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #info(path: string): Promise<FileInfo> {
    const { isDirectory, size, mtime } = await this.#visit.fs.lstat(path);
    return {
      path: isDirectory ? `${path}/` : path,
      is_dir: isDirectory,
      size,
      modified_at: mtime.toISOString(),
    };
  }
}
