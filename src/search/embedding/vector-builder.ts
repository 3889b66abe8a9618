/**
 * Makes the vectors that are missing: in batches, a few at a time, each kept as
 * it comes. A service that is slow, limited or down is waited for; one that will
 * not come back by itself is given up until it is asked for again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toBytes } from './byte-vectors.ts';
import { EmbeddingFailure, hasDirection } from './embedder.ts';
import type { ModelLine } from './model-line.ts';
import type { ModelVectors } from './model-vectors.ts';
import type { StoredVector } from './vector-store.ts';

/** Whose vectors are made, and with whom. */
export interface BuilderOptions {
  line: ModelLine;
  /** Finds out who the model is. @throws EmbeddingFailure */
  identify(): Promise<void>;
  /** The model's vectors as they are held now; null until it is known who it is. */
  vectors(): ModelVectors | null;
  /** Takes the turn at embedding; null where another process has it. */
  takeTurn(): (() => void) | null;
  /** Called when nothing is missing any more. */
  onComplete(): void;
  /** Waited after a first failure, in ms, and twice as long after each further one; default 1,000. */
  backoffMs?: number;
}

/** Failures in a row after which it is given up; a service that was never heard of is hardly there. */
const TRIES = 5;
const FIRST_TRIES = 3;
/** A service that wants to be left alone for longer is given up until then. */
const LONGEST_WAIT_MS = 120_000;
/** After this a failed build is tried again when somebody asks. */
const REST_MS = 30_000;
/** Longer texts are cut: no model reads more. Characters. */
const LONGEST_TEXT = 8_000;
/** A text this short that is refused will not be taken shorter either. */
const SHORTEST_CUT = 500;
/** So many texts refused in a row are no fault of the texts. */
const MOST_REFUSED = 10;
/** Asked after texts were refused, to see whether the model takes any. */
const ANY_TEXT = 'A short sentence.';

