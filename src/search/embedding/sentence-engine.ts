/**
 * The search engine with a sentence model beside it. What is taken in is embedded
 * in the background; a question is put to the model whose vectors are in use, and
 * where that fails it is answered by the embedded parts alone, and said.
 */

import { CHUNKER_VERSION } from '../chunks/chunk.ts';
import type { SentenceState } from '../contract.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { FollowedTo, IndexedText } from '../index/search-index.ts';
import type { EngineClient } from '../service/client.ts';
import type { IndexStatus, SearchEngine, SearchReply, SearchRequest } from '../service/engine.ts';
import { parseQuestion } from '../service/phrases.ts';
import { BACKDROP, joined } from './backdrop.ts';
import { EmbeddingFailure } from './embedder.ts';
import { alike, ModelLine, type OpenEmbedder } from './model-line.ts';
import { identityOf, nameOf, type SentenceSettings } from './model-spec.ts';
import { ModelVectors } from './model-vectors.ts';
import { QuestionVectors } from './question-vectors.ts';
import { type AskedWith, notesOf } from './sentence-state.ts';
import { vectorSignal } from './signal.ts';
import { takeTurn } from './turn-taking.ts';
import { VectorBuilder } from './vector-builder.ts';
import { type StoredModel, VectorStore } from './vector-store.ts';

/** What it is made with, beside the engine. */
export interface SentenceOptions extends SentenceSettings {
  /** The index's file, or ':memory:'. */
  file: string;
  open: OpenEmbedder;
  /** See {@link VectorBuilder}. */
  backoffMs?: number;
}

/** While another process embeds, it is looked at again after so many ms. */
const LOOK_AGAIN_MS = 500;

export class SentenceEngine implements EngineClient {
  readonly #engine: SearchEngine;
  readonly #options: SentenceOptions;
  readonly #store: VectorStore;
  readonly #builder: VectorBuilder;
  readonly #questions = new QuestionVectors();
  /** The model of the config, and while its vectors are not complete, the one before it. */
  readonly #line: ModelLine;
  #former: ModelLine | null = null;
  #active: ModelVectors | null = null;
  #target: ModelVectors | null = null;
  /** The model that another process, with another config, has put in the place of this one. */
  #superseded: string | null = null;
  #writes = -1;

