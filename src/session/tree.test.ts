/** The tree of a session: who follows whom, what is open, labelled and spent. */
import { expect, test } from 'vitest';
import type { Entry } from './entry.ts';
import { SessionTree } from './tree.ts';

/** A tree of entries, each after the one before it unless it says otherwise. */
function treeOf(...drafts: (Partial<Entry> & { type: string; own?: boolean })[]) {
  const tree = new SessionTree();
  const said = drafts.map(({ own = true, ...draft }, index) =>
    tree.add(
      { id: `${index}`, parentId: index === 0 ? null : `${index - 1}`, ...draft } as Entry,
      { source: own ? 0 : 1, line: index + 2, offset: 100 * index, length: 99 },
      own,
    ),
  );
  return { tree, said };
}

const note = { type: 'custom' };

test('entries stand where they were put, and a branch goes up to its first', () => {
  const { tree, said } = treeOf(note, { type: 'message' }, note, { type: 'custom', parentId: '0' });
  expect(said).toEqual([null, null, null, null]);
  expect([tree.size, tree.leaf, new SessionTree().leaf]).toEqual([4, '3', null]);
  expect([...tree.up()].map((row) => tree.id(row))).toEqual(['3', '0']);
  expect([...tree.up('2')]).toEqual([2, 1, 0]);
  expect([[...tree.up('none')], [...tree.up(null)]]).toEqual([[], []]);
  expect(tree.place(2)).toEqual({ source: 0, line: 4, offset: 200, length: 99 });
  expect([tree.type(1), tree.type(9), tree.id(9), tree.parent(9)]).toEqual(['message', '', '', -1]);
  expect([tree.parent(0), tree.parent(3), tree.row('2'), tree.row('x')]).toEqual([
    -1,
    0,
    2,
    undefined,
  ]);
  expect([tree.has('2'), tree.has('x'), tree.ids()]).toEqual([true, false, ['0', '1', '2', '3']]);
});

test('an entry whose id was given before, or whose parent is not there, is told of and taken all the same', () => {
  const { tree, said } = treeOf(note, { ...note, id: '0' }, { ...note, parentId: 'lost' });
  expect(said).toEqual([null, 'its id 0 was given before', 'its parent lost is not in the log']);
  expect([tree.size, tree.row('0'), tree.parent(2)]).toEqual([3, 1, -1]);
  const bridged = treeOf(note, note).tree;
  const entry = { id: '2', parentId: 'lost', type: 'custom' } as Entry;
  const place = { source: 0, line: 4, offset: 0, length: 1 };
  expect(bridged.add(entry, place, true, '0')).toBeNull();
  expect(bridged.add({ ...entry, id: '3' }, place, true, null)).toBeNull();
  expect([bridged.parent(2), bridged.parent(3)]).toEqual([0, -1]);
});

test('rows are found by ids that do not grow, too', () => {
  const ids = ['5', '3', '9', '1', '7'];
  const { tree } = treeOf(
    ...ids.map((id, index) => ({ ...note, id, parentId: ids[index - 1] ?? null })),
  );
  expect(ids.map((id) => tree.row(id))).toEqual([0, 1, 2, 3, 4]);
  expect([tree.row('2'), tree.row('')]).toEqual([undefined, undefined]);
});

test('what only says something about the tree stands behind what it says it of', () => {
  const { tree } = treeOf(note, { type: 'leaf' }, { type: 'label' }, { type: 'signature' }, note);
  expect([3, 4, 0].map((row) => tree.standing(row))).toEqual([0, 4, 0]);
  expect(treeOf({ type: 'leaf' }).tree.standing(0)).toBe(-1);
});

test('a label is given, moved and taken away', () => {
  const label = (target: string, of: string | null) => ({ type: 'label', target, label: of });
  const { tree } = treeOf(
    note,
    note,
    label('0', 'a'),
    label('1', 'a'),
    label('1', 'b'),
    label('0', null),
  );
  expect([tree.label('0'), tree.label('1')]).toEqual([undefined, 'b']);
  expect([tree.labelled('a'), tree.labelled('b')]).toEqual([[], ['1']]);
});

test('a command is interrupted while its end is not in the log', () => {
  const { tree } = treeOf(
    { type: 'bash_start' },
    { type: 'bash_start' },
    { type: 'bash_end', start: '0' },
  );
  expect([tree.isInterrupted('0'), tree.isInterrupted('1'), tree.isInterrupted('2')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('what was spent is summed over the entries of the session itself', () => {
  const message = (role: string, more: object = {}) => ({
    type: 'message',
    message: { role },
    ...more,
  });
  const cost = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 4, reasoningTokens: 1 };
  const { tree } = treeOf(
    { ...message('user'), own: false },
    message('user'),
    message('assistant', { model: 'm', usage: cost }),
    message('assistant', { usage: { inputTokens: 5 } }),
    message('tool'),
    message('other'),
    { type: 'bash_start' },
    {
      type: 'bash_end',
      start: '6',
      requests: 3,
      spent: {
        '/mnt/a': { requests: 2, bytes: 7 },
        '/mnt/b': { requests: 1, bytes: 5, behind: { requests: 4 } },
      },
    },
    { type: 'bash_end', start: '6', requests: 'x', spent: null },
    { type: 'bash_end', start: '6', spent: { '/mnt/a': { requests: 1, bytes: 1 } } },
  );
  expect(tree.usage).toEqual({
    entries: 9,
    commands: 1,
    messages: { user: 1, assistant: 2, tool: 1 },
    tokens: { input: 15, output: 2, cachedInput: 4, reasoning: 1 },
    requests: 7,
    bytes: 13,
    mounts: { '/mnt/a': { requests: 3, bytes: 8 }, '/mnt/b': { requests: 1, bytes: 5 } },
    models: { m: { input: 10, output: 2 } },
  });
});
