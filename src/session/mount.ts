/**
 * `/session` as files: the log as it is, and views made from it when they are
 * asked for. Nothing here can write: the runtime alone does, elsewhere.
 */
import fs from 'node:fs';
import { join } from 'node:path';
import { FsError } from '../errors.ts';
import type { Dirent, Mount, MountStat } from '../mount/contract/contract.ts';
import { inline } from './blobs.ts';
import { hasSession, SessionFile, type SessionPlace } from './file.ts';
import { ownerOf } from './owner.ts';
import { isSessionId } from './session-id.ts';
import { treeText } from './tree-text.ts';

/** What a session's mount shows. */
export interface SessionMountOptions {
  place: SessionPlace;
  id: string;
  /** Are the other sessions of the same place shown under `past/`? */
  past: boolean;
  /** Only those that this actor began; all, if absent. */
  pastOf?: string;
}

/** The files of one session, made from its log. */
const VIEWS: Readonly<Record<string, (file: SessionFile) => Buffer>> = {
  'log.jsonl': (file) => file.bytes(),
  'tree.txt': (file) => Buffer.from(treeText(file)),
  'usage.json': (file) => Buffer.from(`${JSON.stringify(file.tree.usage, null, 2)}\n`),
};

/** What a path of the mount stands for. */
type Target =
  | { kind: 'session'; id: string }
  | { kind: 'view'; id: string; name: string }
  | { kind: 'entries'; id: string }
  | { kind: 'entry'; id: string; entry: string }
  | { kind: 'jobs'; id: string }
  | { kind: 'job'; id: string; job: string }
  | { kind: 'output'; id: string; job: string; name: string }
  | { kind: 'past' };

/** Where on the host it is kept what the background jobs of a session print. */
const jobsOf = ({ files }: SessionPlace, id: string): string => join(files, id, 'jobs');
/** What there is of each. */
const OUTPUT = ['command', 'status', 'stderr', 'stdout'];

const directory = (name: string): Dirent => ({ name, type: 'directory' });
const file = (name: string): Dirent => ({ name, type: 'file' });

