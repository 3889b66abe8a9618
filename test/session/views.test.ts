/** The model's view, pruning, compaction and healing. */

import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createSession,
  isToolCall,
  isToolResult,
  modelView,
  needsCompaction,
  planCompaction,
  pruneResults,
  type SessionLog,
  type SessionMessage,
} from '../../src/session/index.ts';
import { callAndResult, linesOf, testPlace } from './support.ts';

const WINDOW = { contextWindow: 20_000, reserve: 16_384, keepTokens: 0 };
const stub = (bytes: number): string =>
  `[pruned ${bytes} bytes — re-run the tool if you need this output]`;

/** Every call is followed at once by its results, and there is no other result. */
function expectAnswered(messages: readonly SessionMessage[]): void {
  messages.forEach((message, index) => {
    const parts = typeof message.content === 'string' ? [] : message.content;
    const calls = parts.filter(isToolCall).map(({ toolCallId }) => toolCallId);
    const next = messages[index + 1];
    const following = next?.role === 'tool' && typeof next.content !== 'string' ? next.content : [];
    const results = following.filter(isToolResult).map(({ toolCallId }) => toolCallId);
    if (message.role === 'assistant') expect(results).toEqual(calls);
    if (message.role === 'tool') expect(messages[index - 1]?.role).toBe('assistant');
  });
}

function newLog(): SessionLog {
  return createSession(testPlace());
}

test('a message of the AI SDK is a message of the log, and the view is messages of the AI SDK', () => {
  const log = newLog();
  const message: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'hi' }] };
  log.message(message as SessionMessage);
  const messages = modelView(log.context()).messages as ModelMessage[];
  expect(messages).toEqual([message]);
  log.close();
});

test('H pruning: an older result becomes a stub with its bytes; id and name stay, the last batch and skill and delegate stay whole', () => {
  const log = newLog();
  log.message({ role: 'user', content: 'go' });
  callAndResult(log, 'a', 'ä'.repeat(500));
  callAndResult(log, 's', 'x'.repeat(1000), 'skill');
  callAndResult(log, 'd', 'x'.repeat(1000), 'delegate');
  callAndResult(log, 'short', 'ok');
  callAndResult(log, 'b', 'y'.repeat(1000));
  const before = linesOf(log.file);
  const { messages } = modelView(log.context(), { prune: { keepTokens: 0 } });
  const outputs = messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (Array.isArray(content) ? content[0] : undefined));
  expect(outputs).toMatchObject([
    { toolCallId: 'a', toolName: 'bash', output: { type: 'text', value: stub(1000) } },
    { toolCallId: 's', output: { value: 'x'.repeat(1000) } },
    { toolCallId: 'd', output: { value: 'x'.repeat(1000) } },
    { toolCallId: 'short', output: { value: 'ok' } },
    { toolCallId: 'b', output: { value: 'y'.repeat(1000) } },
  ]);
  expect(linesOf(log.file)).toEqual(before);
  log.close();
});

test('H pruning what is pruned changes nothing, never makes a view longer, and never parts a call from its result', () => {
  const result = fc.record({
    tool: fc.constantFrom('bash', 'skill', 'read'),
    bytes: fc.integer({ min: 0, max: 2000 }),
    user: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(result, { maxLength: 12 }),
      fc.integer({ min: 0, max: 1000 }),
      (results, keepTokens) => {
        const messages: SessionMessage[] = results.flatMap(({ tool, bytes, user }, index) => [
          ...(user ? [{ role: 'user' as const, content: 'next' }] : []),
          {
            role: 'assistant' as const,
            content: [{ type: 'tool-call', toolCallId: `${index}`, toolName: tool, input: {} }],
          },
          {
            role: 'tool' as const,
            content: [
              {
                type: 'tool-result',
                toolCallId: `${index}`,
                toolName: tool,
                output: { type: 'text', value: 'x'.repeat(bytes) },
              },
            ],
          },
        ]);
        const once = pruneResults(messages, { keepTokens });
        expect(pruneResults(once, { keepTokens })).toEqual(once);
        expect(JSON.stringify(once).length).toBeLessThanOrEqual(JSON.stringify(messages).length);
        expect(once.at(-1)).toEqual(messages.at(-1));
        expectAnswered(once);
      },
    ),
  );
});

