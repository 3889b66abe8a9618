/** What a person sees of an operation is what its digest stands for. */
import { expect, test } from 'vitest';
import { type Proposed, WishProposal } from './proposal.ts';
import { type State, sha256 } from './states.ts';
import type { Place } from './table.ts';

const PLACE = { path: '/mnt/a', named: '/mnt/a', at: { point: '/mnt' }, inside: '/a' } as Place;

const stateOf = (text: string): ReadonlyMap<string, State> => {
  const content = sha256(Buffer.from(text));
  return new Map([['/mnt/a', { type: 'file', mode: 0o644, size: 4, mtime: null, content }]]);
};

/** A removal of a file that is asked about while others write it. */
function removal(more: Partial<Proposed>): WishProposal {
  return new WishProposal({
    wishes: [{ op: 'unlink', place: PLACE }],
    data: new Map(),
    look: async () => stateOf('one\n'),
    read: async () => Buffer.from('one\n'),
    ...more,
  });
}

test('a content is shown only if it is the one that the answer will be bound to', async () => {
  const asked: (string | undefined)[] = [];
  const proposal = removal({
    read: async (_, content) => {
      asked.push(content);
      throw new Error('it changed while it was looked at');
    },
  });
  await proposal.digest();
  await expect(proposal.preview()).rejects.toThrow('changed');
  expect(asked).toEqual([sha256(Buffer.from('one\n'))]);
});

test('another content is another digest, and is told from what was found before', async () => {
  let text = 'one\n';
  const proposal = removal({ look: async () => stateOf(text) });
  const digest = await proposal.digest();
  expect(await proposal.preview()).toContain('-one');
  expect(await proposal.moved()).toBe(null);
  text = 'two\n';
  expect(await proposal.moved()).toBe('/mnt/a');
  expect(await removal({ look: async () => stateOf(text) }).digest()).not.toBe(digest);
});
