import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['xz nope', { stdout: '', stderr: 'xz: nope: No such file or directory\n', exitCode: 1 }],
  [
    'xz a.txt; xz a.txt.xz',
    { stdout: '', stderr: "xz: a.txt.xz: File already has `.xz' suffix, skipping\n", exitCode: 2 },
  ],
  [
    'echo junk | xz -d',
    { stdout: '', stderr: 'xz: (stdin): File format not recognized\n', exitCode: 1 },
  ],
  [
    'bzip2 nope',
    {
      stdout: '',
      stderr: "bzip2: Can't open input file nope: No such file or directory.\n",
      exitCode: 1,
    },
  ],
  [
    'echo junk | bzip2 -d',
    { stdout: '', stderr: 'bzip2: (stdin) is not a bzip2 file.\n', exitCode: 2 },
  ],
  [
    'mkdir d; bzip2 d; xz d; zstd d',
    {
      stdout: '',
      stderr:
        'bzip2: Input file d is a directory.\nxz: d: Is a directory, skipping\nzstd: d is a directory -- ignored \n',
      exitCode: 1,
    },
  ],
  [
    'zstd nope',
    {
      stdout: '',
      stderr: "zstd: can't stat nope : No such file or directory -- ignored \n",
      exitCode: 1,
    },
  ],
  ['echo junk | zstdcat', { stdout: 'junk\n', stderr: '', exitCode: 0 }],
  [
    'xz -k a.txt; head -c 30 a.txt.xz | xzcat',
    { stdout: '', stderr: 'xzcat: (stdin): Unexpected end of input\n', exitCode: 1 },
  ],
  [
    'bzip2 -k a.txt; head -c 30 a.txt.bz2 | bzcat',
    {
      stdout: '',
      stderr:
        'bzcat: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  (input file = (stdin))\n',
      exitCode: 2,
    },
  ],
  [
    "chmod 640 a.txt; touch -d 2020-01-01 a.txt; xz a.txt; stat -c '%a %Y %n' a.txt.xz; unxz a.txt.xz; stat -c '%a %Y %n' a.txt",
    { stdout: '640 1577836800 a.txt.xz\n640 1577836800 a.txt\n', stderr: '', exitCode: 0 },
  ],
  ['xz a.txt; xz -l a.txt.xz | wc -l', { stdout: '2\n', stderr: '', exitCode: 0 }],
  [
    'xz --format=lzma a.txt',
    { stdout: '', stderr: 'xz: the old format .lzma is not here: .xz is\n', exitCode: 1 },
  ],
  [
    'bzip2 --nope',
    {
      stdout: '',
      stderr: "bzip2: unrecognized option '--nope'\nTry 'bzip2 --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'xz -c a.txt > /bin/x',
    {
      stdout: '',
      stderr:
        'bash: /bin/x: Permission denied\ndirigent: /bin is mounted ro: nothing here can be changed\n',
      exitCode: 1,
    },
  ],
  [
    'mkdir o; for p in gzip bzip2 xz; do cp a.txt b; $p b; ln -sf o/out b; $p -d b.??*; $p -df b.??*; ls o; cat b; done',
    {
      stdout: 'alpha\nbeta\ngamma\n'.repeat(3),
      stderr: [
        'gzip: b already exists;\tnot overwritten\n',
        'bzip2: Output file b already exists.\n',
        'xz: b: File exists\n',
      ].join(''),
      exitCode: 0,
    },
  ],
  [
    'printf \'\\375\\200x\' > b; awk \'BEGIN { system("cat b") }\' | od -An -c; awk \'BEGIN { "cat b" | getline x; printf "%s", x }\' | od -An -c',
    { stdout: ' 375 200   x\n 375 200   x\n', stderr: '', exitCode: 0 },
  ],
])(
  'what is packed is the same once unpacked, and what is broken is told: %s',
  async (command, expected) => {
    const { run } = await inProcessWorld({
      roots: ['/work'],
      files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
      cwd: '/work',
      env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    });
    expect(await run(command)).toEqual(expected);
  },
);
