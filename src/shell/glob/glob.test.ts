/** File names of patterns, as bash finds them. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inProcessWorld } from '../../../test/world/in-process.ts';

const NAMES = [
  ...['a', 'b', 'ab', 'abab', 'aab', 'abc', 'a1', 'a22', 'B', 'x.ts', 'x.test.ts', 'y.js'],
  ...['.hid', '.hid.ts', '[', 'a]b', 'a-b', 'a b', 'ä', 'd/e/f.ts', 'd/g.js', 'd/.h/i.ts'],
];

/** Words with wildcards, by the options of the shell that they are looked up with. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['*', '?', '??', '*b', 'a*b', '*.*', '.*', '*/', '*/*', 'd/*/*', './a?', 'nothing*'],
    ...['[ab]', '[!ab]', '[^ab]*', '[a-b]*', '[[:upper:]]', '[[:alpha:]][[:digit:]]*', '[]a]*'],
    ...[
      'a[]]b',
      'a[!a-z]b',
      'a[-]b',
      'a[a-]b',
      'a[[:digit:]-z]b',
      'a[-[:digit:]]*',
      '[z-a]',
      '\\[*',
      '"["*',
      '*"."ts',
      'a\\ ?',
      '[',
      'd/[eg]*',
      '[a',
    ],
  ],
  'shopt -s extglob': [
    ...['+(a|b)', '+(ab)', '*(ab)', '?(a)b', '@(a|b|abc)', '!(a*)', '!(*.ts|a*)', 'a+([0-9])'],
    ...['*.!(ts)', '@(x|y).@(ts|js)', '+(a)b', '*(a|b|c)', '+(a|+(ab))', '!(*)', 'd/!(e)'],
    ...['x@(.test|).ts', '@(a)@(b)', '*(?)b', '.!(hid)'],
  ],
  'shopt -s nullglob dotglob': ['*', 'nothing*', '?h*', 'd/*', '*.ts'],
  'shopt -s globstar': ['**', '**/', '**/*.ts', 'd/**', '**/e/**', 'd/**/e', '**/**', '**.ts'],
  'shopt -s nocaseglob': ['B', '[b]', 'A*', '[[:lower:]]', '[^[:lower:]]*', '[[:upper:]a]'],
};
const line = (word: string): string => `printf '<%s>' ${word}; echo`;

const made = NAMES.map((name) => `mkdir -p "$(dirname '${name}')"; : > '${name}'`).join('; ');

test.skipIf(spawnSync('bash', ['--version']).status !== 0).each(Object.entries(WORDS))(
  'file names of words with wildcards are those of bash: %s',
  async (options, words) => {
    // One command a word, each with its options on a line before: `+(` is a matter of parsing.
    const script = [options, ...words.map(line)].join('\n');
    const { run } = await inProcessWorld({ roots: ['/w'], cwd: '/w' });
    const { stdout } = await run(`${made}\n${script}`);
    const bash = spawnSync('bash', ['-c', `cd "$(mktemp -d)"; ${made}\n${script}\nrm -r "$PWD"`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    });
    const answers = (text: string) =>
      Object.fromEntries(text.split('\n').map((each, index) => [words[index] ?? '', each]));
    expect(answers(stdout)).toEqual(answers(bash.stdout));
  },
);
