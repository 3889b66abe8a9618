import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion.ts';
import { formatBytes, formatCost } from '../../src/cli/cost.ts';
import {
  appendHistory,
  HISTORY_LIMIT,
  historyFile,
  readHistory,
  trimHistory,
} from '../../src/cli/history.ts';
import { isIncomplete } from '../../src/cli/incomplete.ts';
import { mayReadStdin } from '../../src/shell/may-read-stdin.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

describe('a command goes on in the next line', () => {
  test.each([
    'echo "a',
    "echo 'a",
    "echo $'a",
    'for i in a b; do',
    'while read x\ndo',
    'if true; then',
    'f() {',
    '( echo',
    'case x in',
    'echo $(',
    'echo ${x',
    'cat <<X',
    'cat <<X\nabc',
    'cat <<A <<B\nx\nA',
    'echo a \\',
    'a |',
    'a &&',
    'a || # why',
    'x=(1 2',
    '[[ a',
  ])('%j', (text) => expect(isIncomplete(text)).toBe(true));

  test.each([
    '',
    'echo a',
    'echo "a" # "',
    'cat <<X\nabc\nX',
    'echo a \\\nb',
    ':',
    'for i in 1; do echo; done',
    'done',
    'fi',
    'echo )',
    'sleep 1 &',
    "echo 'a |'",
    '# just a comment |',
  ])('but not after %j', (text) => expect(isIncomplete(text)).toBe(false));
});

describe('a script that may read its stdin', () => {
  test.each([
    'cat',
    'cat -',
    'grep x',
    'grep -n x',
    'grep -e x',
    'sed s/a/b/',
    'head -n 5',
    'sort -k 2',
    'while read -r l; do echo "$l"; done',
    'echo $(cat)',
    'x=$(cat)',
    'f() { cat; }; f',
    'if grep -q x; then echo y; fi',
    '(wc -l)',
    '$command',
    'bash -c ls',
    'xargs echo',
    'ls; cat',
    'tee /tmp/x | ls',
  ])('%j', (script) => expect(mayReadStdin(script)).toBe(true));

  test.each([
    'echo hi',
    'ls -la /mnt',
    'cat file',
    'cat $file',
    'grep x file',
    'grep -e x file',
    'grep -rn x',
    'head -n 5 file',
    'echo x | cat',
    'ls | while read x; do echo $x; done',
    'cat < file',
    'cat <<< text',
    'cat <<E\nx\nE',
    'while read l; do echo; done < file',
    'echo "$(ls)"',
    'find . -name x',
    'if',
  ])('and one that cannot: %j', (script) => expect(mayReadStdin(script)).toBe(false));
});

describe('Tab', () => {
  const world = {
    commands: async () => ['ls', 'cat', 'grep', 'egrep', 'ls'],
    fs: {
      readdirWithFileTypes: async (path: string) => {
        const files: Record<string, string[]> = {
          '/w/': ['notes/', 'two words.md', '.hidden', "it's"],
          '/w/notes/': ['a.md'],
        };
        const names = files[path];
        if (names === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
        return names.map((name) => ({
          name: name.replace('/', ''),
          isFile: !name.endsWith('/'),
          isDirectory: name.endsWith('/'),
          isSymbolicLink: false,
        }));
      },
    },
  };
  test.each<[string, string[], string]>([
    ['l', ['ls '], 'l'],
    ['x=1 gr', ['grep '], 'gr'],
    ['ls | gr', ['grep '], 'gr'],
    ['if gr', ['grep '], 'gr'],
    ['ls no', ['notes/'], 'no'],
    ['ls notes/', ['notes/a.md '], 'notes/'],
    ['cat tw', ['two\\ words.md '], 'tw'],
    ['cat two\\ w', ['two\\ words.md '], 'two\\ w'],
    ['cat "two w', ['"two words.md" '], '"two w'],
    ['cat it', ["it\\'s "], 'it'],
    ['cat .h', ['.hidden '], '.h'],
    ['cat > no', ['notes/'], 'no'],
    ['cat nowhere/', [], 'nowhere/'],
  ])('%j', async (text, candidates, replaced) => {
    expect(await complete(text, '/w', world)).toEqual([candidates, replaced]);
  });
});

test('a cost is said in words, and only when there is one', () => {
  const spent = (requests: number, bytes: number) => ({ '/mnt/github': { requests, bytes } });
  expect(formatCost({}, spent(3, 12_034))).toBe('3 requests, 12 kB');
  expect(formatCost(spent(3, 12_034), spent(4, 12_100))).toBe('1 request, 66 B');
  expect(formatCost(spent(3, 12_034), spent(3, 12_034))).toBeNull();
  const behind = { '/mnt/github': { requests: 9, bytes: 99, behind: { requests: 4, bytes: 9 } } };
  expect(formatCost(spent(3, 0), behind)).toBe('2 requests, 90 B (4 more behind it)');
  expect(formatCost(spent(5, 90), behind)).toBeNull();
  expect([0, 999, 1000, 1234, 9_960, 999_600, 1_500_000].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '1.2 kB',
    '10 kB',
    '1.0 MB',
    '1.5 MB',
  ]);
});

test('the history lives on, bounded, newest first, readable by its user alone', () => {
  const state = temporaryDirectory();
  const file = historyFile(state);
  expect(readHistory(file)).toEqual([]);
  appendHistory(file, 'one');
  appendHistory(file, 'two');
  expect(readHistory(file)).toEqual(['two', 'one']);
  const many = Array.from({ length: HISTORY_LIMIT + 5 }, (_, index) => `line ${index}`);
  writeFileSync(file, `${many.join('\n')}\n`);
  trimHistory(file);
  expect(readFileSync(file, 'utf8').split('\n').length - 1).toBe(HISTORY_LIMIT);
  expect(readHistory(file)[0]).toBe(`line ${HISTORY_LIMIT + 4}`);
});
