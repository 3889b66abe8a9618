/** What a person at the prompt is helped with: Tab, history, ids, hints, and what is printed when. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../errors.ts';
import { type VisibleText, visible } from '../visible.ts';
import { complete } from './completion.ts';
import { confirmWith, yesOrNo } from './confirm.ts';
import { formatBytes, formatCost } from './cost.ts';
import { hints } from './did-you-mean.ts';
import { HistorySearch } from './history-search.ts';
import { resolveId } from './ids.ts';
import { MarkdownStream } from './markdown.ts';
import { keptOutput } from './testing.ts';

const TREE: Record<string, string[]> = {
  '/w': ['a file', 'alpha/', 'beta.txt', '.hidden', "it's", 'tab\there', '$x'],
  '/w/alpha': ['inner', 'deep/'],
  '/': ['w/', 'etc/'],
  '/etc': ['hosts'],
};

const world = {
  cwd: '/w',
  commands: async () => ['grep', 'git', 'cat', 'git', 'gawk'],
  fs: {
    async readdirWithFileTypes(path: string) {
      const names = TREE[path.replace(/(.)\/+$/, '$1')];
      if (names === undefined) throw new FsError('ENOENT', { path, op: 'scandir' });
      return names.map((each) => ({
        name: each.replace(/\/$/, ''),
        isFile: !each.endsWith('/'),
        isDirectory: each.endsWith('/'),
        isSymbolicLink: false,
      }));
    },
    async readdir(path: string) {
      const names = TREE[path];
      if (names === undefined) throw new FsError('ENOTDIR', { path, op: 'scandir' });
      return names.map((each) => each.replace(/\/$/, ''));
    },
  },
};

describe('Tab', () => {
  const COMMANDS = ['gawk ', 'git ', 'grep '];
  test.each([
    ['g', COMMANDS],
    ['  g', COMMANDS],
    ['echo a | g', COMMANDS],
    ['a; g', COMMANDS],
    ['a && g', COMMANDS],
    ['(g', COMMANDS],
    ['x=$(g', COMMANDS],
    ['if g', COMMANDS],
    ['! g', COMMANDS],
    ['x=1 g', COMMANDS],
    ['x=1 y=2 g', COMMANDS],
    ['time gr', ['grep ']],
    ['"g', COMMANDS],
    ['z', []],
    ['cat g', []],
    ['if x g', []],
    ['> g', []],
    ['cat > be', ['beta.txt ']],
    ['cat < be', ['beta.txt ']],
    ['> be', ['beta.txt ']],
    ['cat ', ['a\\ file ', 'alpha/', 'beta.txt ', "it\\'s ", "$'tab\\u0009here' ", '\\$x ']],
    ['cat .', ['.hidden ']],
    ['cat a', ['a\\ file ', 'alpha/']],
    ['cat a\\ ', ['a\\ file ']],
    ['cat "a ', ['"a file" ']],
    ["cat 'a ", ["'a file' "]],
    ['cat "$', ['"\\$x" ']],
    ['cat "\\$', ['"\\$x" ']],
    ["cat '$", ["'$x' "]],
    ['cat "al', ['"alpha/']],
    ['cat "it\'', ['"it\'s" ']],
    ['cat alpha/', ['alpha/inner ', 'alpha/deep/']],
    ['cat alpha/d', ['alpha/deep/']],
    ['cat /e', ['/etc/']],
    ['cat /etc/h', ['/etc/hosts ']],
    ['alpha/i', ['alpha/inner ']],
    ['cat none/', []],
    ['cat "a" b', ['beta.txt ']],
    ['cat x"be', []],
  ])('behind %j offers %j', async (text, candidates) => {
    expect((await complete(text, '/w', world))[0]).toEqual(candidates);
  });

  test.each([
    ['cat alpha/d', 'alpha/d'],
    ['cat "a b', '"a b'],
    ['cat a\\ b', 'a\\ b'],
    ['x;gr', 'gr'],
    ['cat ', ''],
    ["cat 'a\\", "'a\\"],
  ])('behind %j replaces %j', async (text, replaced) => {
    expect((await complete(text, '/w', world))[1]).toBe(replaced);
  });

  test('hides no fault of a world', async () => {
    const broken = {
      ...world,
      fs: { readdirWithFileTypes: async () => Promise.reject(new TypeError('fault')) },
    };
    await expect(complete('cat a', '/w', broken)).rejects.toThrow('fault');
  });
});

describe('a hint', () => {
  test.each([
    ['bash: gti: command not found', ['git']],
    ['bash: line 3: ecoh: command not found', ['echo']],
    ['hstory: command not found', ['history']],
    ['bash: zzzzzz: command not found', []],
    ['bash: ./gti: command not found', []],
    ["ls: cannot access 'alpah': No such file or directory", ['alpha']],
    ["ls: cannot access 'alpah/inner': No such file or directory", ['alpha/inner']],
    ['cat: alpha/iner: No such file or directory', ['alpha/inner']],
    ['cat: /etc/hsots: No such file or directory', ['/etc/hosts']],
    ['cat: /ect/hosts: No such file or directory', ['/etc/hosts']],
    ['bash: cd: alpah: No such file or directory', ['alpha']],
    ['alpah: No such file or directory', ['alpha']],
    ['cat: beta.txt/x: No such file or directory', []],
    ['cat: qqqqqqq: No such file or directory', []],
    ['cat: alpha: Permission denied', []],
    ['', []],
    ['gti: command not found\ngti: command not found\nctt: command not found', ['git', 'cat']],
    ['gti: command not found\nctt: command not found\ngrpe: command not found', ['git', 'cat']],
  ])('for %j is %j', async (stderr, found) => {
    expect(await hints(stderr, world)).toEqual(found);
  });
});

describe('a search in the history', () => {
  const LINES = ['make test', 'git log', 'make all', 'git log', 'ls'];
  const searched = (keys: readonly string[], typed = 'typed') => {
    const search = new HistorySearch(LINES, typed);
    const steps = keys.map((key) => search.key(key));
    return { step: steps.at(-1), found: search.found, failed: search.failed, query: search.query };
  };

  test('looks for what is typed from the newest on, and further where it no longer fits', () => {
    expect(searched(['m'])).toMatchObject({ found: 'make test', failed: false, query: 'm' });
    expect(searched([...'make a']).found).toBe('make all');
    expect(searched([...'make a', '\x7f', '\x7f', '\x7f']).found).toBe('make test');
    expect(searched([...'ls', '\b', '\b'])).toMatchObject({ found: '', failed: false, query: '' });
    expect(searched([...'makex'])).toMatchObject({ found: 'make test', failed: true });
    expect(searched([...'makex', '\x7f'])).toMatchObject({ found: 'make test', failed: false });
  });

  test('goes on to older ones with Ctrl-R, back with Ctrl-S, and stays at the ends', () => {
    expect(searched(['\x12', 'm', '\x12']).found).toBe('make all');
    expect(searched(['m', '\x12', '\x12'])).toMatchObject({ found: 'make all', failed: true });
    expect(searched(['m', '\x12', '\x13'])).toMatchObject({ found: 'make test', failed: false });
    expect(searched(['m', '\x13'])).toMatchObject({ found: 'make test', failed: true });
    expect(searched(['\x12'])).toMatchObject({ found: '', failed: false, step: { done: false } });
    expect(searched(['\x12', '\x12', 'g']).found).toBe('git log');
  });

  test('ends with the line, with what was typed, and with the key that is still to act', () => {
    expect(searched(['m', '\r']).step).toEqual({ done: true, line: 'make test', key: '\r' });
    expect(searched(['m', '\x1b[C']).step).toEqual({
      done: true,
      line: 'make test',
      key: '\x1b[C',
    });
    expect(searched(['\x01']).step).toEqual({ done: true, line: 'typed', key: '\x01' });
    for (const key of ['\x07', '\x1b'])
      expect(searched(['m', key]).step).toEqual({ done: true, line: 'typed', key: '' });
    expect(searched(['m', '\x03']).step).toEqual({ done: true, line: 'typed', key: '\x03' });
  });
});

describe('an id', () => {
  const ids = ['01aaaa', '01aabb', '02ccDD'];
  const choice = { what: 'change', names: 'dirigent changes' };
  const said = (typed: string, among = ids, describe?: (id: string) => string) => {
    try {
      return resolveId(among, typed, describe === undefined ? choice : { ...choice, describe });
    } catch (error) {
      return (error as FsError).reason;
    }
  };
  test.each([
    ['01aaaa', '01aaaa'],
    ['01aaa', '01aaaa'],
    ['bb', '01aabb'],
    ['02', '02ccDD'],
    ['CCDD', '02ccDD'],
    ['02ccdd', '02ccDD'],
  ])('%j is %j', (typed, id) => expect(said(typed)).toBe(id));

  test('that is none, or may be several, is told of', () => {
    expect(said('zz')).toBe('there is no change "zz"; "dirigent changes" names them');
    expect(said('01aaca')).toBe(
      'there is no change "01aaca" (did you mean 01aaaa?); "dirigent changes" names them',
    );
    expect(said('')).toContain('there is no change ""');
    expect(said('01')).toBe('"01" may be any of 2; give more of it:\n  01aaaa\n  01aabb');
    const many = Array.from({ length: 11 }, (_, index) => `x${index}`);
    expect(said('x', many, (id) => `is ${id}`)?.split('\n')).toEqual([
      '"x" may be any of 11; give more of it:',
      ...many.slice(0, 8).map((id) => `  ${id}  is ${id}`),
      '  and 3 more',
    ]);
    expect(said('x', many.slice(0, 8))).not.toContain('more\n');
    expect(said('x', many.slice(0, 8))?.split('\n')).toHaveLength(9);
  });
});

test('bytes are said as people read them', () => {
  const sizes: [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1234, '1.2 kB'],
    [9940, '9.9 kB'],
    [9950, '10 kB'],
    [12_345, '12 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [5e9, '5.0 GB'],
    [7e12, '7.0 TB'],
    [1e16, '10000 TB'],
  ];
  expect(sizes.map(([bytes]) => formatBytes(bytes))).toEqual(sizes.map(([, text]) => text));
});

test('a cost is what was spent since, over all mounts, and what was asked behind it', () => {
  const before = { '/a': { requests: 2, bytes: 100 } };
  expect(formatCost(before, before)).toBeNull();
  expect(formatCost({}, {})).toBeNull();
  expect(formatCost(before, { '/a': { requests: 3, bytes: 300 } })).toBe('1 request, 200 B');
  const both = { '/a': { requests: 3, bytes: 300 }, '/b': { requests: 2, bytes: 1000 } };
  expect(formatCost(before, both)).toBe('3 requests, 1.2 kB');
  const behind = { '/a': { requests: 6, bytes: 100, behind: { requests: 3, bytes: 0 } } };
  expect(formatCost(before, behind)).toBe('1 request, 0 B (3 more behind it)');
});

describe('what is printed', () => {
  test('goes to its stream, with nothing hidden in JSON', async () => {
    const { output, pieces } = keptOutput({ rows: () => 24 });
    await output.out(visible`a${'\x1b'}\n`);
    await output.err(visible`b\n`);
    await output.json({ a: '\u202e' });
    await output.json([1], 2);
    await output.bytes('stdout', Buffer.from('x'));
    await output.bytes('stderr', Buffer.from('y'));
    expect(pieces.slice(1)).toEqual([
      'err:b\n',
      'out:{"a":"\\u202e"}\n',
      'out:[\n  1\n]\n',
      'out:x',
      'err:y',
    ]);
    expect(pieces[0]).not.toContain('\x1b');
    expect([output.rows(), output.columns('stdout')]).toEqual([24, undefined]);
    expect([output.errIsTerminal, output.outIsTerminal]).toEqual([true, false]);
  });

  test('waits while a person is asked, each question on a line of its own, one after the other', async () => {
    const { output, pieces } = keptOutput();
    await output.out(visible`half a line`);
    const answer = Promise.withResolvers<void>();
    const first = output.whileAsking(async (say) => {
      await say(visible`first? `);
      await answer.promise;
      return 1;
    });
    const second = output.whileAsking(async (say) => say(visible`second? `));
    const printed = output.out(visible`meanwhile\n`);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pieces).toEqual(['out:half a line', 'err:\n', 'err:first? ']);
    answer.resolve();
    expect(await first).toBe(1);
    await Promise.all([second, printed]);
    expect(pieces.slice(3)).toContain('out:meanwhile\n');
    expect(pieces.slice(3)).toContain('err:second? ');
    const { output: other, pieces: fresh } = keptOutput();
    await other.bytes('stdout', Buffer.from('whole\n'));
    await other.bytes('stdout', Buffer.from(''));
    await other.whileAsking(async () => undefined);
    await expect(
      other.whileAsking(async () => {
        throw new Error('gone');
      }),
    ).rejects.toThrow('gone');
    await other.out(visible`on`);
    expect(fresh).toEqual(['out:whole\n', 'out:', 'out:on']);
  });

  test('is confirmed by yes alone, asked until it is yes or no', async () => {
    const asked: string[] = [];
    const confirm = (...answers: ({ line: string } | 'interrupted' | 'ended')[]) => {
      const { output, pieces } = keptOutput();
      const read = async (prompt: VisibleText) => {
        asked.push(prompt.toString());
        return answers.shift() ?? 'ended';
      };
      const done = confirmWith(output, read)(visible`This.\n`, visible`Sure?`);
      return done.then((yes) => [yes, pieces]);
    };
    expect(await confirm({ line: 'maybe' }, { line: ' YES ' })).toEqual([true, ['err:This.\n']]);
    expect(asked).toEqual(['Sure? y yes, n no: ', 'Sure? y yes, n no: ']);
    expect((await confirm({ line: 'n' }))[0]).toBe(false);
    expect((await confirm('interrupted'))[0]).toBe(false);
    expect(['y', 'Yes', 'n', 'NO', '', 'yess'].map(yesOrNo)).toEqual([
      true,
      true,
      false,
      false,
      null,
      null,
    ]);
  });
});

test.each([
  ['# A **title**', '\x1b[1mA title\x1b['],
  ['a **b** `c` __d__', 'a \x1b[1mb\x1b['],
  ['- item', '• item'],
  ['  * deep', '  • deep'],
  ['> said', '│ '],
  ['#no heading', '#no heading'],
  ['-5 is no item', '-5 is no item'],
  ['####### seven', '####### seven'],
])('a line of markdown is shown as what it is: %j', (line, shown) => {
  const stream = new MarkdownStream();
  expect(`${stream.push(`${line}\n`)}`).toContain(shown);
});

test('code is shown as it is written, line by line as it comes, and the rest at the end', () => {
  const stream = new MarkdownStream();
  expect(`${stream.push('``')}${stream.push('`sh\n# no ')}`).toContain('```sh');
  expect(`${stream.push('title\n- no item\n')}`).toBe('# no title\n- no item\n');
  stream.push('~~~\n');
  expect(`${stream.push('- item')}`).toBe('');
  expect(`${stream.end()}`).toBe('• item');
  expect(`${stream.end()}`).toBe('');
});
