/** What agents ask a person for at the command line, and the answers: of requests and questions alike. */
import { describe, expect, test } from 'vitest';
import type { Answer, Approval } from '../policy/approval.ts';
import type { Question, QuestionAnswer } from '../policy/question.ts';
import type { WorldApprovals, WorldQuestions } from '../world/world.ts';
import { actOnApprovals } from './approvals.ts';
import { answerOf, choices, question } from './approvals-inline.ts';
import type { ApprovalsArguments, QuestionsArguments } from './policy-options.ts';
import { actOnQuestions } from './questions.ts';
import { questionPrompt, questionShown, typedAnswer } from './questions-inline.ts';
import { isCalledDirigent, keptOutput, parsed } from './testing.ts';

const asked = {
  session: '01session',
  digest: 'd',
  answeredBy: null,
  createdAt: 0,
  answeredAt: null,
  expiresAt: 86_400_000,
};

const approvalOf = (id: string, more: Partial<Approval> = {}): Approval => {
  const operation = { op: more.op ?? 'write', path: more.path ?? '/mnt/a/1.md' };
  return {
    ...asked,
    ...operation,
    id,
    state: 'pending',
    actor: 'assistant',
    people: [],
    mount: '/mnt/a',
    origin: 'agent',
    operations: [operation],
    rule: 'rule 3',
    reason: 'writes are asked for',
    change: null,
    scope: null,
    prefix: null,
    ...more,
  } as unknown as Approval;
};

const questionOf = (id: string, more: Partial<Question> = {}): Question =>
  ({
    ...asked,
    id,
    state: 'pending',
    actor: 'assistant',
    origin: 'agent',
    question: 'Which one?\n',
    form: { kind: 'choice', options: ['red', 'blue'] },
    untrusted: [],
    answer: null,
    ...more,
  }) as Question;

/** Runs `approvals` on a journal with these, the oldest first. */
async function approvals(line: string, journal: readonly Approval[]) {
  isCalledDirigent();
  const { output, out, err } = keptOutput();
  const given: [string, Answer][] = [];
  const world = {
    list: async (state?: string) =>
      journal.filter((each) => state === undefined || each.state === state),
    answer: async (id: string, answer: Answer) => {
      given.push([id, { ...answer, by: typeof answer.by }]);
      const found = journal.find((each) => each.id === id);
      const state = answer.decision === 'allow' ? 'allowed' : 'denied';
      return { ...found, state, scope: answer.scope ?? 'once', prefix: answer.prefix ?? null };
    },
  } as unknown as WorldApprovals;
  const options = parsed(`approvals ${line}`) as ApprovalsArguments;
  const status = await actOnApprovals(world, options, output);
  return { status, out: out(), err: err(), given };
}

/** Runs `questions`, likewise. */
async function questions(line: string, journal: readonly Question[]) {
  isCalledDirigent();
  const { output, out, err } = keptOutput();
  const given: [string, QuestionAnswer][] = [];
  const world = {
    list: async (state?: string) =>
      journal.filter((each) => state === undefined || each.state === state),
    answer: async (id: string, answer: QuestionAnswer) => {
      given.push([id, { ...answer, by: typeof answer.by }]);
      const found = journal.find((each) => each.id === id);
      const state = answer.value === null ? 'declined' : 'answered';
      return { ...found, state, answer: answer.value };
    },
  } as unknown as WorldQuestions;
  const options = parsed(`questions ${line}`) as QuestionsArguments;
  const status = await actOnQuestions(world, options, output);
  return { status, out: out(), err: err(), given };
}

const journal = [
  approvalOf('01a'),
  approvalOf('01b', { state: 'denied' }),
  approvalOf('01c', { op: 'tool', path: 'deploy', people: ['ben', 'assistant'] }),
] as const;

