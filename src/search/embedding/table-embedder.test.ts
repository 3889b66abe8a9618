/** A table of word vectors that a deployer drops in, in model2vec's format. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { float32, safetensors, writeTable } from '../../../test/stand-ins/embeddings/table.ts';
import type { TableModel } from './model-spec.ts';
import { openEmbedder } from './open-embedder.ts';
import { readTensors } from './safetensors.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-table-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const WORDS = new Map([
  ['tea', [1, 0, 0]],
  ['coffee', [0.8, 0.6, 0]],
  ['stone', [0, 0, 2]],
  ['##s', [0, 2, 0]],
]);

const { signal } = new AbortController();

async function vectors(texts: readonly string[]): Promise<number[][]> {
  const model: TableModel = {
    kind: 'table',
    id: 'words',
    directory,
    queryPrefix: '',
    documentPrefix: '',
    batch: 16,
    concurrency: 1,
    timeoutMs: 5_000,
  };
  const embedder = await openEmbedder(model, {});
  const embedded = await embedder.embed(texts, signal);
  return embedded.vectors.map((vector) => [...vector].map((value) => Number(value.toFixed(3))));
}

it('a text is the mean of its known tokens, of unit length', async () => {
  writeTable(directory, WORDS);
  expect(await vectors(['tea', 'Stone, stone!', 'téa coffee tea', 'teas', 'quartz tea'])).toEqual([
    [1, 0, 0],
    [0, 0, 1],
    [0.978, 0.21, 0],
    [0.447, 0.894, 0],
    [1, 0, 0],
  ]);
});

it('a text of which nothing is known has no direction', async () => {
  writeTable(directory, WORDS);
  expect(await vectors(['quartz'])).toEqual([[0, 0, 0]]);
});

it('tokens may have weights, and share rows', async () => {
  const rows = BigInt64Array.from([0n, 1n, 1n, 3n, 4n]);
  writeTable(directory, WORDS, {
    weights: float32([5], [1, 3, 1, 1, 1]),
    mapping: { dtype: 'I64', shape: [5], bytes: new Uint8Array(rows.buffer) },
  });
  expect(await vectors(['tea stone', 'coffee'])).toEqual([
    [0.832, 0, 0.555],
    [1, 0, 0],
  ]);
});

it('numbers of 16 and 8 bits are read', () => {
  const bytes = new Uint8Array(new Uint16Array([0x3c00, 0xc000, 0x3555, 0x0001]).buffer);
  const file = safetensors({
    half: { dtype: 'F16', shape: [4], bytes },
    byte: { dtype: 'I8', shape: [2], bytes: new Uint8Array([255, 7]) },
  });
  const tensors = readTensors(file);
  expect([...(tensors.get('half')?.values ?? [])]).toEqual([1, -2, 0.333251953125, 2 ** -24]);
  expect([...(tensors.get('byte')?.values ?? [])]).toEqual([-1, 7]);
});

it.each([
  ['no file of tensors', 'not tensors', 'it is no safetensors file'],
  ['a table that is cut off', null, 'cut off'],
])('%s is refused with what the directory should hold', async (_, text, reason) => {
  writeTable(directory, WORDS);
  const file = safetensors({
    embeddings: float32(
      [5, 3],
      Array.from({ length: 15 }, () => 1),
    ),
  });
  writeFileSync(join(directory, 'model.safetensors'), text ?? file.subarray(0, file.length - 4));
  await expect(vectors(['tea'])).rejects.toThrow(
    new RegExp(`${reason}.*should hold config\\.json, tokenizer\\.json and model\\.safetensors`),
  );
});
