/** The rows of a service's table, and what a service folder hands to the core. */
import type { ServiceRequest } from '../../changes/change.ts';
import type { ServiceFailure } from '../client/failure.ts';
import type { FileType, MountUsage } from '../contract/contract.ts';
import type { CallEffect, ProgramInput, ProgramOutput } from '../contract/program.ts';
import type { Problem, RecordType, Values } from '../record/record.ts';

/** The parameters of a path, by the names of its pattern. */
export type Params = Readonly<Record<string, string>>;

/**
 * - `prefetch`: a walk is about to begin; - `list`: a directory is listed;
 * - `cover`: something below, that a listing may have covered.
 */
export type Eagerness = 'prefetch' | 'list' | 'cover';

/** What a parameter may be. The example is used to find routes that collide. */
export interface ParamType {
  matches: RegExp;
  example: string;
  /** What README.md calls it; its name in capitals by default. */
  shown?: string;
  /** Does the service take it in any case for the same? What is held of a resource is then held once. */
  caseless?: boolean;
}

/** What a listing and a stat know of an entry. */
export interface Entry {
  /** Estimate of the size in bytes, above 0. */
  size: number;
  mtime: Date;
}

/** An entry of a directory whose children have parameters. */
export interface NamedEntry extends Entry {
  /** The value of the last parameter. */
  name: string;
  /** Where it is another than the row's: see {@link Route.typeOf}. */
  type?: Exclude<FileType, 'symlink'>;
}

/** A file's content as the replica has it. */
export interface Content {
  text: string;
  /** Instead of the text, for what may be no text. */
  bytes?: Uint8Array;
  version: string;
  mtime: Date;
}

/** A record with the version it was read at. */
export interface Versioned {
  values: Values;
  version: string;
}

/** What a request that changed something led to. */
export interface Outcome {
  /** The path of the record in the mount. */
  path: string;
  /** Where a person can look at it. */
  url?: string;
}

/** How a file is written: the core merges, journals and stages; the service says what to send. */
export interface Edit {
  /** A function where the fields depend on where it is; it looks at the replica and never asks. */
  record: RecordType | ((params: Params) => RecordType);
  /** The record as the replica has it; null when it is not there. */
  current(params: Params): Versioned | null;
  /** Reads this one record again from the service. Throws ServiceFailure. */
  refresh(params: Params): Promise<void>;
  /** Once it was read again after a lost answer: the record where the edit has moved it to; null where that is nowhere. */
  settled?(params: Params): Versioned | null;
  /** The service's own limits: what must exist, and does. Wrong fields, all of them. */
  check?(params: Params, delta: Values): Promise<Problem[]>;
  /** Values that were checked, as the service will show them: people by the name that is theirs here. */
  normal?(params: Params, values: Values): Values;
  /** What is to be sent for the fields that differ. */
  request(params: Params, delta: Values): ServiceRequest | Promise<ServiceRequest>;
  /** Sends, and stores the answer in the replica. Throws ServiceFailure. */
  send(params: Params, request: ServiceRequest): Promise<Outcome>;
}

/** How a `new.md` makes a record. */
export interface Create {
  /** As of {@link Edit}; `prepare` of the row was awaited before. */
  record: RecordType | ((params: Params) => RecordType);
  /** As of {@link Edit}. */
  check?(params: Params, values: Values): Promise<Problem[]>;
  /** As of {@link Edit}. */
  normal?(params: Params, values: Values): Values;
  /** `key` (a UUID) is the change's own: the id of the record, where a service lets its clients choose. */
  request(params: Params, values: Values, key: string): ServiceRequest | Promise<ServiceRequest>;
  /** Sends, and stores the record in the replica. Throws ServiceFailure. */
  send(params: Params, request: ServiceRequest): Promise<Outcome>;
  /**
   * True where the same request cannot make a second record, and `find` is certain: when an answer
   * was lost and the record is not there, it is sent once more.
   */
  repeatable?: boolean;
  /**
   * After a lost answer: the one record that this request must have made, or
   * null where that cannot be told. `sentAt` is our clock, ms.
   */
  find(params: Params, request: ServiceRequest, sentAt: number): Promise<Outcome | null>;
}

/** How a file is removed upstream, for good. */
export interface Remove {
  /** Brings in step what `refuse` looks at. Throws ServiceFailure. */
  prepare?(params: Params): Promise<void>;
  /** Why this one is not removed, and what to do; null where it is. Looks at the replica. */
  refuse?(params: Params): string | null;
  /** What is to be sent to remove it. */
  request(params: Params): ServiceRequest;
  /** Sends, and forgets the record. Throws ServiceFailure. */
  send(params: Params, request: ServiceRequest): Promise<void>;
  /** After a lost answer: is it gone? */
  gone(params: Params): Promise<boolean>;
}

