/**
 * Search over what is mounted. Before each question it is found out what the
 * index does not have yet; that is given to it in the background, and what is
 * still missing when the question has waited long enough is searched literally.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FsError } from '../../errors.ts';
import type { MountTable } from '../../namespace/table.ts';
import type { NamespaceFs } from '../../namespace/types.ts';
import { isWithin } from '../../paths.ts';
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

/** What the search is made with. */
export interface MountedSearchOptions {
  table: MountTable;
  fs: NamespaceFs;
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
  /** What the index does not have yet, the oldest first. */
  readonly #queue = new Map<string, Pending>();
  #engine: EngineClient | undefined;
  #working: Promise<void> | null = null;
  #planning: Promise<unknown> = Promise.resolve();
  #failure: unknown = null;

  constructor(options: MountedSearchOptions) {
    this.#options = options;
  }

  /** Follows a service mount by its feed, from the next question on. */
  follow(point: string, source: FollowedSource): void {
    this.#followed.set(point, source);
  }

  async ask(question: SearchQuestion): Promise<SearchResult> {
    const engine = this.#open();
    const trouble = await this.#catchUp(question.paths);
    await this.#settled(PATIENCE_MS);
    const missing = this.#missing(question.paths);
    const { answers, documents, notes = [] } = await engine.search(question);
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
      note: [noteOf(documents, missing.length), ...notes, ...this.#coverage(question.paths)].join(
        '; ',
      ),
      trouble,
    };
  }

  async state(paths: readonly string[], wait: boolean): Promise<IndexState> {
    const engine = this.#open();
    await this.#catchUp(paths);
    if (wait) await this.#settled(null);
    else await this.#settled(1);
    const sentences = await engine.sentences(wait);
    const status = await engine.status(paths);
    return {
      ...status,
      pending: this.#missing(paths).length,
      ...(sentences === null ? {} : { sentences }),
    };
  }

  async close(): Promise<void> {
    this.#queue.clear();
    await this.#engine?.close();
  }

  #open(): EngineClient {
    this.#engine ??= this.#options.engine();
    return this.#engine;
  }

  #missing(paths: readonly string[]): Pending[] {
    return [...this.#queue.values()].filter(({ path }) =>
      paths.some((each) => isWithin(path, each)),
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
  async #catchUp(paths: readonly string[]): Promise<FsError[]> {
    const planned = this.#planning.then(() => this.#plan(paths));
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

  /** What the services under some paths say of how fresh and how complete they are. */
  #coverage(paths: readonly string[]): string[] {
    const said = paths.flatMap((path) =>
      [...this.#followed].flatMap(([point, source]) => {
        if (isWithin(point, path)) return source.coverage?.(path.slice(point.length) || '/') ?? [];
        return isWithin(path, point) ? (source.coverage?.('/') ?? []) : [];
      }),
    );
    return [...new Set(said)];
  }

  /** What could not be fetched is searched as the replica has it, and is the answer. */
  async #plan(paths: readonly string[]): Promise<FsError[]> {
    const trouble: FsError[] = [];
    for (const path of paths) trouble.push(...(await this.#options.fs.prefetch(path)));
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
    const files = this.#files.get(point) ?? new FileDocuments(table, fs, attachment);
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
    if (held !== undefined) return held;
    const made = new ServiceDocuments(point, source, await engine.followed(source.name, point));
    this.#services.set(point, made);
    return made;
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
        const text = each.text();
        if (text === null) gone.push(each.path);
        else texts.push(describe(each.path, text, each.context()));
      }
      const followed = batch.at(-1)?.followed;
      await engine.update(texts, gone, ...(followed === undefined ? [] : [followed]));
      for (const each of batch)
        if (this.#queue.get(each.path) === each) this.#queue.delete(each.path);
    }
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
function describe(path: string, text: string, context: string): IndexedText {
  const head = text.startsWith('---\n') ? text.slice(0, text.indexOf('\n---', 4) + 1) : '';
  const updated = /^updated(?:_at|At)?: *["']?([^"'\n]+)/m.exec(head)?.[1] ?? '';
  return { path, text, updated, kind: kindOf(path), context };
}

function kindOf(path: string): DocumentKind {
  if (/\/(?:issues|pulls)\/[^/]+(?:\.md|\/)/.test(path)) return 'issue';
  return /\.(?:md|mdx|markdown|txt|rst|html?)$/i.test(path) ? 'page' : 'file';
}

function noteOf(documents: number, missing: number): string {
  const count = documents.toLocaleString('en');
  const searched = `searched ${count} ${documents === 1 ? 'document' : 'documents'} by meaning`;
  if (missing === 0) return `${searched}, index up to date`;
  const were = missing === 1 ? 'was' : 'were';
  return `${searched}; ${missing.toLocaleString('en')} not yet indexed ${were} searched literally`;
}
