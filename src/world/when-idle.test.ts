/** What is done ahead, and when. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { WhenIdle } from './when-idle.ts';

it('steps are done one after the other when nothing is under way, and not during anything', async () => {
  const done: string[] = [];
  const step = (name: string) => async () => {
    done.push(name);
  };
  const held = Promise.withResolvers<void>();
  const idle = new WhenIdle([step('one'), step('two')], 1);
  const asked = idle.during(() => held.promise);
  await delay(50);
  expect(done).toEqual([]);
  held.resolve();
  await asked;
  await vi.waitFor(() => expect(done).toEqual(['one', 'two']), 50_000);
});

it('a step that fails keeps the next one from nothing, and what is asked for fails as it does', async () => {
  const done: string[] = [];
  const idle = new WhenIdle(
    [() => Promise.reject(new Error('no')), async () => void done.push('next')],
    1,
  );
  await expect(idle.during(() => Promise.reject(new Error('asked')))).rejects.toThrow('asked');
  await vi.waitFor(() => expect(done).toEqual(['next']), 50_000);
});
