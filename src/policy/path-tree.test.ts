/** Paths that are found by what they are below, against a list that is looked through. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithin } from '../paths.ts';
import { PathTree } from './path-tree.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 4 })
  .map((names) => `/${names.join('/')}`);

test('what is within a path is what a look at each of them finds, whatever was added and deleted before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), path), { maxLength: 40 }), path, (steps, asked) => {
      const tree = new PathTree();
      const list = new Set<string>();
      for (const [adds, one] of steps) {
        if (adds) tree.add(one);
        else tree.delete(one);
        if (adds) list.add(one);
        else list.delete(one);
        for (const each of [asked, '/'])
          expect(tree.within(each).sort()).toEqual(
            [...list].filter((other) => isWithin(each, other)).sort(),
          );
      }
      for (const each of list) tree.delete(each);
      expect(tree.within('/')).toEqual([]);
    }),
  );
});