export class VectorBuilder {
  readonly #options: BuilderOptions;
  readonly #backoffMs: number;
  readonly #underWay = new Set<string>();
  /** Refused texts, until another one is taken. */
  readonly #refused: string[] = [];
  readonly #ended = new AbortController();
  #running: Promise<void> | null = null;
  #failure: EmbeddingFailure | null = null;
  #failures = 0;
  /** The service has answered, be it with an error. */
  #heard = false;
  #restsUntil = 0;
  #holdsUntil = 0;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#backoffMs = options.backoffMs ?? 1_000;
  }

  /** Why nothing is being made, or what is being waited for; null where all is well. */
  get failure(): EmbeddingFailure | null {
    return this.#failure;
  }

  /** True while it works or waits for the service. */
  get running(): boolean {
    return this.#running !== null;
  }

  /** Until when the service wants to be left alone; in the past where it does not. */
  get holdsUntil(): number {
    return Math.max(this.#holdsUntil, this.#failure?.kind === 'limited' ? this.#restsUntil : 0);
  }

  /** Starts, unless it is at work or rests after a failure. */
  kick(): void {
    if (this.#running !== null || this.#ended.signal.aborted) return;
    if (Date.now() < this.#restsUntil) return;
    this.#running = this.#run()
      .catch((error: unknown) => {
        if (!this.#ended.signal.aborted) this.#giveUp(asFailure(error), REST_MS);
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Done when it works no more: all is made, or it was given up. */
  async settled(): Promise<void> {
    await this.#running;
  }

  close(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    const leave = this.#options.takeTurn();
    if (leave === null) return;
    try {
      this.#failures = 0;
      await this.#patiently(() => this.#options.identify());
      const { concurrency } = this.#options.line.spec;
      await Promise.all(Array.from({ length: concurrency }, () => this.#lane()));
      if (this.#refused.length > 0) await this.#patiently(() => this.#embed([['', ANY_TEXT]]));
      if (this.#isOver) return;
      this.#failure = null;
      this.#options.onComplete();
    } finally {
      leave();
    }
  }

  /** Batch after batch, until there is nothing left to be made. */
  async #lane(): Promise<void> {
    while (!this.#isOver) {
      const batch = this.#take();
      if (batch.length === 0) return;
      await this.#patiently(() => this.#make(batch));
      for (const hash of batch) if (!this.#refused.includes(hash)) this.#underWay.delete(hash);
    }
  }

  get #isOver(): boolean {
    return this.#ended.signal.aborted || Date.now() < this.#restsUntil;
  }

  #take(): string[] {
    const batch: string[] = [];
    for (const hash of this.#options.vectors()?.waiting(this.#underWay) ?? []) {
      batch.push(hash);
      if (batch.length === this.#options.line.spec.batch) break;
    }
    for (const hash of batch) this.#underWay.add(hash);
    return batch;
  }

  /** Does it until it is done, or given up. All lanes wait when one has to. */
  async #patiently(work: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      const wait = this.#holdsUntil - Date.now();
      if (wait > 0) {
        await delay(wait, undefined, { signal: this.#ended.signal });
        continue;
      }
      try {
        await work();
        this.#failures = 0;
        this.#failure = null;
        this.#heard = true;
        return;
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        this.#onFailure(asFailure(error));
      }
    }
  }

  #onFailure(failure: EmbeddingFailure): void {
    if (failure.kind !== 'absent') this.#heard = true;
    // Several lanes meet the same outage: it counts once.
    if (Date.now() >= this.#holdsUntil) this.#failures += 1;
    const own = this.#backoffMs * 2 ** (this.#failures - 1);
    const wait = failure.retryAfterMs ?? own;
    if (failure.kind === 'lasting' || failure.kind === 'input') this.#giveUp(failure, REST_MS);
    else if (wait > LONGEST_WAIT_MS || this.#failures >= (this.#heard ? TRIES : FIRST_TRIES)) {
      this.#giveUp(failure, Math.max(wait, REST_MS));
    } else {
      this.#failure = failure;
      this.#holdsUntil = Math.max(this.#holdsUntil, Date.now() + wait);
    }
  }

  #giveUp(failure: EmbeddingFailure, restMs: number): void {
    this.#failure = failure;
    this.#restsUntil = Date.now() + restMs;
    this.#underWay.clear();
    this.#refused.length = 0;
  }

  /** The vectors of a batch; where the model does not take it, of its halves. */
  async #make(hashes: readonly string[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const hash of hashes) {
      // Tried again, part of a batch may be made already.
      const text = this.#options.vectors()?.waitingText(hash) ?? null;
      if (text !== null) texts.set(hash, text.slice(0, LONGEST_TEXT));
    }
    await this.#embed([...texts]);
  }

  async #embed(texts: readonly (readonly [hash: string, text: string])[]): Promise<void> {
    if (texts.length === 0) return;
    try {
      const { vectors, tokens } = await this.#options.line.documents(texts.map(([, text]) => text));
      this.#keep(
        texts.map(([hash]) => hash),
        vectors,
        tokens,
      );
    } catch (error) {
      if (!(error instanceof EmbeddingFailure) || error.kind !== 'input') throw error;
      if (texts.length > 1) {
        const half = texts.length >> 1;
        await this.#embed(texts.slice(0, half));
        await this.#embed(texts.slice(half));
        return;
      }
      const [[hash, text] = ['', '']] = texts;
      if (text.length > SHORTEST_CUT) return this.#embed([[hash, text.slice(0, text.length >> 1)]]);
      if (!this.#refused.includes(hash)) this.#refused.push(hash);
      if (this.#refused.length >= MOST_REFUSED) throw error;
    }
  }

  #keep(hashes: readonly string[], made: readonly Float32Array[], tokens: number): void {
    const vectors = this.#options.vectors();
    const expected = vectors?.model.dimensions ?? 0;
    const wrong = made.find(({ length }) => length !== expected);
    if (wrong !== undefined) {
      throw new EmbeddingFailure(
        'passing',
        `${this.#options.line.name} answered a vector of ${wrong.length} numbers; its vectors have ${expected}`,
      );
    }
    if (made.length > 1 && !made.some(hasDirection)) {
      throw new EmbeddingFailure('passing', `${this.#options.line.name} answered zeros alone`);
    }
    const kept: StoredVector[] = [];
    for (const [index, hash] of hashes.entries()) {
      const vector = made[index];
      if (hash === '' || vector === undefined) continue;
      kept.push({ hash, vector: hasDirection(vector) ? toBytes(vector) : null });
    }
    // That the model takes another text shows that these are refused for what they are.
    for (const hash of this.#refused.splice(0)) {
      kept.push({ hash, vector: null });
      this.#underWay.delete(hash);
    }
    vectors?.put(kept, tokens);
  }
}

function asFailure(error: unknown): EmbeddingFailure {
  if (error instanceof EmbeddingFailure) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EmbeddingFailure('lasting', `vectors could not be made: ${reason}`, { cause: error });
}