describe('approvals', () => {
  test('what waits is listed newest first, with --all the answered ones, too', async () => {
    const a = '01a  pending  assistant  write /mnt/a/1.md\n    writes are asked for\n';
    const b = '01b  denied  assistant  write /mnt/a/1.md\n    writes are asked for\n';
    const c = '01c  pending  assistant, for ben  tool deploy\n    writes are asked for\n';
    expect(await approvals('list', journal)).toMatchObject({ status: 0, out: c + a });
    expect((await approvals('list --all', journal)).out).toBe(c + b + a);
    expect((await approvals('list', [])).out).toBe('nothing waits for approval\n');
    expect((await approvals('list --all', [])).out).toBe('no approvals\n');
    const { out } = await approvals('list --json', journal);
    expect((JSON.parse(out) as Approval[]).map(({ id }) => id)).toEqual(['01c', '01a']);
  });

  test('one is shown whole: fields, and indented what would be done', async () => {
    const patch = approvalOf('01d', { change: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n\n\n' });
    const { out, status } = await approvals('show 01d', [...journal, patch]);
    expect(status).toBe(0);
    expect(out).toMatch(/^id: "01d"\nstate: pending\nop: write\n/);
    expect(out).toMatch(
      /[^\n]\n {2}\n {2}--- a\n {2}\+\+\+ b\n {2}@@ -1 \+1 @@\n {2}-x\n {2}\+y\n$/,
    );
    expect((await approvals('show 01a', journal)).out).toMatch(/\nexpires_at: \S+\n$/);
    expect((await approvals('show --last', journal)).out).toContain('id: "01c"\n');
    const answered = [approvalOf('01a'), approvalOf('01b', { state: 'used' })];
    expect((await approvals('show --last', answered)).out).toContain('id: "01b"\n');
  });

  test('an answer is told with what it holds for', async () => {
    const told = async (line: string) => (await approvals(line, journal)).out;
    expect(await told('allow 01a')).toBe('01a allowed once: write /mnt/a/1.md\n');
    expect(await told('allow 01a --scope path')).toBe(
      '01a allowed for a day, for this path: write /mnt/a/1.md\n',
    );
    expect(await told('allow 01c --scope path')).toBe(
      '01c allowed for a day, for this tool: tool deploy\n',
    );
    expect(await told('allow 01a --prefix /mnt')).toBe(
      '01a allowed for a day, below /mnt: write /mnt/a/1.md\n',
    );
    expect(await told('deny 01a')).toBe('01a denied: write /mnt/a/1.md\n');
    expect(JSON.parse(await told('deny 01a --json'))).toMatchObject({ id: '01a', state: 'denied' });
  });

  test('each that is named is answered once, and as it was said', async () => {
    const by = 'string';
    expect((await approvals('allow 01a 01a 01c', journal)).given).toEqual([
      ['01a', { decision: 'allow', by }],
      ['01c', { decision: 'allow', by }],
    ]);
    expect((await approvals('allow 01a --prefix /mnt', journal)).given).toEqual([
      ['01a', { decision: 'allow', scope: 'prefix', prefix: '/mnt', by }],
    ]);
    expect((await approvals('deny --last', journal)).given).toEqual([
      ['01c', { decision: 'deny', by }],
    ]);
  });

  test('what cannot be answered so is said, and the others are answered', async () => {
    expect(await approvals('allow 01b 01a', journal)).toMatchObject({
      status: 1,
      err: 'dirigent: approval 01b is denied, not pending\n',
      given: [['01a', {}]],
    });
    expect(await approvals('allow 01c --scope prefix', journal)).toMatchObject({
      status: 1,
      err: 'dirigent: approval 01c is about the tool deploy, which has no prefix; use --scope once or path\n',
      given: [],
    });
    expect(await approvals('allow --last', [approvalOf('01b', { state: 'used' })])).toEqual({
      status: 1,
      out: '',
      err: 'dirigent: nothing waits for approval\n',
      given: [],
    });
    await expect(approvals('allow 01', journal)).rejects.toMatchObject({
      reason:
        '"01" may be any of 3; give more of it:\n  01c  pending  tool deploy\n  01b  denied  write /mnt/a/1.md\n  01a  pending  write /mnt/a/1.md',
    });
    await expect(approvals('allow zz', journal)).rejects.toMatchObject({
      reason: 'there is no approval "zz"; "dirigent approvals list --all" names them',
    });
  });
});

describe('a request at the terminal', () => {
  test('has who wants what, why, and the first lines of what would be written', () => {
    const lines = Array.from({ length: 22 }, (_, index) => `+line ${index}`);
    const head = 'Index: a\n===\n--- a\n+++ b\n';
    const shown = (count: number) =>
      String(question(approvalOf('01a', { change: head + lines.slice(0, count).join('\n') })));
    const begin = 'assistant wants to write /mnt/a/1.md\n  writes are asked for\n';
    expect(shown(1)).toBe(`${begin}  +line 0\n`);
    const twenty = lines
      .slice(0, 20)
      .map((line) => `  ${line}\n`)
      .join('');
    expect(shown(20)).toBe(begin + twenty);
    expect(shown(22)).toBe(`${begin}${twenty}  … 2 more lines in /session/approvals/01a.md\n`);
    expect(String(question(approvalOf('01a')))).toBe(begin);
  });

  test('offers what its operation can be allowed for', () => {
    expect(String(choices(approvalOf('01a')))).toBe(
      'allow? y once, p this path for a day, d all below /mnt/a for a day, n no: ',
    );
    expect(String(choices(approvalOf('01a', { op: 'tool' })))).toBe(
      'allow? y once, p this tool for a day, n no: ',
    );
  });

  test.each<[string, object | null]>([
    ['y', { decision: 'allow', scope: 'once' }],
    [' YES ', { decision: 'allow', scope: 'once' }],
    ['p', { decision: 'allow', scope: 'path' }],
    ['d', { decision: 'allow', scope: 'prefix' }],
    ['n', { decision: 'deny' }],
    ['No', { decision: 'deny' }],
    ['', null],
    ['x', null],
  ])('is answered by %j', (typed, answer) => {
    expect(answerOf(typed, { op: 'write' })).toEqual(answer);
    expect(answerOf(typed, { op: 'tool' })).toEqual(typed === 'd' ? null : answer);
  });
});

const open = [questionOf('01a'), questionOf('01b', { state: 'declined' })] as const;

describe('questions', () => {
  test('what waits is listed with what may be answered', async () => {
    const a = '01a  pending  assistant  "Which one?\\n"\n    one of: red, blue\n';
    const b = '01b  declined  assistant  "Which one?\\n"\n    one of: red, blue\n';
    expect(await questions('list', open)).toMatchObject({ status: 0, out: a });
    expect((await questions('list --all', open)).out).toBe(b + a);
    expect((await questions('list', [])).out).toBe('nothing waits for an answer\n');
    expect((await questions('list --all', [])).out).toBe('no questions\n');
  });

  test('one is shown whole: fields, its words, what would be changed, and whose words they may be', async () => {
    const plan = questionOf('01c', {
      form: {
        kind: 'plan',
        scope: { writes: [{ path: '/mnt/a/*', operations: ['write'] }], tools: [] },
      },
      untrusted: ['tracker'],
    });
    const { out } = await questions('show 01c', [plan]);
    expect(out).toMatch(/^id: "01c"\n/);
    expect(out).toContain('Z"\n  \n  write /mnt/a/*\n  \n  Which one?\n');
    expect(out).toMatch(/\n\nThe agent had read text of tracker before it asked: .*\n$/);
    const plain = (await questions('show 01a', open)).out;
    expect(plain).toMatch(/Z"\n {2}\n {2}Which one\?\n$/);
    expect((await questions('show --last', open)).out).toContain('id: "01b"\n');
  });

  test('are answered in words, or declined', async () => {
    const by = 'string';
    expect(await questions('answer 01a BLUE', open)).toMatchObject({
      status: 0,
      out: '01a answered: blue\n',
      given: [['01a', { value: 'blue', by }]],
    });
    expect(await questions('decline --last', open)).toMatchObject({
      status: 0,
      out: '01a declined\n',
      given: [['01a', { value: null, by }]],
    });
    expect(await questions('answer 01a green', open)).toEqual({
      status: 1,
      out: '',
      err: 'dirigent: question 01a has no such answer: it should be one of: red, blue\n',
      given: [],
    });
    expect(await questions('decline 01b 01a', open)).toMatchObject({
      status: 1,
      err: 'dirigent: question 01b is declined, not pending\n',
      given: [['01a', {}]],
    });
    expect(await questions('decline --last', [])).toMatchObject({
      status: 1,
      err: 'dirigent: nothing waits for an answer\n',
    });
    await expect(questions('decline 01', open)).rejects.toMatchObject({
      reason: expect.stringContaining('\n  01b  declined  Which one?'),
    });
    expect(JSON.parse((await questions('decline 01a --json', open)).out)).toMatchObject({
      id: '01a',
    });
  });
});

describe('a question at the terminal', () => {
  test('has its words, its options with their numbers, and whose words they may be', () => {
    expect(String(questionShown(open[0]))).toBe(
      'assistant asks (an answer allows nothing by itself):\n  Which one?\n    1  red\n    2  blue\n',
    );
    const plan = questionOf('01c', {
      form: {
        kind: 'plan',
        scope: { writes: [{ path: '/mnt/a/*', operations: ['write'] }], tools: [] },
      },
      untrusted: ['tracker'],
    });
    const lines = String(questionShown(plan)).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'assistant proposes a plan:',
      '  Which one?',
      '  What it would change, and nothing else:',
    ]);
    expect(lines.slice(3).join('\n')).toContain('/mnt/a/*');
    expect(lines.at(-2)).toMatch(/theirs\.$/);
  });

  test('says what may be typed', () => {
    const prompt = (form: Question['form']) => String(questionPrompt(questionOf('01a', { form })));
    expect(prompt({ kind: 'choice', options: ['a'] })).toBe('one of them, or /skip: ');
    expect(prompt({ kind: 'choices', options: ['a'] })).toBe(
      'those that apply, with commas between, or /skip: ',
    );
    expect(prompt({ kind: 'confirm' })).toBe('yes or no, or /skip: ');
  });

  test('is answered, skipped, or told what is wrong', () => {
    const by = 'the terminal';
    expect(typedAnswer(open[0], 'red')).toEqual({ value: 'red', by });
    expect(typedAnswer(open[0], ' /skip ')).toEqual({ value: null, by });
    expect(typedAnswer(open[0], 'green')).toEqual({
      fault: 'it should be one of: red, blue',
    });
  });
});
