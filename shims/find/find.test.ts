import { expect, it } from 'vitest';
import { FsError } from '../../src/errors.ts';
import { sortShims } from '../sort/index.ts';
import { doubleShell } from '../support/double-shell.ts';
import { gnuSuite } from '../support/gnu-suite.ts';
import { trShims } from '../tr/index.ts';
import { findShims } from './index.ts';

const files = {
  'a.txt': 'hello\n',
  'b.md': '',
  'dir/c.txt': 'x'.repeat(3000),
  'dir/d.TXT': 'y\n',
  'dir/deep/e.js': '1;\n',
  'dir/deep/f.txt': 'z\n',
  'dir/.hidden/g': 'g\n',
  'sp ace/h i.txt': 'h\n',
  'x[1].c': 'c\n',
};

gnuSuite(['find', 'sort'], [findShims, sortShims, trShims], files, [
  'mkdir l; ln -s looper l/looper; ln -s none l/broken; find -L l 2> e; echo $?; find -L l -name looper 2> e; echo $?; find l -name looper',
  "echo y | find a.txt -ok echo got {} ';' 2> e; echo n | find a.txt -ok echo got {} ';' 2> e; echo $?; printf 'Yes\\nno\\n' | find dir/deep dir/c.txt -maxdepth 0 -okdir echo {} ';' 2> e",
  "find dir -name c.txt -printf '%.2f|%6.3f|%-4.1f|%.9f\\n'",
  'find "" a.txt -name a.txt 2> /dev/null; echo $?',
  'find . | sort',
  'find dir | sort',
  'find dir/ | sort',
  'find . -type f | sort',
  'find . -type d | sort',
  'find . -type f,d -name "*e*" | sort',
  "find . -name '*.txt' | sort",
  "find . -iname '*.txt' | sort",
  "find . -name '[ab].*' | sort",
  "find . -name '?.txt' | sort",
  "find . -name 'x\\[1\\].c'",
  "find . -name '*.txt' -o -name '*.md' | sort",
  "find . \\( -name '*.txt' -o -name '*.md' \\) -print | sort",
  "find . -type f ! -name '*.txt' | sort",
  "find . -not -name '*.txt' -type f | sort",
  "find . -path './dir/*' -type f | sort",
  'find . -path ./dir -prune -o -type f -print | sort',
  'find . -name .hidden -prune -o -print | sort',
  'find . -maxdepth 1 | sort',
  'find . -mindepth 2 -maxdepth 2 | sort',
  'find . -depth -path "./dir*" | sort',
  'find dir/deep -depth -type d',
  'find . -empty | sort',
  'find . -size +1k | sort',
  'find . -size -1 | sort',
  'find . -size 2c | sort',
  "find . -regex '.*/[a-c]\\.\\(txt\\|md\\)' | sort",
  "find . -regextype posix-extended -regex '.*\\.(js|md)' | sort",
  "find . -iregex '.*\\.TXT' | sort",
  "find . -regex './a\\|./a.txt\\|./b' | sort",
  "find . -regex '.*/[^/]+.txt?' | sort",
  "find . -regex './\\(.\\).*' | sort",
  "find . -regex '.*/d\\(ee\\)?p.*' | sort",
  "find . -regex './a.{1}txt'",
  "find . -regextype posix-basic -regex '.*/\\(.\\)\\1.*' | sort",
  "find . -regextype posix-basic -regex './.\\{1,3\\}txt' | sort",
  "find . -regextype posix-extended -regex './(a|a.t)(xt|.txt)' | sort",
  "find . -regextype posix-extended -regex '^./a.*$' | sort",
  "find . -regextype posix-extended -regex '.*/[[:alpha:]]{3}(/.*)?' | sort",
  "find . -regextype posix-extended -regex '(.*)+x' | sort",
  "find . -regex 'a.txt'",
  "find . -regex '.*\\.txt' -not -regex '.*/d.*' | sort",
  "find . -name '*a*t*' | sort",
  "find . -name '[!a-c]*.t?t' | sort",
  "find . -iname '[A-D].TXT' | sort",
  "find . -path '*/d*/*.*x*' | sort",
  "find . -name '**.txt**' | sort",
  "find . -name '[[:upper:]]*' ; find . -name '*[' ; find . -name '*[]]*'",
  'find . -name "*.txt" -exec echo got {} \\; | sort',
  'find . -name "*.js" -exec echo {} + | sort',
  'find . -type f -name "*.txt" -execdir echo {} \\; | sort',
  "find . -type f -printf '%f %h %P %d %s %y\\n' | sort",
  "find . -name a.txt -printf '%p|%10s|%-8f|%%\\n'",
  "find dir -printf '%H:%P\\n' | sort",
  'find . -name "*.txt" -print0 | sort -z | tr "\\0" "|"',
  'find . -name e.js -quit',
  'find . -name "*.js" -print -quit',
  'find dir -name "*.txt" -delete; find dir | sort',
  'find dir -delete; echo $?; ls',
  'find nosuch; echo $?',
  'find . -newer nosuch; echo $?',
  'find . -nosuchtest; echo $?',
  'find . -name; echo $?',
  'find . -type q; echo $?',
  'find . -mtime -1 -type f | sort',
  'find . -mtime +1 -type f',
  'find . -daystart -mtime 0 -type f | sort',
  'find . -daystart -mtime +0 -type f; find . -daystart -mmin -3000 -name a.txt',
  'find . -mmin +5 -type f',
  'find . -newermt "2020-01-01" -type f | sort',
  'find . -newermt tomorrow -type f',
  'find . -perm -u+w -type f -name a.txt',
  'find . -perm /111 -type f',
  'ln -s a.txt link; find . -type l',
  'ln -s dir link; find -L link -name "c.txt"',
  'ln -s dir link; find link; find link/ -maxdepth 1 | sort',
  'ln -s nosuch link; find . -xtype l',
  'ln -s a.txt link; find . -lname "a*"',
  'find a.txt b.md',
  'find . -samefile a.txt',
  'find . -name "*.txt" -a -size +1k -print , -name b.md | sort',
  'find . -true -name "b*" -false -o -name a.txt',
]);

