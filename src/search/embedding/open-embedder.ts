/** Opens a model by its kind; what a kind needs is loaded when it is asked for. */
import type { OpenEmbedder } from './model-line.ts';

export const openEmbedder: OpenEmbedder = async (spec, env) => {
  if (spec.kind === 'onnx') return (await import('./onnx-embedder.ts')).createOnnxEmbedder(spec);
  if (spec.kind === 'table') {
    return (await import('./table-embedder.ts')).createTableEmbedder(spec);
  }
  return (await import('./sdk-embedder.ts')).createSdkEmbedder(spec, env);
};
