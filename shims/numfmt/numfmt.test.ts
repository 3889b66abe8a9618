import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { numfmtShims } from './index.ts';

const files = {
  blanks: '  1000   2000 x\n',
  words: '1 x 3\n',
  gap: '1  5000\n',
  parts: 'a:1000:b\n',
};

gnuSuite(['numfmt'], [numfmtShims], files, [
  'numfmt --to=si < blanks',
  'numfmt --to=si --field=2 < gap',
  'numfmt --to=si --field=1,2 < blanks',
  'numfmt --to=si --field=2- < gap',
  'numfmt -d: --field=2 --to=si < parts',
  'numfmt --field=- --invalid=ignore < words; echo $?',
  'numfmt --field=- --invalid=fail < words; echo $?',
  'numfmt --field=- --invalid=warn < words; echo $?',
  'numfmt --field=- < words 2> /dev/null; echo $?',
  'numfmt --field=2 --padding=6 --to=si < gap',
  'numfmt --field=2 --format=%8f --to=si < gap',
  "echo ' 5' | numfmt --padding=6",
  'numfmt --padding=-6 5',
]);

// What they print is compared with the real ones in test/commands; here are their messages and what is this house's own.
test.each([
  ['numfmt x', { stdout: '', stderr: "numfmt: invalid number: 'x'\n", exitCode: 2 }],
  [
    'numfmt --from=iec 1Q',
    { stdout: '', stderr: "numfmt: invalid suffix in input: '1Q'\n", exitCode: 2 },
  ],
  [
    'numfmt 1K',
    {
      stdout: '',
      stderr: "numfmt: rejecting suffix in input: '1K' (consider using --from)\n",
      exitCode: 2,
    },
  ],
  [
    'numfmt --to=foo 1',
    {
      stdout: '',
      stderr:
        "numfmt: invalid argument 'foo' for '--to'\nValid arguments are:\n  - 'none'\n  - 'si'\n  - 'iec'\n  - 'iec-i'\nTry 'numfmt --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'numfmt --format=abc 1',
    { stdout: '', stderr: "numfmt: format 'abc' has no % directive\n", exitCode: 1 },
  ],
  [
    'numfmt --field=0 1',
    {
      stdout: '',
      stderr: "numfmt: fields are numbered from 1\nTry 'numfmt --help' for more information.\n",
      exitCode: 1,
    },
  ],
  [
    'numfmt --padding=0 1',
    { stdout: '', stderr: "numfmt: invalid padding value '0'\n", exitCode: 1 },
  ],
  [
    'numfmt --from-unit=0 1',
    { stdout: '', stderr: "numfmt: invalid unit size: '0'\n", exitCode: 1 },
  ],
])('numfmt says which number it cannot read: %s', async (command, expected) => {
  const { run } = await inProcessWorld({
    roots: ['/work'],
    files: { '/work/a.txt': 'alpha\nbeta\ngamma\n' },
    cwd: '/work',
    env: { HOME: '/work', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  expect(await run(command)).toEqual(expected);
});
