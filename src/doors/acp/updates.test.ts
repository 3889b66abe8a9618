/** What an editor is shown of a turn, what it is asked, and what its answers mean. */
import type { AgentContext } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { FsError } from '../../errors.ts';
import type { Approval } from '../../policy/approval.ts';
import { FORM_KINDS, type Question, type QuestionForm } from '../../policy/question.ts';
import type { SessionEvent } from '../../session/events.ts';
import type { Visit } from '../door.ts';
import { answerField, questionWords } from '../question-form.ts';
import { ask } from './approvals.ts';
import { editorDirectory } from './buffers.ts';
import { namesOf } from './names.ts';
import { isPlan, planOf } from './plan.ts';
import { kindsOf, putQuestion } from './questions.ts';
import { askedText, replayOf, updateOf } from './updates.ts';

const NAMES = namesOf({ directory: '/home/ann/project', point: '/mnt/editor' });
const update = (event: Record<string, unknown>) =>
  updateOf({ transient: true, ...event } as unknown as SessionEvent, NAMES);
const started = (name: string, input: unknown) =>
  update({ type: 'tool-start', callId: 'c', name, input });

describe('names', () => {
  test('of the editor’s directory are the editor’s outside, and the agent’s inside', () => {
    expect(NAMES.outside('/mnt/editor/src/a.ts')).toBe('/home/ann/project/src/a.ts');
    expect(NAMES.outside('/mnt/editor')).toBe('/home/ann/project');
    expect(NAMES.outside('/mnt/editors/a')).toBe('/mnt/editors/a');
    expect(NAMES.inside('file:///home/ann/project/a%20b.ts#L3')).toBe('/mnt/editor/a b.ts#L3');
    expect(NAMES.inside('file:///home/ann/project')).toBe('/mnt/editor');
    for (const uri of [
      ...['file:///home/ann/project2/a', 'file:///etc/passwd', 'https://h/home/ann/project/a'],
      ...['file://host/home/ann/project/a', 'file:///home/ann/project/%2Fa', 'no uri', ''],
    ])
      expect(NAMES.inside(uri)).toBe(uri);
  });

  test('without one are what they are', () => {
    const { outside, inside } = namesOf(undefined);
    expect([outside('/mnt/editor/a'), inside('file:///a')]).toEqual(['/mnt/editor/a', 'file:///a']);
  });
});

