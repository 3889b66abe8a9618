import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  [
    'df /work',
    {
      stdout:
        'Filesystem     1K-blocks  Used Available Use% Mounted on\nmemory            262144     1    262144   1% /work\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'df -h .',
    {
      stdout:
        'Filesystem      Size  Used Avail Use% Mounted on\nmemory          256M   529  256M   1% /work\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'df -m --output=target,avail /work',
    { stdout: 'Mounted on Available\n/work            256\n', stderr: '', exitCode: 0 },
  ],
  ['df nope', { stdout: '', stderr: 'df: nope: No such file or directory\n', exitCode: 1 }],
  [
    'df -T /dev',
    {
      stdout:
        'Filesystem     Type 1K-blocks  Used Available Use% Mounted on\ndev            dev          -     -         -    - /dev\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  ['df -i', { stdout: '', stderr: 'df: mounts have no inodes to count here\n', exitCode: 1 }],
  ['df -t nope', { stdout: '', stderr: 'df: no file systems processed\n', exitCode: 1 }],
  [
    'mount',
    {
      stdout:
        'memory on / type memory (ro)\nmemory on /tmp type memory (rw)\ndev on /dev type dev (rw)\nbin on /bin type bin (ro)\nmemory on /work type memory (rw)\nbin on /usr/bin type bin (ro)\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'mount -t memory',
    {
      stdout:
        'memory on / type memory (ro)\nmemory on /tmp type memory (rw)\nmemory on /work type memory (rw)\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'mount /dev/sda1 /mnt',
    {
      stdout: '',
      stderr: "mount: mounts are the deployer's: they are named in dirigent.config.ts\n",
      exitCode: 1,
    },
  ],
  [
    'head -c 100000 /dev/zero > f; df -k --output=used /work',
    { stdout: ' Used\n   99\n', stderr: '', exitCode: 0 },
  ],
])('mounts and their room: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