  constructor(engine: SearchEngine, options: SentenceOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#store = new VectorStore(engine.index.store.database);
    this.#line = new ModelLine(options.model, options.env, options.open);
    this.#builder = new VectorBuilder({
      line: this.#line,
      identify: () => this.#identify(),
      vectors: () => this.#inUse().target,
      takeTurn: () => takeTurn(options.file),
      onComplete: () => this.#complete(),
      ...(options.backoffMs === undefined ? {} : { backoffMs: options.backoffMs }),
    });
    this.#store.sweep(Date.now());
    this.#catchUp();
    this.#work();
  }

  async close(): Promise<void> {
    this.#builder.close();
    this.#line.close();
    this.#former?.close();
    this.#engine.close();
  }

  async update(
    texts: readonly IndexedText[],
    gone: readonly string[],
    followed?: FollowedTo,
  ): Promise<void> {
    this.#engine.update(texts, gone, followed);
    this.#work();
  }

  async settle(): Promise<void> {
    this.#engine.settle();
  }

  async seen(prefix: string): Promise<[path: string, seen: string][]> {
    return this.#engine.seen(prefix);
  }

  async followed(name: string, point: string, spared: readonly string[]): Promise<number> {
    return this.#engine.followed(name, point, spared);
  }

  async status(paths: readonly string[]): Promise<IndexStatus> {
    return this.#engine.status(paths);
  }

  /** How the vectors stand; with `wait`, once they are complete or it was given up. */
  async sentences(wait: boolean): Promise<SentenceState> {
    this.#work();
    while (wait) {
      await this.#builder.settled();
      const { pending, gaveUp } = this.#state();
      if (pending === 0 || gaveUp) break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      this.#work();
    }
    return this.#state();
  }

  async search(request: SearchRequest): Promise<SearchReply> {
    this.#work();
    const asked = await this.#ask(request);
    const reply = this.#engine.search(request, asked?.signal ?? null);
    const notes = [...(reply.notes ?? []), ...notesOf(asked?.with ?? null, this.#state())];
    return { ...reply, notes };
  }

  /** Puts the question to the model in use; null where none is. */
  async #ask(
    request: SearchRequest,
  ): Promise<{ signal: SentenceSignal | null; with: AskedWith } | null> {
    const { active: held } = this.#inUse();
    const line = held?.model.id === this.#target?.model.id ? this.#line : this.#former;
    const model = (line ?? this.#line).name;
    if (held === null || line === null || held.count === 0) {
      const { passages } = this.#coverage(request);
      if (passages === 0) return null;
      return { signal: null, with: { model, lacking: passages, passages, trouble: null } };
    }
    try {
      const vector = await this.#questions.of(line, held.model, parseQuestion(request.query).text);
      // While it was asked, the vectors may have been replaced.
      const { active: current } = this.#inUse();
      if (current?.model.id !== held.model.id) return this.#ask(request);
      const signal = vectorSignal(vector, current, this.#options.weight);
      return { signal, with: { model, ...this.#coverage(request), trouble: null } };
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error;
      return { signal: null, with: { model, ...this.#coverage(request), trouble: error.message } };
    }
  }

  /** Passages in scope, and how many of them wait for their vector. */
  #coverage(request: SearchRequest): { passages: number; lacking: number } {
    const coverage = { passages: 0, lacking: 0 };
    const held = this.#active;
    if (held?.pending === 0) return coverage;
    for (const [slot, wanted] of this.#engine.select(request).slots.entries()) {
      if (wanted !== 1) continue;
      coverage.passages += 1;
      if (held?.lacks(slot) !== false) coverage.lacking += 1;
    }
    return coverage;
  }

  #state(): SentenceState {
    this.#catchUp();
    const { failure, running, holdsUntil } = this.#builder;
    const target = this.#target;
    const active = this.#active;
    const living = this.#engine.index.memory.corpus.living;
    const pending = target?.pending ?? living;
    const refused = target?.refused ?? 0;
    return {
      model: this.#line.name,
      vectors: living - pending - refused,
      pending,
      refused,
      tokens: target === null ? 0 : this.#store.tokens(target.model.id),
      replaces: active === null || active === target ? null : nameOf(active.model.spec),
      trouble: pending > 0 ? this.#trouble() : null,
      gaveUp: pending > 0 && !running && (failure !== null || this.#superseded !== null),
      holdsUntil: holdsUntil > Date.now() ? new Date(holdsUntil).toISOString() : null,
    };
  }

  #trouble(): string | null {
    if (this.#superseded === null) return this.#builder.failure?.message ?? null;
    return `another process has given this index the model ${this.#superseded}: start this one again with the same config`;
  }

  /** Gets in step with the index, and makes what is missing. */
  #work(): void {
    this.#catchUp();
    // Building it all again would take the other process's vectors away in turn.
    if (this.#superseded !== null) return;
    const living = this.#engine.index.memory.corpus.living;
    const lacks = this.#target === null || this.#target.pending > 0;
    if (living > 0 && (lacks || this.#target !== this.#active)) this.#builder.kick();
  }

  #inUse(): { active: ModelVectors | null; target: ModelVectors | null } {
    this.#catchUp();
    return { active: this.#active, target: this.#target };
  }

  #catchUp(): void {
    const { memory, store } = this.#engine.index;
    const writes = store.foreignWrites();
    const foreign = writes !== this.#writes;
    this.#writes = writes;
    if (foreign) this.#readModels();
    this.#active = this.#inStep(this.#active, memory, foreign);
    this.#target =
      this.#target?.model.id === this.#active?.model.id
        ? this.#active
        : this.#inStep(this.#target, memory, foreign);
  }

  #inStep(
    held: ModelVectors | null,
    memory: ModelVectors['memory'],
    foreign: boolean,
  ): ModelVectors | null {
    if (held === null) return null;
    if (held.memory !== memory) return new ModelVectors(this.#store, held.model, memory);
    held.catchUp(foreign);
    return held;
  }

  /** Which model is in use, and which is being built: another process may have changed it. */
  #readModels(): void {
    const models = this.#store.models();
    const had = this.#target !== null;
    const wanted = identityOf(this.#options.model);
    const target = models.find(({ identity }) => identity === wanted) ?? null;
    const active = models.find((model) => model.active) ?? null;
    const { memory } = this.#engine.index;
    const load = (model: StoredModel | null): ModelVectors | null => {
      if (model === null) return null;
      const held = [this.#active, this.#target].find((each) => each?.model.id === model.id);
      return held ?? new ModelVectors(this.#store, model, memory);
    };
    if (target !== null || active === null) this.#superseded = null;
    else if (had) this.#superseded = nameOf(active.spec);
    const [one, other] = [load(active), load(target)];
    this.#active = one;
    this.#target = target?.id === active?.id ? one : other;
    const former = active !== null && active.id !== target?.id ? active.spec : null;
    if (
      former === null ||
      this.#former === null ||
      identityOf(this.#former.spec) !== identityOf(former)
    ) {
      this.#former?.close();
      const { env, open } = this.#options;
      this.#former = former === null ? null : new ModelLine(former, env, open);
    }
  }

  /** Finds out which model answers, and opens its vectors. @throws EmbeddingFailure */
  async #identify(): Promise<void> {
    const known = this.#target?.model ?? null;
    const probe = await this.#line.probe(known?.probe ?? null);
    const { model: spec } = this.#options;
    if (known !== null && alike(probe, known.probe)) {
      this.#store.setSpec(known.id, spec, CHUNKER_VERSION);
    } else {
      const backdrop = await this.#line.questions(BACKDROP);
      // Another model under the same name: nobody can ask the one before it any more.
      if (known !== null) this.#store.removeModel(known.id);
      this.#store.addModel(spec, CHUNKER_VERSION, probe, joined(backdrop, probe.length));
      this.#readModels();
    }
  }

  /** All others go: the one that was in use until now, and what was begun for a config of the past. */
  #complete(): void {
    if (this.#target === null || this.#store.models().length < 2) return;
    this.#store.activate(this.#target.model.id);
    this.#readModels();
  }
}
