/** A sentence model: how it is known, asked and told of, and what its failures mean. */
import { APICallError, LoadAPIKeyError, NoSuchModelError } from 'ai';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SentenceState } from '../contract.ts';
import { BACKDROP, joined, nearnessOf } from './backdrop.ts';
import { ByteVectors, toBytes } from './byte-vectors.ts';
import { checkVectors, EmbeddingFailure, hasDirection } from './embedder.ts';
import { alike, ModelLine } from './model-line.ts';
import {
  identityOf,
  nameOf,
  type OnnxModel,
  type ProviderModel,
  type SentenceModel,
  type ServerModel,
  type TableModel,
  variablesOf,
} from './model-spec.ts';
import { prefixesOf } from './prefixes.ts';
import { QuestionVectors } from './question-vectors.ts';
import { readTensors } from './safetensors.ts';
import { failureOf } from './sdk-failure.ts';
import { notesOf } from './sentence-state.ts';
import type { StoredModel } from './vector-store.ts';

const ANY = {
  id: 'm',
  queryPrefix: 'q: ',
  documentPrefix: 'd: ',
  batch: 2,
  concurrency: 1,
  timeoutMs: 1_500,
};
const SERVER: ServerModel = {
  ...ANY,
  kind: 'server',
  baseUrl: 'http://h/v1',
  keyEnv: null,
  dimensions: null,
};
const PROVIDER: ProviderModel = {
  ...ANY,
  kind: 'provider',
  module: 'x',
  provider: 'p',
  env: ['KEY', 'URL'],
  dimensions: 8,
};
const ONNX: OnnxModel = {
  ...ANY,
  kind: 'onnx',
  directory: '/d',
  base: '/b',
  pooling: 'mean',
  dtype: 'q8',
};
const TABLE: TableModel = { ...ANY, kind: 'table', directory: '/d' };

const floats = (...values: number[]): Float32Array => Float32Array.from(values);

describe('a model', () => {
  test('is known by what decides its vectors', () => {
    const same: [SentenceModel, SentenceModel][] = [
      [SERVER, { ...SERVER, baseUrl: 'http://other', keyEnv: 'K', queryPrefix: '', batch: 9 }],
      [PROVIDER, { ...SERVER, dimensions: 8 }],
      [ONNX, { ...ONNX, directory: '/e' }],
      [TABLE, { ...TABLE, directory: '/e', timeoutMs: 1 }],
    ];
    for (const [one, other] of same) expect(identityOf(one)).toBe(identityOf(other));
    const all: SentenceModel[] = [
      SERVER,
      { ...SERVER, dimensions: 8 },
      { ...SERVER, id: 'n' },
      { ...SERVER, documentPrefix: '' },
      ONNX,
      { ...ONNX, dtype: 'fp32' },
      { ...ONNX, pooling: 'cls' },
      TABLE,
    ];
    expect(new Set(all.map(identityOf)).size).toBe(all.length);
  });

  test('has a name, and variables that it needs', () => {
    expect([SERVER, PROVIDER, ONNX, TABLE].map(nameOf)).toEqual(['m', 'p/m', 'm', 'm']);
    expect([SERVER, { ...SERVER, keyEnv: 'K' }, PROVIDER, ONNX, TABLE].map(variablesOf)).toEqual([
      [],
      ['K'],
      ['KEY', 'URL'],
      [],
      [],
    ]);
  });

  test.each([
    ['nomic-embed-text:v1.5', 'search_query: ', 'search_document: '],
    ['intfloat/multilingual-e5-small', 'query: ', 'passage: '],
    ['snowflake-arctic-embed2', 'query: ', ''],
    ['Snowflake/snowflake-arctic-embed-l-v2.0', 'query: ', ''],
    ['mxbai-embed-large', 'Represent this sentence for searching relevant passages: ', ''],
    ['snowflake-arctic-embed:33m', 'Represent this sentence for searching relevant passages: ', ''],
    ['BAAI/bge-base-en-v1.5', 'Represent this sentence for searching relevant passages: ', ''],
    ['bge-m3', '', ''],
    ['text-embedding-3-small', '', ''],
  ])('called %s was trained with %j and %j', (id, query, document) => {
    expect(prefixesOf(id)).toEqual({ query, document });
  });
});