/** A read-only mount of a session and, if the deployer allows it, of those before it. */
export function createSessionMount(options: SessionMountOptions): Mount {
  const { place, id: own, past, pastOf } = options;
  const open = new Map<string, SessionFile>();
  /** Views of the state that a log had at a length; a log that grew makes them anew. */
  const rendered = new Map<string, { end: number; bytes: Buffer }>();

  /** The session as it is now; null before its first entry. */
  const session = (id: string): SessionFile | null => {
    let found = open.get(id);
    if (found === undefined) {
      if (!hasSession(place, id)) return null;
      found = new SessionFile(place, id);
      open.set(id, found);
    }
    found.refresh();
    return found.hasHeader ? found : null;
  };

  /** Owners do not change once somebody has come in. */
  const owned = new Set<string>();
  const isShown = (id: string): boolean => {
    if (pastOf === undefined || owned.has(id)) return true;
    const file = session(id);
    if (file === null || ownerOf(file).actor !== pastOf) return false;
    owned.add(id);
    return true;
  };

  const target = (path: string, op: string): Target => {
    const names = path.split('/').slice(path === '/' ? 2 : 1);
    const found = past && names[0] === 'past' ? pastTarget(names.slice(1)) : inside(own, names);
    if (found === null) throw new FsError('ENOENT', { path, op });
    return found;
  };

  const pastTarget = ([id, ...names]: string[]): Target | null => {
    if (id === undefined) return { kind: 'past' };
    const known = isSessionId(id) && id !== own && session(id) !== null && isShown(id);
    return known ? inside(id, names) : null;
  };

  /** Where on the host a job, or a file of it, is. @throws FsError ENOENT */
  const onHost = (found: Extract<Target, { job: string }>, path: string, op: string): string => {
    const file = join(jobsOf(place, found.id), found.job, 'name' in found ? found.name : '');
    if (!fs.existsSync(file)) throw new FsError('ENOENT', { path, op });
    return file;
  };

  const bytes = (found: Target, path: string, op: string): Buffer => {
    if (found.kind === 'output') return outputBytes(found, onHost(found, path, op));
    if (found.kind !== 'view' && found.kind !== 'entry') throw new FsError('EISDIR', { path, op });
    const log = session(found.id);
    if (log === null) throw new FsError('ENOENT', { path, op });
    if (found.kind === 'entry') return entryBytes(log, found.entry, path, op);
    const view = VIEWS[found.name];
    if (view === undefined) throw new FsError('ENOENT', { path, op });
    // The log is not kept: the store has it, and it may be long.
    if (found.name === 'log.jsonl') return view(log);
    const kept = rendered.get(path);
    if (kept?.end === log.end) return kept.bytes;
    const fresh = view(log);
    rendered.set(path, { end: log.end, bytes: fresh });
    return fresh;
  };

  /** Of a session that nobody may be writing any more it is not known whether a job goes on. */
  const outputBytes = ({ id, name }: Extract<Target, { name: string }>, file: string): Buffer => {
    const bytes = fs.readFileSync(file);
    const goesOn = name === 'status' && id !== own && bytes.toString() === 'running\n';
    return goesOn ? Buffer.from('unknown: its log has no end of it\n') : bytes;
  };

  const size = (found: Target, path: string): number => {
    if (found.kind === 'view' && found.name === 'log.jsonl')
      return place.store.stat(found.id)?.bytes ?? 0;
    return bytes(found, path, 'lstat').length;
  };

  return {
    kind: 'session',
    searchable: false,
    local: true,
    hasLinks: () => false,

    async lstat(path: string): Promise<MountStat> {
      const found = target(path, 'lstat');
      const mtime =
        'job' in found
          ? fs.statSync(onHost(found, path, 'lstat')).mtime
          : changedAt(place, found.kind === 'past' ? own : found.id);
      if (found.kind !== 'view' && found.kind !== 'entry' && found.kind !== 'output')
        return { type: 'directory', mode: 0o555, size: 4096, mtime, ino: path };
      if (found.kind === 'view' && session(found.id) === null)
        throw new FsError('ENOENT', { path, op: 'lstat' });
      return { type: 'file', mode: 0o444, size: size(found, path), mtime, ino: path };
    },

    async readdir(path: string): Promise<Dirent[]> {
      const found = target(path, 'scandir');
      if (found.kind === 'past') return sessionIds(place, own).filter(isShown).map(directory);
      if (found.kind === 'entries') {
        const ids = session(found.id)?.tree.ids() ?? [];
        return [...new Set(ids)].sort().map((id) => file(`${id}.json`));
      }
      if (found.kind === 'jobs') return numbersIn(jobsOf(place, found.id)).map(directory);
      if (found.kind === 'job') {
        onHost(found, path, 'scandir');
        return OUTPUT.map(file);
      }
      if (found.kind !== 'session') throw new FsError('ENOTDIR', { path, op: 'scandir' });
      const root = found.id === own;
      const views = session(found.id) === null ? [] : Object.keys(VIEWS).map(file);
      const jobs = fs.existsSync(jobsOf(place, found.id)) ? [directory('jobs')] : [];
      return [
        directory('entries'),
        ...jobs,
        ...views,
        ...(root && past ? [directory('past')] : []),
      ].sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async read(path: string): Promise<Uint8Array> {
      return bytes(target(path, 'open'), path, 'open');
    },

    async close(): Promise<void> {
      for (const each of open.values()) each.close();
    },
  };

  function entryBytes(log: SessionFile, id: string, path: string, op: string): Buffer {
    const entry = log.get(id);
    if (entry === undefined) throw new FsError('ENOENT', { path, op });
    return Buffer.from(`${JSON.stringify(inline(entry, place.blobs), null, 2)}\n`);
  }
}

/** What a path inside one session's directory stands for. */
function inside(id: string, names: readonly string[]): Target | null {
  const [first, second, ...more] = names;
  if (first === undefined) return { kind: 'session', id };
  if (first === 'entries') {
    if (second === undefined) return { kind: 'entries', id };
    const entry = /^([0-9A-Z]{26})\.json$/.exec(second)?.[1];
    return entry === undefined || more.length > 0 ? null : { kind: 'entry', id, entry };
  }
  if (first === 'jobs') {
    const [name, ...beyond] = more;
    if (second === undefined) return { kind: 'jobs', id };
    if (!/^[1-9]\d*$/.test(second) || beyond.length > 0) return null;
    if (name === undefined) return { kind: 'job', id, job: second };
    return OUTPUT.includes(name) ? { kind: 'output', id, job: second, name } : null;
  }
  return second === undefined && Object.hasOwn(VIEWS, first)
    ? { kind: 'view', id, name: first }
    : null;
}

/** The numbers of the jobs that there are, in their order. */
function numbersIn(directory: string): string[] {
  if (!fs.existsSync(directory)) return [];
  return fs.readdirSync(directory).sort((a, b) => Number(a) - Number(b));
}

/** The ids of the sessions of a place that have begun, oldest first. */
export function sessionIds(place: SessionPlace, except?: string): string[] {
  return place.store
    .list()
    .filter((id) => isSessionId(id) && id !== except)
    .sort();
}

const changedAt = ({ store }: SessionPlace, id: string): Date =>
  store.stat(id)?.changed ?? new Date(0);
