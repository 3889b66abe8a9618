/** Where a branch is cut that is too long for the model, and what is wrong with a cut. */
import { describe, expect, test } from 'vitest';
import type { Entry, SessionMessage } from './entry.ts';
import {
  type CompactionOptions,
  faultOfCut,
  modelView,
  needsCompaction,
  planCompaction,
} from './model-view.ts';

type Draft = { type: string; [field: string]: unknown };

const branchOf = (...drafts: Draft[]): Entry[] =>
  drafts.map((draft, index) => ({ id: `e${index}`, ...draft }) as unknown as Entry);

const said = (role: string, content: unknown): Draft => ({
  type: 'message',
  message: { role, content },
});
const user = (text = 'x'): Draft => said('user', text);
const assistant = (text = 'x'): Draft => said('assistant', text);
const call = (id: string): Draft =>
  said('assistant', [{ type: 'tool-call', toolCallId: id, toolName: 'bash', input: {} }]);
const result = (id: string, value = 'ok'): Draft =>
  said('tool', [
    { type: 'tool-result', toolCallId: id, toolName: 'bash', output: { type: 'text', value } },
  ]);
const compaction = (firstKeptEntryId: string, summary = 'before'): Draft => ({
  type: 'compaction',
  summary,
  firstKeptEntryId,
});

const texts = (messages: readonly SessionMessage[]): unknown[] =>
  messages.map(({ content }) => content);
const SUMMARY = 'The conversation before this point, in summary:\n\n';

describe('the view', () => {
  test('begins with the last summary, then what it kept', () => {
    const branch = branchOf(
      user('a'),
      assistant('b'),
      user('c'),
      compaction('e2', 'old'),
      user('d'),
      compaction('e2', 'new'),
      user('e'),
    );
    expect(texts(modelView(branch).messages)).toEqual([`${SUMMARY}new`, 'c', 'd', 'e']);
  });

  test('hides nothing where the entry that was kept is not there', () => {
    expect(texts(modelView(branchOf(user('a'), compaction('gone'))).messages)).toEqual([
      `${SUMMARY}before`,
      'a',
    ]);
  });

  test('has what other branches came to', () => {
    const branch = branchOf(
      user('a'),
      { type: 'branch_summary', summary: 'left' },
      { type: 'custom' },
    );
    expect(texts(modelView(branch).messages)).toEqual([
      'a',
      'Another branch of this conversation was tried and left. In summary:\n\nleft',
    ]);
  });

  test('is pruned unless it is not to be', () => {
    const large = 'x'.repeat(400);
    const branch = branchOf(call('1'), result('1', large), user('so'));
    const shown = (prune?: false): string =>
      JSON.stringify(
        modelView(branch, prune === false ? { prune } : { prune: { keepTokens: 0 } }).messages[1],
      );
    expect([shown().includes('[pruned 400'), shown(false).includes(large)]).toEqual([true, true]);
    const { messages, tokens } = modelView(branchOf(user('abcde'), assistant('a')));
    expect([messages.length, tokens]).toEqual([2, 4 + 2 + 4 + 1]);
  });
});

test('a branch is too long when it and the rest do not fit beside the answer', () => {
  const branch = branchOf(user('x'.repeat(384)));
  // A hundred tokens with their frame.
  const needs = (contextWindow: number, more: Partial<CompactionOptions> = {}): boolean =>
    needsCompaction(branch, { contextWindow, ...more });
  expect([needs(100, { reserve: 0 }), needs(99, { reserve: 0 })]).toEqual([false, true]);
  expect([needs(110, { reserve: 10 }), needs(109, { reserve: 10 })]).toEqual([false, true]);
  expect([
    needs(105, { reserve: 0, overhead: 5 }),
    needs(104, { reserve: 0, overhead: 5 }),
  ]).toEqual([false, true]);
  expect([needs(16_484), needs(16_483)]).toEqual([false, true]);
});