/**
 * How a file that is no record is written: whole, and only onto the version that was read. A
 * request that names the version it replaces can be repeated safely.
 */
export interface Replace {
  /** The version of what is there now, asked for; null where there is nothing. Throws ServiceFailure. */
  refresh(params: Params): Promise<string | null>;
  /** The version that these bytes have once they are there. */
  versionOf(bytes: Uint8Array): string;
  /** Why it cannot be written (null: removed), and what to do; null where it can. */
  check?(params: Params, bytes: Uint8Array | null): string | null;
  /** `base` is the version that was read, null for a new file; bytes of null remove it. */
  request(params: Params, bytes: Uint8Array | null, base: string | null): ServiceRequest;
  /** Notes in the replica that these bytes are there now, or nothing (null). */
  keep(params: Params, bytes: Uint8Array | null): void;
  /** The bytes in a request that was made here. */
  contentOf(request: ServiceRequest): Uint8Array | null;
  /** Sends, and stores the answer in the replica. Throws ServiceFailure. */
  send(params: Params, request: ServiceRequest): Promise<Outcome>;
}

/**
 * How a directory of files that are no records is removed with all that is below it, as one change,
 * and only where that is what was listed. It can be repeated safely.
 */
export interface RemoveTree {
  /** The files below it as the replica has them: versions by name. Looks at the replica. */
  files(params: Params): ReadonlyMap<string, string>;
  /** The same, asked for, and what the request is to be made onto. Throws ServiceFailure. */
  refresh(params: Params): Promise<{ files: ReadonlyMap<string, string>; onto: unknown }>;
  /** `onto`: as it was asked for; null before. Throws ServiceFailure. */
  request(params: Params, files: Iterable<string>, onto: unknown): ServiceRequest;
  /** Is it such a request, and not a file's? */
  made(request: ServiceRequest): boolean;
  /** Does the failure say that what it was made onto has moved on? */
  overtaken(failure: ServiceFailure): boolean;
  /** Notes in the replica that nothing is below it any more. */
  keep(params: Params): void;
  /** Sends, and stores the answer in the replica. Throws ServiceFailure. */
  send(params: Params, request: ServiceRequest): Promise<Outcome>;
}

/** How a file is written that is kept here alone and changes nothing at the service, such as a question to it. */
export interface Note {
  /** Throws ServiceFailure where the service refuses what it says; nothing is kept then. */
  write(params: Params, text: string): Promise<void>;
  remove(params: Params): Promise<void>;
}

/** A call that was checked: what is to be sent, and what a person is shown of it. */
export interface ProgramRequest {
  /** As the service calls the program. */
  program: string;
  effect: CallEffect;
  request: ServiceRequest;
  /** The request in words; it names all that the request depends on. */
  shown: string;
  /** Instead of the program's `show`: the answer as the words of the call want it. */
  show?(answer: unknown): ProgramOutput;
}

/** How a file is called: the core asks the gate, journals and stages; the service says what to send. */
export interface Program {
  /**
   * What a call with these words sends, or what is answered without sending anything: help, and what
   * is wrong with the words (status 2). It looks at the replica and never asks. Throws ServiceFailure.
   */
  plan(params: Params, input: ProgramInput): ProgramRequest | ProgramOutput;
  /** Sends, once, and gives the answer. Throws ServiceFailure. */
  send(params: Params, request: ServiceRequest, signal: AbortSignal): Promise<unknown>;
  /** The answer as output. */
  show(answer: unknown): ProgramOutput;
}

/** A collection: what one bulk question brings in step. */
export interface Collection {
  /** The parameters that name one, e.g. owner and repo. */
  scope: readonly string[];
  /** When this parameter is fixed too, asking for that one alone is better than asking for all. */
  narrowedBy?: string;
  /** How long an answer counts as fresh, in ms, where it changes seldom: it is then not asked for behind the reads. */
  freshMs?: number;
  /** When the replica last had all of it confirmed, ms; null when it never had. */
  heldSince(scope: Params): number | null;
  /** What it lacks although it was read to its end, in words; null for nothing. */
  lacking?(scope: Params): string | null;
  /** Asks, and stores. Throws ServiceFailure. */
  sync(scope: Params): Promise<void>;
}

/**
 * One row. `entries`, `stat` and `read` look at the replica and never ask;
 * `prepare` (or the collections in `needs`) asks before they look.
 */
