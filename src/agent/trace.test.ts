/** What a trace says of a turn, its requests and its calls. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Attributes, Span, SpanStart, Telemetry } from '../telemetry/span.ts';
import { Answer } from './answer.ts';
import { memoryAccess, memoryTranscript, scriptedModel } from './testing.ts';
import { defineTool, ToolFault } from './tool.ts';
import { beginTurn, endRequest, endTurn, tracedCall } from './trace.ts';
import { runTurn } from './turn.ts';

/** A span that notes what it is told. */
interface Noted {
  name: string;
  kind: SpanStart['kind'];
  attributes: Record<string, unknown>;
  events: string[];
  /** `ok`, or what went wrong; absent where it has not ended. */
  ended?: string;
  below: Noted[];
}

function noting(content = false): { spans: Noted[]; telemetry: Telemetry } {
  const spans: Noted[] = [];
  const begin = (among: Noted[], name: string, start: SpanStart = {}): Span => {
    const noted: Noted = { name, kind: start.kind, attributes: {}, events: [], below: [] };
    among.push(noted);
    const set = (attributes: Attributes): void => {
      const known = Object.entries(attributes).filter(([, value]) => value !== undefined);
      Object.assign(noted.attributes, Object.fromEntries(known));
    };
    set(start.attributes ?? {});
    return {
      content,
      child: (below, more) => begin(noted.below, below, more),
      set,
      event: (event) => void noted.events.push(event),
      within: (work) => work(),
      end: (error = 'ok') => {
        noted.ended ??= error;
      },
    };
  };
  const telemetry = { begin: (name: string, start?: SpanStart) => begin(spans, name, start) };
  return { spans, telemetry: { ...telemetry, flush: async () => undefined } };
}

const facts = { agent: 'assistant', session: 's1', modelId: 'openai/m' };
const usage = { inputTokens: 7, outputTokens: 3 };

describe('the span of a turn', () => {
  test('is none without telemetry; else the first of a trace, or a part of what asked for it', () => {
    expect(beginTurn(null, facts)).toBeNull();
    const { spans, telemetry } = noting();
    const turn = beginTurn(telemetry, facts);
    beginTurn(turn, { ...facts, agent: 'helper' });
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'assistant',
      'gen_ai.conversation.id': 's1',
      'gen_ai.request.model': 'openai/m',
    };
    expect(spans).toMatchObject([
      { name: 'invoke_agent assistant', attributes, below: [{ name: 'invoke_agent helper' }] },
    ]);
  });

  test('says how it ended; only what went wrong is an error', () => {
    const ended = (status: 'done' | 'budget' | 'error', error?: string): Noted | undefined => {
      const { spans, telemetry } = noting();
      const result = { status, text: '', steps: 2, usage };
      endTurn(beginTurn(telemetry, facts), error === undefined ? result : { ...result, error });
      return spans[0];
    };
    expect(ended('done')).toMatchObject({
      attributes: {
        'dirigent.turn.status': 'done',
        'dirigent.turn.steps': 2,
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 3,
      },
      ended: 'ok',
    });
    expect(ended('budget', 'used up')?.ended).toBe('ok');
    expect(ended('error', 'it broke')?.ended).toBe('it broke');
    expect(ended('error')?.ended).toBe('the model failed');
  });
});

describe('the trace of a turn', () => {
  const probe = defineTool({
    name: 'probe',
    description: 'A probe.',
    input: z.strictObject({ n: z.number() }),
    run: async ({ n }) => {
      if (n === 2) throw new ToolFault('not today');
      return 'probed';
    },
  });
  const run = async (content: boolean) => {
    const { spans, telemetry } = noting(content);
    const span = telemetry.begin('turn');
    const calls = [1, 2].map((n) => ({ call: 'probe', input: { n } }));
    await runTurn({
      prompt: 'the prompt',
      access: memoryAccess({ origins: () => ['/mnt/github'] }),
      transcript: memoryTranscript(),
      model: scriptedModel([calls, ['ok']]),
      modelId: 'openai/m/large',
      system: 'You are one.',
      tools: [probe],
      budget: { exceeded: () => null },
      signal: new AbortController().signal,
      span,
    });
    return spans[0]?.below ?? [];
  };

  test('has a span a step, with the request and the calls in it', async () => {
    const steps = await run(false);
    expect(steps).toMatchObject([
      {
        name: 'step 1',
        attributes: { 'dirigent.step': 1 },
        ended: 'ok',
        below: [
          { name: 'chat m/large', kind: 'client', ended: 'ok' },
          { name: 'execute_tool probe', ended: 'ok' },
          { name: 'execute_tool probe', ended: 'the call failed: tool' },
        ],
      },
      {
        name: 'step 2',
        attributes: { 'dirigent.step': 2 },
        ended: 'ok',
        below: [{ name: 'chat m/large', ended: 'ok' }],
      },
    ]);
    const [request, call, failed] = steps[0]?.below ?? [];
    expect(request?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm/large',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 0,
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(call?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'probe',
      'gen_ai.tool.call.id': 'call-1-0',
      'gen_ai.tool.type': 'function',
      'dirigent.untrusted': ['/mnt/github'],
    });
    expect(failed?.attributes).toMatchObject({ 'error.type': 'tool' });
  });

  test('has texts only where they are wanted', async () => {
    const [request, call] = (await run(true))[0]?.below ?? [];
    expect(request?.attributes).toMatchObject({
      'gen_ai.system_instructions': 'You are one.',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: 'the prompt' }]),
      'gen_ai.output.messages': expect.stringContaining('"toolName":"probe"'),
    });
    expect(call?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"n":1}',
      'gen_ai.tool.call.result': 'probed',
    });
  });
});

describe('a request', () => {
  const ended = (error: unknown, stopped: boolean): Noted | undefined => {
    const { spans, telemetry } = noting();
    const answer = new Answer();
    answer.error = error;
    endRequest(telemetry.begin('chat'), { answer, calls: [] }, stopped);
    return spans[0];
  };

  test('that failed says with what, by the name of its error', () => {
    expect(ended(new TypeError('no'), false)).toMatchObject({
      attributes: { 'error.type': 'TypeError' },
      ended: 'no',
    });
    expect(ended('no', false)).toMatchObject({
      attributes: { 'error.type': '_OTHER' },
      ended: 'no',
    });
    expect(ended(undefined, false)?.attributes).not.toHaveProperty('error.type');
  });

  test('that was stopped is no fault of the model', () => {
    const stopped = ended(new Error('aborted'), true);
    expect(stopped?.ended).toBe('it was stopped');
    expect(stopped?.attributes).not.toHaveProperty('error.type');
  });
});

describe('a call of a loop that is not ours', () => {
  const call = { id: 'c1', name: 'probe', input: {} };

  test('is a span of its own where there is telemetry', async () => {
    const { spans, telemetry } = noting();
    const failed = { text: 'no', failed: true };
    expect(await tracedCall(telemetry, call, async () => failed)).toBe(failed);
    expect(spans).toMatchObject([
      {
        name: 'execute_tool probe',
        attributes: { 'gen_ai.tool.call.id': 'c1', 'error.type': 'tool' },
        ended: 'the call failed: the tool says so',
      },
    ]);
    const text = 'fine';
    const given: unknown[] = [];
    expect(
      await tracedCall(null, call, async (span) => {
        given.push(span);
        return { text };
      }),
    ).toEqual({ text });
    expect(given).toEqual([undefined]);
  });
});
