/** What a model is shown of messages: how much they cost, what of them gives way, and calls with their answers. */
import { describe, expect, test } from 'vitest';
import { outputText, type Part, partsOf, type SessionMessage, textOf } from './entry.ts';
import { healCalls } from './heal.ts';
import { pruneResults } from './prune.ts';
import { estimateMessageTokens, estimateTextTokens, estimateTokens } from './tokens.ts';

const call = (id: string, tool = 'bash', input: unknown = {}): Part => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: tool,
  input,
});
const result = (id: string, value: unknown = 'ok', more: object = {}): Part => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'bash',
  output: { type: 'text', value },
  ...more,
});
const text = (said: string): Part => ({ type: 'text', text: said });
const user = (content: string | Part[] = 'hello'): SessionMessage => ({ role: 'user', content });
const assistant = (...content: Part[]): SessionMessage => ({ role: 'assistant', content });
const tool = (...content: Part[]): SessionMessage => ({ role: 'tool', content });

test('the parts of a message, and its text', () => {
  expect(partsOf(user('a'))).toEqual([text('a')]);
  expect(textOf(assistant(text('a'), text(''), call('1'), text('b'), { type: 'text' }))).toBe(
    'a\nb',
  );
  expect(
    [
      { value: 'v' },
      { value: { a: 1 } },
      {},
      { reason: 'why' },
      { reason: 1 },
      { value: null },
    ].map((output) => outputText({ type: 'x', ...output })),
  ).toEqual(['v', '{"a":1}', '', 'why', '', 'null']);
});

describe('tokens', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['ééé', 2],
  ])('of %j are a quarter of its bytes, rounded up', (said, tokens) => {
    expect(estimateTextTokens(said)).toBe(tokens);
  });

  test.each([
    ['a text', user('abcde'), 4 + 2],
    ['two texts', user([text('abcde'), text('a')]), 4 + 3],
    ['an image', user([{ type: 'image' }]), 4 + 1200],
    ['a file', user([{ type: 'file', text: 'x' }]), 4 + 1200],
    ['a file of reasoning', assistant({ type: 'reasoning-file' }), 4 + 1200],
    ['a result', tool(result('1', 'abcde')), 4 + 2],
    ['a call', assistant(call('1', 'bash', { a: 1 })), 4 + 3],
    ['a call without an input', assistant({ ...call('1'), input: undefined }), 4 + 1],
    ['what has no text', assistant({ type: 'other', text: 7 }), 4],
  ])('of %s, its frame included', (_, message, tokens) => {
    expect(estimateMessageTokens(message)).toBe(tokens);
    expect(estimateTokens([message, message])).toBe(2 * tokens);
  });

  test('of no message are none', () => expect(estimateTokens([])).toBe(0));
});

