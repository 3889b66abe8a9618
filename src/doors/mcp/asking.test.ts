/** What a person is asked by way of their client of MCP, and calls that a client comes back for. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FsError } from '../../errors.ts';
import type { Question } from '../../policy/question.ts';
import { answerIn, inputAbout } from './approvals.ts';
import { KEPT_MS } from './calls.ts';
import { type McpClient, takeAnswer } from './client.ts';
import { answerGiven, inputFor } from './questions.ts';
import { serveTasks, TASKS, taskResult } from './tasks.ts';
import { approvalOf, client, led, questionOf } from './testing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what a person is asked', () => {
  test('is shown whole, with its digest, or not at all', () => {
    const shown = (input: ReturnType<typeof inputFor>) =>
      Object.entries(input ?? {}).map(([name, each]) => [
        name,
        (each as unknown as { params: { message: string } }).params.message,
      ]);
    expect(shown(inputAbout(approvalOf('1', 0, '+x\n')))).toEqual([
      ['approval-1', 'a wants to write /a\nit is asked\n\n+x\n\napproval 1, digest d1'],
    ]);
    expect(shown(inputFor(approvalOf('1', 0), null))).toEqual([
      ['approval-1', 'a wants to write /a\nit is asked\n\napproval 1, digest d1'],
    ]);
    expect(inputAbout(approvalOf('1', 0, 'x'.repeat(20_000)))).not.toBeNull();
    expect(inputAbout(approvalOf('1', 0, 'x'.repeat(20_001)))).toBeNull();
    const asks = 'a asks; an answer allows nothing by itself.\n\nWhich?\n\nquestion q, digest dq';
    expect(shown(inputFor(questionOf({ kind: 'text' }), null))).toEqual([['question-q', asks]]);
    expect(shown(inputFor(questionOf({ kind: 'text' }), 'too short'))).toEqual([
      ['question-q', `That was no answer: too short\n\n${asks}`],
    ]);
    const long = 20_000 - asks.length + 'Which?'.length;
    expect(inputFor(questionOf({ kind: 'text' }, 'x'.repeat(long)), null)).not.toBeNull();
    expect(inputFor(questionOf({ kind: 'text' }, 'x'.repeat(long + 1)), null)).toBeNull();
  });

  test('of a plan has a comment beside the answer', () => {
    const fields = (form: Question['form']) => {
      const [each] = Object.values(inputFor(questionOf(form), null) ?? {});
      const { params } = each as unknown as { params: { requestedSchema: object } };
      return params.requestedSchema;
    };
    expect(fields({ kind: 'confirm' })).toEqual({
      type: 'object',
      properties: { answer: expect.objectContaining({ type: 'boolean' }) },
      required: ['answer'],
    });
    expect(fields({ kind: 'plan' })).toMatchObject({
      properties: { comment: { type: 'string' } },
      required: ['answer'],
    });
  });

  test.each<[unknown, unknown, unknown]>([
    [
      { action: 'accept', content: { answer: 'once' } },
      { decision: 'allow', scope: 'once' },
      { value: 'once' },
    ],
    [
      { action: 'accept', content: { answer: 'path' } },
      { decision: 'allow', scope: 'path' },
      { value: 'path' },
    ],
    [{ action: 'accept', content: { answer: 'no' } }, { decision: 'deny' }, { value: 'no' }],
    [{ action: 'accept', content: { answer: 'maybe' } }, null, { value: 'maybe' }],
    [{ action: 'accept' }, null, null],
    [{ action: 'decline' }, { decision: 'deny' }, { value: null }],
    [{ action: 'cancel' }, { decision: 'deny' }, { value: null }],
    [{ action: 'other' }, null, null],
    [undefined, null, null],
  ])('%j is an answer to a request, and to a question', (response, request, question) => {
    expect(answerIn({ 'approval-1': response }, '1')).toEqual(request);
    const asked = questionOf({ kind: 'text' });
    expect(answerGiven({ 'question-q': response }, asked)).toEqual(question);
    expect(answerIn({ 'approval-2': response }, '1')).toBeNull();
    expect(answerGiven({ 'question-r': response }, asked)).toBeNull();
    expect(answerIn(response === undefined ? 'x' : null, '1')).toBeNull();
  });

  test('of a plan is answered with a decision, and perhaps a comment', () => {
    const given = (content: object) =>
      answerGiven({ 'question-q': { action: 'accept', content } }, questionOf({ kind: 'plan' }));
    expect(given({ answer: 'approve' })).toEqual({ value: { decision: 'approve' } });
    expect(given({ answer: 'change', comment: 'so' })).toEqual({
      value: { decision: 'change', comment: 'so' },
    });
  });

  test('is answered for what was shown alone; what is no answer is asked again', async () => {
    const one = client(approvalOf('1'));
    const { call } = led(one.calls);
    call.question = approvalOf('1');
    const shown = { id: '1', digest: 'd1' };
    const yes = { 'approval-1': { action: 'accept', content: { answer: 'once' } } };
    await takeAnswer(one.of, call, { ...shown, id: '2' }, yes);
    await takeAnswer(one.of, call, shown, {});
    expect([one.answered, call.question]).toEqual([[], expect.objectContaining({ id: '1' })]);
    await takeAnswer(one.of, call, shown, yes);
    expect([one.answered, call.question]).toEqual([
      [[shown, { decision: 'allow', scope: 'once' }]],
      null,
    ]);
    const two = client();
    const asking = led(two.calls).call;
    const failing = (code: FsError['code']) => {
      two.visit.questions.answer = () =>
        Promise.reject(new FsError(code, { path: 'q', op: 'answer', reason: 'one of a, b' }));
      asking.question = questionOf({ kind: 'text' });
      const no = { 'question-q': { action: 'decline' } };
      return takeAnswer(two.of, asking, { id: 'q', digest: 'dq' }, no);
    };
    await failing('EINVAL');
    expect([asking.fault, asking.question?.id]).toEqual([
      expect.stringContaining('one of a, b'),
      'q',
    ]);
    await expect(failing('ESTALE')).rejects.toThrow('one of a, b');
  });
});

describe('a task', () => {
  const context = (extensions: object | undefined) =>
    ({
      mcpReq: { envelope: { 'io.modelcontextprotocol/clientCapabilities': { extensions } } },
    }) as never;
  const taking = context({ [TASKS]: {} });

  /** What a client does with its tasks. */
  function tasks(of: McpClient) {
    const handlers = new Map<string, (params: object, context: never) => Promise<object>>();
    const server = {
      setRequestHandler: (name: string, _: unknown, handler: never) => handlers.set(name, handler),
      getClientCapabilities: () => undefined,
    };
    serveTasks(server as never, of);
    return async (name: string, taskId: string, at = taking) => {
      const { mcpReq } = at as { mcpReq: object };
      const inputResponses = { 'approval-1': { action: 'decline' } };
      const asked = { mcpReq: { ...mcpReq, inputResponses } } as never;
      return handlers.get(`tasks/${name}`)?.({ taskId }, asked);
    };
  }

  test('is told of while it works, asks, and has ended', async () => {
    const { calls, of, answered } = client(approvalOf('1'));
    const { call, hooks, ended } = led(calls);
    const ask = tasks(of);
    expect(taskResult(call)).toMatchObject({
      resultType: 'task',
      taskId: call.id,
      status: 'working',
    });
    const state = async () => {
      const got = ask('get', call.id);
      await vi.advanceTimersByTimeAsync(0);
      return got;
    };
    expect(await state()).toEqual({
      taskId: call.id,
      status: 'working',
      createdAt: call.began.toISOString(),
      lastUpdatedAt: expect.any(String),
      ttlMs: KEPT_MS,
      pollIntervalMs: 1_000,
    });
    hooks.onParked();
    await call.next();
    expect(await state()).toMatchObject({
      status: 'input_required',
      inputRequests: { 'approval-1': {} },
    });
    expect(await ask('update', call.id)).toEqual({});
    expect(answered).toHaveLength(1);
    ended.resolve('result');
    await call.result;
    expect(await state()).toMatchObject({ status: 'completed', result: 'result' });
    expect(await ask('update', call.id)).toEqual({});
    expect(answered).toHaveLength(1);
  });

  test('fails with what went wrong, and is cancelled', async () => {
    const { calls, of } = client();
    const ask = tasks(of);
    const failing = led(calls);
    failing.ended.reject(new Error('gone'));
    await failing.call.result.catch(() => undefined);
    expect(await ask('get', failing.call.id)).toMatchObject({
      status: 'failed',
      error: { message: 'gone' },
    });
    const cancelled = led(calls);
    expect(await ask('cancel', cancelled.call.id)).toEqual({});
    expect(cancelled.hooks.signal.aborted).toBe(true);
    cancelled.ended.resolve('late');
    await cancelled.call.result;
    expect(await ask('get', cancelled.call.id)).toMatchObject({ status: 'cancelled' });
  });

  test('of which the question is too long to be shown is turned down, and works on', async () => {
    const { calls, of } = client(approvalOf('1', Date.now(), 'x'.repeat(30_000)));
    const { call, hooks } = led(calls);
    hooks.onParked();
    await call.next();
    expect(await tasks(of)('get', call.id)).toMatchObject({ status: 'working' });
    expect([call.aborted, call.question]).toEqual([true, null]);
  });

  test('is none to whoever says nothing of tasks, and one that is not here is said', async () => {
    const { calls, of } = client();
    const { call } = led(calls);
    const ask = tasks(of);
    await expect(ask('get', call.id, context(undefined))).rejects.toThrow();
    await expect(ask('get', 'x')).rejects.toThrow('there is no task x');
  });
});