describe('vectors', () => {
  test('are one for each text, all of one length', () => {
    const check =
      (texts: number, ...vectors: Float32Array[]) =>
      () =>
        checkVectors('m', Array<string>(texts).fill('t'), vectors);
    expect(check(2, floats(1), floats(2))).not.toThrow();
    expect(check(2, floats(1))).toThrow('m answered 1 vectors to 2 texts');
    for (const vectors of [
      [floats(1), floats(1, 2)],
      [floats(), floats()],
    ])
      expect(check(2, ...vectors)).toThrow('m answered vectors of different lengths');
    expect(check(0)).toThrow('different lengths');
  });

  test('have a direction unless they are nothing', () => {
    expect(
      [floats(0, 1), floats(0, 0), floats(), floats(Number.NaN, 1), floats(Infinity)].map(
        hasDirection,
      ),
    ).toEqual([true, false, false, false, false]);
  });

  test('are alike where they are nearly the same', () => {
    const at = (cosine: number): Float32Array => floats(3 * cosine, 3 * Math.sqrt(1 - cosine ** 2));
    expect([
      alike(floats(1, 0), at(0.981)),
      alike(floats(1, 0), at(0.979)),
      alike(floats(1), floats(1, 0)),
    ]).toEqual([true, false, false]);
    expect(alike(floats(1, 0, 0), floats(1, 0))).toBe(false);
    expect(alike(floats(0, 0), floats(1, 0))).toBe(false);
  });

  test('one after the other are of one length', () => {
    expect([...joined([floats(1, 2), floats(3, 4)], 2)]).toEqual([1, 2, 3, 4]);
    expect(() => joined([floats(1, 2), floats(3)], 2)).toThrow(
      'the model answered vectors of 2 and of 1 numbers',
    );
  });

  test('of questions about everything tell when a chunk is near', () => {
    const vectors = new ByteVectors(2);
    for (const [slot, vector] of [floats(1, 0), floats(0.6, 0.8)].entries())
      vectors.set(slot, toBytes(vector));
    const { mean, deviation } = nearnessOf(floats(1, 0, 0, 1, 0, 0), vectors, 2);
    expect([mean, deviation]).toEqual([expect.closeTo(0.9, 2), expect.closeTo(0.1, 2)]);
    expect(nearnessOf(floats(0, 0), vectors, 2)).toEqual({ mean: 0, deviation: 0 });
    expect(nearnessOf(floats(-1, 0), vectors, 2).mean).toBeCloseTo(-0.6, 2);
    expect(BACKDROP.length).toBeGreaterThan(30);
  });
});

