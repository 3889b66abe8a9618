/** A model in a directory: the real package where it is installed, and what is said where it is not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeOnnxModel } from '../../../test/stand-ins/embeddings/onnx.ts';
import type { Embedder } from './embedder.ts';
import type { OnnxModel } from './model-spec.ts';
import { openEmbedder } from './open-embedder.ts';

/** A directory in which `@huggingface/transformers` was installed for this test: it is half a gigabyte. */
const BASE = process.env['DIRIGENT_TEST_TRANSFORMERS'] ?? import.meta.dirname;
const installed = ((): boolean => {
  try {
    createRequire(pathToFileURL(join(BASE, 'x.js'))).resolve('@huggingface/transformers');
    return true;
  } catch {
    return false;
  }
})();

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-onnx-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function open(base: string, more: Partial<OnnxModel> = {}): Promise<Embedder> {
  const model: OnnxModel = {
    kind: 'onnx',
    id: 'words',
    directory,
    base,
    pooling: 'mean',
    dtype: 'fp32',
    queryPrefix: '',
    documentPrefix: '',
    batch: 16,
    concurrency: 1,
    timeoutMs: 5_000,
    ...more,
  };
  return openEmbedder(model, {});
}

const { signal } = new AbortController();

it.skipIf(installed && BASE === import.meta.dirname)(
  'without the package it is said what to install, and where',
  async () => {
    await expect(open(directory)).rejects.toThrow(
      `needs @huggingface/transformers, which is not installed: run "npm install @huggingface/transformers" in ${directory}`,
    );
  },
);

it.skipIf(!installed)(
  'is run on this machine: vectors of texts, pooled and of unit length',
  async () => {
    writeOnnxModel(
      directory,
      new Map([
        ['tea', [1, 0, 0]],
        ['coffee', [0.8, 0.6, 0]],
        ['stone', [0, 0, 2]],
      ]),
    );
    const embedder = await open(BASE);
    const { vectors } = await embedder.embed(['tea', 'Stone stone', 'tea coffee tea'], signal);
    expect(vectors.map((vector) => [...vector].map((value) => Number(value.toFixed(3))))).toEqual([
      [1, 0, 0],
      [0, 0, 1],
      [0.978, 0.21, 0],
    ]);
  },
);

it.skipIf(!installed)(
  'a directory without weights is refused with what it should hold',
  async () => {
    await expect(open(BASE)).rejects.toThrow(/cannot be used: .*; it should hold config\.json/);
  },
);
