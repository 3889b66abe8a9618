/**
 * Turns a service's table of routes into a mount: directories, stats, errno,
 * freshness, staged text, a README, documents to search. A service folder
 * holds its client, its records and its table, and nothing of this.
 */
import { randomUUID } from 'node:crypto';
import type { ChangeJournal } from '../../changes/journal.ts';
import { FsError, isFsError } from '../../errors.ts';
import type { FeedEntry, Replica } from '../../replica/replica.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Progress } from '../contract/activity.ts';
import type { Dirent, MountStat, MountUsage, Probe } from '../contract/contract.ts';
import type { PlannedCall, ProgramInput, ProgramOutput } from '../contract/program.ts';
import type { WalkedFile } from '../contract/walked-file.ts';
import type { Heard, Told } from '../contract/webhook.ts';
import { Extras, README } from '../reading/extras.ts';
import type { Freshness } from '../reading/freshness.ts';
import { HeldFiles, type SearchDocument } from '../reading/held-files.ts';
import { Lookup, missing } from '../reading/lookup.ts';
import type { OwnDirectories } from '../reading/own-directories.ts';
import { Prefetch } from '../reading/prefetch.ts';
import type { Prober } from '../reading/prober.ts';
import type { ReadTexts } from '../reading/read-texts.ts';
import { Staged } from '../reading/staged.ts';
import type { Eagerness, Service } from '../table/route.ts';
import { isCostly, type Match, namesOf, RouteTable, typeOf } from '../table/table.ts';
import type { Original } from '../writing/replacing.ts';
import { Writer } from '../writing/writer.ts';
import { Hearing } from './hearing.ts';
import { OwnState } from './own-state.ts';
import { isWritable, Refusals, whyNotWritten } from './refusals.ts';
import type { TableOfRoutes } from './service-mount.ts';
import { directoryStat, fileStat, linkStat, linkTarget, programStat } from './stats.ts';

export interface ServiceMountOptions {
  service: Service;
  /** Distinguishes mounts that share a replica and a journal. */
  name: string;
  replica: Replica;
  changes: ChangeJournal;
  stage: boolean;
  freshness: Freshness;
  now: () => Date;
  /** Looks for changes behind the reads; null where nobody does. */
  prober?: Prober | null;
  /** What is known beside the databases; of its own by default. */
  own?: OwnState;
  /** Asks the service who we are; without it, whether the root can be read is all that is told. */
  probe?: () => Promise<Probe>;
  /** Is somebody, as the service calls them, the account of this mount? Nobody is known by default. */
  isUs?: (by: string) => boolean;
  /** Where the mount is attached, so that `.last` gives absolute paths. */
  attachedAt?: string;
}

export function createServiceMount(options: ServiceMountOptions): TableOfRoutes {
  return new TableMount(options);
}

class TableMount implements TableOfRoutes {
  readonly kind: string;
  readonly name: string;
  readonly searchable = true;
  readonly transactional = true;
  readonly #options: ServiceMountOptions;
  readonly #table: RouteTable;
  readonly #refusals: Refusals;
  readonly #writer: Writer;
  readonly #extras: Extras;
  readonly #born: Date;
  readonly #directories: OwnDirectories;
  /** No other mount's, be it of an earlier process: what is counted begins anew with each. */
  readonly #id = randomUUID();
  readonly #readTexts: ReadTexts;
  readonly #lookup: Lookup;
  readonly #heldFiles: HeldFiles;
  readonly #prefetch: Prefetch;
  readonly #hearing: Hearing;

