/** Each request to a model is counted before it is sent, and settled however it ends. */
import { describe, expect, test } from 'vitest';
import { estimateTextTokens } from '../session/tokens.ts';
import type { TokenUsage } from './answer.ts';
import { type Budget, BudgetExceeded, type Grant } from './budget.ts';
import { budgetedModel } from './budgeted-model.ts';

interface Call {
  prompt: unknown;
  tools?: unknown;
  maxOutputTokens?: number;
}
type Model = Parameters<typeof budgetedModel>[0];

/** A budget that notes what it is asked and told. */
function open(grant: Partial<Pick<Grant, 'outputTokens'>> | Error = {}) {
  const reserved: [string, number][] = [];
  const ended: (TokenUsage | 'released' | null)[] = [];
  const budget = {
    reserve: async (model: string, tokens: number): Promise<Grant> => {
      reserved.push([model, tokens]);
      if (grant instanceof Error) throw grant;
      return {
        ...grant,
        settle: async (usage) => void ended.push(usage),
        release: async () => void ended.push('released'),
      };
    },
  } as unknown as Budget;
  const sent: Call[] = [];
  /** A model that answers each call so. */
  const model = (answer: (call: Call) => unknown) => {
    const send = async (call: Call) => {
      sent.push(call);
      return answer(call);
    };
    const inner = { modelId: 'inner', doGenerate: send, doStream: send, other: () => 'other' };
    return budgetedModel(inner as unknown as Model, 'm', budget) as unknown as typeof inner;
  };
  return { reserved, ended, sent, model };
}

const streamOf = (parts: readonly unknown[], failure?: Error) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });

async function drained(stream: unknown): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream as AsyncIterable<unknown>) parts.push(part);
  return parts;
}

describe('what is asked for', () => {
  test('is what is sent, with the tools, estimated; bytes cost the same however many they are', async () => {
    const { reserved, model } = open();
    const { doGenerate } = model(() => ({}));
    await doGenerate({ prompt: 'é' });
    await doGenerate({ prompt: 'é', tools: ['t'] });
    for (const bytes of [1, 100_000]) await doGenerate({ prompt: [new Uint8Array(bytes)] });
    const media = JSON.stringify([['x'.repeat(4_800)], []]);
    expect(reserved).toEqual(
      ['["é",[]]', '["é",["t"]]', media, media].map((text) => ['m', estimateTextTokens(text)]),
    );
  });

  test.each([
    [undefined, undefined, undefined],
    [undefined, 50, 50],
    [100, undefined, 100],
    [100, 50, 50],
    [50, 100, 50],
  ])('granted %j tokens of an answer, of %j wanted %j are', async (granted, wanted, most) => {
    const { sent, model } = open(granted === undefined ? {} : { outputTokens: granted });
    const call = { prompt: 'p', ...(wanted === undefined ? {} : { maxOutputTokens: wanted }) };
    await model(() => ({})).doGenerate(call);
    expect(sent[0]?.maxOutputTokens).toBe(most);
    expect(sent[0]?.prompt).toBe('p');
  });

  test('is not sent where it is refused', async () => {
    const { sent, ended, model } = open(new BudgetExceeded('no more'));
    const asked = model(() => ({}));
    await expect(asked.doGenerate({ prompt: 'p' })).rejects.toThrow('no more');
    await expect(asked.doStream({ prompt: 'p' })).rejects.toThrow('no more');
    expect([sent, ended]).toEqual([[], []]);
  });

  test('is a request: whatever else a model has is as it was', () => {
    const { reserved, model } = open();
    const asked = model(() => ({}));
    expect([asked.modelId, asked.other(), reserved]).toEqual(['inner', 'other', []]);
  });
});

describe('what it came to', () => {
  const total = (tokens: number) => ({ total: tokens });
  test.each([
    [
      { inputTokens: 3, outputTokens: 4 },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [
      { inputTokens: total(3), outputTokens: total(4) },
      { inputTokens: 3, outputTokens: 4 },
    ],
    [
      { inputTokens: { total: 3, cacheRead: 2 }, outputTokens: total(4) },
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 2 },
    ],
    [
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 0 },
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 0 },
    ],
    [
      { inputTokens: { total: 3, cacheRead: 2 }, outputTokens: 4, cachedInputTokens: 1 },
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1 },
    ],
    [{ inputTokens: 3 }, { inputTokens: 3, outputTokens: 0 }],
    [{ outputTokens: 4 }, { inputTokens: 0, outputTokens: 4 }],
    [{ inputTokens: null, outputTokens: undefined }, null],
    [{ inputTokens: 'many' }, null],
    [{}, null],
    [null, null],
    ['usage', null],
    [undefined, null],
  ])('%j of an answer is %j', async (usage, expected) => {
    const { ended, model } = open();
    const answer = { text: 'x', usage };
    expect(await model(() => answer).doGenerate({ prompt: 'p' })).toBe(answer);
    const parts = [{ type: 'text' }, { type: 'finish', usage }];
    const streamed = await model(() => ({ more: 1, stream: streamOf(parts) })).doStream({
      prompt: 'p',
    });
    expect(ended).toHaveLength(1);
    expect(streamed).toMatchObject({ more: 1 });
    expect(await drained((streamed as { stream: unknown }).stream)).toEqual(parts);
    expect(ended).toEqual([expected, expected]);
  });

  test.each([
    [{ statusCode: 400 }, 'released'],
    [{ statusCode: 500 }, 'released'],
    [{ statusCode: 399 }, null],
    [{ statusCode: '400' }, null],
    [{}, null],
    [null, null],
  ])('a request that failed with %j is %j', async (failure, expected) => {
    const { ended, model } = open();
    const failing = model(() => Promise.reject(failure));
    await expect(failing.doGenerate({ prompt: 'p' })).rejects.toBe(failure);
    await expect(failing.doStream({ prompt: 'p' })).rejects.toBe(failure);
    expect(ended).toEqual([expected, expected]);
  });

  test('is not known of an answer that broke off, or that nobody wanted to the end; it is settled once', async () => {
    const { ended, model } = open();
    const ask = async (stream: ReadableStream) => {
      const answer = await model(() => ({ stream })).doStream({ prompt: 'p' });
      return (answer as { stream: ReadableStream }).stream;
    };
    const broken = await ask(streamOf([], new Error('broke off')));
    await expect(drained(broken)).rejects.toThrow('broke off');
    expect(ended).toEqual([null]);
    const cancelled: unknown[] = [];
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue({ type: 'text' }),
      cancel: (reason) => void cancelled.push(reason),
    });
    const reader = (await ask(endless)).getReader();
    await reader.read();
    await reader.cancel('enough');
    expect([ended, cancelled]).toEqual([[null, null], ['enough']]);
  });
});
