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
      stderr:
        "uuidgen: only random ones are made here: uuidgen -r\nTry 'uuidgen --help' for more information.\n",
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
    "printf 'a\\nb\\0c\\r\\n' > f; dos2unix f; dos2unix -f f; od -An -c f",
    {
      stdout: '   a  \\n   b  \\0   c  \\n\n',
      stderr:
        'dos2unix: Binary symbol 0x00 found at line 2\ndos2unix: Skipping binary file f\ndos2unix: converting file f to Unix format...\n',
      exitCode: 0,
    },
  ],
  [
    "printf 'a\\nb\\r\\n' > f; unix2dos f; od -An -c f; unix2dos -q f; od -An -c f",
    {
      stdout: '   a  \\r  \\n   b  \\r  \\n\n'.repeat(2),
      stderr: 'unix2dos: converting file f to DOS format...\n',
      exitCode: 0,
    },
  ],
  [
    "printf 'x\\r\\n' > f; dos2unix -n f g; unix2dos --newfile g h; dos2unix -q -n f i f; od -An -c f; od -An -c g; od -An -c h; ls",
    {
      stdout: '   x  \\r  \\n\n   x  \\n\n   x  \\r  \\n\na.txt\nf\ng\nh\ni\n',
      stderr:
        'dos2unix: converting file f to file g in Unix format...\nunix2dos: converting file g to file h in DOS format...\ndos2unix: target of file f not specified in new-file mode\n',
      exitCode: 0,
    },
  ],
  [
    "printf 'a\\r\\nb\\n\\rc' | dos2unix | od -An -c; printf 'a\\r\\nb\\n\\rc' | unix2dos | od -An -c",
    {
      stdout: '   a  \\n   b  \\n  \\r   c\n   a  \\r  \\n   b  \\r  \\n  \\r   c\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    "printf 'x\\r\\n' > f; dos2unix -O f nope a.txt; od -An -c f",
    {
      stdout: 'x\nalpha\nbeta\ngamma\n   x  \\r  \\n\n',
      stderr: 'dos2unix: nope: No such file or directory\n',
      exitCode: 0,
    },
  ],
  [
    'uuidgen -m; uuidgen -s; uuidgen x',
    {
      stdout: '',
      stderr:
        "uuidgen: only random ones are made here: uuidgen -r\nTry 'uuidgen --help' for more information.\n".repeat(
          3,
        ),
      exitCode: 1,
    },
  ],
  [
    'chown user: a.txt && chown :user a.txt && chown user.1000 a.txt && chgrp 1000 a.txt && chown --reference a.txt a.txt && echo his',
    { stdout: 'his\n', stderr: '', exitCode: 0 },
  ],
  [
    'chown user:wheel nope a.txt',
    {
      stdout: '',
      stderr:
        "chown: cannot access 'nope': No such file or directory\nchown: changing ownership of 'a.txt': Operation not permitted\ndirigent: all files belong to user here; what may be done with them is said by chmod, and by the mode of their mount\n",
      exitCode: 1,
    },
  ],
  [
    'chgrp',
    {
      stdout: '',
      stderr: "chgrp: missing operand\nTry 'chgrp --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'openssl genrsa | wc -l; openssl dgst -out; openssl base64 -k x -in a.txt; openssl enc -base64 -aes-256-cbc -in a.txt; openssl rand',
    {
      stdout: '0\n',
      stderr:
        'openssl: genrsa: keys, certificates and connections are not for here: there are dgst, rand and base64\nopenssl: Option -out needs a value\nopenssl: nothing is encrypted here: no keys are kept\nopenssl: nothing is encrypted here: no keys are kept\nopenssl: rand: a number of bytes is needed\n',
      exitCode: 1,
    },
  ],
  [
    'openssl base64 -in nope; openssl version | cut -c 1-8; openssl sha256 nope a.txt',
    {
      stdout:
        'OpenSSL \nSHA2-256(a.txt)= 4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996\n',
      stderr: 'nope: No such file or directory\n'.repeat(2),
      exitCode: 1,
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
