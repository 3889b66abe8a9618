/** A sentence model as it crosses threads and is kept beside its vectors: plain data, and no key. */

interface AnyModel {
  /** The model's own name: `nomic-embed-text`. */
  id: string;
  /** Put in front of a question, and of a text: some models are trained with them. */
  queryPrefix: string;
  documentPrefix: string;
  /** Texts in one request. */
  batch: number;
  /** Requests at a time. */
  concurrency: number;
  /** A request ends after so many ms. */
  timeoutMs: number;
}

/** A server that speaks OpenAI's protocol. */
export interface ServerModel extends AnyModel {
  kind: 'server';
  baseUrl: string;
  /** The variable of the host's environment that holds the key; null where none is sent. */
  keyEnv: string | null;
  /** How long its vectors are to be; null for as long as it makes them. */
  dimensions: number | null;
}

/** A model of an AI SDK provider. */
export interface ProviderModel extends AnyModel {
  kind: 'provider';
  /** The file that exports it, as its default or by its name. */
  module: string;
  provider: string;
  /** The variables of the host's environment that it may read. */
  env: string[];
  dimensions: number | null;
}

/** A model in a directory of this machine, run by onnxruntime. */
export interface OnnxModel extends AnyModel {
  kind: 'onnx';
  directory: string;
  /** Where `@huggingface/transformers` is looked for, beside the package itself. */
  base: string;
  /** How the vectors of a text's tokens become one. */
  pooling: 'mean' | 'cls' | 'last_token';
  /** Which of the directory's weights: `fp32` is `onnx/model.onnx`, `q8` `onnx/model_quantized.onnx` … */
  dtype: string;
}

/** A table of word vectors in a directory of this machine, in the format of model2vec. */
export interface TableModel extends AnyModel {
  kind: 'table';
  directory: string;
}

export type SentenceModel = ServerModel | ProviderModel | OnnxModel | TableModel;

/** What the search's thread is told of its sentence model. */
export interface SentenceSettings {
  model: SentenceModel;
  /** The model's share of a score, 0 to 1. */
  weight: number;
  /** Variables of the host's environment that the model, or the one before it, needs. */
  env: Readonly<Record<string, string>>;
}

/**
 * What decides the vector of a text, as far as it can be told from here: where
 * the server stands does not, and the probe finds out what is not told.
 */
export function identityOf(model: SentenceModel): string {
  const { kind, id, documentPrefix } = model;
  const form = kind === 'onnx' || kind === 'table' ? kind : 'sdk';
  return JSON.stringify([INPUT_FORM, form, id, documentPrefix, ...settingsOf(model)]);
}

/** What else of a kind's settings decides a vector. */
function settingsOf(model: SentenceModel): (string | number | null)[] {
  if (model.kind === 'table') return [];
  return model.kind === 'onnx' ? [model.pooling, model.dtype] : [model.dimensions];
}

/** Changes whenever the same chunk would be put to a model in another form. */
const INPUT_FORM = 1;

/** How messages call a model: its name, and where it runs. */
export function nameOf(model: SentenceModel): string {
  return model.kind === 'provider' ? `${model.provider}/${model.id}` : model.id;
}

/** The variables of the host's environment that a model needs. */
export function variablesOf(model: SentenceModel): string[] {
  if (model.kind === 'provider') return model.env;
  return model.kind === 'server' && model.keyEnv !== null ? [model.keyEnv] : [];
}
