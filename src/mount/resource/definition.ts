/**
 * What a service says of its records where the rest follows from it: what it lists, gets and writes
 * (resources), and which files are made of that (views).
 */
import type { z } from 'zod';
import type { ServiceRequest } from '../../changes/change.ts';
import type { ServiceFailure } from '../client/failure.ts';
import type { Problem, RecordType, Values } from '../record/record.ts';
import type { Params } from '../table/route.ts';
import type { Upload } from '../table/uploads.ts';

/** What is known at a place of the mount. It looks at what is held, and never asks. */
export interface Place {
  params: Params;
  /** What the mount is narrowed to. */
  narrowed: Params;
  /** The record of a resource that the path goes through. Throws ServiceFailure where there is none. */
  record<T>(of: Resource<T>): T;
  /** The same; null where there is none. */
  find<T>(of: Resource<T>): T | null;
  /** A record by its key, wherever the path leads; null where none is held. */
  held<T>(of: Resource<T>, key: string): T | null;
  /** The only record that is held of a resource that has one, such as who we are; null where it is not held. */
  only<T>(of: Resource<T>): T | null;
  /** All records that are held of a resource at this place. */
  all<T>(of: Resource<T>): T[];
  /** The records of a resource that are part of the one with this key: see {@link ResourceSpec.parts}. */
  parts<T>(of: Resource<T>, key: string): T[];
  /** The files of the service's own that texts link to. */
  uploads(texts: readonly string[]): readonly Upload[];
  /** Of a record that the path named before: where it is now, in a sentence; null where that is not known. */
  elsewhere(of: Resource<unknown>): string | null;
  /** Another place of the mount. */
  at(params: Params): Place;
}

/** What a question or a request is made with. */
export interface Scope<C> extends Place {
  client: C;
  /** The mount's clock. */
  now(): Date;
  /** Brings in step what is listed of another resource, at this place or another. Throws ServiceFailure. */
  ensure(of: Resource<unknown>, params?: Params): Promise<void>;
  /** Asks for the record of a resource that the place names. Throws ServiceFailure. */
  look(of: Resource<unknown>): Promise<void>;
  /** Another place of the mount. */
  at(params: Params): Scope<C>;
}

/** What a listing brought. */
export interface Listing<T> {
  /** As the service gave them. */
  rows: readonly unknown[];
  /** From where the next one may go on; absent where each is read from end to end. */
  cursor?: string | null;
  /** Of a listing that went on from a cursor: would this record be in it, were it still there? */
  covers?(one: T): boolean;
  /** What it lacks although it was read to its end, in words; null for nothing. */
  lacking?: string | null;
  /** Are there others that it never shows (what was read, what is closed)? They are asked for by name. */
  partial?: boolean;
  /** Was it read from end to end, whether or not there was a cursor to go on from? */
  whole?: boolean;
}

/**
 * A page of a listing that comes in several: each is stored as it comes, and a listing that was left
 * (it took longer than anybody waits, its process was ended) is gone on with after the last of them.
 * What the listing says as a whole (`cursor`, `lacking` …) may be said by any page; the last word counts.
 */
export interface ListedPage<T> extends Listing<T> {
  /** Where it goes on, in words of the service's own; absent on the last page. */
  next?: string | null;
  /** Of pages, where that is told. */
  total?: number | null;
}

/** An answer for one record, as an `HttpClient` gives it. */
export interface Got {
  data: unknown;
  etag?: string | null;
  /** True where what is held of it still holds. */
  unchanged?: boolean;
}

/** `strong`: where an ETag is no weak one, which most services would never take; `any`: also where it is. */
export type MatchedTags = 'strong' | 'any';

/** What a write did to the records of another resource. */
export interface Brought {
  /** As the service gives them. */
  made?: readonly unknown[];
  /** Their keys. */
  gone?: readonly string[];
}

