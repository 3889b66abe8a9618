/** Keys at a terminal: searched history, lines for a command, pages. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { HistorySearch } from '../../src/cli/history-search.ts';
import { typedLine } from '../../src/cli/keyboard.ts';
import { firstKey, RawKeys } from '../../src/cli/keys.ts';
import { page } from '../../src/cli/pager.ts';
import type { PageView } from '../../src/shell/terminal.ts';

const never = new AbortController().signal;

/** Keys that were typed; the terminal is gone behind them. */
function typed(text: string): RawKeys {
  const input = new PassThrough();
  const keys = new RawKeys(input);
  keys.start();
  input.end(text);
  return keys;
}

describe('a line for a command', () => {
  const line = async (text: string, hidden = false) => {
    let shown = '';
    const keys = typed(text);
    const result = await typedLine(keys, (part) => (shown += part.toString()), hidden, never);
    return { result, shown, rest: keys.takePending() };
  };

  test.each([
    ['abc\r', { line: 'abc' }],
    ['a\x1b[Db\x01\r', { line: 'ab' }],
    ['ab\x7fc\r', { line: 'ac' }],
    ['a👩‍👩‍👧\x7fb\r', { line: 'ab' }],
    ['one two \x17x\r', { line: 'one x' }],
    ['one\x15x\n', { line: 'x' }],
    ['a\x04\r', { line: 'a' }],
    ['\x04', 'ended'],
    ['ab\x03', 'interrupted'],
    ['', 'ended'],
    ['x', { line: 'x' }],
    ['\r', { line: '' }],
  ])('%j is %j', async (text, result) => expect((await line(text)).result).toEqual(result));

  test('is shown as it is typed, erased by cells, and not at all where it is hidden', async () => {
    expect((await line('a日\x7f\r')).shown).toBe('a日\b \b\b \b\n');
    expect((await line('secret\r', true)).shown).toBe('');
  });

  test('leaves what was pasted behind it to whoever reads next', async () => {
    expect(await line('one\r\ntwo\r')).toMatchObject({ result: { line: 'one' }, rest: 'two\r' });
  });
});

test('keys come one by one, those of several characters whole', () => {
  let rest = '\x1b[1;5Ca\x1bOA\r\n\x1b[6~é👍';
  const keys: string[] = [];
  for (let key = firstKey(rest); key !== ''; key = firstKey(rest)) {
    keys.push(key);
    rest = rest.slice(key.length);
  }
  expect(keys).toEqual(['\x1b[1;5C', 'a', '\x1bOA', '\r\n', '\x1b[6~', 'é', '👍']);
});

describe('Ctrl-R', () => {
  const lines = ['git push', 'ls', 'git pull', 'git push', 'make'];
  const search = (keys: string) => {
    const found = new HistorySearch(lines, 'typed');
    const steps = [...keys].map((key) => found.key(key));
    return { found: found.found, failed: found.failed, step: steps.at(-1) };
  };

  test('finds the newest line with what is typed, and older ones, each once', () => {
    expect(search('git').found).toBe('git push');
    expect(search('git\x12').found).toBe('git pull');
    expect(search('git\x12\x12')).toMatchObject({ failed: true, found: 'git pull' });
    expect(search('git\x12\x13').found).toBe('git push');
    expect(search('gitx')).toMatchObject({ failed: true });
    expect(search('gitx\x7f')).toMatchObject({ failed: false, found: 'git push' });
    expect(search('').found).toBe('');
  });

  test('ends with the line that was found, or with what was typed before', () => {
    expect(search('mak\r').step).toEqual({ done: true, line: 'make', key: '\r' });
    expect(search('mak\x07').step).toEqual({ done: true, line: 'typed', key: '' });
    expect(search('mak\x03').step).toEqual({ done: true, line: 'typed', key: '\x03' });
    expect(search('\r').step).toEqual({ done: true, line: 'typed', key: '\r' });
  });
});

describe('the pager', () => {
  const VIEW: PageView = {
    title: 'f',
    numbers: false,
    chop: false,
    quitIfShort: false,
    start: 1,
  };
  const hundred = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join('');

  /** What is on the screen when the keys have been pressed, without our own sequences. */
  async function screen(keys: string, text = hundred, view: Partial<PageView> = {}) {
    const drawn: string[] = [];
    await page(
      text,
      { ...VIEW, ...view },
      typed(keys),
      { columns: 30, rows: 5, print: async (part) => drawn.push(part.toString()) },
      never,
    );
    const last = drawn.findLast((each) => each.startsWith('\x1b[H')) ?? drawn.join('');
    return { all: drawn.join(''), rows: last.replace(/\x1b\[[\d;?]*[A-Za-z]|\r/g, '').split('\n') };
  }

  test.each([
    ['', 'line 1'],
    [' ', 'line 5'],
    [' b', 'line 1'],
    ['jjk', 'line 2'],
    ['G', 'line 97'],
    ['G ', 'line 97'],
    ['Gg', 'line 1'],
    ['\x1b[6~\x1b[B\x1b[A', 'line 5'],
    ['d', 'line 3'],
    ['/7\r', 'line 7'],
    ['/7\rn', 'line 17'],
    ['/7\rnnN', 'line 17'],
    ['/LINE 12\r', 'line 1'],
    ['/Line\rg/e 12\r', 'line 12'],
    ['G?9\x7f50\r', 'line 50'],
    ['/(\r', 'line 1'],
    ['/x\x1bj', 'line 2'],
  ])('%j comes to %j', async (keys, first) => expect((await screen(keys)).rows[0]).toBe(first));

  test('q ends it, and the screen is as it was; what is typed behind q is not its own', async () => {
    const keys = typed('q ls\r');
    const drawn: string[] = [];
    const print = async (part: object) => drawn.push(String(part));
    await page(hundred, VIEW, keys, { columns: 30, rows: 5, print }, never);
    expect(drawn[0]).toBe('\x1b[?1049h');
    expect(drawn.at(-1)).toBe('\x1b[?1049l');
    expect(keys.takePending()).toBe(' ls\r');
  });

  test('long lines are folded or cut, tabs are filled, and nothing of the text acts on the terminal', async () => {
    const long = `${'x'.repeat(40)}\n\tb\n\x1b[2Jc\n`;
    const { rows, all } = await screen('', long);
    expect(rows.slice(0, 3)).toEqual(['x'.repeat(30), 'x'.repeat(10), '        b']);
    expect(all).not.toContain('\x1b[2J');
    expect((await screen('', long, { chop: true, numbers: true })).rows.slice(0, 2)).toEqual([
      `      1 ${'x'.repeat(22)}`,
      '      2         b',
    ]);
  });

  test('it begins where it is told to, says where it is, and asks nothing where all of it fits', async () => {
    expect((await screen('', hundred, { start: 'end' })).rows).toContain('line 100');
    expect((await screen('', hundred, { start: 50 })).rows[0]).toBe('line 50');
    const found = await screen('', hundred, { start: { pattern: '33' } });
    expect(found.rows[0]).toBe('line 33');
    expect(found.rows.at(-1)).toBe('f line 33 of 100, q ends');
    expect(found.all).toContain('\x1b[7m33\x1b[0m');
    expect((await screen('', 'a\nb\n', { quitIfShort: true })).all).toBe('a\nb\n');
    expect((await screen('', 'a\n')).rows).toEqual(['a', '~', '~', '~', 'f (END)']);
  });
});
