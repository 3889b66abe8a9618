/** A regular expression in the place of a question is shown with what it matches. */
import { Bash } from 'just-bash';
import { expect, it, test } from 'vitest';
import { grepShims } from './index.ts';
import { FakeSearch, hostOf, MemoryNamespace } from './testing/memory.ts';
import { isTypedPattern } from './typed-pattern.ts';

const FILES = {
  '/mnt/a.md': 'login at 10:05\nlog in twice\n- sign out (once)\n',
  '/mnt/b/c.md': 'say "aaab" or v1.2\nlogin\n',
  '/mnt/b/d.bin': 'login 12\0\n',
};

function world(files: Record<string, string> = FILES) {
  const search = new FakeSearch();
  search.hits = [{ path: '/mnt/a.md', line: 2, text: 'by meaning', score: 1 }];
  const fs = new MemoryNamespace(files, { searchable: () => true });
  const bash = new Bash({ fs, customCommands: grepShims(hostOf(fs, search)), cwd: '/mnt' });
  return { search, bash };
}

const EXTENDED = 'read as a regular expression: grep -rnE does so everywhere\n';
const PERL = 'read as a regular expression: grep -rnP does so everywhere\n';

it.each([
  ["'log.*in'", 'a.md:1:login at 10:05\na.md:2:log in twice\nb/c.md:2:login\n', EXTENDED],
  ["'s.+out'", 'a.md:3:- sign out (once)\n', EXTENDED],
  ["'v1\\.2'", 'b/c.md:1:say "aaab" or v1.2\n', EXTENDED],
  ["'\\(once\\)'", 'a.md:3:- sign out (once)\n', EXTENDED],
  ["'[0-9]:'", 'a.md:1:login at 10:05\n', EXTENDED],
  ["'[^a-n]ut'", 'a.md:3:- sign out (once)\n', EXTENDED],
  ["'^sign|^log'", 'a.md:1:login at 10:05\na.md:2:log in twice\nb/c.md:2:login\n', EXTENDED],
  ["'^login' b", 'b/c.md:2:login\n', EXTENDED],
  ["'twice|(once)'", 'a.md:2:log in twice\na.md:3:- sign out (once)\n', EXTENDED],
  ["'a{3}b'", 'b/c.md:1:say "aaab" or v1.2\n', EXTENDED],
  ["'a{2,}b'", 'b/c.md:1:say "aaab" or v1.2\n', EXTENDED],
  ["'[a]{2,4}b'", 'b/c.md:1:say "aaab" or v1.2\n', EXTENDED],
  ["'\\d+:'", 'a.md:1:login at 10:05\n', PERL],
  ["'log\\s'", 'a.md:2:log in twice\n', PERL],
  ["'\\bin\\b'", 'a.md:2:log in twice\n', PERL],
  ["'(?<=log)in.*'", 'a.md:1:login at 10:05\nb/c.md:2:login\n', PERL],
  ["'log( in|out).*' a.md", 'a.md:2:log in twice\n', EXTENDED],
])('grep %s shows the lines that it matches, as grep -rn does', async (args, stdout, stderr) => {
  const { search, bash } = world();
  const found = await bash.exec(`grep ${args}`);
  expect(found).toMatchObject({ stdout, stderr, exitCode: 0 });
  expect(search.questions).toEqual([]);
});

test.each([
  ...[
    'what is .NET',
    'C++',
    'a.b',
    'file.txt',
    'array[0]',
    '[todo]',
    '[x - y]',
    'f()',
    'f(x)',
    '{2}',
  ],
  ...[
    'is it so?',
    'a | b',
    '^',
    '^ here',
    '$5',
    'x{}',
    'x{a}',
    'C:\\temp',
    '\\n',
    '* item',
    '(a) or (b)',
  ],
])('%s is a question', (query) => {
  expect(isTypedPattern(query)).toBe(false);
});

it.each([
  [1, ''],
  [10, ''],
  [11, ', the first 10 of 11 lines'],
  [1234, ', the first 10 of 1,234 lines'],
])('of %d lines the first ten are shown', async (count, said) => {
  const lines = Array.from({ length: count }, (_, index) => `line ${index + 1}\n`);
  const { bash } = world({ '/mnt/many.txt': lines.join('') });
  const { stdout, stderr } = await bash.exec("grep 'l.*e'");
  expect(stdout).toBe(
    lines
      .slice(0, 10)
      .map((line, index) => `many.txt:${index + 1}:${line}`)
      .join(''),
  );
  expect(stderr).toBe(`read as a regular expression${said}: grep -rnE does so everywhere\n`);
});

it.each([
  ["'zebra.*giraffe'", 'matches nothing'],
  ["'(log.*'", 'is no expression'],
  ["'\\d(log'", 'is no expression of Perl'],
])('grep %s, which %s, is a question', async (query) => {
  const { search, bash } = world();
  expect(await bash.exec(`grep ${query}`)).toMatchObject({
    stdout: 'a.md:2:by meaning\n',
    stderr: '',
    exitCode: 0,
  });
  expect(search.questions).toHaveLength(1);
});