/** How records are written. Requests go to the client's `send`. */
export interface Writing<T, C> {
  /** Makes one of values that were checked. `key` (a UUID) is the change's own, made before. */
  create?(values: Values, scope: Scope<C>, key: string): ServiceRequest | Promise<ServiceRequest>;
  /**
   * After a lost answer: the one record that this request must have made, as the service gives it;
   * null where that cannot be told. `sentAt` is our clock, ms.
   */
  find?(request: ServiceRequest, scope: Scope<C>, sentAt: number): Promise<unknown>;
  /** True where the same request cannot make a second record, and `find` is certain. */
  repeatable?: boolean;
  /** Does a refusal of a new one say that there is a record of that key already? Then it was made before. */
  taken?(failure: ServiceFailure): boolean;
  /**
   * Are changes and removals sent with the ETag that `get` gave (`If-Match`), so that the service
   * refuses what was made for another version?
   */
  ifMatch?: MatchedTags;
  /** Changes only the fields that differ; several requests (`false` is none) are sent one after the other. */
  update?(
    one: T,
    delta: Values,
    scope: Scope<C>,
  ): ServiceRequest | readonly (ServiceRequest | false)[];
  /** Removes one for good; a sentence where it is not removed: why, and what to do instead. */
  remove?(one: T, scope: Scope<C>): ServiceRequest | string;
  /** The service's own limits, before anything is sent. `one` is null for a new record. */
  check?(values: Values, one: T | null, scope: Scope<C>): Promise<Problem[]>;
  /** Values that were checked, as the service will show them. */
  normal?(values: Values, place: Place): Values;
  /**
   * The record as it is after a request of a write was answered; null where the answer does not tell,
   * and it is asked for. `one` is what it was before, null for a new one.
   */
  made?(answer: unknown, request: ServiceRequest, one: T | null, place: Place): unknown;
  /** Records of other resources that a request made, or removed, too: by the ids of these. */
  brings?(answer: unknown): Readonly<Record<string, Brought>>;
  /** What another resource of the path shows changes, too, with a record that comes or goes. */
  touches?: Resource<unknown>;
}

/** How a record looks as a file: typed fields with a form, or a text that is only read. */
export interface Shape<T> {
  /** Absent of what is only shown: its fields are then those of its values. */
  type?: RecordType;
  /** Instead of it where the fields depend on the record or its place; `one` is null for a new record. */
  typeOf?(one: T | null, place: Place): RecordType;
  /** Which of its fields cannot be changed in this one record: why, and what to do instead, by name; null for none. */
  fixed?(one: T, place: Place): Readonly<Record<string, string>> | null;
  /** The values of its fields. */
  values?(one: T, place: Place): Values;
  /** Names that a new record's template offers, by field. */
  allowed?(place: Place): Readonly<Record<string, readonly string[]>>;
  /** What those names are of: brought in step when the template is read. */
  offers?: readonly Resource<unknown>[];
  /** Instead of both: the whole text of a file that is not written. */
  text?(one: T, place: Place): string;
}

/** A file that is made of one record. */
export interface FileOf<T> {
  about: string;
  /** Where its name has a parameter: the names of those that the record has. */
  by?(one: T): readonly string[];
  /** The whole text; null where there is no such file. */
  text?(one: T, place: Place): string | null;
  /** Instead of it, what is shown as JSON; undefined where there is no such file. */
  json?(one: T, place: Place): unknown;
  /** Or a table. */
  columns?: readonly string[];
  /** The rows of one record, without which there is no such file; a row has a cell a column. */
  rows?(one: T, place: Place): readonly (readonly string[])[];
  document?: boolean;
  /** Found when named; in no listing. */
  hidden?: boolean;
  /** Why it cannot be written, and what to do instead. */
  readOnly?: string;
}