describe('an event of a turn', () => {
  test('is words, or thoughts', () => {
    expect(update({ type: 'text-delta', text: 'hi' })).toEqual({
      ...{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi' } },
    });
    expect(update({ type: 'reasoning-delta', text: 'hm' })).toMatchObject({
      sessionUpdate: 'agent_thought_chunk',
    });
    expect(update({ type: 'notice', text: 'x' })).toBeNull();
  });

  test.each([
    ['bash', { command: '\n ls -l\nrm x' }, 'bash ls -l', 'execute'],
    ['read', { path: '/a' }, 'read /a', 'read'],
    ['verify', { path: '/a' }, 'verify /a', 'read'],
    ['skill', {}, 'skill', 'think'],
    ['delegate', { task: 'x' }, 'delegate', 'other'],
    ['bash', { command: `echo ${'x'.repeat(200)}` }, `bash echo ${'x'.repeat(110)}…`, 'execute'],
    ['bash', { command: `echo ${'x'.repeat(110)}` }, `bash echo ${'x'.repeat(110)}`, 'execute'],
    ['bash', null, 'bash', 'execute'],
  ])('that a call of %s begins with %j is a line: %s', (name, input, title, kind) => {
    expect(started(name, input)).toMatchObject({
      ...{ sessionUpdate: 'tool_call', toolCallId: 'c', title, kind, status: 'in_progress' },
      rawInput: input,
    });
  });

  test('that a file is about to be changed shows where, and the very change', () => {
    const path = '/home/ann/project/a';
    const input = { path: '/mnt/editor/a' };
    expect(started('write', { ...input, content: 'new' })).toMatchObject({
      ...{ kind: 'edit', locations: [{ path }] },
      content: [{ type: 'diff', path, oldText: null, newText: 'new' }],
    });
    expect(started('edit', { ...input, old: 'a', new: 'b' })).toMatchObject({
      ...{ kind: 'edit', content: [{ type: 'diff', path, oldText: 'a', newText: 'b' }] },
    });
    const reading = started('read', input);
    expect(reading).toMatchObject({ locations: [{ path }] });
    expect(reading).not.toHaveProperty('content');
    expect(started('bash', { command: 'ls' })).not.toHaveProperty('locations');
  });

  test.each([
    [{}, 'completed'],
    [{ failed: false }, 'completed'],
    [{ failed: true }, 'failed'],
    [{ failure: 'timeout' }, 'failed'],
  ])('that a call ended with %j is %s', (more, status) => {
    expect(update({ type: 'tool-end', callId: 'c', text: 'a ```` b\n', ...more })).toEqual({
      ...{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status },
      content: [{ type: 'content', content: { type: 'text', text: '`````\na ```` b\n`````' } }],
    });
    expect(update({ type: 'tool-end', callId: 'c', ...more })).not.toHaveProperty('content');
  });

  test('of the log is none of a turn; its messages are told as they were said', () => {
    const entry = (message: unknown, type = 'message') =>
      ({ type, message }) as unknown as SessionEvent;
    expect(updateOf(entry({ role: 'user', content: 'x' }), NAMES)).toBeNull();
    const said = (sessionUpdate: string, text: string) => ({
      sessionUpdate,
      content: { type: 'text', text },
    });
    expect(replayOf(entry({ role: 'user', content: 'hi' }))).toEqual([
      said('user_message_chunk', 'hi'),
    ]);
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'tool-call' },
      { type: 'text' },
      { type: 'text', text: 'b' },
    ];
    expect(replayOf(entry({ role: 'assistant', content: parts }))).toEqual([
      ...[said('agent_message_chunk', 'a'), said('agent_message_chunk', 'b')],
    ]);
    for (const none of [
      entry({ role: 'tool', content: 'x' }),
      entry({ role: 'user', content: 'x' }, 'custom'),
      entry(7),
    ])
      expect(replayOf(none)).toEqual([]);
  });
});

