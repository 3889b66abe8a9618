import { expect, test } from 'vitest';
import { inProcessWorld } from '../test/world/in-process.ts';
import { shims } from './index.ts';

const host = (await inProcessWorld({ roots: [], cwd: '/' })).agent;
const search = { ask: () => Promise.reject(new Error()), state: () => Promise.reject(new Error()) };

test.each(shims)('$names are what their folder makes', async ({ names, load }) => {
  const made = (await load())({ fs: host, search });
  expect(made.map(({ name }) => name)).toEqual(names);
});

test('no name is there twice', () => {
  const names = shims.flatMap((shim) => shim.names);
  expect(new Set(names).size).toBe(names.length);
});
