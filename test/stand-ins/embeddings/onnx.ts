/**
 * Writes a small model as `@huggingface/transformers` reads it: each word of a
 * vocabulary has a vector of its own, which a graph of one node looks up. The
 * format is ONNX's protobuf, put together by field.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FLOAT = 1;
const INT64 = 7;
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];

/** @param words vectors of one length, by the word in lower case */
export function writeOnnxModel(
  directory: string,
  words: ReadonlyMap<string, readonly number[]>,
): void {
  const dimensions = [...words.values()][0]?.length ?? 0;
  const names = [...SPECIAL, ...words.keys()];
  const rows = names.map((name) => words.get(name) ?? new Array<number>(dimensions).fill(0));
  mkdirSync(join(directory, 'onnx'), { recursive: true });
  const write = (name: string, content: object): void =>
    writeFileSync(join(directory, name), JSON.stringify(content));
  write('config.json', {
    model_type: 'bert',
    architectures: ['BertModel'],
    hidden_size: dimensions,
    vocab_size: names.length,
  });
  write('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    do_lower_case: true,
    model_max_length: 512,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
  });
  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({ id, content, special: true })),
    normalizer: { type: 'BertNormalizer', lowercase: true, clean_text: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##' },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(names.map((name, id) => [name, id])),
    },
  });
  writeFileSync(
    join(directory, 'onnx', 'model.onnx'),
    model(rows.flat(), names.length, dimensions),
  );
}

/** ModelProto: `last_hidden_state = Gather(vectors, input_ids)`. */
function model(values: readonly number[], count: number, dimensions: number): Buffer {
  const node = [
    text(1, 'vectors'),
    text(1, 'input_ids'),
    text(2, 'last_hidden_state'),
    text(4, 'Gather'),
  ];
  const raw = Buffer.from(Float32Array.from(values).buffer);
  const tensor = [
    number(1, count),
    number(1, dimensions),
    number(2, FLOAT),
    text(8, 'vectors'),
    bytes(9, raw),
  ];
  const graph = [
    message(1, node),
    text(2, 'words'),
    message(5, tensor),
    message(11, value('input_ids', INT64, ['batch', 'sequence'])),
    message(12, value('last_hidden_state', FLOAT, ['batch', 'sequence', dimensions])),
  ];
  return Buffer.concat([number(1, 8), message(7, graph), message(8, [text(1, ''), number(2, 13)])]);
}

/** ValueInfoProto of a tensor. */
function value(name: string, type: number, shape: readonly (string | number)[]): Buffer[] {
  const dimensions = shape.map((each) =>
    message(1, [typeof each === 'string' ? text(2, each) : number(1, each)]),
  );
  return [text(1, name), message(2, [message(1, [number(1, type), message(2, dimensions)])])];
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.push((rest % 128) | 128);
  return Buffer.from([...out, rest]);
}

const number = (field: number, given: number): Buffer =>
  Buffer.concat([varint(field * 8), varint(given)]);
const bytes = (field: number, content: Buffer): Buffer =>
  Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
const text = (field: number, content: string): Buffer => bytes(field, Buffer.from(content));
const message = (field: number, parts: readonly Buffer[]): Buffer =>
  bytes(field, Buffer.concat(parts));
