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
  [
    'df; df -a -x bin; df -a -t dev -t bin',
    {
      stdout: [
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'memory            262144     0    262144   0% /',
        'memory            262144     0    262144   0% /tmp',
        'memory            262144     1    262144   1% /work',
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'memory            262144     0    262144   0% /',
        'memory            262144     0    262144   0% /tmp',
        'dev                    -     -         -    - /dev',
        'memory            262144     1    262144   1% /work',
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'dev                    -     -         -    - /dev',
        'bin                    -     -         -    - /bin',
        'bin                    -     -         -    - /usr/bin',
        '',
      ].join('\n'),
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'df -P .; df -BM -P .; df -BM .; df -h -k . | head -n 1; df -k -H .; df -h -m . | head -n 1',
    {
      stdout: [
        'Filesystem     1024-blocks  Used Available Capacity Mounted on',
        'memory              262144     1    262144       1% /work',
        'Filesystem     1048576-blocks  Used Available Capacity Mounted on',
        'memory                    256     1       256       1% /work',
        'Filesystem     1M-blocks  Used Available Use% Mounted on',
        'memory               256     1       256   1% /work',
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'Filesystem      Size  Used Avail Use% Mounted on',
        'memory          269M   529  269M   1% /work',
        'Filesystem     1M-blocks  Used Available Use% Mounted on',
        '',
      ].join('\n'),
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'head -c 200000000 /dev/zero > f; df .; df -h .; df -B 1kB --output=used,avail,pcent .',
    {
      stdout: [
        'Filesystem     1K-blocks   Used Available Use% Mounted on',
        'memory            262144 195314     66831  75% /work',
        'Filesystem      Size  Used Avail Use% Mounted on',
        'memory          256M  191M   66M  75% /work',
        '  Used Available Use%',
        '200002     68435  75%',
        '',
      ].join('\n'),
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'df --total /work /tmp; df --total --output=source,fstype,size,target /dev /tmp; df --output /dev',
    {
      stdout: [
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'memory            262144     1    262144   1% /work',
        'memory            262144     0    262144   0% /tmp',
        'total             524288     1    524288   1% -',
        'Filesystem     Type   1K-blocks Mounted on',
        'dev            dev            - /dev',
        'memory         memory    262144 /tmp',
        'total          -         262144 -',
        'Filesystem     1K-blocks  Used Available Use% Mounted on',
        'dev                    -     -         -    - /dev',
        '',
      ].join('\n'),
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'ln -s /tmp l; mkdir tmp; df --output=target / l tmp /tmp/ /bin/ls . ..',
    {
      stdout: 'Mounted on\n/\n/tmp\n/work\n/tmp\n/bin\n/work\n/\n',
      stderr: '',
      exitCode: 0,
    },
  ],
  [
    'df -B 0; df -B x; df --output=source,nope; df -x memory; df nope .; mount -t nope; mount -l | wc -l',
    {
      stdout:
        'Filesystem     1K-blocks  Used Available Use% Mounted on\nmemory            262144     1    262144   1% /work\n6\n',
      stderr: [
        "df: invalid -B argument '0'",
        "df: invalid -B argument 'x'",
        "df: option --output: field 'nope' unknown",
        "Try 'df --help' for more information.",
        'df: no file systems processed',
        'df: nope: No such file or directory',
        '',
      ].join('\n'),
      exitCode: 0,
    },
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
