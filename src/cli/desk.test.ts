/** How a person at the terminal is asked while something waits: one question at a time, and each once. */
import { EventEmitter, once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Approval } from '../policy/approval.ts';
import type { Question } from '../policy/question.ts';
import type { VisibleText } from '../visible.ts';
import { type Asking, askLater, askPerson, attendTurn, type Desk, keepForLater } from './desk.ts';
import type { LineReader, TerminalInput } from './line-reader.ts';
import { keptOutput } from './testing.ts';

const approvalOf = (id: string, state = 'pending'): Approval =>
  ({
    id,
    state,
    actor: 'assistant',
    people: [],
    op: 'write',
    path: '/a',
    operations: [{ op: 'write', path: '/a' }],
    reason: 'it is asked',
    change: null,
  }) as unknown as Approval;

const questionOf = (id: string, state = 'pending'): Question =>
  ({
    id,
    state,
    actor: 'assistant',
    question: 'Sure?',
    form: { kind: 'confirm' },
    untrusted: [],
  }) as unknown as Question;

/** A journal, a desk, and a person who types these. */
function desk(...typed: (string | { key: 'interrupted' | 'ended' } | 'withdrawn')[]) {
  const rows = new Map<string, Approval | Question>();
  const answers: [string, unknown][] = [];
  const prompts: string[] = [];
  const kept = keptOutput();
  const journal = {
    get: async (id: string) => (rows.get(id) ?? null) as never,
    answer: async (id: string, answer: unknown) => {
      answers.push([id, answer]);
      rows.delete(id);
      return null as never;
    },
  };
  const reader = {
    ask: async (prompt: VisibleText, withdrawn: AbortSignal) => {
      prompts.push(String(prompt));
      const next = typed.shift();
      if (next === undefined || next === 'withdrawn') {
        if (!withdrawn.aborted) await once(withdrawn, 'abort');
        return 'withdrawn';
      }
      return typeof next === 'string' ? { line: next } : next.key;
    },
    lend: (work: () => Promise<unknown>) => work(),
    typed: (text: string) => void prompts.push(`typed: ${text}`),
  } as unknown as LineReader;
  const at: Desk = { onAsked: () => undefined };
  const asking: Asking = { output: kept.output, reader, stop: new AbortController(), desk: at };
  const world = { approvals: journal, questions: journal };
  return { rows, answers, prompts, err: kept.err, asking, world, at };
}

const SHOWN = 'assistant wants to write /a\n  it is asked\n';

describe('a request', () => {
  test('is shown once, and asked about until there is an answer', async () => {
    const { rows, answers, prompts, err, asking, world } = desk('what', 'y');
    rows.set('1', approvalOf('1'));
    await askPerson(approvalOf('1'), world, asking);
    expect(err()).toBe(SHOWN);
    expect(prompts).toHaveLength(2);
    expect(answers).toEqual([['1', { decision: 'allow', scope: 'once' }]]);
    expect([asking.stop.signal.aborted, asking.desk.onAnswered]).toEqual([false, undefined]);
  });

  test('that is none any more is not asked about, nor when what asks was stopped', async () => {
    const { rows, prompts, err, asking, world } = desk('y', 'y', 'y');
    await askPerson(approvalOf('1'), world, asking);
    rows.set('1', approvalOf('1', 'allowed'));
    await askPerson(approvalOf('1'), world, asking);
    rows.set('1', approvalOf('1'));
    asking.stop.abort();
    await askPerson(approvalOf('1'), world, asking);
    expect([prompts, err()]).toEqual([[], '']);
  });

  test.each(['interrupted', 'ended'] as const)('is left as it is by whoever is %s', async (key) => {
    const { rows, answers, asking, world } = desk({ key });
    rows.set('1', approvalOf('1'));
    await askPerson(approvalOf('1'), world, asking);
    expect([answers, asking.stop.signal.aborted]).toEqual([[], true]);
    expect(asking.desk.onAnswered).toBeUndefined();
  });

  test.each([
    ['denied', 'denied'],
    ['used', 'allowed'],
    [null, 'it is gone'],
  ])('that is %s elsewhere meanwhile is withdrawn, and said so', async (state, said) => {
    const { rows, answers, err, asking, world, prompts } = desk();
    rows.set('1', approvalOf('1'));
    const done = askPerson(approvalOf('1'), world, asking);
    await expect.poll(() => prompts).toHaveLength(1);
    // What is answered of others does not end it.
    asking.desk.onAnswered?.(approvalOf('2', 'denied'));
    if (state === null) rows.delete('1');
    else rows.set('1', approvalOf('1', state));
    asking.desk.onAnswered?.(approvalOf('1', 'denied'));
    await done;
    expect(err()).toBe(`${SHOWN}answered elsewhere: ${said}\n`);
    expect([answers, asking.stop.signal.aborted]).toEqual([[], false]);
  });
});

