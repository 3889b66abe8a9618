/** Which questions an agent can ask, which plans it can propose, and what it is told of the answers. */
import { describe, expect, test } from 'vitest';
import type { Question, QuestionForm } from '../../policy/question.ts';
import { PlanMode } from '../plan-mode.ts';
import type { ToolContext } from '../tool.ts';
import { askTool } from './ask.ts';
import { planTool } from './plan.ts';

/** What is wrong with an input; none where nothing is. */
function faultsOf(tool: typeof askTool, input: Record<string, unknown>): string[] {
  const checked = tool.prepare(input);
  return 'faults' in checked ? checked.faults : [];
}

/** Somebody who answers so, and what they were asked. */
function person(answer: Partial<Question>) {
  const asked: [string, QuestionForm][] = [];
  const ask = async (question: string, form: QuestionForm) => {
    asked.push([question, form]);
    return { ...{ id: 'q1', form, answer: null, answeredBy: null }, ...answer } as Question;
  };
  return { asked, context: { access: { ask } } as unknown as ToolContext };
}
async function run(tool: typeof askTool, input: Record<string, unknown>, context: ToolContext) {
  const checked = tool.prepare(input);
  if ('faults' in checked) return expect.fail(checked.faults.join());
  return checked.value(context);
}

const OPTIONS = ['a', 'b'];
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `option ${n}`);

describe('a question', () => {
  test.each<[string, Record<string, unknown>]>([
    ['text', { min: 2, max: 2 }],
    ['confirm', {}],
    ['choice', { options: OPTIONS }],
    ['choice', { options: numbered(20) }],
    ['choice', { options: [' a ', 'b'.repeat(200)] }],
    ['choices', { options: OPTIONS, min: 2, max: 2 }],
    ['number', { min: -1, max: 1, whole: true }],
    ['number', { max: 1 }],
    ['date', { from: '2026-01-01', to: '2026-01-01' }],
    ['date', { from: '2026-01-01' }],
  ])('of %s can have %j', (kind, more) => {
    expect(faultsOf(askTool, { question: 'q', kind, ...more })).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['choice', {}, 'options: choice needs the options to choose from'],
    ['choices', {}, 'options: choices needs the options to choose from'],
    ['text', { options: OPTIONS }, 'options: belongs to choice, choices, not to text'],
    ['confirm', { min: 1 }, 'min: belongs to number, text, choices, not to confirm'],
    ['date', { max: 1 }, 'max: belongs to number, text, choices, not to date'],
    ['text', { whole: true }, 'whole: belongs to number, not to text'],
    ['number', { from: '2026-01-01' }, 'from: belongs to date, not to number'],
    ['number', { to: '2026-01-01' }, 'to: belongs to date, not to number'],
    ['choice', { options: ['a', 'b', ' a'] }, 'options: should differ from each other'],
    ['number', { min: 2, max: 1 }, 'min: is above max'],
    ['date', { from: '2026-01-02', to: '2026-01-01' }, 'from: is after to'],
    ['date', { from: '2026-02-30' }, 'from: should be a day, as 2026-11-28'],
    ['choices', { options: OPTIONS, min: 3 }, 'min: is above the 2 options'],
    ['choice', { options: ['a'] }, 'options: '],
    ['choice', { options: numbered(21) }, 'options: '],
    ['choice', { options: ['a', ' '] }, 'options.1: '],
    ['choice', { options: ['a', 'b'.repeat(201)] }, 'options.1: '],
    ['text', { question: ' ' }, 'question: '],
    ['text', { question: 'q'.repeat(4_001) }, 'question: '],
    ['other', {}, 'kind: '],
    ['text', { more: 1 }, 'more'],
  ])('of %s with %o is refused: %s', (kind, more, fault) => {
    expect(faultsOf(askTool, { question: 'q', kind, ...more })).toEqual([
      expect.stringContaining(fault),
    ]);
  });

  test('of four thousand characters is not too long, and several faults are all told', () => {
    expect(faultsOf(askTool, { question: 'q'.repeat(4_000), kind: 'text' })).toEqual([]);
    expect(faultsOf(askTool, { question: 'q', kind: 'date', min: 2, max: 1 })).toHaveLength(3);
  });

  test('is put to the person as it was asked, and what they say is told', async () => {
    const { asked, context } = person({ state: 'answered', answer: 'a', answeredBy: 'ann' });
    const input = { question: ' Which? ', kind: 'choice', options: OPTIONS };
    expect(await run(askTool, input, context)).toEqual({
      ...{ text: 'answered by ann: a', failed: false },
    });
    expect(asked).toEqual([['Which?', { kind: 'choice', options: OPTIONS }]]);
  });

  test.each([
    ['declined', 'question q1 was declined'],
    ['expired', 'nobody answered question q1 in time'],
    ['pending', 'question q1 waits for them in /session/questions'],
  ] as const)('that is %s has failed, and it is told how', async (state, text) => {
    const { context } = person({ state });
    expect(await run(askTool, { question: 'q', kind: 'confirm' }, context)).toEqual({
      ...{ text: expect.stringContaining(text), failed: true },
    });
  });

  test('changes nothing, and is not asked again by itself', () => {
    expect(askTool).toMatchObject({ name: 'ask', readOnly: true, repeatable: false });
    expect(planTool(new PlanMode())).toMatchObject({ name: 'plan', readOnly: true });
  });
});

