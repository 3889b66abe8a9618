/** The vectors of questions, remembered: asking the same again costs no request. */
import { EmbeddingFailure, hasDirection } from './embedder.ts';
import { alike, type ModelLine } from './model-line.ts';
import type { StoredModel } from './vector-store.ts';

/** A question waits so long for its vector, in ms. */
const PATIENCE_MS = 3_000;
/** So many are remembered. */
const MOST = 256;

export class QuestionVectors {
  readonly #known = new Map<string, Promise<Float32Array>>();

  /**
   * The vector of a question. What comes too late is there for the next time.
   * @param model whose vectors it is to be compared with
   * @throws EmbeddingFailure
   */
  async of(line: ModelLine, model: StoredModel, text: string): Promise<Float32Array> {
    const key = `${model.id} ${text}`;
    let vector = this.#known.get(key);
    if (vector === undefined) {
      vector = ask(line, model, text);
      this.#known.set(key, vector);
      const [oldest] = this.#known.keys();
      if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    }
    vector.catch(() => this.#known.delete(key));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const text = `${line.name} did not answer the question within ${PATIENCE_MS / 1_000} s`;
      timer = setTimeout(() => reject(new EmbeddingFailure('passing', text)), PATIENCE_MS);
    });
    try {
      return await Promise.race([vector, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function ask(line: ModelLine, model: StoredModel, text: string): Promise<Float32Array> {
  const probe = await line.probe(model.probe);
  const vector = alike(probe, model.probe) ? await line.question(text) : null;
  if (vector?.length !== model.dimensions) {
    throw new EmbeddingFailure(
      'lasting',
      `${line.name} is not the model any more that the vectors were made with`,
    );
  }
  if (!hasDirection(vector)) {
    throw new EmbeddingFailure('input', `${line.name} makes nothing of the question`);
  }
  return vector;
}