export interface Route {
  /**
   * e.g. `/:owner/:repo/issues/:number.md`. A segment has one parameter at most;
   * `:name+` takes one segment or more, for trees of any depth.
   */
  pattern: string;
  type: Exclude<FileType, 'symlink'>;
  /**
   * For a row that stands for files and directories alike (a tree of files):
   * which of them this is. It looks at the replica and never asks.
   */
  typeOf?(params: Params): Exclude<FileType, 'symlink'>;
  /** One line for README.md. */
  about: string;
  /** Found when named; in no listing. */
  hidden?: boolean;
  /**
   * Reading costs a request of its own, or listing, of a directory: walks (grep -r, rg, find, du,
   * ls -R) skip it with one line on stderr and status 2, unless it is named. A function tells
   * whether it would now, without asking: what the replica holds costs nothing.
   */
  costly?: boolean | ((params: Params) => boolean);
  /** Is its text a document to search? */
  document?: boolean;
  /** Collections that must be in step before the replica is looked at. */
  needs?: readonly string[];
  /** Instead of `needs` for the one that is named: brings what it stands for in step. */
  prepare?(params: Params, purpose: 'list' | 'entry' | 'read', eagerness: Eagerness): Promise<void>;
  /**
   * A walk below begins: fetches in bulk what it will read. Of a rest parameter, the beginning is
   * given. `named`: it begins at the very directory that the row is in, or at the row.
   */
  prefetch?(params: Params, named: boolean): Promise<void>;
  /** Beside `prefetch`: true when it would fetch nothing, so that a walk needs not wait for it. */
  prefetched?(params: Params, named: boolean): boolean;
  /** Beside `prepare`, of a row without `needs`: true when listing its names would ask nothing. */
  listed?(params: Params): boolean;
  /**
   * Of what is made of more than its `needs`: was that ever answered? Before it was, a table of it
   * would be an empty one. It looks at the replica and never asks.
   */
  answered?(params: Params): boolean;
  /** A name without a parameter, in some directories of its pattern only: is it in this one? */
  where?(params: Params): boolean;
  /** The values of the last segment's parameter, for the listing of the directory above. */
  entries?(params: Params): Iterable<NamedEntry>;
  /** Absent: it is there when the directory above is. */
  stat?(params: Params): Entry | null;
  /** Of what is not there: where it is in its place, in a sentence; null where that is not known. */
  elsewhere?(params: Params): string | null;
  /**
   * Instead of `read`: the row stands for links to records of this mount. The path in the mount
   * that one leads to; null where there is none. It looks at the replica and never asks.
   */
  target?(params: Params): string | null;
  /** Files: the content, or null when there is no such file. */
  read?(params: Params): Content | null;
  edit?: Edit;
  create?: Create;
  remove?: Remove;
  /** Instead of the three above, for files that are no records. */
  replace?: Replace;
  /** Beside `replace`: a directory may be removed with all that is below it. */
  removeTree?: RemoveTree;
  /** Instead of all of these, for what is no change of the service: it is done in a dry run, too. */
  note?: Note;
  /** The file is called, and never written; what `read` gives of it is no script. */
  program?: Program;
  /** Of what is no table of records and cannot be written all the same: why, and what to do instead. */
  readOnly?: string;
  /** Why it cannot be removed, and what to do instead. */
  removeHint?: string;
}

/** A service as the core sees it. */
export interface Service {
  /** `tracker` … */
  kind: string;
  /** What sentences call it: `Tracker`. */
  title: string;
  /** A paragraph for README.md. */
  about: string;
  /** Limits and habits worth knowing, a line each, for README.md. */
  hints: readonly string[];
  /** Kinds of records whose fields depend on their place, as far as they are the same everywhere: for README.md. */
  records?: readonly RecordType[];
  params: Readonly<Record<string, ParamType>>;
  collections: Readonly<Record<string, Collection>>;
  /**
   * True where `where`, `typeOf`, `costly`, `entries` and `read` of every row depend on their
   * parameters, on what they read of the replica (the times of its confirmations aside) and on
   * the clock that was handed in, and on nothing else. A search then knows a text that it read
   * before, and that would be the same now, without having it rendered again. Where it is not
   * said, every text is rendered for every search.
   */
  ofRecords?: boolean;
  /**
   * True where all that `stat` and the above depend on is, besides what they say, nothing that changes
   * without a change of the replica, and is brought in step by questions of `Freshness` alone: what
   * was told of an entry is then known to be so still, without looking at the entry again.
   */
  stamped?: boolean;
  /** True where `search/QUERY/` has what the service itself finds: a search that is not complete names it. */
  search?: boolean;
  /**
   * Present where several changes can go through as one: carries out all requests or none, and keeps
   * the answer to each for the row that sends it. Throws ServiceFailure, with the `request` that was
   * refused where one was.
   */
  together?(requests: readonly ServiceRequest[]): Promise<void>;
  routes: readonly Route[];
  /** What was asked of the service so far. */
  usage(): MountUsage;
}