describe('a plan', () => {
  const write = { path: '/workspace/a' };
  test.each<[Record<string, unknown>, string | null]>([
    [{}, null],
    [{ plan: 'p'.repeat(20_000) }, null],
    [{ plan: 'p'.repeat(20_001) }, 'plan: '],
    [{ plan: ' ' }, 'plan: '],
    [{ writes: Array(50).fill(write) }, null],
    [{ writes: Array(51).fill(write) }, 'writes: '],
    [{ writes: [{ path: 'a' }] }, 'writes.0.path: should be an absolute path'],
    [{ writes: [{ path: `/${'a'.repeat(999)}` }] }, null],
    [{ writes: [{ path: `/${'a'.repeat(1_000)}` }] }, 'writes.0.path: '],
    [{ writes: [{ ...write, operations: [] }] }, 'writes.0.operations: '],
    [{ writes: [{ ...write, operations: ['read'] }] }, 'writes.0.operations.0: '],
    [{ writes: [{ ...write, operations: ['remove'] }] }, null],
    [{ tools: Array(20).fill('t') }, null],
    [{ tools: Array(21).fill('t') }, 'tools: '],
    [{ tools: [''] }, 'tools.0: '],
    [{ tools: ['t'.repeat(101)] }, 'tools.0: '],
    [{ tools: ['t'.repeat(100)] }, null],
  ])('with %#', (more, fault) => {
    const faults = faultsOf(planTool(new PlanMode()), { plan: 'p', writes: [], ...more });
    if (fault === null) expect(faults).toEqual([]);
    else expect(faults[0]).toContain(fault);
  });

  const propose = async (answer: Partial<Question>) => {
    const mode = new PlanMode();
    const { asked, context } = person(answer);
    const input = {
      plan: 'p',
      writes: [write, { path: '/b', operations: ['remove'] }],
      tools: ['t'],
    };
    return { mode, asked, output: await run(planTool(mode), input, context) };
  };

  test('that is approved is what may be changed, as the person was shown it', async () => {
    const answer = { decision: 'approve' as const };
    const { mode, asked, output } = await propose({ state: 'answered', answer });
    const scope = {
      writes: [
        { path: '/workspace/a', operations: ['write', 'create'] },
        { path: '/b', operations: ['remove'] },
      ],
      tools: ['t'],
    };
    expect(asked).toEqual([['p', { kind: 'plan', scope }]]);
    expect([mode.isApproved, mode.scope]).toEqual([true, scope]);
    expect(output.failed).toBeUndefined();
    expect(output.text).toMatch(/^answered: approve\n[\s\S]*\/workspace\/a/);
    const narrower = { writes: [], tools: [] };
    const shown = await propose({
      state: 'answered',
      answer,
      form: { kind: 'plan', scope: narrower },
    });
    expect(shown.mode.scope).toEqual(narrower);
  });

  test.each([
    [{ state: 'answered', answer: { decision: 'reject' } }, 'answered: reject'],
    [{ state: 'answered', answer: { decision: 'change', comment: 'less' } }, 'change: less'],
    [{ state: 'declined' }, 'was declined'],
    [{ state: 'pending' }, '/session/plans/q1.md'],
  ] as [Partial<Question>, string][])(
    'that comes back as %j allows nothing',
    async (answer, text) => {
      const { mode, output } = await propose(answer);
      expect(output).toEqual({ text: expect.stringContaining(text), failed: true });
      expect([mode.isApproved, mode.scope]).toEqual([false, { writes: [], tools: [] }]);
    },
  );
});

test('a turn that is gone on with has the plan that was approved', () => {
  const scope = { writes: [], tools: ['t'] };
  const mode = new PlanMode(scope);
  expect([mode.isApproved, mode.scope]).toEqual([true, scope]);
});
