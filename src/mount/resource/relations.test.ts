/** Lists of related records: what each of two files says of a relation, and what a write asks for. */
import { expect, test } from 'vitest';
import { relationLists } from './relations.ts';

interface Link {
  id: string;
  kind: string;
  from: { id: string; identifier: string };
  to: { id: string; identifier: string };
}

const relations = relationLists({
  what: 'tasks such as T-1',
  named: /^T-\d+$/,
  of: ({ id, kind, from, to }: Link) => ({ id, type: kind, ends: [from, to] }),
  fields: {
    blocks: { type: 'blocks', end: 'first', about: 'that wait for this one' },
    blocked_by: { type: 'blocks', end: 'second', about: 'that this one waits for' },
    like: { type: 'like', ifAny: true, about: 'that are alike' },
  },
});

const task = (n: number) => ({ id: `id-${n}`, identifier: `T-${n}` });
const link = (id: string, kind: string, from: number, to: number): Link => ({
  id,
  kind,
  from: task(from),
  to: task(to),
});
const seenBy = (n: number, all: readonly Link[]) => relations.seenBy(`id-${n}`, all, () => null);

test('a relation is in a field of each of its two records, by the name that the other has now', () => {
  const all = [link('a', 'blocks', 1, 10), link('b', 'blocks', 1, 2), link('c', 'like', 2, 1)];
  expect(relations.values(seenBy(1, all))).toEqual({
    blocks: ['T-2', 'T-10'],
    blocked_by: [],
    like: ['T-2'],
  });
  expect(relations.values(seenBy(2, all.slice(1)))).toMatchObject({
    blocked_by: ['T-1'],
    like: ['T-1'],
  });
  const moved = relations.seenBy('id-1', all, (id) => (id === 'id-2' ? 'T-99' : null));
  expect(relations.values(moved)).toMatchObject({ blocks: ['T-10', 'T-99'] });
});

test('a kind that no field stands for is not shown, nor is a list that is shown only if it has any', () => {
  const ends = seenBy(1, [link('a', 'unheard of', 1, 2)]);
  expect(ends).toEqual([]);
  expect(relations.values(ends)['like']).toBeUndefined();
  expect(relations.normal({ like: [], blocks: [] }, ends)).toEqual({ blocks: [] });
  const one = seenBy(1, [link('c', 'like', 2, 1)]);
  expect(relations.normal({ like: [] }, one)).toEqual({ like: [] });
});

test('a write asks for what is new in its lists and for the end of what is no longer there, each from its end', () => {
  const ends = seenBy(1, [link('a', 'blocks', 1, 2), link('b', 'blocks', 3, 1)]);
  const written = { blocks: ['T-2', 'T-4'], blocked_by: ['T-5', 'T-5'] };
  const changes = relations.changes({ id: 'id-1', ends }, written, (name) =>
    name.replace('T', 'id'),
  );
  expect(changes).toEqual({
    gone: ['b'],
    made: [
      { type: 'blocks', first: 'id-1', second: 'id-4' },
      { type: 'blocks', first: 'id-5', second: 'id-1' },
    ],
  });
  expect(relations.named(written).map(({ field }) => field)).toEqual([
    'blocks',
    'blocks',
    'blocked_by',
    'blocked_by',
  ]);
  expect(relations.changes({ id: 'id-1', ends }, {}, String)).toEqual({ gone: [], made: [] });
});

test('only what can be the name of one may be written', () => {
  const { schema } = relations.fields.blocks;
  expect(schema.safeParse(['T-1']).success).toBe(true);
  expect(schema.safeParse(['U-1']).error?.issues[0]?.message).toBe(
    'must be a list of tasks such as T-1',
  );
});