/** An editor that gives these answers, one after the other, and what it was asked. */
function editor(...answers: unknown[]) {
  const asked: { method: string; params: Record<string, never> }[] = [];
  const given: unknown[][] = [];
  const refusals: unknown[] = [];
  const request = async (method: string, params: never) => {
    asked.push({ method, params });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const take = async (...what: unknown[]) => {
    given.push(what);
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
  };
  const visit = {
    session: 's',
    approvals: { decide: take },
    questions: { answer: take },
  } as unknown as Visit;
  return { asked, given, refusals, client: { request } as unknown as AgentContext, visit };
}

const APPROVAL = {
  ...{
    id: 'a1',
    actor: 'reader',
    people: [],
    op: 'write',
    path: '/mnt/editor/a',
    reason: 'it changes',
  },
  ...{
    change: '-a\n+b\n',
    operations: [
      { op: 'write', path: '/mnt/editor/a' },
      { op: 'unlink', path: '/b' },
    ],
  },
} as unknown as Approval;

describe('a request for approval', () => {
  test.each([
    ['once', { decision: 'allow', scope: 'once' }],
    ['path', { decision: 'allow', scope: 'path' }],
    ['no', { decision: 'deny' }],
    ['other', null],
    [null, null],
  ])('that is answered with %s is %j', async (optionId, answer) => {
    const outcome =
      optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
    const { client, visit, given } = editor({ outcome });
    await ask({ client, visit, names: NAMES }, APPROVAL);
    expect(given).toEqual(answer === null ? [] : [[APPROVAL, answer]]);
  });

  test('shows what would be done, why, and the change; the file can be opened', async () => {
    const cancelled = { outcome: { outcome: 'cancelled' } };
    const { client, visit, asked } = editor(cancelled, cancelled, cancelled);
    for (const more of [{}, { op: 'call', path: '' }, { op: 'tool' }])
      await ask({ client, visit, names: NAMES }, { ...APPROVAL, ...more } as Approval);
    const calls = asked.map(
      ({ params }) => params['toolCall'] as unknown as Record<string, unknown>,
    );
    expect(calls[0]).toMatchObject({
      ...{ toolCallId: 'approval-a1', kind: 'edit', status: 'pending' },
      ...{
        title: 'write /mnt/editor/a (and 1 more)',
        locations: [{ path: '/home/ann/project/a' }],
      },
    });
    expect(calls.map(({ kind, locations }) => [kind, (locations as []).length])).toEqual([
      ...[
        ['edit', 1],
        ['execute', 0],
        ['execute', 1],
      ],
    ]);
    expect(asked[0]?.params['options']).toEqual([
      { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'path', name: 'Allow for a day', kind: 'allow_always' },
      { optionId: 'no', name: 'Refuse', kind: 'reject_once' },
    ]);
    expect(askedText(APPROVAL)).toBe(
      'reader wants to:\n- write /mnt/editor/a\n- unlink /b\n\nit changes\n\n```diff\n-a\n+b\n```',
    );
    expect(askedText({ ...APPROVAL, change: null })).toMatch(/it changes$/);
  });
});

const question = (form: QuestionForm) =>
  ({ id: 'q1', actor: 'reader', question: 'Which?', form, untrusted: [] }) as unknown as Question;
const put = async (form: QuestionForm, hasForms: boolean, ...answers: unknown[]) => {
  const { client, visit, asked, given } = editor(...answers);
  await putQuestion({ client, visit, hasForms }, question(form));
  return { asked, values: given.map(([, value]) => value) };
};
const PLAN: QuestionForm = { kind: 'plan', scope: { writes: [], tools: [] } };

describe('a question', () => {
  test.each<[QuestionForm, unknown, unknown[]]>([
    [{ kind: 'text' }, { action: 'accept', content: { answer: 'x' } }, ['x']],
    [{ kind: 'text' }, { action: 'accept', content: null }, [null]],
    [{ kind: 'text' }, { action: 'accept' }, [null]],
    [{ kind: 'text' }, { action: 'decline' }, [null]],
    [{ kind: 'text' }, { action: 'cancel' }, []],
    [
      PLAN,
      { action: 'accept', content: { answer: 'change', comment: 'less' } },
      [{ decision: 'change', comment: 'less' }],
    ],
    [PLAN, { action: 'accept', content: { answer: 'approve' } }, [{ decision: 'approve' }]],
    [PLAN, { action: 'accept', content: {} }, [null]],
  ])('%j by a form, answered with %j, is %j', async (form, response, values) => {
    const { asked, values: given } = await put(form, true, response);
    expect(given).toEqual(values);
    const schema = asked[0]?.params['requestedSchema'] as unknown as {
      properties: object;
      required: string[];
    };
    expect(schema.required).toEqual(['answer']);
    expect(Object.keys(schema.properties)).toEqual(
      form === PLAN ? ['answer', 'comment'] : ['answer'],
    );
    expect(asked[0]?.params).toMatchObject({
      mode: 'form',
      sessionId: 's',
      message: questionWords(question(form)),
    });
  });

  test.each<[QuestionForm, string[], unknown[]]>([
    [{ kind: 'confirm' }, ['Yes', 'No', 'Do not answer'], [true, false, null]],
    [
      PLAN,
      ['Approve', 'Reject', 'Do not answer'],
      [{ decision: 'approve' }, { decision: 'reject' }, null],
    ],
    [{ kind: 'choice', options: ['a', 'b'] }, ['a', 'b', 'Do not answer'], ['a', 'b', null]],
    [{ kind: 'choice' }, ['Do not answer'], [null]],
  ])('%j by buttons has %j, which are %j', async (form, names, values) => {
    for (const [index, value] of values.entries()) {
      const optionId = index === names.length - 1 ? 'decline' : String(index);
      const { asked, values: given } = await put(form, false, {
        outcome: { outcome: 'selected', optionId },
      });
      expect(given).toEqual([value]);
      const options = asked[0]?.params['options'] as unknown as { name: string; kind: string }[];
      expect(options.map(({ name }) => name)).toEqual(names);
      expect(options.at(-1)?.kind).toBe('reject_once');
      const isNo = names[index] === 'No' || names[index] === 'Reject' || index === names.length - 1;
      expect(options[index]?.kind).toBe(isNo ? 'reject_once' : 'allow_once');
    }
    expect((await put(form, false, { outcome: { outcome: 'cancelled' } })).values).toEqual([]);
  });

  test('whose answer has not its form is put again, with why, three times in all', async () => {
    const accepted = { action: 'accept', content: { answer: 'x' } };
    const { client, visit, asked, given, refusals } = editor(accepted, accepted, accepted);
    const wrong = () =>
      new FsError('EINVAL', { path: '/q', op: 'answer', reason: 'it should be a number' });
    refusals.push(wrong(), wrong(), wrong());
    await putQuestion({ client, visit, hasForms: true }, question({ kind: 'number' }));
    expect(given.map(([, value]) => value)).toEqual(['x', 'x', 'x', null]);
    expect(
      asked.map(({ params }) => String(params['message']).endsWith('it should be a number')),
    ).toEqual([...[false, true, true]]);
    const failing = editor(accepted);
    failing.refusals.push(new FsError('ESTALE', { path: '/q', op: 'answer' }));
    await expect(
      putQuestion(
        { client: failing.client, visit: failing.visit, hasForms: true },
        question({ kind: 'text' }),
      ),
    ).rejects.toThrow('ESTALE');
  });

  test('of any kind is put by forms, and by buttons what one press can answer', () => {
    expect([kindsOf(true), kindsOf(false)]).toEqual([FORM_KINDS, ['confirm', 'choice', 'plan']]);
  });

  test.each<[QuestionForm, object]>([
    [{ kind: 'confirm' }, { type: 'boolean' }],
    [
      { kind: 'choice', options: ['a', 'b'] },
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      { kind: 'choices', options: ['a', 'b'], min: 1, max: 2 },
      { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, maxItems: 2 },
    ],
    [
      { kind: 'choices', options: ['a'] },
      { type: 'array', items: { type: 'string', enum: ['a'] } },
    ],
    [
      { kind: 'number', min: 0, max: 9 },
      { type: 'number', minimum: 0, maximum: 9 },
    ],
    [{ kind: 'number', whole: true }, { type: 'integer' }],
    [{ kind: 'date' }, { type: 'string', format: 'date' }],
    [{ kind: 'text' }, { type: 'string', minLength: 1, maxLength: 10_000 }],
    [
      { kind: 'text', min: 3, max: 5 },
      { type: 'string', minLength: 3, maxLength: 5 },
    ],
    [PLAN, { type: 'string', enum: ['approve', 'reject', 'change'] }],
  ])('%j has a field of its form', (form, field) => {
    const { title, description, ...rest } = answerField(form) as Record<string, unknown>;
    expect([title, rest]).toEqual(['Answer', field]);
    expect(description).not.toBe('');
  });

  test('says whose words it is, and what a plan would change', () => {
    expect(questionWords(question({ kind: 'text' }))).toBe(
      'reader asks; an answer allows nothing by itself.\n\nWhich?',
    );
    const scope = { writes: [{ path: '/a', operations: ['write'] as const }], tools: [] };
    expect(questionWords(question({ kind: 'plan', scope }))).toMatch(
      /^reader proposes a plan, .*:\n\n[\s\S]*\/a[\s\S]*\n\nWhich\?$/,
    );
    const marked = { ...question({ kind: 'text' }), untrusted: ['/mnt/x'] };
    expect(questionWords(marked)).toMatch(/Which\?\n\n.*\/mnt\/x/);
  });
});

describe('a plan', () => {
  test('is the boxes of a file that is called so', () => {
    expect(
      ['plan.md', '/a/PLAN.md', '/TODO.md', '/a/myplan.md', '/plan.md.bak', '/plan/a.md'].map(
        isPlan,
      ),
    ).toEqual([...[true, true, true, false, false, false]]);
    const entries = planOf(
      '# Plan\n- [ ] one\n* [x] two \n  + [X] three\n1. [~] four\n2) [/] five\n- [-] six\n- [ ]\n- [?] no\n-[ ] no\ntext',
    );
    expect(entries.map(({ content, status }) => `${content} ${status}`)).toEqual([
      ...[
        'one pending',
        'two completed',
        'three completed',
        'four in_progress',
        'five in_progress',
      ],
      'six in_progress',
    ]);
    expect(entries.every(({ priority }) => priority === 'medium')).toBe(true);
    expect(planOf('- [ ] x\n'.repeat(101))).toHaveLength(100);
  });
});

describe('the files of an editor', () => {
  const opened = (able: object, mode: 'ro' | 'rw' = 'rw', ...answers: unknown[]) => {
    const { client, asked } = editor(...answers);
    const notices: string[] = [];
    const session = Promise.resolve('s');
    const mounted = editorDirectory(
      { client, session, directory: '/home/ann/project/', able },
      mode,
      (line) => notices.push(line),
    );
    return { mounted, asked, notices };
  };

  test('are asked for by their own paths, where it gives and takes them', async () => {
    const { mounted, asked, notices } = opened(
      { readTextFile: true, writeTextFile: true },
      'rw',
      { content: 'x' },
      {},
    );
    expect(mounted).toMatchObject({
      directory: '/home/ann/project',
      point: '/mnt/editor',
      mode: 'rw',
    });
    expect([mounted.buffers.reads, mounted.buffers.writes, notices]).toEqual([true, true, []]);
    expect(await mounted.buffers.read('/a/b')).toBe('x');
    await mounted.buffers.write('/a/b', 'new');
    expect(asked).toEqual([
      { method: 'fs/read_text_file', params: { sessionId: 's', path: '/home/ann/project/a/b' } },
      {
        method: 'fs/write_text_file',
        params: { sessionId: 's', path: '/home/ann/project/a/b', content: 'new' },
      },
    ]);
  });

  test('that it does not give or take are the disk’s, and that is said', () => {
    expect(opened({}).notices).toEqual([
      expect.stringContaining('has what is saved on the disk'),
      expect.stringContaining('goes to the disk'),
    ]);
    expect(opened({ readTextFile: true }, 'ro').notices).toEqual([]);
  });

  test('are not those of a whole disk, or of no place', () => {
    for (const directory of ['/', 'project', '/..'])
      expect(() =>
        editorDirectory(
          { ...{ client: editor().client, session: Promise.resolve('s'), able: {} }, directory },
          'ro',
          () => undefined,
        ),
      ).toThrow('open the directory of a project');
  });

  test('that it refuses are errors with what it said; one that never answers is late', async () => {
    const { mounted } = opened({ readTextFile: true }, 'ro', new Error('no such buffer'));
    await expect(mounted.buffers.read('/a')).rejects.toMatchObject({
      ...{ code: 'EIO', path: '/a', op: 'open', reason: 'the editor answered: no such buffer' },
    });
    const request = (
      _: string,
      __: object,
      { cancellationSignal }: { cancellationSignal: AbortSignal },
    ) =>
      new Promise((_resolve, reject) => {
        cancellationSignal.addEventListener('abort', () => reject(cancellationSignal.reason));
      });
    const silent = editorDirectory(
      {
        client: { request } as unknown as AgentContext,
        session: Promise.resolve('s'),
        directory: '/p',
        able: {},
        answerMs: 5,
      },
      ...(['rw', () => undefined] as const),
    );
    await expect(silent.buffers.write('/a', 'x')).rejects.toMatchObject({
      ...{ code: 'ETIMEDOUT', op: 'write', reason: expect.stringContaining('may have written it') },
    });
  });
});
