/** Keeps `/memory/MOUNT.md` in step with what it was derived from. */
import { posix } from 'node:path';
import { FsError, isFsError } from '../../errors.ts';
import { isWithin } from '../../paths.ts';
import type { AgentFiles } from '../world-access.ts';
import type { Derive } from './derive.ts';
import { sourcesOf, textHash, withFacts } from './facts-file.ts';

/** What a refresh works with. */
export interface RefreshOptions {
  files: AgentFiles;
  derive: Derive;
  now(): Date;
  signal: AbortSignal;
}

/** What became of one source. */
export interface RefreshedSource {
  source: string;
  /** `kept`: its text is what the lines came from. `failed`: its lines stay as they are. */
  state: 'derived' | 'kept' | 'gone' | 'failed';
  facts: number;
  reason?: string;
}

/** `/memory/` and the mount point, without `/mnt/` before it. */
export const memoryFile = (point: string): string =>
  `/memory/${point
    .replace(/^\/mnt\//, '/')
    .slice(1)
    .replaceAll('/', '-')}.md`;

/**
 * Derives the lines of each source again whose text is not the one that they
 * came from. A source that is gone takes its lines with it; one that cannot be
 * read keeps them, and says why.
 * @param point of the mount
 * @param more sources, beside those that the file names
 * @throws FsError when the file itself cannot be read or written
 */
export async function refreshMemory(
  { files, derive, now, signal }: RefreshOptions,
  point: string,
  more: readonly string[] = [],
): Promise<RefreshedSource[]> {
  const file = memoryFile(point);
  const known = sourcesOf((await bytesOf(files, file)) ?? NOTHING);
  // The path ends a line of the file, so it cannot hold a newline.
  const named = [...known.keys(), ...more].filter((path) => !path.includes('\n'));
  const sources = new Set(named.filter((path) => isWithin(point, path)));
  const done: RefreshedSource[] = [];
  for (const source of sources) {
    if (signal.aborted) break;
    try {
      const text = (await bytesOf(files, source))?.toString('utf8') ?? null;
      if (text === null && !known.has(source))
        throw new FsError('ENOENT', { path: source, op: 'read' });
      const hash = text === null ? null : textHash(text);
      if (hash !== null && known.get(source) === hash) {
        done.push({ source, state: 'kept', facts: 0 });
        continue;
      }
      const facts = text === null ? [] : await derive(source, text, signal);
      const date = now().toISOString().slice(0, 10);
      const lines = facts.map((fact) => ({ fact, source, date, hash: hash ?? '' }));
      await replace(files, file, source, lines);
      done.push({ source, state: text === null ? 'gone' : 'derived', facts: facts.length });
    } catch (error) {
      if (signal.aborted) break;
      const reason = error instanceof Error ? error.message : String(error);
      done.push({ source, state: 'failed', facts: 0, reason });
    }
  }
  return done;
}

/** Reads the file anew: a person may have written to it while the facts were derived. */
async function replace(
  files: AgentFiles,
  file: string,
  source: string,
  lines: Parameters<typeof withFacts>[2],
): Promise<void> {
  const before = (await bytesOf(files, file)) ?? NOTHING;
  const after = withFacts(before, source, lines);
  if (!before.equals(after)) await files.writeFile(file, after);
}

/** null where there is no such file. */
async function bytesOf(files: AgentFiles, path: string): Promise<Buffer | null> {
  try {
    return Buffer.from(await files.readFileBuffer(path));
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}

const NOTHING = Buffer.alloc(0);

/** The mount points that have a file of facts. */
export async function remembered(files: AgentFiles, points: readonly string[]): Promise<string[]> {
  if (!points.includes(MEMORY)) return [];
  const names = new Set(await files.readdir(MEMORY));
  return points.filter((point) => point !== MEMORY && names.has(posix.basename(memoryFile(point))));
}

/** Where it is mounted. */
export const MEMORY = '/memory';