describe('a line to a model', () => {
  const line = (
    answer: (texts: readonly string[]) => readonly Float32Array[],
    spec: SentenceModel = TABLE,
  ) => {
    const asked: string[][] = [];
    let signal: AbortSignal | undefined;
    const open = vi.fn(async () => ({
      embed: async (texts: readonly string[], given: AbortSignal) => {
        asked.push([...texts]);
        signal = given;
        return { vectors: [...answer(texts)], tokens: 0 };
      },
    }));
    return { line: new ModelLine(spec, { KEY: 'k' }, open), asked, open, signal: () => signal };
  };
  const ones = (texts: readonly string[]): Float32Array[] => texts.map(() => floats(1, 0));

  test('is opened once, when it is first needed', async () => {
    const { line: own, open, asked, signal } = line(ones);
    expect([own.name, open.mock.calls.length]).toEqual(['m', 0]);
    expect((await own.documents(['a', 'b', 'c'])).vectors).toHaveLength(3);
    expect([...(await own.question('why'))]).toEqual([1, 0]);
    expect(asked).toEqual([['d: a', 'd: b', 'd: c'], ['q: why']]);
    expect(open.mock.calls).toEqual([[TABLE, { KEY: 'k' }]]);
    expect(signal()?.aborted).toBe(false);
    own.close();
    expect(signal()?.aborted).toBe(true);
  });

  test('is opened again where that failed', async () => {
    const { line: own, open } = line(ones);
    open.mockRejectedValueOnce(new Error('not yet'));
    await expect(own.question('a')).rejects.toThrow('not yet');
    expect([...(await own.question('a'))]).toEqual([1, 0]);
  });

  test('takes questions in batches', async () => {
    const { line: own, asked } = line(ones);
    expect(await own.questions(['a', 'b', 'c', 'd', 'e'])).toHaveLength(5);
    expect(asked).toEqual([['q: a', 'q: b'], ['q: c', 'q: d'], ['q: e']]);
    expect(await line(() => []).line.question('a')).toEqual(new Float32Array(0));
  });

  test('asks who is there once: twice where nothing was expected, or something else', async () => {
    const { line: own, asked } = line(ones);
    expect([...(await own.probe(floats(2, 0)))]).toEqual([1, 0]);
    await own.probe(null);
    expect(asked).toHaveLength(1);
    const { line: new1, asked: twice } = line(ones);
    await new1.probe(null);
    expect(twice).toHaveLength(2);
    expect(twice[0]).toEqual(twice[1]);
  });

  test('of one wrong answer decides nothing', async () => {
    const answers = (...vectors: Float32Array[]) =>
      line(() => [vectors.shift() ?? floats(1, 0)]).line;
    expect([...(await answers(floats(0, 1), floats(1, 0)).probe(floats(1, 0)))]).toEqual([1, 0]);
    expect([...(await answers(floats(0, 1), floats(0, 1)).probe(floats(1, 0)))]).toEqual([0, 1]);
    await expect(answers(floats(0, 1), floats(1, 0)).probe(null)).rejects.toThrow(
      /two different vectors$/,
    );
    await expect(answers(floats(1), floats(1, 0)).probe(null)).rejects.toThrow(
      'two different vectors, 1 and 2 numbers',
    );
    await expect(answers(floats(0, 0)).probe(null)).rejects.toMatchObject({
      kind: 'lasting',
      message: 'm makes nothing of an English sentence',
    });
    const fails = answers(floats(0, 0));
    await expect(fails.probe(null)).rejects.toThrow('makes nothing');
    expect([...(await fails.probe(null))]).toEqual([1, 0]);
  });

  test('gives the vector of a question once, and is known by its probe', async () => {
    const model = { id: 1, probe: floats(1, 0), dimensions: 2 } as unknown as StoredModel;
    const vectors = new QuestionVectors();
    const { line: own, asked } = line(ones);
    for (const _ of [1, 2]) expect([...(await vectors.of(own, model, 'why'))]).toEqual([1, 0]);
    expect(asked).toHaveLength(2);
    await vectors.of(own, { ...model, id: 2 } as StoredModel, 'why');
    expect(asked).toHaveLength(3);
    const other = new QuestionVectors().of(
      own,
      { ...model, probe: floats(0, 1) } as StoredModel,
      'why',
    );
    await expect(other).rejects.toMatchObject({
      kind: 'lasting',
      message: expect.stringContaining('not the model any more'),
    });
    const longer = new QuestionVectors().of(own, { ...model, dimensions: 3 } as StoredModel, 'why');
    await expect(longer).rejects.toMatchObject({ kind: 'lasting' });
    const nothing = line((texts) =>
      texts.map((text) => (text.startsWith('q') ? floats(0, 0) : floats(1, 0))),
    ).line;
    await expect(new QuestionVectors().of(nothing, model, 'why')).rejects.toMatchObject({
      kind: 'input',
      message: 'm makes nothing of the question',
    });
  });

  test('does not keep a question waiting; what comes too late is there for the next time', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const model = { id: 1, probe: floats(1, 0), dimensions: 2 } as unknown as StoredModel;
    const vectors = new QuestionVectors();
    const { promise, resolve } = Promise.withResolvers<Float32Array>();
    const slow = {
      name: 'm',
      probe: async () => floats(1, 0),
      question: () => promise,
    } as unknown as ModelLine;
    const late = vectors.of(slow, model, 'why').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await late).toMatchObject({
      kind: 'passing',
      message: 'm did not answer the question within 3 s',
    });
    resolve(floats(0, 1));
    expect([...(await vectors.of(slow, model, 'why'))]).toEqual([0, 1]);
  });

  test('forgets the question that it was asked first, and what failed', async () => {
    const model = { id: 1, probe: floats(1, 0), dimensions: 2 } as unknown as StoredModel;
    const vectors = new QuestionVectors();
    const { line: own, asked } = line(ones);
    for (let at = 0; at <= 256; at++) await vectors.of(own, model, `${at}`);
    const before = asked.length;
    await vectors.of(own, model, '1');
    expect(asked.length).toBe(before);
    await vectors.of(own, model, '0');
    expect(asked.length).toBe(before + 1);
    let fails = true;
    const { line: weak } = line((texts) => {
      if (fails) throw new Error('not yet');
      return ones(texts);
    });
    await expect(vectors.of(weak, model, 'x')).rejects.toThrow('not yet');
    fails = false;
    expect([...(await vectors.of(weak, model, 'x'))]).toEqual([1, 0]);
  });
});

