import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

test.each(['echo {1..2000000}', 'echo {1..60000}{a,b}', 'for i in {1..2000000}; do echo $i; done'])(
  'a range over the limit is refused, not cut: %s',
  async (script) => {
    const world = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
    const { stdout, stderr, exitCode } = await world.run(script);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 126 });
    expect(stderr).toContain('brace expansion');
  },
);

test.each([
  ['n=0; for i in {1..60000}; do ((n += i)); done; echo $n $i', '1800030000 60000\n'],
  ['for i in {050000..-50000..3}; do :; done; echo $i', '-49999\n'],
  ['echo {1..60000} | wc', '      1   60000  348894\n'],
  ["v=z; printf '%s\\n' a{9..20010}'b c'$v | tail -n 1", 'a20010b cz\n'],
  ['x=({00001..20001}); echo ${#x[@]} ${x[0]} ${x[20000]}', '20001 00001 20001\n'],
])('a long range gives all of its values: %s', async (script, expected) => {
  const world = await inProcessWorld({ roots: ['/work'], files: {}, cwd: '/work' });
  expect(await world.run(script)).toMatchObject({ stdout: expected, stderr: '' });
});
