/** The files of the world, as whoever is served may read them: in their own name, by the one gate. */
import type { Doorway, Visit } from '../doors/door.ts';
import type { Principal } from '../doors/principal.ts';
import { FsError, isFsError } from '../errors.ts';
import { shellWord } from '../visible.ts';
import { KeptOpen } from './kept-open.ts';
import type { Caller } from './rights.ts';

/** A file, or a directory. */
export interface ServedFile {
  path: string;
  type: 'file' | 'directory' | 'symlink';
  size: number;
  /** ISO 8601, UTC. */
  mtime: string;
  /** Of a directory, by name. */
  entries?: { name: string; type: 'file' | 'directory' | 'symlink' }[];
  /** Of a file: what was asked for of it. */
  content?: string;
  encoding?: 'utf-8' | 'base64';
  /** Where the content begins, and where the next part would; null at the end. Bytes. */
  offset?: number;
  next?: number | null;
}

/** A line that was found. */
export interface Found {
  path: string;
  /** From 1. */
  line: number;
  text: string;
}

/** What a search gave. */
export interface SearchResult {
  found: Found[];
  /** How fresh the index is, and what could not be searched. */
  notes: string[];
  exitCode: number;
}

/** How it is said of a file that it is there no more, or something else. */
const GONE = ['ENOENT', 'ENOTDIR', 'EISDIR'] as const;
const IDLE_MS = 2 * 60_000;
/** Of a file at once. Bytes. */
const PART = 1024 * 1024;
/** Larger files are not read for a page. Bytes. */
const LARGEST = 64 * 1024 * 1024;
const SEARCH_MS = 60_000;

/** Files for all who are served, each in a world of their own. */
export class ServedFiles {
  readonly #doorway: Pick<Doorway, 'enter'>;
  readonly #visits = new Map<string, KeptOpen<Visit>>();
  readonly #onFault: (error: unknown) => void;

  readonly #idleMs: number;

  /** @param onFault told of a world that could not be closed */
  constructor(
    doorway: Pick<Doorway, 'enter'>,
    onFault: (error: unknown) => void,
    idleMs: number = IDLE_MS,
  ) {
    this.#doorway = doorway;
    this.#onFault = onFault;
    this.#idleMs = idleMs;
  }

  /** @throws FsError as the file system says it */
  read(caller: Caller, path: string, offset: number): Promise<ServedFile> {
    return this.#use(caller, async ({ fs }) => {
      const { isDirectory, isSymbolicLink, size, mtime } = await fs.stat(path);
      const type = isDirectory ? 'directory' : isSymbolicLink ? 'symlink' : 'file';
      const about = { path, type, size, mtime: mtime.toISOString() } as const;
      if (isDirectory) return { ...about, entries: await entriesOf(fs, path) };
      if (size > LARGEST)
        throw new FsError('EFBIG', {
          path,
          op: 'read',
          reason: `the file has ${size} bytes; files of up to ${LARGEST} are shown`,
        });
      const bytes = await fs.readFileBuffer(path);
      return { ...about, size: bytes.length, ...partOf(bytes, offset) };
    });
  }

  /**
   * May somebody read a file? One that is there no more they might have read.
   * @throws FsError what is wrong with it otherwise
   */
  async mayRead(caller: Caller, path: string): Promise<boolean> {
    try {
      await this.#use(caller, ({ fs }) => fs.readFile(path));
      return true;
    } catch (error) {
      if (isFsError(error, 'EACCES') || isFsError(error, 'EPERM')) return false;
      // The rules were asked before it was looked for.
      if (GONE.some((code) => isFsError(error, code))) return true;
      throw error;
    }
  }

  /** Searches by meaning where a place is searchable, and by words elsewhere, as `grep QUERY PATH` does. */
  search(caller: Caller, query: string, path: string, signal: AbortSignal): Promise<SearchResult> {
    return this.#use(caller, async (visit) => {
      const command = `grep ${shellWord(query)} ${shellWord(path)}`;
      const { stdout, stderr, exitCode } = await visit.exec(command, {
        fresh: true,
        signal,
        timeoutMs: SEARCH_MS,
      });
      const found = stdout.split('\n').flatMap((line) => foundIn(line, path));
      return { found, notes: stderr.split('\n').filter((line) => line !== ''), exitCode };
    });
  }

  async close(): Promise<void> {
    const closing = [...this.#visits.values()].map((visit) => visit.close().catch(this.#onFault));
    await Promise.all(closing);
  }

  /** Whoever asks comes in anew each time: the world is kept for them, and what they may do in it is not. */
  #use<R>({ actor, agent }: Caller, work: (visit: Visit) => Promise<R>): Promise<R> {
    const principal = { actor, ...(agent === null ? {} : { agent }) };
    return this.#keptFor(principal).use(async () => {
      await using visit = await this.#doorway.enter(principal);
      return await work(visit);
    });
  }

  #keptFor(principal: Principal): KeptOpen<Visit> {
    const key = `${principal.actor}\n${principal.agent ?? ''}`;
    const known = this.#visits.get(key);
    if (known !== undefined) return known;
    const visit = new KeptOpen(() => this.#doorway.enter(principal), this.#idleMs, this.#onFault);
    this.#visits.set(key, visit);
    return visit;
  }
}

async function entriesOf(fs: Visit['fs'], path: string): Promise<ServedFile['entries'] & object> {
  const entries = await fs.readdirWithFileTypes(path);
  return entries
    .map(({ name, isDirectory, isSymbolicLink }) => ({
      name,
      type: isDirectory
        ? ('directory' as const)
        : isSymbolicLink
          ? ('symlink' as const)
          : ('file' as const),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Text that a part ends inside of is told whole with the next one. */
function partOf(bytes: Uint8Array, offset: number) {
  const rest = bytes.subarray(offset, offset + PART);
  for (const cut of [0, 1, 2, 3]) {
    const part = rest.subarray(0, rest.length - cut);
    const text = textOf(part);
    // Only where a part ends before its file does can it end inside of a character.
    if (text === null && offset + rest.length < bytes.length) continue;
    if (text === null) break;
    const end = offset + part.length;
    const next = end < bytes.length ? end : null;
    return { content: text, encoding: 'utf-8' as const, offset, next };
  }
  const end = offset + rest.length;
  const next = end < bytes.length ? end : null;
  const content = Buffer.from(rest).toString('base64');
  return { content, encoding: 'base64' as const, offset, next };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** `path:line:text`; a search of one file says no path. */
function foundIn(line: string, searched: string): Found[] {
  const whole = /^(\/.*?):(\d+):(.*)$/s.exec(line);
  if (whole !== null)
    return [{ path: whole[1] ?? '', line: Number(whole[2]), text: whole[3] ?? '' }];
  const short = /^(\d+):(.*)$/s.exec(line);
  return short === null ? [] : [{ path: searched, line: Number(short[1]), text: short[2] ?? '' }];
}