it('no pattern of an agent’s holds find up, by its repetitions or by its stars', async () => {
  const long = 'a'.repeat(200);
  const shell = doubleShell([findShims, sortShims, trShims], { [`/data/${long}`]: '' });
  // What is held up takes hours, and the test's time is over.
  for (const test of [
    "-regextype posix-extended -regex '(\\./)?(a+)+b'",
    "-regextype posix-extended -regex '((a*)*)*b'",
    `-name '${'*a'.repeat(30)}b'`,
    `-iname '${'*a'.repeat(30)}b'`,
    `-path '${'*a'.repeat(30)}b'`,
  ]) {
    const { stdout, exitCode } = await shell.run(`find . ${test}`);
    expect([stdout, exitCode], test).toEqual(['', 0]);
  }
});

it('names what it may not read, and goes on with the rest', async () => {
  const shell = doubleShell([findShims], { '/data/ok/f': '', '/data/shut/g': '' });
  shell.fs.refuse = (op, path) =>
    op === 'scandir' && path === '/data/shut'
      ? new FsError('EACCES', { op, path, reason: 'The mount table says so.' })
      : undefined;
  const { stdout, stderr, exitCode } = await shell.run('find .');
  expect(stdout).toBe('.\n./ok\n./ok/f\n./shut\n');
  expect(stderr).toBe("find: './shut': Permission denied\ndirigent: The mount table says so.\n");
  expect(exitCode).toBe(1);
});

it('-ls has the columns of GNU find, each as wide as there', async () => {
  const shell = doubleShell([findShims], { '/data/f': 'hi\n', '/data/old': '' });
  const { stdout } = await shell.run(
    'ln -s f l; mkdir d; touch -d 2001-02-03 old; find f l d old -ls',
  );
  const clock = String.raw`\d\d:\d\d`;
  const rows: [mode: string, links: number, size: number, date: string, name: string][] = [
    ['-rw-r--r--', 1, 3, clock, 'f'],
    ['lrwxrwxrwx', 1, 1, clock, 'l -> f'],
    ['drwxr-xr-x', 2, 0, clock, 'd'],
    ['-rw-r--r--', 1, 0, ' 2001', 'old'],
  ];
  const lines = rows.map(([mode, links, size, date, name]) => {
    const bytes = mode.startsWith('d') ? String.raw`[ \d]{8}` : String(size).padStart(8);
    return `[ \\d]{9} [ \\d]{6} ${mode} {3}${links} .{8} .{8} ${bytes} [A-Z][a-z]{2} [ \\d]\\d ${date} ${name}\n`;
  });
  expect(stdout).toMatch(new RegExp(`^${lines.join('')}$`));
});
