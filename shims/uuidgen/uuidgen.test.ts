import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'uuidgen | tr 0-9a-f x',
    { stdout: 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx\n', stderr: '', exitCode: 0 },
  ],
  [
    'uuidgen --md5 -n x -N y',
    {
      stdout: '',
      stderr: "uuidgen: unrecognized option '--md5'\nTry 'uuidgen --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    "printf 'a\\r\\n' > f; dos2unix f; od -An -c f",
    {
      stdout: '   a  \\n\n',
      stderr: 'dos2unix: converting file f to Unix format...\n',
      exitCode: 0,
    },
  ],
  [
    'dos2unix nope',
    { stdout: '', stderr: 'dos2unix: nope: No such file or directory\n', exitCode: 2 },
  ],
  [
    "printf 'a\\0' > f; unix2dos f",
    {
      stdout: '',
      stderr: 'unix2dos: Binary symbol 0x00 found at line 1\nunix2dos: Skipping binary file f\n',
      exitCode: 0,
    },
  ],
  [
    'colrm x',
    { stdout: '', stderr: "colrm: first argument: 'x': it has to be a column\n", exitCode: 1 },
  ],
  [
    'link a.txt',
    {
      stdout: '',
      stderr: "link: missing operand after 'a.txt'\nTry 'link --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'shred nope',
    {
      stdout: '',
      stderr: 'shred: nope: failed to open for writing: No such file or directory\n',
      exitCode: 1,
    },
  ],
  [
    'shred',
    {
      stdout: '',
      stderr: "shred: missing file operand\nTry 'shred --help' for more information.\n",
      exitCode: 1,
    },
  ],
  ["pathchk ''", { stdout: '', stderr: "pathchk: '': No such file or directory\n", exitCode: 1 }],
  [
    'chown root a.txt',
    {
      stdout: '',
      stderr:
        "chown: changing ownership of 'a.txt': Operation not permitted\ndirigent: all files belong to user here; what may be done with them is said by chmod, and by the mode of their mount\n",
      exitCode: 1,
    },
  ],
  [
    'chown user:user a.txt; chown 1000 a.txt; chgrp user a.txt; echo $?',
    { stdout: '0\n', stderr: '', exitCode: 0 },
  ],
  [
    'chgrp wheel a.txt',
    {
      stdout: '',
      stderr:
        "chgrp: changing group of 'a.txt': Operation not permitted\ndirigent: all files belong to user here; what may be done with them is said by chmod, and by the mode of their mount\n",
      exitCode: 1,
    },
  ],
  [
    'chown user',
    {
      stdout: '',
      stderr: "chown: missing operand after 'user'\nTry 'chown --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'openssl genrsa 2048',
    {
      stdout: '',
      stderr:
        'openssl: genrsa: keys, certificates and connections are not for here: there are dgst, rand and base64\n',
      exitCode: 1,
    },
  ],
  [
    'openssl',
    {
      stdout: '',
      stderr:
        "openssl: a command is needed: dgst, rand or base64\nTry 'openssl --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'openssl dgst -nope a.txt',
    { stdout: '', stderr: 'openssl: dgst: Unknown option or message digest: nope\n', exitCode: 1 },
  ],
  [
    'openssl rand x',
    { stdout: '', stderr: 'openssl: rand: a number of bytes is needed\n', exitCode: 1 },
  ],
  [
    'openssl enc -aes-256-cbc -in a.txt',
    {
      stdout: '',
      stderr:
        'openssl: enc: keys, certificates and connections are not for here: there are dgst, rand and base64\n',
      exitCode: 1,
    },
  ],
  ['openssl dgst nope', { stdout: '', stderr: 'nope: No such file or directory\n', exitCode: 1 }],
  [
    'dir nope',
    { stdout: '', stderr: "dir: cannot access 'nope': No such file or directory\n", exitCode: 2 },
  ],
])('small ones: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
