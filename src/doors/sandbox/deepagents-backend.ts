/** A world as a backend of `deepagents`: its file tools, and its `execute`. */
import { isFsError } from '../../errors.ts';
import { childOf, resolvePath } from '../../paths.ts';
import { shellWord } from '../../visible.ts';
import type { Visit } from '../door.ts';
import { HOME } from './session.ts';

interface FileInfo {
  path: string;
  is_dir?: boolean;
  size?: number;
  modified_at?: string;
}

type FileOperationError = 'file_not_found' | 'permission_denied' | 'is_directory' | 'invalid_path';

const ERRORS: Readonly<Record<string, FileOperationError>> = {
  ENOENT: 'file_not_found',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'permission_denied',
  EISDIR: 'is_directory',
};

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
      const directory = resolvePath(HOME, path);
      const rows = await this.#visit.fs.readdir(directory);
      return { files: await Promise.all(rows.map((name) => this.#info(childOf(directory, name)))) };
    });
  }

  /** @param offset lines before the first one @param limit lines */
  read(path: string, offset = 0, limit = Number.POSITIVE_INFINITY) {
    return told(async () => {
      const text = await this.#visit.fs.readFile(resolvePath(HOME, path));
      const lines = text.split('\n');
      const content = lines.slice(offset, offset + limit).join('\n');
      return { content, mimeType: 'text/plain', totalLines: lines.length };
    });
  }

  readRaw(path: string) {
    return told(async () => {
      const whole = resolvePath(HOME, path);
      const content = await this.#visit.fs.readFileBuffer(whole);
      const at = (await this.#visit.fs.stat(whole)).mtime.toISOString();
      const mimeType = isText(content) ? 'text/plain' : 'application/octet-stream';
      const data = isText(content) ? Buffer.from(content).toString() : Uint8Array.from(content);
      return { data: { content: data, mimeType, created_at: at, modified_at: at } };
    });
  }

  write(path: string, content: string) {
    return told(async () => {
      const whole = resolvePath(HOME, path);
      await this.#visit.fs.mkdir(resolvePath(whole, '..'), { recursive: true });
      await this.#visit.fs.writeFile(whole, content);
      return { path: whole, filesUpdate: null };
    });
  }

  edit(path: string, before: string, after: string, all = false) {
    return told(async () => {
      const whole = resolvePath(HOME, path);
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
      const whole = resolvePath(HOME, path);
      await this.#visit.fs.rm(whole, { recursive: true });
      return { path: whole, filesUpdate: null };
    });
  }

  /** Literally, as the shell's `grep -F` finds it. */
  async grep(
    pattern: string,
    path: string | null = null,
    glob: string | null = null,
    maxCount: number | null = null,
  ) {
    const include = glob === null ? '' : ` --include=${shellWord(glob)}`;
    const where = shellWord(resolvePath(HOME, path ?? '.'));
    const command = `grep -rnHFZ${include} -e ${shellWord(pattern)} -- ${where}`;
    const { stdout, stderr, exitCode } = await this.#visit.exec(command);
    if (exitCode > 1) return { error: stderr };
    const matches = stdout.split('\n').flatMap((row) => {
      const [file, rest] = row.split('\0');
      const colon = rest?.indexOf(':') ?? -1;
      if (file === undefined || rest === undefined || colon < 0) return [];
      return [{ path: file, line: Number(rest.slice(0, colon)), text: rest.slice(colon + 1) }];
    });
    const most = maxCount ?? matches.length;
    return { matches: matches.slice(0, most), truncated: matches.length > most };
  }

  async glob(pattern: string, path = '.') {
    const command = `shopt -s globstar nullglob; cd ${shellWord(resolvePath(HOME, path))} && printf '%s\\0' ${globWord(pattern)}`;
    const { stdout, stderr, exitCode } = await this.#visit.exec(command, { fresh: true });
    if (exitCode !== 0) return { error: stderr };
    const base = resolvePath(HOME, path);
    const names = stdout.split('\0').filter((name) => name !== '');
    const infos = await Promise.all(names.map((name) => this.#info(resolvePath(base, name))));
    return { files: infos.filter(({ is_dir }) => is_dir !== true) };
  }

  uploadFiles(files: [string, Uint8Array][]) {
    return Promise.all(
      files.map(async ([path, content]) => {
        const error = await this.#failed(async () => {
          const whole = resolvePath(HOME, path);
          await this.#visit.fs.mkdir(resolvePath(whole, '..'), { recursive: true });
          await this.#visit.fs.writeFile(whole, content);
        });
        return { path, error };
      }),
    );
  }

  downloadFiles(paths: string[]) {
    return Promise.all(
      paths.map(async (path) => {
        let content: Uint8Array | null = null;
        const error = await this.#failed(async () => {
          content = Uint8Array.from(await this.#visit.fs.readFileBuffer(resolvePath(HOME, path)));
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
    return { path, is_dir: isDirectory, size, modified_at: mtime.toISOString() };
  }

  async #failed(work: () => Promise<void>): Promise<FileOperationError | null> {
    try {
      await work();
      return null;
    } catch (error) {
      if (!isFsError(error)) throw error;
      return ERRORS[error.code] ?? 'invalid_path';
    }
  }
}

const isText = (bytes: Uint8Array): boolean => !bytes.includes(0);

/** A glob as a word of the shell: only its wildcards mean something. */
const globWord = (pattern: string): string =>
  pattern.replaceAll(/[^\w*?[\]{},./-]/g, (character) => `\\${character}`);

/** A failure is an answer to a model: its sentence. */
async function told<T extends object>(work: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await work();
  } catch (error) {
    if (!isFsError(error)) throw error;
    return { error: error.reason ?? `${error.path}: ${error.strerror}` };
  }
}
