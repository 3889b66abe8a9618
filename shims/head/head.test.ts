import { expect, test } from 'vitest';
import { inProcessWorld } from '../../test/world/in-process.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { headShims } from './index.ts';

const files = {
  ten: Array.from({ length: 12 }, (_, i) => `${i + 1}\n`).join(''),
  open: 'a\nb\nc',
  empty: '',
};

const counts = [
  '',
  '-n 3',
  '-n3',
  '-3',
  '-n -3',
  '-c 5',
  '-c -5',
  '-n 0',
  '-c 0',
  '-n 1K',
  '-n +3',
  '-c +4',
  '-n -100',
];
gnuSuite(['head', 'tail'], [headShims], files, [
  ...counts.flatMap((count) => [
    `head ${count} ten`,
    `tail ${count} ten`,
    `head ${count} open`,
    `tail ${count} open`,
  ]),
  'head -n 2 ten open',
  'tail -n 1 ten open',
  'head -q -n 1 ten open',
  'head -v -n 1 ten',
  'tail -n 1 nosuch open',
  'head nosuch; echo $?',
  'head -n x ten; echo $?',
  'head < open',
  'cat ten | tail -n 2 -',
  'head -n 1 ten - < open',
  'tail +11 ten',
  'head empty ten -n1',
  'head --lines=2 ten',
  'tail --bytes=4 ten',
  'head .; echo $?',
  'printf "a\\nb\\nc\\n" > l; head -1c l; tail -1c l; tail +2 l; tail +3c l; tail -2l l; head -1lq l l',
]);

test.each<[command: string, enough: boolean]>([
  ['head -c 3 /dev/zero', true],
  ['head -n 2 /dev/urandom', true],
  ['head -n 0 /dev/zero', true],
  ['head -c 0 /dev/zero', true],
  ['head -n 1 /dev/zero', false],
  ['head -z -n 2 /dev/zero', true],
  ['head -c -3 /dev/zero', false],
  ['head -n -1 /dev/urandom', false],
  ['tail -c 3 /dev/zero', false],
  ['tail -n 1 /dev/urandom', false],
])('%s has had enough of what never ends: %s', async (command, enough) => {
  const { run } = await inProcessWorld({ roots: ['/work'], cwd: '/work' });
  const { stderr } = await run(`${command} > out`);
  expect([/never ends/.test(stderr), stderr === '']).toEqual([!enough, enough]);
});

test.each(['tail -f', 'tail -F', 'tail --follow=name', 'tail -f -n 1'])(
  '%s shows what there is, and says that it does not follow',
  async (command) => {
    const { run } = await inProcessWorld({
      roots: ['/work'],
      files: { '/work/f': 'one\n' },
      cwd: '/work',
    });
    expect(await run(`${command} f`)).toEqual({
      stdout: 'one\n',
      stderr: 'tail: warning: following is not possible here; showing what there is now\n',
      exitCode: 0,
    });
  },
);