describe('stderr says of it', () => {
  const state: SentenceState = {
    model: 'm',
    vectors: 5,
    pending: 0,
    replaces: null,
    trouble: null,
  } as SentenceState;
  const asked = { model: 'm', lacking: 0, passages: 2_000, trouble: null };
  test.each<[string, Parameters<typeof notesOf>, string[]]>([
    ['nothing where all is well', [asked, state], []],
    ['nothing where it was not asked', [null, state], []],
    [
      'how many have no vector',
      [{ ...asked, lacking: 1_200 }, state],
      ['1,200 of 2,000 passages have no vector of m yet'],
    ],
    [
      'that one has none',
      [{ ...asked, lacking: 1 }, state],
      ['1 of 2,000 passages has no vector of m yet'],
    ],
    [
      'why it was not used',
      [{ ...asked, lacking: 1, trouble: 'no key' }, state],
      ['ranked without m: no key'],
    ],
    [
      'a trouble once',
      [
        { ...asked, trouble: 'no key' },
        { ...state, trouble: 'no key' },
      ],
      ['ranked without m: no key'],
    ],
    ['another trouble', [asked, { ...state, trouble: 'no key' }], ['no key']],
    [
      'which one is in use',
      [null, { ...state, replaces: 'old', vectors: 1_000, pending: 500, trouble: 'slow' }],
      ['old is in use until m has all passages (1,000 of 1,500)', 'slow'],
    ],
  ])('%s', (_, given, notes) => {
    expect(notesOf(...given)).toEqual(notes);
  });
});

