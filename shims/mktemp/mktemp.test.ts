import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

async function world() {
  return inProcessWorld({ roots: ['/work', '/tmp'], files: {}, cwd: '/work' });
}

test.each([
  ['mktemp', /^\/tmp\/tmp\.[A-Za-z0-9]{10}\n$/],
  ['mktemp -p /work', /^\/work\/tmp\.[A-Za-z0-9]{10}\n$/],
  ['mktemp a.XXXX', /^a\.[A-Za-z0-9]{4}\n$/],
  ['mktemp XXXX.txt', /^[A-Za-z0-9]{4}\.txt\n$/],
  ['mktemp --suffix=.md a.XXX', /^a\.[A-Za-z0-9]{3}\.md\n$/],
  ['TMPDIR=/work mktemp -t b.XXXX', /^\/work\/b\.[A-Za-z0-9]{4}\n$/],
  ['f=$(mktemp); stat -c "%a %s" $f', /^600 0\n$/],
  ['d=$(mktemp -d); stat -c "%a %F" $d', /^700 directory\n$/],
  ['f=$(mktemp -u); test -e $f || echo none', /^none\n$/],
  ['test $(mktemp) != $(mktemp) && echo two', /^two\n$/],
])('%s', async (command, stdout) => {
  const result = await (await world()).run(command);
  expect(result.stdout).toMatch(stdout);
  expect(result.exitCode).toBe(0);
});

test.each([
  ['mktemp a.XX', "too few X's in template 'a.XX'"],
  ['mktemp -p /none', '/none'],
])('%s is refused', async (command, message) => {
  const { stdout, stderr, exitCode } = await (await world()).run(command);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toContain(message);
});