describe('a question', () => {
  test('says what is wrong with an answer, and asks again', async () => {
    const { rows, answers, err, asking, world, prompts } = desk('perhaps', 'no');
    rows.set('1', questionOf('1'));
    await askPerson(questionOf('1'), world, asking);
    expect(err()).toMatch(/Sure\?\nit should be yes or no\n$/);
    expect(prompts).toEqual(['yes or no, or /skip: ', 'yes or no, or /skip: ']);
    expect(answers).toEqual([['1', { value: false, by: 'the terminal' }]]);
  });

  test('is not asked where no agent asks', async () => {
    const { rows, asking, world, prompts } = desk('no');
    rows.set('1', questionOf('1'));
    await askPerson(questionOf('1'), { approvals: world.approvals }, asking);
    expect(prompts).toEqual([]);
  });
});

test('what background jobs ask for is kept until the next prompt, and asked one after the other', async () => {
  const { rows, answers, asking, world, at } = desk('y', 'n');
  keepForLater(at);
  for (const id of ['1', '2']) {
    rows.set(id, approvalOf(id));
    at.onAsked(approvalOf(id));
  }
  const answered: unknown[] = [];
  at.onAnswered = (each) => answered.push(each.id);
  at.onAsked(approvalOf('3', 'denied'));
  keepForLater(at);
  expect([at.later?.map(({ id }) => id), answered]).toEqual([['1', '2'], ['3']]);
  await askLater(at, world, asking);
  expect(answers).toEqual([
    ['1', { decision: 'allow', scope: 'once' }],
    ['2', { decision: 'deny' }],
  ]);
  expect([at.later, asking.stop.signal.aborted]).toEqual([[], false]);
  await askLater(undefined, world, asking);
});

describe('while a turn runs', () => {
  const terminal = () => {
    const keys = new EventEmitter() as EventEmitter & { raw: boolean[] };
    keys.raw = [];
    return Object.assign(keys, {
      setRawMode: (raw: boolean) => keys.raw.push(raw),
      resume: () => undefined,
      pause: () => undefined,
    }) as unknown as TerminalInput & { raw: boolean[] };
  };
  const press = (input: TerminalInput, keys: string) => input.emit('data', Buffer.from(keys));

  test.each([
    ['\x1b', true],
    ['\x03', true],
    ['a\x03b', true],
    ['\x1b[A', false],
    ['a', false],
  ])('the key %j stops it: %s', async (key, stops) => {
    const { asking, world, prompts } = desk();
    const input = terminal();
    const attending = attendTurn(input, world, asking);
    expect(input.raw).toEqual([true]);
    press(input, key);
    expect(asking.stop.signal.aborted).toBe(stops);
    expect(prompts).toEqual(stops ? [] : [`typed: ${key}`]);
    await attending.end();
    press(input, 'x');
    expect(prompts).not.toContain('typed: x');
    expect(input.listenerCount('data')).toBe(0);
  });

  test('keys are answers while something is asked, and stop it again after that', async () => {
    const { rows, answers, asking, world, prompts } = desk('withdrawn', 'y');
    const input = terminal();
    const attending = attendTurn(input, world, asking);
    for (const id of ['1', '2']) {
      rows.set(id, approvalOf(id));
      attending.onAsked(approvalOf(id));
    }
    await expect.poll(() => prompts).toHaveLength(1);
    press(input, '\x1b');
    expect(asking.stop.signal.aborted).toBe(false);
    attending.onAsked(approvalOf('1', 'denied'));
    await expect.poll(() => answers).toEqual([['2', { decision: 'allow', scope: 'once' }]]);
    await expect.poll(() => input.listenerCount('data')).toBe(1);
    press(input, '\x1b');
    expect(asking.stop.signal.aborted).toBe(true);
    await attending.end();
  });

  test('a failure to ask is told as the caller wants', async () => {
    const { asking, world } = desk();
    const failures: string[] = [];
    const attending = attendTurn(
      terminal(),
      { ...world, approvals: { ...world.approvals, get: () => Promise.reject(new Error('gone')) } },
      asking,
      (work) => work().catch((error: Error) => void failures.push(error.message)),
    );
    attending.onAsked(approvalOf('1'));
    await attending.end();
    expect(failures).toEqual(['gone']);
  });
});