describe('a failed request', () => {
  const call = (
    statusCode: number | undefined,
    headers: Record<string, string> = {},
    cause?: unknown,
  ): APICallError =>
    new APICallError({
      message: 'said',
      url: 'http://h/v1',
      requestBodyValues: {},
      responseHeaders: headers,
      ...(statusCode === undefined ? {} : { statusCode }),
      ...(cause === undefined ? {} : { cause }),
    });
  const told = (error: unknown, spec: ServerModel | ProviderModel = SERVER, timedOut = false) => {
    const { kind, message, retryAfterMs } = failureOf(error, spec, timedOut);
    return { kind, message, retryAfterMs };
  };

  test('that is told of already stays what it is', () => {
    const failure = new EmbeddingFailure('input', 'x');
    expect(failureOf(failure, SERVER, true)).toBe(failure);
  });

  test('took too long, has no key, no model, or another reason', () => {
    expect(told(new Error('x'), SERVER, true)).toEqual({
      kind: 'passing',
      message: 'm did not answer within 1.5 s',
      retryAfterMs: null,
    });
    expect(told(new LoadAPIKeyError({ message: 'No key.' }), PROVIDER)).toMatchObject({
      kind: 'lasting',
      message: 'p/m needs a key: No key. Name its variable in search.model.env',
    });
    expect(told(new NoSuchModelError({ modelId: 'm', modelType: 'embeddingModel' }))).toMatchObject(
      {
        kind: 'lasting',
        message: expect.stringMatching(/^m: No such/),
      },
    );
    expect([told(new Error('odd')), told('odd')]).toEqual(
      Array(2).fill({ kind: 'passing', message: 'm failed: odd', retryAfterMs: null }),
    );
  });

  test('came to nobody', () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    expect(told(call(undefined, {}, new Error('outer', { cause: refused })))).toEqual({
      kind: 'absent',
      message:
        'the server of m at http://h/v1 cannot be reached (ECONNREFUSED); is it running, and is search.model.baseUrl right?',
      retryAfterMs: null,
    });
    expect(told(call(undefined, {}, new Error('odd')), PROVIDER).message).toBe(
      'the server of p/m cannot be reached (odd)',
    );
    expect(told(call(undefined, {}, 'words')).message).toContain('(words)');
    expect(told(call(undefined)).message).toContain('(said)');
  });

  test.each<[number, string, RegExp]>([
    [200, 'passing', /^the answer of m at http:\/\/h\/v1 cannot be used: said$/],
    [399, 'passing', /cannot be used/],
    [400, 'input', /answered 400: said$/],
    [
      401,
      'lasting',
      /; name the variable of the environment that holds its key in search\.model\.keyEnv$/,
    ],
    [403, 'lasting', /keyEnv$/],
    [404, 'lasting', /check the name of the model/],
    [405, 'lasting', /check the name of the model/],
    [408, 'passing', /answered 408: said$/],
    [409, 'passing', /answered 409: said$/],
    [413, 'input', /said$/],
    [429, 'limited', /answered 429: said$/],
    [499, 'input', /said$/],
    [500, 'passing', /answered 500: said$/],
    [503, 'passing', /answered 503: said$/],
  ])('of status %d is %s', (status, kind, message) => {
    expect(told(call(status))).toEqual({
      kind,
      message: expect.stringMatching(message),
      retryAfterMs: null,
    });
  });

  test('for want of a right key says where that is', () => {
    expect(told(call(401), { ...SERVER, keyEnv: 'K' }).message).toMatch(/; check the key in K$/);
    expect(told(call(401), PROVIDER).message).toMatch(/; check the key in KEY, URL$/);
    expect(told(call(401), { ...PROVIDER, env: [] }).message).toMatch(
      /; check the key in the environment$/,
    );
  });

  test.each<[Record<string, string>, number | null]>([
    [{ 'retry-after-ms': '20', 'retry-after': '9' }, 20],
    [{ 'retry-after-ms': '0' }, 0],
    [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Mon, 03 Jun 2024 10:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('says when to come again: %j is %s ms', (headers, ms) => {
    expect(told(call(429, headers)).retryAfterMs).toBe(ms);
    expect(told(call(503, headers)).kind).toBe(ms === null ? 'passing' : 'limited');
  });

  test('and that at a time', () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString();
    const { retryAfterMs } = told(call(429, { 'retry-after': at }));
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  test('is told of without the credentials in it', () => {
    const failure = new EmbeddingFailure('limited', 'key s3cret', {
      retryAfterMs: 7,
      cause: new Error('s3cret'),
    });
    const clean = failure.concealed((text) => text.replaceAll('s3cret', '***'));
    expect([clean.kind, clean.message, clean.retryAfterMs, clean.cause]).toEqual([
      'limited',
      'key ***',
      7,
      undefined,
    ]);
    expect(failure.concealed((text) => text)).toBe(failure);
  });
});

describe('tensors', () => {
  function file(header: object, data: Uint8Array): Buffer {
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, text, data]);
  }
  const tensor = (dtype: string, bytes: ArrayLike<number>, shape: number[]): number[] => {
    const data = Uint8Array.from(bytes);
    const about = { dtype, shape, data_offsets: [0, data.length] };
    return [
      ...(readTensors(file({ __metadata__: { format: 'pt' }, t: about }, data)).get('t')?.values ??
        []),
    ];
  };
  const bytesOf = (numbers: ArrayBufferView): Uint8Array => new Uint8Array(numbers.buffer);

  test.each<[string, Uint8Array, number[]]>([
    ['F64', bytesOf(Float64Array.of(1.5, -2)), [1.5, -2]],
    ['F32', bytesOf(Float32Array.of(1.5, -2)), [1.5, -2]],
    // 1, -2, the largest, the least of both kinds, 0, and what is none (IEEE 754).
    [
      'F16',
      bytesOf(Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x8000)),
      [1, -2, 65_504, 2 ** -14, 2 ** -24, -0],
    ],
    [
      'F16',
      bytesOf(Uint16Array.of(0x7c00, 0xfc00, 0x7e00, 0x3555)),
      [Infinity, -Infinity, Number.NaN, 0.333251953125],
    ],
    ['BF16', bytesOf(Uint16Array.of(0x3f80, 0xc000, 0x4049)), [1, -2, 3.140625]],
    ['I8', Uint8Array.of(1, 0xff), [1, -1]],
    ['I32', bytesOf(Int32Array.of(70_000, -1)), [70_000, -1]],
    ['I64', bytesOf(BigInt64Array.of(7n, -1n)), [7, -1]],
  ])('of %s are numbers', (dtype, bytes, values) => {
    expect(tensor(dtype, bytes, [values.length])).toEqual(values);
  });

  test('have their shapes, wherever they lie in the file', () => {
    const data = bytesOf(Float32Array.of(1, 2, 3, 4, 5, 6, 7));
    const header = {
      a: { dtype: 'F32', shape: [2, 3], data_offsets: [4, 28] },
      b: { dtype: 'F32', shape: [], data_offsets: [0, 4] },
    };
    const whole = file(header, data);
    // It may be part of a larger buffer.
    for (const bytes of [whole, Buffer.concat([Buffer.alloc(3), whole]).subarray(3)]) {
      const tensors = readTensors(bytes);
      expect(tensors.get('a')).toEqual({ shape: [2, 3], values: floats(2, 3, 4, 5, 6, 7) });
      expect(tensors.get('b')).toEqual({ shape: [], values: floats(1) });
    }
  });

  test.each<[string, Buffer, string | RegExp]>([
    ['nothing', Buffer.alloc(0), 'it is no safetensors file'],
    ['seven bytes', Buffer.alloc(7), 'it is no safetensors file'],
    [
      'a header that is longer than the file',
      file({}, new Uint8Array(0)).subarray(0, 9),
      'it is no safetensors file',
    ],
    [
      'another kind',
      file({ t: { dtype: 'F8', shape: [1], data_offsets: [0, 1] } }, new Uint8Array(1)),
      'its t has numbers of the kind F8',
    ],
    [
      'a tensor that is cut',
      file({ t: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } }, new Uint8Array(7)),
      'its t is cut off',
    ],
    [
      'a tensor of another length',
      file({ t: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, new Uint8Array(8)),
      'its t is cut off',
    ],
    [
      'a tensor without a kind',
      file({ t: { shape: [1], data_offsets: [0, 4] } }, new Uint8Array(4)),
      /dtype/,
    ],
  ])('are not in %s', (_, bytes, message) => {
    expect(() => readTensors(bytes)).toThrow(message);
  });

  test('may be none', () => expect(readTensors(file({}, new Uint8Array(0))).size).toBe(0));
});
