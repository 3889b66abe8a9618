/** The search engine in a worker of its own, so that building an index holds up no command. */
import { Worker } from 'node:worker_threads';
import type { SentenceState } from '../contract.ts';
import type { SentenceSettings } from '../embedding/model-spec.ts';
import type { FollowedTo, IndexedText } from '../index/search-index.ts';
import type { IndexStatus, SearchEngine, SearchReply, SearchRequest } from './engine.ts';

/** What the engine's methods are called with, and what they answer. */
export type EngineMethod =
  | 'update'
  | 'settle'
  | 'seen'
  | 'followed'
  | 'status'
  | 'search'
  | 'sentences';
export type EngineCall = { id: number; method: EngineMethod; args: unknown[] };
export type EngineResult = { id: number; value?: unknown; error?: string };

/** What the engine's worker is started with. */
export interface EngineStart {
  /** index.sqlite, or ':memory:'. */
  file: string;
  /** The word table's file. */
  words: string;
  /** The sentence model; without one the embedded parts alone rank. */
  sentences?: SentenceSettings;
}

/** {@link SearchEngine} over a thread: the same methods, answered later. */
export interface EngineClient {
  update(
    texts: readonly IndexedText[],
    gone: readonly string[],
    followed?: FollowedTo,
  ): Promise<void>;
  /** Puts the index in order; to be called when it has taken in all that there is. */
  settle(): Promise<void>;
  /** What the documents below a path looked like when they were read, as {@link IndexedText.seen} told. */
  seen(prefix: string): Promise<[path: string, seen: string][]>;
  followed(name: string, point: string, spared: readonly string[]): Promise<number>;
  status(paths: readonly string[]): Promise<IndexStatus>;
  search(request: SearchRequest): Promise<SearchReply>;
  /**
   * How the vectors of the sentence model stand; null without one.
   * @param wait until they are complete, or it was given up
   */
  sentences(wait: boolean): Promise<SentenceState | null>;
  close(): Promise<void>;
}

/** Starts the worker; `module` is the URL of engine-worker. */
export function startEngine(module: string, start: EngineStart): EngineClient {
  return new ThreadEngine(module, start);
}

/** An engine in this thread, for tests and for what has no other work. */
export function localEngine(engine: SearchEngine): EngineClient {
  return {
    update: async (texts, gone, followed) => engine.update(texts, gone, followed),
    settle: async () => engine.settle(),
    seen: async (prefix) => engine.seen(prefix),
    followed: async (name, point, spared) => engine.followed(name, point, spared),
    status: async (paths) => engine.status(paths),
    search: async (request) => engine.search(request),
    sentences: async () => null,
    close: async () => engine.close(),
  };
}

/** Room for objects that are just made: with more, garbage is most of what a large index takes. */
const YOUNG_GENERATION_MB = 12;

class ThreadEngine implements EngineClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;
  #failure: Error | null = null;

  constructor(module: string, start: EngineStart) {
    this.#worker = new Worker(new URL(module), {
      workerData: start,
      // The model's own variables alone, for providers that read their key themselves.
      env: { ...start.sentences?.env },
      name: 'dirigent-search',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    // An index that is being built keeps no process alive; a question does.
    this.#worker.unref();
    this.#worker.on('message', (result: EngineResult) => this.#settle(result));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the search index has ended')));
  }

  async update(
    texts: readonly IndexedText[],
    gone: readonly string[],
    followed?: FollowedTo,
  ): Promise<void> {
    await this.#call('update', [texts, gone, followed]);
  }

  async settle(): Promise<void> {
    await this.#call('settle', []);
  }

  // The worker answers with what the engine's method of that name returns.

  seen(prefix: string): Promise<[path: string, seen: string][]> {
    return this.#call('seen', [prefix]) as Promise<[path: string, seen: string][]>;
  }

  followed(name: string, point: string, spared: readonly string[]): Promise<number> {
    return this.#call('followed', [name, point, spared]) as Promise<number>;
  }

  status(paths: readonly string[]): Promise<IndexStatus> {
    return this.#call('status', [paths]) as Promise<IndexStatus>;
  }

  search(request: SearchRequest): Promise<SearchReply> {
    return this.#call('search', [request]) as Promise<SearchReply>;
  }

  sentences(wait: boolean): Promise<SentenceState | null> {
    return this.#call('sentences', [wait]) as Promise<SentenceState | null>;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #call(method: EngineMethod, args: unknown[]): Promise<unknown> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#last;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#worker.ref();
    this.#worker.postMessage({ id, method, args } satisfies EngineCall);
    return waiting.promise;
  }

  #settle({ id, value, error }: EngineResult): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure);
    this.#waiting.clear();
  }
}
