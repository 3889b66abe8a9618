import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  ['fd a', { stdout: 'a.txt\n', stderr: '', exitCode: 0 }],
  [
    'fd x nodir',
    {
      stdout: '',
      stderr:
        "[fd error]: Search path 'nodir' is not a directory.\n[fd error]: No valid search paths given.\n",
      exitCode: 1,
    },
  ],
  ["fd '('", { stdout: '', stderr: 'fd: invalid pattern: unclosed group\n', exitCode: 1 }],
  [
    'fd -t q',
    {
      stdout: '',
      stderr: "fd: \"q\" isn't a valid value for '--type <filetype>...'\n",
      exitCode: 2,
    },
  ],
  [
    'fd -x',
    {
      stdout: '',
      stderr: "fd: The argument '-x <cmd>' requires a value but none was supplied\n",
      exitCode: 2,
    },
  ],
  [
    'fd -S big',
    {
      stdout: '',
      stderr: "fd: 'big' is not a valid size constraint. See fd --help\n",
      exitCode: 1,
    },
  ],
  ['fd a -x cat {}', { stdout: 'alpha\nbeta\ngamma\n', stderr: '', exitCode: 0 }],
  [
    'mkdir d; touch d/f; fd . d; fd d/f; fd -o me',
    {
      stdout: 'd/f\n',
      stderr:
        "[fd error]: The search pattern 'd/f' contains a path-separation character ('/') and will not lead to any search results.\n\nIf you want to search for all files inside the 'd/f' directory, use a match-all pattern:\n\n  fd . 'd/f'\nfd: -o is not here: all files have one owner\n",
      exitCode: 1,
    },
  ],
])('fd names what it cannot search: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});

test.each([
  ['fd -S +2k', ['big', 'even']],
  ['fd -S +2000b', ['big', 'even']],
  ['fd -S 2k', ['even']],
  ['fd -S 2000b', ['even']],
  ['fd -S -2k', ['even', 'small']],
  ['fd -S +2ki', ['big']],
  ['fd -S 2ki', []],
])('%s is of files by their size, a k of 1000 and a ki of 1024', async (command, found) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: {
      '/work/big': 'x'.repeat(2049),
      '/work/even': 'x'.repeat(2000),
      '/work/small': 'x',
    },
    cwd: '/work',
  });
  const { stdout } = await run(`mkdir directory; ${command} | sort`);
  expect(stdout.split('\n').filter((name) => name !== '')).toEqual(found);
});

test('a link that leads back is met and not followed, and one that leads elsewhere is', async () => {
  const { run } = await inProcessWorld({
    roots: ['/work', '/other'],
    files: { '/work/d/f': 'f', '/other/o': 'o' },
    cwd: '/work',
  });
  await run('ln -s .. d/up; ln -s /other d/there; ln -s nowhere d/broken');
  const { stdout } = await run('fd -L | sort');
  expect(stdout).toBe('d/\nd/broken\nd/f\nd/there/\nd/there/o\nd/up/\n');
  // Nor does one within a place that was itself reached by a link.
  await run('mkdir /other/deep; ln -s /other/deep /other/deep/again; ln -s /other linked');
  const linked = await run('fd -L . linked | sort');
  expect(linked.stdout).toBe('linked/deep/\nlinked/deep/again/\nlinked/o\n');
  await run('rm -r linked /other/deep');
  expect((await run('fd | sort')).stdout).toBe('d/\nd/broken\nd/f\nd/there\nd/up\n');
});
