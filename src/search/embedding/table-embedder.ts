/**
 * A table of word vectors in the format of model2vec (potion and its kin): a text's
 * vector is the mean of those of its tokens. Nothing is computed beyond that, so that
 * it needs no other package and tens of thousands of texts take seconds.
 *
 * @see https://github.com/MinishLab/model2vec
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { checkVectors, type Embedder, EmbeddingFailure } from './embedder.ts';
import type { TableModel } from './model-spec.ts';
import { readTensors, type Tensor } from './safetensors.ts';

/** Tokens of a text beyond which the rest is not read, as model2vec has it. */
const MOST_TOKENS = 512;

const config = z.looseObject({ normalize: z.boolean().optional() });
const tokenizerFile = z.looseObject({
  model: z.looseObject({ unk_token: z.string().nullish(), vocab: z.unknown() }),
});

interface Table {
  tokenizer: Tokenizer;
  /** The token that stands for what is not known, which says nothing. */
  unknown: number | undefined;
  embeddings: Tensor;
  weights: Tensor | undefined;
  /** Rows of tokens, where several tokens share one. */
  mapping: Tensor | undefined;
  normalizes: boolean;
}

/** @throws EmbeddingFailure where the directory holds no such table */
export function createTableEmbedder(spec: TableModel): Embedder {
  const table = load(spec);
  return {
    async embed(texts) {
      const vectors = texts.map((text) => vectorOf(table, text));
      checkVectors(spec.id, texts, vectors);
      return { vectors, tokens: 0 };
    },
  };
}

function load({ directory }: TableModel): Table {
  try {
    const json = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), 'utf8'));
    const file = tokenizerFile.parse(json('tokenizer.json'));
    const tokenizer = new Tokenizer(file, {});
    const tensors = readTensors(readFileSync(join(directory, 'model.safetensors')));
    const embeddings = tensors.get('embeddings') ?? tensors.get('embedding.weight');
    if (embeddings === undefined || embeddings.shape.length !== 2) {
      throw new Error('model.safetensors has no table "embeddings"');
    }
    const unknown = file.model.unk_token;
    return {
      tokenizer,
      unknown: unknown == null ? undefined : tokenizer.token_to_id(unknown),
      embeddings,
      weights: tensors.get('weights'),
      mapping: tensors.get('mapping'),
      normalizes: config.parse(json('config.json')).normalize ?? true,
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddingFailure(
      'lasting',
      `the table in ${directory} cannot be used: ${reason}; it should hold config.json, tokenizer.json and model.safetensors, as model2vec writes them`,
      { cause },
    );
  }
}

function vectorOf(table: Table, text: string): Float32Array {
  const { tokenizer, unknown, embeddings, weights, mapping, normalizes } = table;
  const [rows = 0, dimensions = 0] = embeddings.shape;
  const vector = new Float32Array(dimensions);
  const ids: number[] = tokenizer.encode(text, { add_special_tokens: false }).ids;
  let count = 0;
  for (const id of ids.filter((each) => each !== unknown).slice(0, MOST_TOKENS)) {
    const row = mapping?.values[id] ?? id;
    if (row >= rows) continue;
    const weight = weights?.values[id] ?? 1;
    const start = row * dimensions;
    for (let i = 0; i < dimensions; i++) {
      vector[i] = (vector[i] ?? 0) + weight * (embeddings.values[start + i] ?? 0);
    }
    count += 1;
  }
  const length = normalizes ? Math.hypot(...vector) : count;
  return length === 0 ? vector : vector.map((value) => value / length);
}
