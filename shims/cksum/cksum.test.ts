import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in edges.json; here are their messages and what is this house's own.
test.each([
  [
    'sha256sum a.txt',
    {
      stdout: '4fdbc441ea7b546100e086ac1e4fc5ae6749b7314311c99db05be450eca12996  a.txt\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'sha256sum nope',
    { stdout: '', stderr: 'sha256sum: nope: No such file or directory\n', exitCode: 1 },
  ],
  [
    'md5sum --status a.txt',
    {
      stdout: '',
      stderr:
        "md5sum: the --status option is meaningful only when verifying checksums\nTry 'md5sum --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'echo junk | md5sum -c',
    {
      stdout: '',
      stderr: "md5sum: 'standard input': no properly formatted checksum lines found\n",
      exitCode: 1,
    },
  ],
  [
    'cksum -a foo a.txt',
    {
      stdout: '',
      stderr:
        "cksum: invalid argument 'foo' for '--algorithm'\nValid arguments are:\n  - 'bsd'\n  - 'sysv'\n  - 'crc'\n  - 'md5'\n  - 'sha1'\n  - 'sha224'\n  - 'sha256'\n  - 'sha384'\n  - 'sha512'\n  - 'blake2b'\n  - 'sm3'\nTry 'cksum --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'cksum --check --tag a.txt',
    {
      stdout: '',
      stderr:
        "cksum: the --tag option is meaningless when verifying checksums\nTry 'cksum --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'b2sum -l 7 a.txt',
    {
      stdout: '',
      stderr: "b2sum: invalid length: '7'\nb2sum: length is not a multiple of 8\n",
      exitCode: 1,
    },
  ],
  [
    'sum a.txt nope',
    {
      stdout: '24311     1 a.txt\n',
      stderr: 'sum: nope: No such file or directory\n',
      exitCode: 1,
    },
  ],
  ['sha512sum /work', { stdout: '', stderr: 'sha512sum: /work: Is a directory\n', exitCode: 1 }],
  [
    "printf '00000000000000000000000000000000  a.txt\\n' | md5sum -c",
    {
      stdout: 'a.txt: FAILED\n',
      stderr: 'md5sum: WARNING: 1 computed checksum did NOT match\n',
      exitCode: 1,
    },
  ],
  [
    'md5sum -Q',
    {
      stdout: '',
      stderr: "md5sum: invalid option -- 'Q'\nTry 'md5sum --help' for more information.\n",
      exitCode: 1,
    },
  ],
])('a checksum, or why not: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
