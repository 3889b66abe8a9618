/** A model's answer as it comes in, and what goes wrong with one, in words. */
import { APICallError, LoadAPIKeyError, RetryError, type TextStreamPart, type ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { Answer } from './answer.ts';
import { concealedModel } from './concealed-model.ts';
import { HookFault } from './conversation-hooks.ts';
import { earlyCalls } from './early-calls.ts';
import { describeModelError } from './model-error.ts';

type Part = TextStreamPart<ToolSet>;
const answered = (...parts: object[]) => {
  const answer = new Answer();
  const calls = parts.map((part) => answer.take(part as Part));
  return { answer, calls };
};

describe('an answer', () => {
  test('is texts and reasonings, each put together from its deltas, in the order in which they began', () => {
    const { answer } = answered(
      { type: 'reasoning-start', id: '0' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', text: 'one' },
      { type: 'reasoning-delta', id: '0', text: 'hm' },
      { type: 'text-delta', id: '0', text: ' two' },
      { type: 'reasoning-end', id: '0', providerMetadata: { p: { signature: 's' } } },
      { type: 'text-end', id: '0' },
      { type: 'text-delta', id: '0', text: 'three' },
    );
    expect(answer.parts).toEqual([
      { type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } },
      { type: 'text', text: 'one two' },
      { type: 'text', text: 'three' },
    ]);
    expect(answer.text()).toBe('one twothree');
    expect([answer.finishReason, answer.usage, answer.error]).toEqual([
      'interrupted',
      {},
      undefined,
    ]);
  });

  test('keeps no text that stayed empty, unless a provider said something of it', () => {
    const { answer } = answered(
      { type: 'text-start', id: '0' },
      { type: 'text-end', id: '0' },
      { type: 'text-end', id: '1', providerMetadata: { p: {} } },
      { type: 'reasoning-start', id: '2' },
    );
    expect(answer.content()).toEqual([
      { type: 'text', text: '', providerOptions: { p: {} } },
      { type: 'reasoning', text: '' },
    ]);
  });

  test('gives a call back at once; arguments that are none are kept apart from the history', () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'bash' };
    const { answer, calls } = answered(
      { ...call, input: { a: 1 }, providerMetadata: { p: { x: 1 } } },
      { ...call, input: '{"a":', invalid: true },
      { ...call, input: { b: 1 }, invalid: true },
      { type: 'text-start', id: '0' },
    );
    expect(calls).toEqual([
      { id: 'c', name: 'bash', input: { a: 1 } },
      { id: 'c', name: 'bash', input: '{"a":', malformed: '{"a":' },
      { id: 'c', name: 'bash', input: { b: 1 } },
      null,
    ]);
    expect(answer.parts.slice(0, 3)).toEqual([
      { ...call, input: { a: 1 }, providerOptions: { p: { x: 1 } } },
      { ...call, input: {} },
      { ...call, input: { b: 1 } },
    ]);
  });

  test('says how it ended, what it cost, and the first thing that went wrong', () => {
    const usage = {
      ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      ...{ inputTokenDetails: { cacheReadTokens: 4 }, outputTokenDetails: { reasoningTokens: 5 } },
    };
    const { answer } = answered(
      { type: 'finish-step', usage, finishReason: 'stop' },
      { type: 'error', error: 'first' },
      { type: 'error', error: 'second' },
    );
    expect([answer.usage, answer.finishReason, answer.error]).toEqual([
      { inputTokens: 1, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 5 },
      ...['stop', 'first'],
    ]);
    expect(answered({ type: 'finish-step', usage: {}, finishReason: 'stop' }).answer.usage).toEqual(
      {},
    );
  });
});

async function streamed(...parts: object[]): Promise<unknown[]> {
  const wrap = earlyCalls.wrapStream ?? expect.fail();
  const doStream = async () => ({ stream: ReadableStream.from(parts), more: 1 });
  const given = await wrap({ doStream } as never);
  expect(given).toMatchObject({ more: 1 });
  const seen: unknown[] = [];
  for await (const part of given.stream as unknown as AsyncIterable<unknown>) seen.push(part);
  return seen;
}