describe('pruning', () => {
  const LARGE = 'x'.repeat(400);
  const STUB = '[pruned 400 bytes — re-run the tool if you need this output]';
  const outputs = (messages: readonly SessionMessage[]): unknown[] =>
    messages
      .flatMap(partsOf)
      .flatMap((part) => (part.type === 'tool-result' ? [(part['output'] as Part)['value']] : []));
  const history = [
    user(),
    tool(result('1', LARGE), result('2', LARGE)),
    assistant(text('so')),
    tool(result('3', LARGE)),
    user('go on'),
  ];

  test('the newest results stay whole up to so many tokens', () => {
    expect(outputs(pruneResults(history, { keepTokens: 200 }))).toEqual([STUB, LARGE, LARGE]);
    expect(outputs(pruneResults(history, { keepTokens: 199 }))).toEqual([STUB, STUB, LARGE]);
    expect(outputs(pruneResults(history, { keepTokens: 0 }))).toEqual([STUB, STUB, STUB]);
    expect(pruneResults(history)).toEqual(history);
  });

  test('of forty thousand tokens, unless it is said otherwise', () => {
    const half = 'x'.repeat(80_000);
    const of = (last: string): unknown[] =>
      outputs(pruneResults([tool(result('1', half)), tool(result('2', last)), user()]));
    expect(of(half)).toEqual([half, half]);
    expect(of(`${half}x`)[0]).toMatch(/^\[pruned 80000 bytes/);
  });

  test('what the model has not seen yet stays whole', () => {
    const unseen = [...history.slice(0, 4), tool(result('4', LARGE))];
    expect(outputs(pruneResults(unseen, { keepTokens: 0 }))).toEqual([STUB, STUB, LARGE, LARGE]);
    expect(pruneResults(history.slice(1, 2), { keepTokens: 0 })).toEqual(history.slice(1, 2));
  });

  test('ids and names of calls stay, and a failure stays one', () => {
    const failed = { output: { type: 'error-json', value: { why: LARGE } }, extra: 1 };
    const [message] = pruneResults([tool(result('1', '', failed)), user()], { keepTokens: 0 });
    expect(message?.content).toEqual([
      {
        type: 'tool-result',
        toolCallId: '1',
        toolName: 'bash',
        extra: 1,
        output: {
          type: 'error-text',
          value: '[pruned 410 bytes — re-run the tool if you need this output]',
        },
      },
    ]);
  });

  test('results of some tools stay whole, and cost nothing', () => {
    const of = (name: string): SessionMessage[] => [
      tool(result('1', LARGE)),
      tool(result('2', LARGE, { toolName: name })),
      user(),
    ];
    for (const name of ['skill', 'delegate'])
      expect(outputs(pruneResults(of(name), { keepTokens: 100 }))).toEqual([LARGE, LARGE]);
    const options = { keepTokens: 100, never: ['read'] };
    expect(outputs(pruneResults(of('read'), options))).toEqual([LARGE, LARGE]);
    expect(outputs(pruneResults(of('skill'), options))).toEqual([STUB, LARGE]);
  });

  test('what is no longer than its stub stays, and what is pruned stays as it is', () => {
    const stub = '[pruned 60 bytes — re-run the tool if you need this output]';
    const bytes = Buffer.byteLength(stub);
    const of = (value: string): unknown[] =>
      outputs(pruneResults([tool(result('1', value)), user()], { keepTokens: 0 }));
    expect(of('x'.repeat(bytes))).toEqual(['x'.repeat(bytes)]);
    expect(of('x'.repeat(bytes + 1))).toEqual([
      `[pruned ${bytes + 1} bytes — re-run the tool if you need this output]`,
    ]);
    const once = pruneResults(history, { keepTokens: 0 });
    expect(pruneResults(once, { keepTokens: 0 })).toEqual(once);
  });
});

describe('healing', () => {
  const interrupted = (id: string) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: 'bash',
    output: { type: 'error-text', value: expect.stringMatching(/^\[interrupted/) as string },
  });

  test('what is whole stays as it is', () => {
    const whole = [
      user(),
      assistant(text('a'), call('1'), call('2')),
      tool(result('1'), result('2')),
      assistant(text('done')),
      assistant(),
    ];
    const healed = healCalls(whole);
    expect(healed).toEqual(whole);
    expect(healed[1]).toBe(whole[1]);
  });

  test.each([
    [
      'a call without a result has one that says so',
      [assistant(call('1'), call('2')), tool(result('2')), user()],
      [assistant(call('1'), call('2')), tool(interrupted('1'), result('2')), user()],
    ],
    ['at the end, too', [assistant(call('1'))], [assistant(call('1')), tool(interrupted('1'))]],
    ['a result without a call goes', [user(), tool(result('1')), user()], [user(), user()]],
    [
      'results come in the order of their calls, right behind them',
      [assistant(call('1'), call('2')), user(), tool(result('2')), tool(result('1'))],
      [assistant(call('1'), call('2')), tool(result('1'), result('2')), user()],
    ],
    [
      'of two results of a call the first counts',
      [assistant(call('1')), tool(result('1', 'a'), result('1', 'b'))],
      [assistant(call('1')), tool(result('1', 'a'))],
    ],
    [
      'a call that is there twice is made once',
      [
        assistant(call('1')),
        tool(result('1')),
        assistant(text('a'), call('1')),
        assistant(call('1')),
      ],
      [assistant(call('1')), tool(result('1')), assistant(text('a'))],
    ],
    [
      'a call whose result is in the same message has it',
      [assistant(call('1'), result('1'), call('2')), tool(result('2'))],
      [assistant(call('1'), result('1'), call('2')), tool(result('2'))],
    ],
  ])('%s', (_, torn, whole) => {
    expect(healCalls(torn)).toEqual(whole);
    expect(healCalls(healCalls(torn))).toEqual(whole);
  });
});