test('H a finish reason is not to be trusted, dangling calls are healed on load: one is answered as interrupted, a late result comes to its call, a result without a call is left out', () => {
  const log = newLog();
  log.message({ role: 'user', content: 'go' });
  log.message({
    role: 'assistant',
    content: ['late', 'never'].map((id) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: 'bash',
      input: {},
    })),
  });
  log.message({ role: 'user', content: 'are you there?' });
  for (const toolCallId of ['late', 'late', 'unasked']) {
    const output = { type: 'text', value: toolCallId };
    log.message({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName: 'bash', output }],
    });
  }
  const { messages } = modelView(log.context());
  expectAnswered(messages);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(messages[2]?.content).toMatchObject([
    { toolCallId: 'late', output: { value: 'late' } },
    { toolCallId: 'never', output: { type: 'error-text', value: /interrupted/ } },
  ]);
  log.close();
});

/** The text of a view, all of it. */
const textOf = (messages: readonly SessionMessage[]): string => JSON.stringify(messages);

test('H compaction three times: what one kept is kept or summarised by the next, the last two turns stay verbatim', () => {
  const log = newLog();
  let turn = 0;
  const turns = (count: number): void => {
    for (let index = 0; index < count; index++) {
      turn += 1;
      log.message({ role: 'user', content: `question-${turn}.` });
      callAndResult(log, `call-${turn}`, `result-${turn}. ${'x'.repeat(3000)}`);
      log.message({ role: 'assistant', content: `answer-${turn}.` });
    }
  };
  const whole: number[] = [];
  for (let round = 1; round <= 3; round++) {
    turns(5);
    expect(needsCompaction(log.context(), WINDOW)).toBe(true);
    const seen = textOf(modelView(log.context(), { prune: false }).messages);
    const plan = planCompaction(log.context(), { ...WINDOW, keepTurns: 2 });
    if (plan === null) throw new Error('there is something to compact');
    expect(log.get(plan.firstKeptEntryId)?.['message']).toMatchObject({ role: 'user' });
    // A summary that tells everything: what is missing in it was missing in what was to be told.
    const told = textOf(plan.toSummarise).match(/(question|answer|result)-\d+\./g) ?? [];
    log.append({
      type: 'compaction',
      summary: told.join(' '),
      firstKeptEntryId: plan.firstKeptEntryId,
    });
    const view = modelView(log.context(), { prune: false }).messages;
    expectAnswered(view);
    for (const fact of seen.match(/(question|answer|result)-\d+\./g) ?? [])
      expect(textOf(view), `round ${round}`).toContain(fact);
    for (const last of [turn - 1, turn]) {
      const at = view.findIndex(({ content }) => content === `question-${last}.`);
      expect(view.slice(at, at + 4)).toMatchObject([
        { role: 'user', content: `question-${last}.` },
        { role: 'assistant' },
        { role: 'tool' },
        { role: 'assistant', content: `answer-${last}.` },
      ]);
    }
    expect(view.filter(({ role }) => role === 'user')).toHaveLength(3);
    expect(view).toEqual(modelView(log.branch(), { prune: false }).messages);
    whole.push(log.branch().length);
  }
  expect(whole).toEqual([21, 42, 63]);
  log.close();
});

test('two turns are never cut: there is nothing to compact before them', () => {
  const log = newLog();
  for (const question of ['a', 'b']) {
    log.message({ role: 'user', content: question });
    callAndResult(log, question, 'x'.repeat(100_000));
  }
  expect(needsCompaction(log.context(), WINDOW)).toBe(true);
  expect(planCompaction(log.context(), WINDOW)).toBeNull();
  log.close();
});

test('a branch that was left is out of view, and its summary is in', () => {
  const log = newLog();
  const first = log.message({ role: 'user', content: 'first' });
  log.message({ role: 'assistant', content: 'wrong way' });
  log.travel(first.id, { summary: 'it did not work' });
  log.message({ role: 'assistant', content: 'right way' });
  const { messages } = modelView(log.context());
  expect(textOf(messages)).not.toContain('wrong way');
  expect(messages.map(({ content }) => content)).toMatchObject([
    'first',
    /it did not work/,
    'right way',
  ]);
  log.travel(null);
  expect(modelView(log.context()).messages).toEqual([]);
  log.close();
});
