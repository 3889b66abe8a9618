/** The rows of the change journal: steps, what stands in the place of what, what was left under way. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Change } from './change.ts';
import { isGone, newOwner } from './owner.ts';
import { ChangeRecords } from './records.ts';

const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;

function open(file = ':memory:') {
  const clock = { now: START };
  const records = new ChangeRecords(file, {
    now: () => new Date(clock.now),
    conceal: (text) => text.replaceAll('secret', '…'),
  });
  onTestFinished(() => records.close());
  const told: string[] = [];
  const stop = records.onChange(({ path, state }) => told.push(`${path} ${state}`));
  const begin = (path: string, mine = 'two\n', mount = 'm'): Change =>
    records.begin({ mount, path, op: 'update', base: 'one\n', mine });
  const stage = (path: string, mine?: string): Change => {
    const { id } = begin(path, mine);
    records.stage(id, REQUEST, []);
    return records.existing(id);
  };
  return { clock, records, told, stop, begin, stage };
}

const REQUEST = { method: 'PUT', path: '/x', body: { a: 1 } } as unknown as NonNullable<
  Change['request']
>;

const paths = (changes: readonly Change[]): string[] => changes.map(({ path }) => path);

test('a step keeps what was noted before, an end has its time, and what services said is without credentials', () => {
  const { clock, records, begin } = open();
  const { id } = begin('/a.md');
  records.update(id, { request: REQUEST, sentAt: START, state: 'unknown', error: 'secret no' });
  expect(records.existing(id)).toMatchObject({
    path: '/a.md',
    op: 'update',
    state: 'unknown',
    request: REQUEST,
    error: '… no',
    sentAt: START,
    createdAt: START,
    endedAt: null,
  });
  clock.now += 5;
  for (const state of ['applied', 'failed', 'conflict', 'dropped'] as const)
    expect(records.update(id, { state }).endedAt).toBe(START + 5);
  expect(records.update(id, { state: 'pending' }).endedAt).toBeNull();
  expect(records.existing(id).diff).toContain('-one\n+two\n');
});

test('what is staged has the text that was shown: another text is another change', () => {
  const { records, stage } = open();
  const { id, mine, base, digest } = stage('/a.md');
  expect(() => records.update(id, { mine: 'three\n' })).toThrow('another text is another change');
  expect(() => records.update(id, { base: 'none\n' })).toThrow('another text is another change');
  expect(records.update(id, { mine, base, error: 'late' })).toMatchObject({
    digest,
    error: 'late',
  });
});

test('a change that is staged stands in the place of those before, and says so; what is no longer pending stays as it is', () => {
  const { records, told, stage, begin } = open();
  const [first, second] = [stage('/a.md'), stage('/b.md')];
  records.update(second.id, { state: 'applied' });
  const next = begin('/a.md', 'three\n');
  told.length = 0;
  records.stage(next.id, REQUEST, [first, second]);
  expect(told).toEqual(['/a.md pending', '/a.md dropped']);
  expect(records.existing(first.id)).toMatchObject({ state: 'dropped', replacedBy: next.id });
  expect(records.existing(second.id)).toMatchObject({ state: 'applied', replacedBy: null });
  expect(records.pending('m', '/a.md')?.id).toBe(next.id);
  expect(records.latest('m', '/b.md')?.id).toBe(second.id);
  const last = begin('/c.md');
  records.replace([records.existing(next.id)], last.id);
  expect(records.existing(next.id)).toMatchObject({ state: 'dropped', replacedBy: last.id });
  expect([records.pending('m', '/a.md'), records.latest('m', '/none')]).toEqual([null, null]);
});

test('changes are listed by what is asked for; those of an account that is known by another name now go with it', () => {
  const { records, begin } = open();
  const [first] = [begin('/a.md'), begin('/b.md'), begin('/a.md', 'x', 'other')];
  expect(paths(records.list())).toEqual(['/a.md', '/b.md', '/a.md']);
  expect(records.list({ mount: 'm', path: '/a.md' })).toHaveLength(1);
  expect(records.list({ state: 'pending' })).toEqual([]);
  records.adopt('none', 'new');
  records.adopt('m', 'new');
  expect(records.list({ mount: 'new' })).toHaveLength(2);
  records.forget(first?.id ?? '');
  expect(records.get(first?.id ?? '')).toBeNull();
  const { id } = records.update(begin('/c.md').id, { state: 'pending' });
  records.forget(id);
  expect(records.get(id)).not.toBeNull();
  expect(() => records.existing('none')).toThrow(
    expect.objectContaining({ code: 'ENOENT', reason: 'no change has id none' }),
  );
});

test('whoever listens is told until they stop', () => {
  const { told, stop, begin } = open();
  begin('/a.md');
  stop();
  begin('/b.md');
  expect(told).toEqual(['/a.md draft']);
});

test('what was sent to a mount is counted from a time on', () => {
  const { records, begin } = open();
  for (const [index, mount] of ['m', 'm', 'm', 'other'].entries())
    records.update(begin(`/${index}`, 'x', mount).id, { sentAt: START + index });
  begin('/never');
  expect(paths(records.sentSince('m', START + 1))).toEqual(['/1', '/2']);
});

test('the last failure of a directory is that of a file in it, not of one further below or beside it', () => {
  const { records, begin } = open();
  const fail = (path: string, error: string): void =>
    void records.update(begin(path).id, { state: 'failed', error });
  expect(records.lastError('m', '/d')).toBeNull();
  fail('/d/a.md', 'first');
  fail('/d/b.md', 'second');
  fail('/d/below/c.md', 'deeper');
  fail('/d-beside.md', 'beside');
  begin('/d/fine.md');
  expect(records.lastError('m', '/d')).toBe('second');
  expect(records.lastError('m', '')).toBe('beside');
  expect(records.lastError('other', '/d')).toBeNull();
});

test('a record is written by one at a time, different records at once', async () => {
  const { records } = open();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = records.lock('m', '/a', async () => {
    await gate.promise;
    order.push('first');
  });
  const second = records.lock('m', '/a', async () => void order.push('second'));
  await records.lock('m', '/b', async () => void order.push('beside'));
  gate.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['beside', 'first', 'second']);
  await expect(records.lock('m', '/a', () => Promise.reject(new Error('no')))).rejects.toThrow(
    'no',
  );
  expect(await records.lock('m', '/a', async () => 'free again')).toBe('free again');
});

test('what others left under way is given back once nobody works on it, and of what was sent only that of the last day', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'dirigent-test-')), 'changes.sqlite');
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const { clock, records, begin } = open(file);
  const draft = begin('/draft');
  const sent = records.update(begin('/sent').id, { state: 'unknown', sentAt: START });
  begin('/elsewhere', 'x', 'other');
  const { records: after, clock: later } = open(file);
  const left = (by: ChangeRecords) => {
    const { unsent, unknown } = by.leftUnderWay(['m', 'none']);
    return [unsent.map(({ id }) => id), unknown.map(({ id }) => id)];
  };
  later.now = START + 1_000;
  expect(left(after)).toEqual([[], []]);
  later.now = START + DAY - 1;
  expect(left(after)).toEqual([[draft.id], [sent.id]]);
  later.now = START + DAY;
  expect(left(after)).toEqual([[draft.id], []]);
  // Whoever began them works on them still.
  clock.now = START + DAY - 1;
  expect(left(records)).toEqual([[], []]);
});

test('a change is nobody’s when its process is gone, and, where that cannot be told, after two minutes', () => {
  const self = newOwner();
  const { pid } = spawnSync('true');
  const [host, here] = [hostname(), process.pid];
  const gone = (owner: string | null, age: number): boolean => isGone(owner, self, 0, age);
  expect(gone(self, 999_999_999)).toBe(false);
  expect(gone(null, 0)).toBe(true);
  expect(gone(`${host} ${pid} x`, 0)).toBe(true);
  expect(gone(`${host} ${process.ppid} x`, 0)).toBe(false);
  for (const other of [`elsewhere ${pid} x`, `${host} ${here} x`, `${host} ${process.ppid} x`])
    expect([gone(other, 120_000), gone(other, 120_001)]).toEqual([false, true]);
});