  constructor(options: ServiceMountOptions) {
    const { service, name, changes, stage, now, freshness, replica } = options;
    this.#options = options;
    const { born, readTexts, directories } = options.own ?? new OwnState(now());
    this.#born = born;
    this.#directories = directories;
    this.#readTexts = readTexts;
    this.kind = service.kind;
    this.name = name;
    const table = new RouteTable(service.routes, service.params);
    this.#table = table;
    this.#refusals = new Refusals(table, service.kind);
    const { title, together } = service;
    this.#writer = new Writer({ name, title, table, journal: changes, stage, now, together });
    this.#extras = new Extras({ ...options, table, writer: this.#writer });
    const staged = new Staged(changes, name);
    this.#lookup = new Lookup({
      service,
      table,
      freshness,
      staged,
      extras: this.#extras,
      born,
      directories,
    });
    this.#heldFiles = new HeldFiles({
      service,
      name,
      table,
      replica,
      staged,
      freshness,
      lookup: this.#lookup,
      extras: this.#extras,
      readTexts: this.#readTexts,
    });
    this.#prefetch = new Prefetch({
      title: service.title,
      table,
      freshness,
      questions: (match) => this.#lookup.questions(match),
      readdir: (path) => this.readdir(path),
      lstat: (path) => this.lstat(path),
      search: service.search ? `${options.attachedAt ?? ''}/search/QUERY/` : null,
    });
    this.#hearing = new Hearing({
      name,
      table,
      lookup: this.#lookup,
      freshness,
      prober: options.prober ?? null,
      replica,
      changes,
      now,
      isUs: options.isUs ?? (() => false),
    });
  }

  hasLinks(path: string): boolean {
    return this.#table.hasLinks(path);
  }

  stamp(): string | null {
    const { service, replica, changes, freshness } = this.#options;
    const [held, epoch] = [replica.stamp(), freshness.epoch()];
    if (service.stamped !== true || held === null || epoch === null) return null;
    const { requests, bytes } = service.usage();
    const own = this.#directories.changes;
    // The README tells what was spent, and which questions were asked.
    const told = `${requests} ${bytes} ${freshness.questions}`;
    return `${this.#id} ${held} ${changes.generation()} ${epoch} ${own} ${told}`;
  }

  canHave(path: string): boolean {
    return path === '/' || this.#extras.has(path) || this.#table.match(path) !== null;
  }

  usage(): MountUsage {
    return this.#options.service.usage();
  }

  progress(): Progress[] {
    return this.#options.freshness.activity.list();
  }

  async probe(): Promise<Probe> {
    const { probe } = this.#options;
    try {
      if (probe !== undefined) return await probe();
    } catch (error) {
      throw error instanceof ServiceFailure ? error.at('/', 'probe') : error;
    }
    await this.readdir('/');
    return { account: null, limit: null };
  }

  hear(events: readonly Told[]): Promise<Heard[]> {
    return this.#hearing.hear(events);
  }

  async close(): Promise<void> {
    this.#options.prober?.stop();
    this.#options.freshness.stop();
  }

  costly(path: string): boolean {
    const match = this.#table.match(path);
    return match !== null && isCostly(match);
  }

  // --- reading

  async lstat(path: string): Promise<MountStat> {
    const special = this.#extras.read(path);
    if (special !== null) return fileStat(path, special.length, this.#born, false);
    if (path === '/') return directoryStat(path, this.#born);
    const match = await this.#lookup.match(path, 'lstat');
    const entry = await this.#lookup.entry(path, match, 'lstat');
    if (this.#lookup.typeOf(path, match) === 'directory') return directoryStat(path, entry.mtime);
    const target = linkTarget(path, match);
    if (target !== null) return linkStat(path, target, entry.mtime);
    const staged = this.#heldFiles.staged(path, 'lstat');
    const size = staged?.length ?? this.#heldFiles.size(path, match, entry);
    if (match.route.program !== undefined) return programStat(path, size, entry.mtime);
    return fileStat(path, size, entry.mtime, isWritable(match.route));
  }

  async readdir(path: string): Promise<Dirent[]> {
    // The files of the core's own are no rows of the table, and no directories either.
    if (this.#extras.read(path) !== null) throw new FsError('ENOTDIR', { path, op: 'scandir' });
    const match = path === '/' ? null : await this.#lookup.match(path, 'scandir');
    if (match !== null) {
      await this.#lookup.entry(path, match, 'scandir');
      const type = this.#lookup.typeOf(path, match);
      if (type !== 'directory') throw new FsError('ENOTDIR', { path, op: 'scandir' });
    }
    const params = match?.params ?? {};
    const names = new Map<string, Dirent>();
    const add = (name: string, type: Dirent['type']) => names.set(name, { name, type });
    if (match === null) add(README, 'file');
    // Rows of one directory look at the same collections: the first asks for all of them.
    let eagerness: Eagerness = 'list';
    for (const child of this.#table.children(match?.route ?? null)) {
      const { route, literal } = child;
      if (route.hidden === true) continue;
      if (literal !== null) {
        if (route.where?.(params) !== false) add(literal, route.type);
        continue;
      }
      await this.#lookup.prepare(path, { route, params }, 'list', 'scandir', eagerness);
      eagerness = 'cover';
      for (const { name, type } of namesOf(child, params)) add(name, type);
    }
    const own = match === null ? [] : this.#lookup.ownEntries(path, match);
    for (const { name, type } of own) add(name, type);
    for (const name of this.#heldFiles.stagedDeletes(path)) names.delete(name);
    return [...names.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async readlink(path: string): Promise<string> {
    const match = await this.#lookup.match(path, 'readlink');
    await this.#lookup.entry(path, match, 'readlink');
    const target = linkTarget(path, match);
    if (target === null) throw new FsError('EINVAL', { path, op: 'readlink' });
    return target;
  }

  async read(path: string): Promise<Uint8Array> {
    const special = this.#extras.read(path);
    if (special !== null) return special;
    if (path === '/') throw new FsError('EISDIR', { path, op: 'read' });
    const match = await this.#lookup.match(path, 'open');
    const { route } = match;
    if (route.type === 'directory') {
      // A name that any directory could have is none until one is there.
      await this.#lookup.entry(path, match, 'open');
      throw new FsError('EISDIR', { path, op: 'read' });
    }
    const staged = this.#heldFiles.staged(path, 'open');
    if (staged !== null) return staged;
    if (route.removeTree !== undefined && this.#lookup.stagedRemoval(path) !== null) {
      throw new FsError('ENOENT', { path, op: 'open' });
    }
    if (route.stat === undefined) await this.#lookup.above(path, 'open');
    const revision = this.#options.replica.revision();
    const content = await this.#lookup.content(path, match, 'open');
    if (content === null) {
      await this.#lookup.refuseBelow(path, 'open');
      throw missing(path, match, 'open');
    }
    return this.#heldFiles.remember(path, route, content, revision);
  }

  async plan(path: string, input: ProgramInput): Promise<PlannedCall | ProgramOutput | null> {
    const match = this.#table.match(path);
    if (match?.route.program === undefined) return null;
    await this.#lookup.entry(path, match, 'call');
    return this.#writer.plan(path, match, input);
  }

  prefetch(path: string): Promise<void> {
    return this.#prefetch.run(path);
  }

  coverage(path: string): string | null {
    return this.#prefetch.coverage(path);
  }

  heldSince(path: string): number | null {
    return this.#prefetch.heldSince(path);
  }

  walk(path: string): Iterable<WalkedFile> | null {
    return this.#heldFiles.walk(path);
  }

  // --- writing

  async write(path: string, data: Uint8Array): Promise<void> {
    const match = await this.#writable(path);
    if (match.route.replace !== undefined) return this.#replace(path, match, data);
    const text = decode(path, data);
    if (match.route.note !== undefined) {
      return noted(path, 'write', match.route.note.write(match.params, text));
    }
    if (match.route.create !== undefined) {
      await this.#lookup.prepare(path, match, 'entry', 'open');
      return this.#writer.create(path, match, text);
    }
    if (typeof match.route.edit?.record === 'function') {
      await this.#lookup.prepare(path, match, 'entry', 'open');
    }
    await this.#writer.edit(path, match, text, this.#readTexts.base(path));
    this.#readTexts.forget(path);
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    const match = await this.#writable(path);
    if (match.route.create !== undefined) {
      throw new FsError('EINVAL', {
        path,
        op: 'open',
        reason: 'a new record is written once: write the whole of it with >, not >>',
      });
    }
    const before = await this.read(path).catch((error: unknown) => {
      const { replace, note } = match.route;
      const isNew = isFsError(error) && error.code === 'ENOENT';
      if (isNew && (replace ?? note) !== undefined) return new Uint8Array();
      throw error;
    });
    await this.write(path, Buffer.concat([before, data]));
  }

  async unlink(path: string): Promise<void> {
    const match = await this.#lookup.match(path, 'unlink');
    await this.#lookup.entry(path, match, 'unlink');
    if (typeOf(match) === 'directory') {
      throw new FsError('EISDIR', { path, op: 'unlink' });
    }
    if (match.route.replace !== undefined) return this.#replace(path, match, null);
    if (match.route.note !== undefined) {
      return noted(path, 'unlink', match.route.note.remove(match.params));
    }
    if (match.route.remove === undefined) {
      throw this.#refusals.because(path, 'unlink', match.route.removeHint ?? whyNotWritten(match));
    }
    try {
      await match.route.remove.prepare?.(match.params);
    } catch (error) {
      throw error instanceof ServiceFailure ? error.at(path, 'unlink') : error;
    }
    const refused = match.route.remove.refuse?.(match.params) ?? null;
    if (refused !== null) throw this.#refusals.because(path, 'unlink', refused);
    const content = match.route.read?.(match.params) ?? null;
    await this.#writer.remove(path, match, content);
    this.#readTexts.forget(path);
  }

  removesTree(path: string): boolean {
    const match = this.#table.match(path);
    if (match?.route.removeTree === undefined) return false;
    return this.#lookup.typeOf(path, match) === 'directory';
  }

  async removeTree(path: string): Promise<void> {
    const match = await this.#lookup.match(path, 'rmdir');
    await this.#lookup.entry(path, match, 'rmdir');
    if (!this.removesTree(path)) throw this.#refusals.because(path, 'rmdir', whyNotWritten(match));
    await this.#writer.removeTree(path, match);
    this.#lookup.unmake(path);
    this.#readTexts.forgetBelow(path);
  }

  /** A directory for files that are no records; of records the service has its own. */
  async mkdir(path: string): Promise<void> {
    if (this.#table.match(path)?.route.replace === undefined) {
      await this.#lookup.refuseBelow(path, 'mkdir');
      throw this.#refusals.because(path, 'mkdir', this.#refusals.noDirectory(path));
    }
    this.#lookup.refuseBelowRemoved(path, 'mkdir');
    await this.#lookup.above(path, 'mkdir');
    this.#lookup.make(path);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.lstat(from);
    const { title } = this.#options.service;
    const reason = this.#refusals.noRename(from, to, title);
    throw this.#refusals.because(from, 'rename', reason);
  }

  // --- searching

  documents(): Iterable<SearchDocument> {
    return this.#heldFiles.documents();
  }

  document(path: string): SearchDocument | null {
    return this.#heldFiles.document(path);
  }

  isDocument(path: string): boolean {
    return this.#heldFiles.isDocument(path);
  }

  otherFiles(path: string): Iterable<WalkedFile> {
    return this.#heldFiles.otherFiles(path);
  }

  revision(): number | null {
    const { service, replica } = this.#options;
    return service.ofRecords === true ? replica.revision() : null;
  }

  feed(afterSeq: number): FeedEntry[] {
    return this.#options.replica.feed(this.name, afterSeq);
  }

  // --- within

  /** Writes or removes a file that is no record, over what was read of it. */
  async #replace(path: string, match: Match, bytes: Uint8Array | null): Promise<void> {
    if (bytes !== null) {
      this.#lookup.refuseBelowRemoved(path, 'open');
      await this.#lookup.prepare(path, match, 'entry', 'open');
      if (this.#lookup.typeOf(path, match) === 'directory') {
        throw new FsError('EISDIR', { path, op: 'open' });
      }
    }
    await this.#writer.replace(path, match, bytes, () => this.#original(path, match));
    this.#readTexts.forget(path);
  }

  /** What a file was when it was read last, else what it is; null where there is none. */
  async #original(path: string, match: Match): Promise<Original | null> {
    const version = this.#readTexts.base(path)?.version;
    if (version === undefined && match.route.stat?.(match.params) === null) return null;
    const content = await this.#lookup.content(path, match, 'open');
    if (content === null) return version === undefined ? null : { bytes: null, version };
    const bytes = content.bytes ?? Buffer.from(content.text);
    if (version === undefined) return { bytes, version: content.version };
    return { bytes: content.version === version ? bytes : null, version };
  }

  async #writable(path: string): Promise<Match> {
    const match = this.#table.match(path);
    if (match !== null && isWritable(match.route)) return match;
    await this.#lookup.refuseBelow(path, 'open');
    const directory = path.slice(0, path.lastIndexOf('/'));
    // Where there can be no directory of that name there is nothing to say of names in it.
    if (match === null && directory !== '' && this.#table.match(directory) === null) {
      throw new FsError('ENOENT', { path, op: 'open' });
    }
    throw this.#refusals.because(
      path,
      'open',
      match === null ? this.#refusals.noName(path) : whyNotWritten(match),
    );
  }
}

/** What a note says is refused by the service: the failure is that of its path. */
async function noted(path: string, op: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof ServiceFailure ? error.at(path, op) : error;
  }
}

function decode(path: string, data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch (cause) {
    throw new FsError('EINVAL', { path, op: 'write', reason: 'the text is not UTF-8', cause });
  }
}
