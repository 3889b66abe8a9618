/** A line to one sentence model: opened when it is first needed, and asked once who is there. */
import { type Embedded, type Embedder, EmbeddingFailure, hasDirection } from './embedder.ts';
import { nameOf, type SentenceModel } from './model-spec.ts';

/** Opens a model. @throws EmbeddingFailure */
export type OpenEmbedder = (
  spec: SentenceModel,
  env: Readonly<Record<string, string>>,
) => Promise<Embedder>;

/** A model is known by what it makes of this text. Never to be changed. */
const PROBE = 'The quick brown fox jumps over the lazy dog while 42 sphinxes judge my vow.';
/** Vectors of one text by one model differ no more than this, whatever machine it runs on. Cosine. */
const ALIKE = 0.98;

export class ModelLine {
  readonly spec: SentenceModel;
  readonly #open: () => Promise<Embedder>;
  readonly #ended = new AbortController();
  #embedder: Promise<Embedder> | null = null;
  #probe: Promise<Float32Array> | null = null;

  constructor(spec: SentenceModel, env: Readonly<Record<string, string>>, open: OpenEmbedder) {
    this.spec = spec;
    this.#open = () => open(spec, env);
  }

  get name(): string {
    return nameOf(this.spec);
  }

  /** The vectors of chunks. @throws EmbeddingFailure */
  async documents(texts: readonly string[]): Promise<Embedded> {
    const { documentPrefix } = this.spec;
    return this.#embed(texts.map((text) => documentPrefix + text));
  }

  /** The vector of a question. @throws EmbeddingFailure */
  async question(text: string): Promise<Float32Array> {
    const [vector] = await this.questions([text]);
    return vector ?? new Float32Array(0);
  }

  /** The vectors of questions. @throws EmbeddingFailure */
  async questions(texts: readonly string[]): Promise<Float32Array[]> {
    const { batch, queryPrefix } = this.spec;
    const all: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += batch) {
      const some = texts.slice(from, from + batch).map((text) => queryPrefix + text);
      all.push(...(await this.#embed(some)).vectors);
    }
    return all;
  }

  /**
   * What the model makes of a fixed text, asked once; a failure is not kept.
   * @param expected what it made of it before; another answer is asked for again
   * @throws EmbeddingFailure
   */
  async probe(expected: Float32Array | null): Promise<Float32Array> {
    this.#probe ??= this.#ask(expected).catch((error: unknown) => {
      this.#probe = null;
      throw error;
    });
    return this.#probe;
  }

  close(): void {
    this.#ended.abort();
  }

  /** Two answers that agree, or the one that was expected: a single wrong answer decides nothing. */
  async #ask(expected: Float32Array | null): Promise<Float32Array> {
    const ask = async (): Promise<Float32Array> => {
      const [vector = new Float32Array(0)] = (await this.#embed([PROBE])).vectors;
      if (hasDirection(vector)) return vector;
      throw new EmbeddingFailure('lasting', `${this.name} makes nothing of an English sentence`);
    };
    const first = await ask();
    if (expected !== null && alike(first, expected)) return first;
    const second = await ask();
    if (alike(first, second) || (expected !== null && alike(second, expected))) return second;
    const lengths =
      first.length === second.length ? '' : `, ${first.length} and ${second.length} numbers`;
    throw new EmbeddingFailure(
      'passing',
      `${this.name} answered the same text with two different vectors${lengths}`,
    );
  }

  async #embed(texts: readonly string[]): Promise<Embedded> {
    this.#embedder ??= this.#open().catch((error: unknown) => {
      this.#embedder = null;
      throw error;
    });
    return (await this.#embedder).embed(texts, this.#ended.signal);
  }
}

/** Are these one model's vectors of one text? */
export function alike(one: Float32Array, other: Float32Array): boolean {
  if (one.length !== other.length) return false;
  let product = 0;
  let squares = 0;
  let others = 0;
  for (const [index, value] of one.entries()) {
    const beside = other[index] ?? 0;
    product += value * beside;
    squares += value * value;
    others += beside * beside;
  }
  return product / Math.sqrt(squares * others) >= ALIKE;
}