/** One kind of records. With a listing, a look-up for one, or both. */
export interface ResourceSpec<T, C> extends Writing<T, C>, Shape<T> {
  /** One line for README.md. */
  about: string;
  /** What the service gives; what it does not name is not kept. */
  schema: z.ZodType<T>;
  /**
   * `/:channel/messages/:ts.md`: of each record a file, or, without an ending, a directory. Absent:
   * they have no place of their own, and are there for what shows them.
   */
  path?: string;
  /** Of those without a path: the place that they are listed at, `/teams/:team`; the whole mount by default. */
  at?: string;
  /**
   * Where they are listed, if that is above their place: `/teams/:team` of
   * `/teams/:team/projects/:project/updates/:id.md`. `within` has the parameters between the two.
   */
  heldAt?: string;
  /** See {@link heldAt}. */
  within?(one: T): Params;
  /**
   * Whose they are, if their directory is of a record of another resource: they are held where that is,
   * go where it goes, are documents as long as it is listed, and are gone with it.
   */
  owner?: Owner<T>;
  /** Resources whose records are part of these: `around` says of which. */
  parts?: readonly Resource<unknown>[];
  /** Beside `parts`: the record with what they tell of it, so that its version tells of them. */
  told?(one: T, place: Place): T;
  /** The keys of the records that it is part of: these are told anew when it changes, comes or goes. */
  around?(one: T): readonly string[];
  /** One line for README.md of the directory that they are in, where it is nothing but that. */
  directory?: string;
  /** Why they are not written, and what to do instead. */
  readOnly?: string;
  /** Why they are not removed, and what to do instead. */
  removeHint?: string;
  /** How long an answer counts as fresh, in ms, where it changes seldom; else what holds for the mount. */
  freshMs?: number;
  /** Held under this, which stays. */
  key(one: T): string;
  /** The value of the path's last parameter, unique beside its like; the key by default. */
  name?(one: T): string;
  /** Names that lead to it, too, and are not listed: those that it had before. */
  formerNames?(one: T): readonly string[];
  /**
   * Of those that may go from one place of the mount to another, and are held above both (`heldAt`): how
   * it is said that one is elsewhere; its path follows. Its former names do not lead to it then.
   */
  moved?(one: T): string;
  /** When it was changed last, ISO 8601; '' where the service does not tell. */
  updatedAt?(one: T): string;
  /** Where a person can look at it. */
  url?(one: T, place: Place): string;
  /** A mount that is narrowed has no files of it: it stands above what that is narrowed to. */
  unnarrowed?: boolean;
  /**
   * What must be held beside it: its texts show what it only refers to. What is listed at a place that
   * neither the path names nor the mount is narrowed to is not.
   */
  with?: readonly Resource<unknown>[];
  /** Shows what another resource lists, at a place of its own. */
  of?: Resource<T>;
  /** Beside `of`: its files are links to where the records are. */
  linked?: boolean;
  /** Is its directory there, where not every place has one? */
  isThere?(place: Place): boolean;
  /** Of records that are directories: texts that may link to files of the service's own, which are then in `attachments/`. */
  uploads?(one: T, place: Place): readonly string[];
  /** Are there files of it? All of a listing by default. */
  where?(one: T, place: Place): boolean;
  /** Does the service say of it that it is no more: trashed, or put away? */
  gone?(one: T): boolean;
  /** What of it the texts of others show: these are told of a change of that; by default of any. */
  shown?(one: T): string;
  /** Of those, is it in listings, and a document? Otherwise it is found when it is named. */
  listed?(one: T): boolean;
  /**
   * All at once, or page by page (`async *list`, `HttpClient.listing`). `since`: the cursor of the
   * listing before; null for all. `from`: the `next` of a page after which another was left; null for
   * the beginning. Throws ServiceFailure.
   */
  list?(
    scope: Scope<C>,
    since: string | null,
    from: string | null,
  ): Promise<Listing<T> | readonly unknown[]> | AsyncIterable<ListedPage<T>>;
  /**
   * Of listings that bring the newest first: what they are in the order of, and grows with time. One
   * that follows ends where it meets what the one before had, and tells of deletions as far as it went.
   */
  newestFirst?(one: T): string;
  /** Without a listing: what a directory shows all the same, by name. */
  names?(params: Params): readonly string[];
  /**
   * One by its name; null where there is none. `etag` is that of what is held, `one` what is held of
   * it. Throws ServiceFailure.
   */
  get?(name: string, scope: Scope<C>, etag: string | null, one: T | null): Promise<Got | null>;
  /**
   * Does it hold all that its file shows? Where listings give a part of each, the rest is asked for,
   * with `get`, when the file is read, and walks pass over it until then. All of it by default.
   */
  isWhole?(one: T): boolean;
  /** Of records that are directories: files in each, by their names there. */
  files?: Readonly<Record<string, FileOf<T>>>;
  /** A table of all at a place, with a row for each. */
  table?: TableOf<T>;
  /** Is the text of its file a document to search? */
  document?: boolean;
  /** A listing costs a request of its own for each directory: walks pass over what is not held. */
  costly?: boolean;
}

