/** What turns texts into vectors, and how it fails. */
import type { Conceal } from '../../conceal.ts';

/** Vectors of texts, in the order of the texts. */
export interface Embedded {
  vectors: Float32Array[];
  /** What the service counted; 0 where it counts nothing. */
  tokens: number;
}

export interface Embedder {
  /** @throws EmbeddingFailure */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

/**
 * - `limited`: too many requests; nothing is sent before `retryAfterMs` is over.
 * - `passing`: may be better the next time: a time-out, status 500.
 * - `absent`: so may this; nothing answers there.
 * - `input`: the model does not take one of the texts.
 * - `lasting`: somebody has to do something: a wrong key, no such model.
 */
export type FailureKind = 'limited' | 'passing' | 'absent' | 'input' | 'lasting';

/** A request to a sentence model that failed; the message is a sentence for a person, without any key. */
export class EmbeddingFailure extends Error {
  override readonly name = 'EmbeddingFailure';
  readonly kind: FailureKind;
  /** So long the service wants to be left alone; null where it did not say. */
  readonly retryAfterMs: number | null;

  constructor(
    kind: FailureKind,
    message: string,
    more: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.retryAfterMs = more.retryAfterMs ?? null;
  }

  /** The same without the credentials that a server has repeated in its words. */
  concealed(conceal: Conceal): EmbeddingFailure {
    const { kind, message, retryAfterMs } = this;
    const clean = conceal(message);
    return clean === message ? this : new EmbeddingFailure(kind, clean, { retryAfterMs });
  }
}

/**
 * What a model gave, checked: a vector for each text, all of one length.
 * @throws EmbeddingFailure
 */
export function checkVectors(
  name: string,
  texts: readonly string[],
  vectors: readonly Float32Array[],
): void {
  const wrong = (what: string): never => {
    throw new EmbeddingFailure('passing', `${name} answered ${what}`);
  };
  if (vectors.length !== texts.length) {
    wrong(`${vectors.length} vectors to ${texts.length} texts`);
  }
  const length = vectors[0]?.length ?? 0;
  if (length === 0 || vectors.some((vector) => vector.length !== length)) {
    wrong('vectors of different lengths');
  }
}

/** False for a vector of zeros, or of what is no number: the model makes nothing of the text. */
export function hasDirection(vector: Float32Array): boolean {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return squares > 0 && Number.isFinite(squares);
}
