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
} from '../contract.ts';
import type { IndexedText } from '../index/search-index.ts';
import type { DocumentKind } from '../index/store.ts';
import type { EngineClient } from './client.ts';
import { FileDocuments } from './file-documents.ts';
import { literalAnswers } from './literal-answers.ts';
import { parseQuestion } from './phrases.ts';
import { ServiceDocuments } from './service-documents.ts';
import type { FollowedSource, Pending } from './source.ts';
import { TextDocuments } from './text-documents.ts';

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
/** Documents that are searched literally for one question, at most. */
const MOST_LITERAL = 5_000;

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
    const engine = this.#open();
    const asked = Date.now();
    const trouble = await this.#catchUp(question.paths, true);
    await this.#settled(PATIENCE_MS);
    const { missing, unread } = this.#texts.apart(this.#missing(question.paths));
    trouble.push(...this.#texts.trouble(question.paths));
    const {
      answers,
      documents,
      notes = [],
      missing: absent,
      relevance,
    } = await engine.search(question);
    const literal =
      missing.length === 0 || question.kind !== undefined || question.since !== undefined
        ? []
        : literalAnswers(
            missing.slice(0, MOST_LITERAL),
            parseQuestion(question.query),
            question.limit,
          );
    const all: SearchAnswer[] = [
      ...answers,
      ...literal.map(({ path, line, text, share }) => ({
        path,
        line,
        text,
        score: share / 10,
        crumb: '',
        passage: text,
        passageLine: line,
      })),
    ];
    return {
      answers: all.slice(0, question.limit),
      documents,
      note: [
        noteOf(documents, Date.now() - this.#since(question.paths, asked), missing.length),
        ...notes,
        ...unread,
        ...this.#coverage(question.paths),
      ].join('; '),
      // What is not indexed yet may have them.
      ...(absent === undefined || missing.length + unread.length > 0 ? {} : { missing: absent }),
      ...(relevance === undefined ? {} : { relevance }),
      trouble,
    };
  }

  async state(paths: readonly string[], wait: boolean): Promise<IndexState> {
    const engine = this.#open();
    const trouble = await this.#catchUp(paths, true);
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
    await this.#engine?.close();
  }

  #open(): EngineClient {
    this.#engine ??= this.#options.engine();
    return this.#engine;
  }

  #missing(paths: readonly string[]): Pending[] {
    return [...this.#queue.values()].filter(({ path }) =>
      paths.some((each) => isWithin(each, path)),
    );
  }

  /** Waits until the index has all that is known of, or for so many ms. */
  async #settled(ms: number | null): Promise<void> {
    const working = this.#working;
    if (working !== null) {
      const patience = new AbortController();
      const over = delay(ms ?? 0, undefined, { signal: patience.signal }).catch(() => undefined);
      await (ms === null ? working : Promise.race([working, over]));
      patience.abort();
    }
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw failure;
    }
  }

  /** Finds out what is new below some paths, and has the index take it in. One at a time. */
  async #catchUp(paths: readonly string[], fetch: boolean): Promise<FsError[]> {
    const planned = this.#planning.then(() => this.#plan(paths, fetch));
    this.#planning = planned.catch(() => undefined);
    const trouble = await planned;
    if (this.#queue.size > 0 && this.#working === null) {
      this.#working = this.#work()
        .catch((error: unknown) => {
          this.#failure = error;
        })
        .finally(() => {
          this.#working = null;
        });
    }
    return trouble;
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
  async #plan(paths: readonly string[], fetch: boolean): Promise<FsError[]> {
    const trouble: FsError[] = [];
    for (const path of fetch ? paths : []) trouble.push(...(await this.#options.fs.prefetch(path)));
    const engine = this.#open();
    for (const { point, searchable } of this.#options.table.attachments) {
      if (!searchable || !paths.some((path) => isWithin(path, point) || isWithin(point, path)))
        continue;
      const source = this.#followed.get(point);
      if (source === undefined) trouble.push(...(await this.#planFiles(engine, point)));
      else {
        const service = await this.#service(engine, point, source);
        for (const each of service.pending()) this.#add(each);
      }
    }
    return trouble;
  }

  async #planFiles(engine: EngineClient, point: string): Promise<FsError[]> {
    const { table, fs } = this.#options;
    const attachment = table.at(point);
    if (attachment === undefined) return [];
    const files =
      this.#files.get(point) ?? new FileDocuments(table, fs, attachment, await engine.seen(point));
    this.#files.set(point, files);
    const first = !files.seen;
    const { pending, trouble } = await files.pending();
    for (const each of pending) this.#add(each);
    // Another process, or an earlier run, may have indexed files that are gone.
    if (first && files.seen) await engine.prune(point, files.paths, [...this.#followed.keys()]);
    return trouble;
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
    const service =
      held === undefined || isLost ? new ServiceDocuments(point, source, indexed) : held;
    this.#services.set(point, service);
    return service;
  }

  #add(pending: Pending): void {
    // Asked for again, it moves to the end: its place in the feed is later.
    this.#queue.delete(pending.path);
    this.#queue.set(pending.path, pending);
  }

  /** Gives the index what it does not have, a batch after another, until nothing is left. */
  async #work(): Promise<void> {
    const engine = this.#open();
    while (this.#queue.size > 0) {
      const batch = this.#batch();
      const texts: IndexedText[] = [];
      const gone: string[] = [];
      for (const each of batch) {
        const text = await this.#texts.textOf(each);
        if (text === null) gone.push(each.path);
        else texts.push(describe(each, text));
      }
      const followed = batch.at(-1)?.followed;
      await engine.update(texts, gone, ...(followed === undefined ? [] : [followed]));
      const service = followed === undefined ? undefined : this.#services.get(followed.point);
      if (followed !== undefined && service?.name === followed.name) service.indexed = followed.seq;
      for (const each of batch)
        if (this.#queue.get(each.path) === each) this.#queue.delete(each.path);
      // Texts are read in the world's own thread: its commands come in between.
      await setImmediate();
    }
    if (this.#closed) return;
    // Nobody waits for that; what goes wrong with the index shows in the next answer.
    this.#settling = engine.settle().catch((error: unknown) => {
      if (!this.#closed) this.#failure = error;
    });
  }

  /** The next documents of one source. */
  #batch(): Pending[] {
    const batch: Pending[] = [];
    for (const each of this.#queue.values()) {
      const first = batch[0] ?? each;
      if (batch.length === BATCH || each.followed?.point !== first.followed?.point) break;
      batch.push(each);
    }
    return batch;
  }
}

/** What the index is told of a text, read off its front matter and its path. */
function describe({ path, context, changed = '', seen = '' }: Pending, text: string): IndexedText {
  const head = text.startsWith('---\n') ? text.slice(0, text.indexOf('\n---', 4) + 1) : '';
  const updated = /^updated(?:_at|At)?: *["']?([^"'\n]+)/m.exec(head)?.[1] ?? changed;
  return { path, text, updated, kind: kindOf(path), context: context(), seen };
}

/** Why, for whoever must act next. */
const sentenceOf = ({ reason, strerror }: FsError): string => reason ?? strerror;

function kindOf(path: string): DocumentKind {
  if (documentFormat(path) !== null) return 'page';
  if (/\/(?:issues|pulls)\/[^/]+(?:\.md|\/)/.test(path)) return 'issue';
  return /\.(?:md|mdx|markdown|txt|rst|html?)$/i.test(path) ? 'page' : 'file';
}

/** @param age of what is indexed, ms */
function noteOf(documents: number, age: number, missing: number): string {
  const count = documents.toLocaleString('en');
  const searched = `searched ${count} ${documents === 1 ? 'document' : 'documents'} by meaning`;
  const told = `${searched}, index ${duration(age)} old`;
  if (missing === 0) return told;
  const were = missing === 1 ? 'was' : 'were';
  return `${told}; ${missing.toLocaleString('en')} not yet indexed ${were} searched literally`;
}

/** `12 s`, `5 min`, `3 h`, `4 d`. */
function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${Math.max(0, seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
