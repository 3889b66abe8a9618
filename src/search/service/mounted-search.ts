/**
 * Search over what is mounted. Before each question it is found out what the
 * index does not have yet; that is given to it in the background, and what is
 * still missing when the question has waited long enough is searched literally.
 */
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { FsError } from '../../errors.ts';
import type { MountTable } from '../../namespace/table.ts';
import type { DocumentFs } from '../../namespace/types.ts';
import { isWithin } from '../../paths.ts';
import { documentFormat } from '../../texts/names.ts';
import type {
  IndexState,
  SearchAnswer,
  SearchQuestion,
  SearchResult,
  SearchService,
  Unsearched,
} from '../contract.ts';
import type { FollowedTo, IndexedText } from '../index/search-index.ts';
import type { Answer } from './answers.ts';
import type { EngineClient } from './client.ts';
import { describe } from './described.ts';
import { FileDocuments, type NewFiles } from './file-documents.ts';
import { joined } from './left-out.ts';
import { type LiteralAnswer, literalAnswers } from './literal-answers.ts';
import { namedFrom, type SearchScope, scopesOf } from './scopes.ts';
import { ServiceDocuments } from './service-documents.ts';
import type { FollowedSource, Pending } from './source.ts';
import { TextDocuments } from './text-documents.ts';
import { readFiles } from './unindexed-files.ts';

/** What the search is made with. */
export interface MountedSearchOptions {
  table: MountTable;
  fs: DocumentFs;
  /** Starts the engine; called when it is first needed. */
  engine: () => EngineClient;
}

/** How long a question waits for the index, in ms. */
const PATIENCE_MS = 3_000;
/** Documents that are given to the index at once. */
const BATCH = 64;
/** Of the lines of an answer so many may be taken by what was found literally. */
const LITERAL_SHARE = 0.2;

