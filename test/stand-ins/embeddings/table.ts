/** A directory in model2vec's format, with a vocabulary of a few words. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tensor to be written, in one of the kinds of numbers that such files have. */
export interface WrittenTensor {
  dtype: 'F32' | 'F16' | 'I8' | 'I64';
  shape: number[];
  bytes: Uint8Array;
}

/** Numbers of 32 bits as a tensor. */
export function float32(shape: number[], values: readonly number[]): WrittenTensor {
  return { dtype: 'F32', shape, bytes: new Uint8Array(new Float32Array(values).buffer) };
}

/** The bytes of a safetensors file. */
export function safetensors(tensors: Readonly<Record<string, WrittenTensor>>): Buffer {
  let at = 0;
  const about = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const from = at;
    at += bytes.length;
    return [name, { dtype, shape, data_offsets: [from, at] }];
  });
  const header = Buffer.from(
    JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(about) }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

/** Writes the vectors of words; what no word begins with is unknown. */
export function writeTable(
  directory: string,
  words: ReadonlyMap<string, readonly number[]>,
  more: Readonly<Record<string, WrittenTensor>> = {},
): void {
  const dimensions = [...words.values()][0]?.length ?? 0;
  const names = ['[UNK]', ...words.keys()];
  const rows = [Array.from({ length: dimensions }, () => 9), ...words.values()];
  const tokenizer = {
    version: '1.0',
    added_tokens: [{ id: 0, content: '[UNK]', special: true }],
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(names.map((name, id) => [name, id])),
    },
  };
  writeFileSync(join(directory, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ normalize: true }));
  const embeddings = float32([names.length, dimensions], rows.flat());
  writeFileSync(join(directory, 'model.safetensors'), safetensors({ embeddings, ...more }));
}