describe('a plan', () => {
  const plan = (branch: readonly Entry[], more: Partial<CompactionOptions> = {}) => {
    const found = planCompaction(branch, { contextWindow: 100, ...more });
    return found === null ? null : [found.firstKeptEntryId, texts(found.toSummarise)];
  };

  test('keeps the last two turns, and more while they fit', () => {
    const branch = branchOf(
      user('a'),
      assistant('b'),
      user('c'),
      assistant('d'),
      user('e'),
      assistant('f'),
      user('g'),
    );
    expect(plan(branch, { keepTokens: 0 })).toEqual(['e4', ['a', 'b', 'c', 'd']]);
    expect(plan(branch, { keepTokens: 0, keepTurns: 1 })).toEqual([
      'e6',
      ['a', 'b', 'c', 'd', 'e', 'f'],
    ]);
    // Each costs five tokens.
    expect([plan(branch, { keepTokens: 24 }), plan(branch, { keepTokens: 25 })]).toEqual([
      ['e4', ['a', 'b', 'c', 'd']],
      ['e2', ['a', 'b']],
    ]);
    expect(plan(branch)).toEqual(['e2', ['a', 'b']]);
    expect(plan(branch, { keepTurns: 3 })).toEqual(['e2', ['a', 'b']]);
    expect([plan(branch, { keepTurns: 4 }), plan(branch.slice(0, 3)), plan([])]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('of twenty thousand tokens, unless it is said otherwise', () => {
    const large = 'x'.repeat(40_000);
    const branch = branchOf(user('a'), user('b'), user(large), user(large));
    expect(plan(branch)).toEqual(['e2', ['a', 'b']]);
    expect(plan(branchOf(user('a'), user('b'), user(large), user('c')))).toEqual(['e1', ['a']]);
  });

  test('tells an earlier summary with the rest, and not alone', () => {
    const branch = branchOf(
      user('a'),
      user('b'),
      user('c'),
      compaction('e2'),
      user('d'),
      user('e'),
    );
    expect(plan(branch, { keepTokens: 0 })).toEqual(['e4', [`${SUMMARY}before`, 'c']]);
    expect(plan(branch.slice(0, 5), { keepTokens: 0 })).toBeNull();
    expect(
      plan(branchOf({ type: 'branch_summary', summary: 's' }, user('a'), user('b')), {
        keepTokens: 0,
      }),
    ).toBeNull();
  });

  test('says how long the branch was', () => {
    const branch = branchOf(user('a'), assistant('b'), user('c'), user('d'));
    expect(planCompaction(branch, { contextWindow: 100 })?.tokensBefore).toBe(20);
  });
});

describe('a cut', () => {
  const branch = branchOf(
    user('a'),
    call('1'),
    result('1'),
    user('b'),
    { type: 'branch_summary', summary: 's' },
    assistant('c'),
    user('d'),
  );
  const fault = (
    firstKeptEntryId: string,
    more: Partial<CompactionOptions> = {},
    own = branch,
    summary = 's',
  ): string | null =>
    faultOfCut(own, { firstKeptEntryId, summary }, { contextWindow: 1_000, reserve: 0, ...more });

  test('is before a message of the user that is in view, and not the first', () => {
    expect([fault('e3'), fault('e6')]).toEqual([null, null]);
    expect(fault('e0')).toBe('nothing stands before the entry that is to be kept first');
    expect(fault('none')).toBe('the entry none is not in view');
    for (const id of ['e1', 'e2', 'e4', 'e5'])
      expect(fault(id)).toBe(`the entry ${id} does not begin a turn: it is no message of the user`);
  });

  test('parts no call from its result', () => {
    const torn = branchOf(user('a'), call('1'), user('b'), result('1'));
    expect(fault('e2', {}, torn)).toBe('the entry e2 parts calls from their results');
    expect(fault('e2', {}, branchOf(user('a'), call('1'), user('b'), result('2')))).toBeNull();
  });

  test('keeps what fits with its summary', () => {
    const short = branchOf(user('a'), user('b'));
    // The summary: 4 of its frame, 13 of 50 bytes; and five of `b`.
    const tokens = 4 + Math.ceil((SUMMARY.length + 1) / 4) + 5;
    const fits = (contextWindow: number, more: Partial<CompactionOptions> = {}): string | null =>
      fault('e1', { contextWindow, ...more }, short);
    expect([fits(tokens), fits(tokens - 1)]).toEqual([
      null,
      `what it keeps, with its summary, is ${tokens} tokens, which do not fit`,
    ]);
    expect([
      fits(tokens + 7, { overhead: 7 }),
      fits(tokens + 7, { reserve: 7 }),
      fits(tokens + 6, { reserve: 7 }),
    ]).toEqual([null, null, expect.any(String)]);
    expect(fits(tokens + 6, { overhead: 7 })).toBe(
      `what it keeps, with its summary, is ${tokens + 7} tokens, which do not fit`,
    );
    const options = { contextWindow: tokens + 16_384 };
    expect([
      faultOfCut(short, { firstKeptEntryId: 'e1', summary: 's' }, options),
      faultOfCut(
        short,
        { firstKeptEntryId: 'e1', summary: 's' },
        { contextWindow: tokens + 16_383 },
      ),
    ]).toEqual([null, expect.any(String)]);
  });

  test('counts what it keeps as it is shown', () => {
    const large = branchOf(
      user('a'),
      user('b'),
      call('1'),
      result('1', 'x'.repeat(4_000)),
      user('c'),
    );
    expect([
      fault('e1', { prune: { keepTokens: 0 } }, large),
      fault('e1', { prune: false }, large),
    ]).toEqual([null, expect.stringContaining('do not fit')]);
  });
});