export class MountedSearch implements SearchService {
  readonly #options: MountedSearchOptions;
  readonly #followed = new Map<string, FollowedSource>();
  readonly #services = new Map<string, ServiceDocuments>();
  readonly #files = new Map<string, FileDocuments>();
  readonly #texts: TextDocuments;
  /** What the index does not have yet, the oldest first. */
  readonly #queue = new Map<string, Pending>();
  #engine: EngineClient | undefined;
  #working: Promise<void> | null = null;
  #planning: Promise<unknown> = Promise.resolve();
  #failure: unknown = null;
  /** The index putting itself in order. */
  #settling: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: MountedSearchOptions) {
    this.#options = options;
    this.#texts = new TextDocuments(options.fs);
  }

  /** Follows a service mount by its feed, from the next question on. */
  follow(point: string, source: FollowedSource): void {
    this.#followed.set(point, source);
  }

  async ask(question: SearchQuestion): Promise<SearchResult> {
    const { fs } = this.#options;
    const asked = Date.now();
    const places = await scopesOf(fs, question.paths);
    const paths = places.map(({ real }) => real);
    const { trouble, literal } = await this.#catchUp(paths, true);
    await this.#settled(PATIENCE_MS);
    const { missing, unread } = this.#texts.apart(this.#missing(paths));
    trouble.push(...this.#texts.trouble(paths));
    const engine = this.#open();
    const reply = await engine.search({ ...question, paths });
    const files = [...this.#files.values()];
    const read = await readFiles(fs, [
      ...files.flatMap((each) => each.large(paths)),
      ...(await this.#unindexed(engine, places, missing)),
    ]);
    const others = [...literal.filter(({ momentary }) => momentary !== true), ...read.texts];
    const found = literalAnswers([...missing, ...literal, ...read.texts], question);
    const unsearched = joined([
      ...files.flatMap((each) => each.unsearched(paths)),
      ...this.#closedBelow(paths),
      ...read.unsearched,
      ...found.unsearched,
    ]);
    trouble.push(...files.flatMap((each) => each.unreadable(paths)), ...read.trouble);
    const coverage = this.#coverage(places.filter(({ isFile }) => !isFile).map(({ real }) => real));
    const age = Date.now() - this.#since(paths, asked);
    const { documents, notes = [], missing: absent, relevance } = reply;
    return {
      answers: beside(reply.answers, found.answers, question.limit).map((answer) => ({
        ...answer,
        path: namedFrom(places, answer.path),
      })),
      documents,
      note: [
        noteOf(documents, age, missing.length, others.length),
        ...notes,
        ...unread,
        ...coverage,
      ].join('; '),
      // What is not indexed may have them.
      ...(absent === undefined || missing.length + unread.length + others.length > 0
        ? {}
        : { missing: absent }),
      ...(relevance === undefined ? {} : { relevance }),
      trouble,
      unsearched,
      complete: unsearched.length === 0 && coverage.length === 0 && unread.length === 0,
    };
  }

  async state(paths: readonly string[], wait: boolean): Promise<IndexState> {
    const engine = this.#open();
    const { trouble } = await this.#catchUp(paths, true);
    await this.#settled(wait ? null : 1);
    if (wait) await this.#settling;
    trouble.push(...this.#texts.trouble(paths));
    const sentences = await engine.sentences(wait);
    const status = await engine.status(paths);
    return {
      ...status,
      pending: this.#missing(paths).length,
      ...(sentences === null ? {} : { sentences }),
      ...(trouble.length === 0
        ? {}
        : { failed: trouble.map((each) => ({ path: each.path, error: sentenceOf(each) })) }),
    };
  }

  /**
   * Takes in what is mounted and not indexed yet, in the background; of services,
   * what their copies hold: nothing is fetched that nobody asked for.
   */
  async build(): Promise<void> {
    await this.#catchUp(['/'], false);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.clear();
    for (const files of this.#files.values()) files.close();
    await this.#engine?.close();
  }

  #open(): EngineClient {
    this.#engine ??= this.#options.engine();
    return this.#engine;
  }

  #missing(paths: readonly string[]): Pending[] {
    return [...this.#queue.values()].filter(
      ({ path, passed }) => passed !== true && paths.some((each) => isWithin(each, path)),
    );
  }

  /** Files that were named and that the index does not have, nor is going to have. */
  async #unindexed(
    engine: EngineClient,
    places: readonly SearchScope[],
    missing: readonly Pending[],
  ): Promise<string[]> {
    const unindexed: string[] = [];
    for (const { real, isFile } of places) {
      if (!isFile || documentFormat(real) !== null || missing.some(({ path }) => path === real))
        continue;
      if ((await engine.status([real])).documents === 0) unindexed.push(real);
    }
    return unindexed;
  }

  /** Mounts below some paths that are not to be searched by meaning. */
  #closedBelow(paths: readonly string[]): Unsearched[] {
    return this.#options.table.attachments
      .filter(({ point, searchable }) => !searchable && paths.some((path) => isWithin(path, point)))
      .map(({ point }) => ({
        count: 1,
        example: point,
        what: 'mounts',
        why: ['it is not searched by meaning', 'they are not searched by meaning'],
        how: 'grep -rn searches any directory',
        fails: false,
      }));
  }

  /** Waits until the index has all that is known of, or for so many ms. */
  async #settled(ms: number | null): Promise<void> {
    const working = this.#working;
    if (ms === null) await working;
    else if (working !== null) {
      const patience = new AbortController();
      const over = delay(ms, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([working, over]);
      patience.abort();
    }
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw failure;
    }
  }

  /** Finds out what is new below some paths, and has the index take it in. One at a time. */
  async #catchUp(paths: readonly string[], fetch: boolean): Promise<Omit<NewFiles, 'pending'>> {
    const planned = this.#planning.then(() => this.#plan(paths, fetch));
    this.#planning = planned.catch(() => undefined);
    const found = await planned;
    if (this.#queue.size > 0 && this.#working === null) {
      this.#working = this.#work()
        .catch((error: unknown) => {
          this.#failure = error;
        })
        .finally(() => {
          this.#working = null;
        });
    }
    return found;
  }

  /**
   * When the oldest of what is indexed was as its source is: of files, when they were
   * looked at for this question; of services, when they last confirmed their copy.
   */
  #since(paths: readonly string[], looked: number): number {
    const times = this.#under(paths).map(
      ({ source, inside }) => source.heldSince?.(inside) ?? looked,
    );
    return Math.min(looked, ...times);
  }

  /** What the services under some paths say of how complete they are, where they are not. */
  #coverage(paths: readonly string[]): string[] {
    const said = this.#under(paths).flatMap(
      ({ source, inside }) => source.coverage?.(inside) ?? [],
    );
    return [...new Set(said)].filter((each) => !each.endsWith(', complete'));
  }

  /** The services under some paths, and where in each. */
  #under(paths: readonly string[]): { source: FollowedSource; inside: string }[] {
    return paths.flatMap((path) =>
      [...this.#followed].flatMap(([point, source]) => {
        if (isWithin(point, path)) return [{ source, inside: path.slice(point.length) || '/' }];
        return isWithin(path, point) ? [{ source, inside: '/' }] : [];
      }),
    );
  }

  /**
   * What could not be fetched is searched as the replica has it, and is the answer.
   * @param fetch may services be asked?
   */
  async #plan(paths: readonly string[], fetch: boolean): Promise<Omit<NewFiles, 'pending'>> {
    const found: Omit<NewFiles, 'pending'> = { trouble: [], literal: [] };
    const { fs, table } = this.#options;
    for (const path of fetch ? paths : []) found.trouble.push(...(await fs.prefetch(path)));
    const engine = this.#open();
    for (const { point, searchable } of table.attachments) {
      if (!searchable || !paths.some((path) => isWithin(path, point) || isWithin(point, path)))
        continue;
      const source = this.#followed.get(point);
      if (source !== undefined) {
        const service = await this.#service(engine, point, source);
        for (const each of service.pending()) this.#add(each);
      }
      const files = await this.#filesOf(engine, point, source);
      const { pending, trouble, literal } = await files.pending(paths, fetch);
      for (const each of pending) this.#add(each);
      // Of a mount that cannot be reached one line says what each of its files would.
      const told = [...found.trouble];
      const isTold = (each: FsError): boolean =>
        told.some((one) => isWithin(one.path, each.path) && sentenceOf(one) === sentenceOf(each));
      found.trouble.push(...trouble.filter((each) => !isTold(each)));
      found.literal.push(...literal);
    }
    return found;
  }

  async #filesOf(
    engine: EngineClient,
    point: string,
    source: FollowedSource | undefined,
  ): Promise<FileDocuments> {
    const held = this.#files.get(point);
    if (held !== undefined) return held;
    const { table, fs } = this.#options;
    const attachment = table.at(point);
    if (attachment === undefined) throw new Error(`nothing is attached at ${point}`);
    const of = { table, fs, attachment, ...(source === undefined ? {} : { source }) };
    const files = new FileDocuments(of, await engine.seen(point));
    this.#files.set(point, files);
    return files;
  }

  async #service(
    engine: EngineClient,
    point: string,
    source: FollowedSource,
  ): Promise<ServiceDocuments> {
    const held = this.#services.get(point);
    const indexed = await engine.followed(source.name, point, [...this.#followed.keys()]);
    // Another process may have shown another account's there meanwhile: all is to be taken in anew.
    const isLost = held !== undefined && (held.name !== source.name || indexed < held.indexed);
    if (held !== undefined && !isLost) return held;
    const service = new ServiceDocuments(point, source, indexed);
    this.#services.set(point, service);
    this.#files.delete(point);
    return service;
  }

  #add(pending: Pending): void {
    // A row of the feed that only counts must not take the place of the file of that name.
    const key = pending.passed === true ? `${pending.path}\0` : pending.path;
    // Asked for again, it moves to the end: its place in the feed is later.
    this.#queue.delete(key);
    this.#queue.set(key, pending);
  }

  /** Gives the index what it does not have, a batch after another, until nothing is left. */
  async #work(): Promise<void> {
    const engine = this.#open();
    while (this.#queue.size > 0) {
      const batch = this.#batch();
      const texts: IndexedText[] = [];
      const gone: string[] = [];
      for (const each of batch.values()) {
        if (each.passed === true) continue;
        const text = await this.#texts.textOf(each);
        if (text === null) gone.push(each.path);
        else texts.push(describe(each, text));
      }
      const all = [...batch.values()];
      const fed = all.findLast((each) => each.followed !== undefined);
      const followed = fed?.followed ?? this.#ownerOf(all[0]);
      await engine.update(texts, gone, ...(followed === undefined ? [] : [followed]));
      const service = followed === undefined ? undefined : this.#services.get(followed.point);
      if (followed?.seq != null && service?.name === followed.name) service.indexed = followed.seq;
      for (const [key, each] of batch) if (this.#queue.get(key) === each) this.#queue.delete(key);
      // Texts are read in the world's own thread: its commands come in between.
      await setImmediate();
    }
    if (this.#closed) return;
    // Nobody waits for that; what goes wrong with the index shows in the next answer.
    this.#settling = engine.settle().catch((error: unknown) => {
      if (!this.#closed) this.#failure = error;
    });
  }

  /** The service whose file it is: one that is no document is in no feed. */
  #ownerOf(pending: Pending | undefined): FollowedTo | undefined {
    const found = [...this.#followed]
      .filter(([point]) => pending !== undefined && isWithin(point, pending.path))
      .sort(([a], [b]) => b.length - a.length)[0];
    return found && { point: found[0], name: found[1].name, seq: null };
  }

  /** The next documents of one source. */
  #batch(): Map<string, Pending> {
    const batch = new Map<string, Pending>();
    let point: string | undefined;
    for (const [key, each] of this.#queue) {
      const own = (each.followed ?? this.#ownerOf(each))?.point;
      if (batch.size === 0) point = own;
      if (batch.size === BATCH || own !== point) break;
      batch.set(key, each);
    }
    return batch;
  }
}

