import { expect, it } from 'vitest';
import { collectGarbage } from './garbage.ts';

const COUNT = 200_000;

/** A weak reference to a list of {@link COUNT} texts that nothing holds. */
const abandoned = (): WeakRef<string[]> =>
  new WeakRef(Array.from({ length: COUNT }, (_, index) => `text ${index}`));

it('what nothing holds any more is gone', async () => {
  const held = abandoned();
  // A reference holds what it refers to until the step that made it has ended.
  await new Promise((resolve) => setImmediate(resolve));
  await collectGarbage();
  expect(held.deref()).toBeUndefined();
});
