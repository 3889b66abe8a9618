/**
 * Sentence models in a directory of this machine, run by `@huggingface/transformers`.
 * That package brings onnxruntime, some hundreds of megabytes: it is the
 * deployment's to install, and is loaded only where such a model is named.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkVectors, type Embedded, type Embedder, EmbeddingFailure } from './embedder.ts';
import type { OnnxModel } from './model-spec.ts';

const PACKAGE = '@huggingface/transformers';

/** What is used of the package. */
interface Transformers {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { local_files_only: true; dtype: string; device: 'cpu' },
  ): Promise<Extractor>;
}

type Extractor = (
  texts: string[],
  options: { pooling: OnnxModel['pooling']; normalize: true },
) => Promise<{ data: Float32Array; dims: number[] }>;

/** @throws EmbeddingFailure when the package is missing, or the directory holds no such model */
export async function createOnnxEmbedder(spec: OnnxModel): Promise<Embedder> {
  const transformers = await loadPackage(spec.base);
  // Nothing is ever fetched: the directory has the model, or it is an error.
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  transformers.env.localModelPath = '';
  const extract = await transformers
    .pipeline('feature-extraction', spec.directory, {
      local_files_only: true,
      dtype: spec.dtype,
      device: 'cpu',
    })
    .catch((cause: unknown) => {
      throw new EmbeddingFailure(
        'lasting',
        `the model in ${spec.directory} cannot be used: ${reasonOf(cause)}; it should hold config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx`,
        { cause },
      );
    });
  return { embed: (texts) => embed(extract, spec, texts) };
}

async function embed(
  extract: Extractor,
  spec: OnnxModel,
  texts: readonly string[],
): Promise<Embedded> {
  try {
    const { pooling } = spec;
    const { data, dims } = await extract([...texts], { pooling, normalize: true });
    const length = dims.at(-1) ?? 0;
    const vectors = texts.map((_, index) => data.slice(index * length, (index + 1) * length));
    checkVectors(spec.id, texts, vectors);
    return { vectors, tokens: 0 };
  } catch (error) {
    if (error instanceof EmbeddingFailure) throw error;
    throw new EmbeddingFailure('input', `${spec.id} failed: ${reasonOf(error)}`, { cause: error });
  }
}

/** The package as the deployment has it, or as it is installed beside this one. */
async function loadPackage(base: string): Promise<Transformers> {
  for (const place of [pathToFileURL(join(base, 'x.js')).href, import.meta.url]) {
    let file: string;
    try {
      file = createRequire(place).resolve(PACKAGE);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') continue;
      throw error;
    }
    return (await import(pathToFileURL(file).href)) as Transformers;
  }
  throw new EmbeddingFailure(
    'lasting',
    `a model in a directory needs ${PACKAGE}, which is not installed: run "npm install ${PACKAGE}" in ${base}`,
  );
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