/** A record of another resource that records belong to. */
export interface Owner<T> {
  of: Resource<unknown>;
  /** Its key; null for what belongs to something else, and is not kept. */
  key(one: T): string | null;
}

/** A resource with its name: what collections, sentences and other resources call it by. */
export interface Resource<T, C = never> extends ResourceSpec<T, C> {
  id: string;
}

/** Names a resource. `id` is one word, such as `messages`. What its records are, the schema says. */
export function resource<T, C>(
  id: string,
  spec: ResourceSpec<NoInfer<T>, C> & Pick<ResourceSpec<T, C>, 'schema'>,
): Resource<T, C> {
  return { ...spec, id };
}

/** Names directories for what belongs to each record of a resource, at a place of their own. */
export function directories<T>(
  id: string,
  of: Resource<T>,
  spec: Pick<ResourceSpec<T, never>, 'about' | 'path' | 'listed' | 'costly'>,
): Resource<T> {
  return { ...spec, id, of, schema: of.schema, key: of.key };
}

/** Who the credential is, as a resource of one record. */
export interface Identity<T, C = never> extends Resource<T, C> {
  /** Asks by one small request. Throws ServiceFailure. */
  ask(client: C): Promise<unknown>;
  /** In words: `ada, Harbor`. */
  says(one: T): string;
}

/**
 * Names a resource that says who the credential is. `key` is the account's, an id that stays: two
 * credentials of different reach are two accounts.
 */
export function identity<T, C>(
  spec: Pick<Identity<T, C>, 'schema' | 'key' | 'ask' | 'says' | 'freshMs'>,
): Identity<T, C> {
  const list = async ({ client }: Scope<C>) => [await spec.ask(client)];
  return { ...spec, id: 'self', about: 'who we are', list };
}

/**
 * A column: the field of the same name, another field, or what is made of the record. `file` is the
 * name of the record's file.
 */
export type Column<T> = string | readonly [name: string, cell: string | ColumnCell<T>];
type ColumnCell<T> = { of(one: T): unknown }['of'];

/** A file of records: which are in it, in what order, and, of a table, the rows of each. */
export interface RowsOf<T> {
  /** One line for README.md. */
  about: string;
  /** The order of its records; by their keys by default. */
  order?(a: T, b: T): number;
  /** Of those at the place, which have rows? All by default. */
  where?(one: T, place: Place): boolean;
  /** Instead of what its columns say: the rows of one record, with a cell a column. */
  rows?(one: T, place: Place): readonly (readonly string[])[];
  /** Why it cannot be written, and what to do instead. */
  readOnly?: string;
}

/** A file that is made of records: of one, of all at a place, or of those of a group. */
export interface View<T> extends RowsOf<T> {
  /** Its parameters beyond those of the records' place name one of them, or (last) the group. */
  path: string;
  of: Resource<T>;
  /** In which files of a group a record is. */
  by?(one: T): string | readonly string[];
  /** A table with a row for each record; or the whole text. */
  columns?: readonly Column<T>[];
  /** Instead of `columns`, where they depend on the place. */
  columnsAt?(place: Place): readonly string[];
  /** The whole text; null where there is no such file. */
  text?(all: readonly T[], place: Place): string | null;
  document?: boolean;
  /** Found when named; in no listing. */
  hidden?: boolean;
}

/** A table of the records of a resource. */
export interface TableOf<T> extends RowsOf<T> {
  columns: readonly Column<T>[];
  /** `index.tsv`, beside their files, by default. */
  name?: string;
}

/** Checks a view's types against its resource's. */
export function view<T>(spec: View<NoInfer<T>> & Pick<View<T>, 'of'>): View<T> {
  return spec;
}

/** An order by what a record has: the smallest first. */
export function ascending<T>(by: (one: T) => string | number): (a: T, b: T) => number {
  return (a, b) => (by(a) < by(b) ? -1 : Number(by(a) > by(b)));
}

/** An order by what a record has: the largest first, or the newest. */
export function descending<T>(by: (one: T) => string | number): (a: T, b: T) => number {
  const order = ascending(by);
  return (a, b) => order(b, a);
}
