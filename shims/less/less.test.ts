/** less and more where there is no terminal: what they are given goes through as it is. */
import { expect, test } from 'vitest';
import { testWorld } from '../../test/world/harness.ts';

test('bytes go through untouched, files one after the other, and options of drawing are taken', async () => {
  const world = testWorld();
  await world.exec("printf 'a\\xff\\0b' > f; printf 'c\\n' > g");
  const { stdoutBytes } = await world.exec('less -RFX f g | more -n');
  expect(Buffer.from(stdoutBytes).toString('latin1')).toBe('a\xff\0bc\n');
  expect((await world.exec('less +x f')).stderr).toContain('+x: only +LINE, +G and +/PATTERN');
  expect((await world.exec('less --help')).stdout).toContain('q ends');
});

test('more names each file above it', async () => {
  const world = testWorld();
  await world.exec("printf 'a\\n' > f; printf 'c\\n' > g");
  const rule = '::::::::::::::\n';
  const { stdout } = await world.exec('more f g | cat; more < f');
  expect(stdout).toBe(`${rule}f\n${rule}a\n${rule}g\n${rule}c\na\n`);
});