/** Why, for whoever must act next. */
const sentenceOf = ({ reason, strerror }: FsError): string => reason ?? strerror;

/**
 * Ranked answers and those found by the words alone, which come last and of which
 * some are shown however many were ranked: nobody else finds them.
 */
function beside(
  ranked: readonly Answer[],
  literal: readonly LiteralAnswer[],
  limit: number,
): SearchAnswer[] {
  const room = Math.max(limit - ranked.length, Math.floor(limit * LITERAL_SHARE));
  const shown = literal.slice(0, room).map(
    ({ path, line, text, share }): SearchAnswer => ({
      path,
      line,
      text,
      score: share / 10,
      crumb: '',
      passage: text,
      passageLine: line,
    }),
  );
  const first = ranked.slice(0, limit - shown.length);
  return [
    ...first.map(({ parts, evidence, ...each }) => ({
      ...each,
      ...(parts === undefined ? {} : { parts: { ...parts } }),
      ...(evidence === undefined ? {} : { evidence: { ...evidence } }),
    })),
    ...shown,
  ];
}

/**
 * @param age of what is indexed, ms
 * @param waiting documents that are going to be indexed
 * @param others files that are not, and were searched literally
 */
function noteOf(documents: number, age: number, waiting: number, others: number): string {
  const count = (number: number): string => number.toLocaleString('en');
  const were = (number: number): string => `${number === 1 ? 'was' : 'were'} searched literally`;
  const parts = [
    `searched ${count(documents)} ${documents === 1 ? 'document' : 'documents'} by meaning, index ${duration(age)} old`,
  ];
  if (waiting > 0) parts.push(`${count(waiting)} not yet indexed ${were(waiting)}`);
  if (others > 0) parts.push(`${count(others)} not indexed ${were(others)}`);
  return parts.join('; ');
}

/** `12 s`, `5 min`, `3 h`, `4 d`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${Math.max(0, seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