describe('a call', () => {
  const start = (id: string, more = {}) => ({
    type: 'tool-input-start',
    id,
    toolName: `t${id}`,
    ...more,
  });
  const delta = (id: string, text: string) => ({ type: 'tool-input-delta', id, delta: text });
  const call = (id: string, input: string) => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: `t${id}`,
    input,
  });

  test('is given on once the next one begins, and not once more at the end', async () => {
    const parts = [start('1'), delta('1', '{"a"'), delta('1', ':1}'), start('2'), delta('2', '{}')];
    expect(await streamed(...parts, call('1', '{"a":1}'), call('2', '{}'))).toEqual([
      ...[...parts.slice(0, 3), call('1', '{"a":1}'), ...parts.slice(3), call('2', '{}')],
    ]);
  });

  test.each(['{"a":', '', '7'])(
    'whose arguments are %j when the next begins is given at the end',
    async (text) => {
      const parts = [start('1'), delta('1', text), start('2'), call('1', '{"a":1}')];
      expect(await streamed(...parts)).toEqual(parts);
    },
  );

  test('that went on after it was given is an error', async () => {
    const seen = await streamed(start('1'), delta('1', '{}'), start('2'), call('1', '{"a":1}'));
    expect(seen.at(-1)).toEqual({
      type: 'error',
      error: expect.objectContaining({ message: expect.stringContaining('call 1') }),
    });
    expect(seen).toHaveLength(5);
  });

  test('that the provider runs itself, or that has ended, is not given on', async () => {
    const own = [start('1', { providerExecuted: true }), delta('1', '{}'), start('2')];
    expect(await streamed(...own)).toEqual(own);
    const ended = [start('1'), delta('1', '{}'), call('1', '{}'), start('2')];
    expect(await streamed(...ended)).toEqual(ended);
    const other = [start('1'), delta('2', '{}'), start('3')];
    expect(await streamed(...other)).toEqual(other);
  });
});

describe('what went wrong with a model', () => {
  const api = (statusCode: number | undefined, message = 'no') =>
    new APICallError({
      message,
      url: 'http://h',
      requestBodyValues: {},
      ...(statusCode === undefined ? {} : { statusCode }),
    });
  const retried = (lastError: unknown) =>
    new RetryError({ message: 'm', reason: 'maxRetriesExceeded', errors: [1, 2, lastError] });

  test.each<[unknown, string]>([
    [api(401), 'the server of m/x gave status 401: no; check the key'],
    [api(403), 'the server of m/x gave status 403: no; check the key'],
    [
      api(404),
      'the server of m/x gave status 404: no; check the name of the model and OPENAI_BASE_URL',
    ],
    [api(429), 'the server of m/x gave status 429: no; try again later'],
    [api(400), 'the server of m/x gave status 400: no'],
    [api(499), 'the server of m/x gave status 499: no'],
    [
      api(500),
      'the server of m/x gave status 500: no; the session is kept, so the turn can be tried again',
    ],
    [
      api(undefined),
      'the server of m/x gave no answer: no; the session is kept, so the turn can be tried again',
    ],
    [api(200), 'the answer of m/x broke off; the session is kept, so the turn can be tried again'],
    [
      retried(api(500)),
      'the server of m/x gave status 500, 3 times in a row: no; the session is kept, so the turn can be tried again',
    ],
    [retried(new Error('no line')), 'm/x failed, 3 times in a row: no line'],
    [new LoadAPIKeyError({ message: 'set KEY' }), 'm/x needs a key: set KEY'],
    [new Error('no line'), 'm/x failed: no line'],
    ['no line', 'm/x failed: no line'],
  ])('%# is a sentence', (error, sentence) => {
    expect(describeModelError(error, 'm/x')).toBe(sentence);
  });

  test('in the deployment’s own code is told as that says it', () => {
    expect(describeModelError(new HookFault('the hook said no'), 'm/x')).toBe('the hook said no');
  });

  test('is told without its credentials, thrown or streamed, in its causes, too', async () => {
    const conceal = (text: string) => text.replaceAll('secret', '***');
    const failing = () => {
      const cause = Object.assign(new Error('secret below'), { response: { body: ['secret'] } });
      return Object.assign(new Error('a secret', { cause }), {
        url: 'http://h?key=secret',
        status: 401,
      });
    };
    const parts = [
      { type: 'text', text: 'secret' },
      { type: 'error', error: failing() },
      { type: 'error', error: 'secret' },
    ];
    const inner = {
      modelId: 'secret',
      doGenerate: () => Promise.reject(failing()),
      doStream: async () => ({ stream: ReadableStream.from(parts), more: 'secret' }),
      other: () => 'secret',
    };
    const model = concealedModel(inner as never, conceal) as unknown as typeof inner;
    const error = (await model.doGenerate().catch((caught: unknown) => caught)) as ReturnType<
      typeof failing
    >;
    expect(error).toBeInstanceOf(Error);
    expect([error.message, error.url, error.status]).toEqual(['a ***', 'http://h?key=***', 401]);
    expect(error.cause).toMatchObject({ message: '*** below', response: { body: ['***'] } });
    const { stream, more } = await model.doStream();
    const seen: { type: string; error?: { message?: string } | string }[] = [];
    for await (const part of stream as AsyncIterable<(typeof seen)[number]>) seen.push(part);
    expect(seen[0]).toEqual({ type: 'text', text: 'secret' });
    expect(seen[1]?.error).toMatchObject({ message: 'a ***' });
    expect(seen[2]?.error).toBe('***');
    // What is no failure is as it was.
    expect([more, model.modelId, model.other()]).toEqual(['secret', 'secret', 'secret']);
  });
});
