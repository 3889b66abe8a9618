/** The pager: each of its keys, its search, and what stands on the screen. */
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { PageView } from '../shell/terminal.ts';
import { RawKeys } from './keys.ts';
import { page } from './pager.ts';

const VIEW: PageView = { title: 'f', numbers: false, chop: false, quitIfShort: false, start: 1 };
const hundred = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join('');

/** What is on a screen of 30 cells and 5 rows once the keys have been pressed; the terminal is gone behind them. */
async function screen(keys: string, text = hundred, view: Partial<PageView> = {}, rows = 5) {
  const input = new PassThrough();
  const raw = new RawKeys(input);
  raw.start();
  input.end(keys);
  const drawn: string[] = [];
  await page(
    text,
    { ...VIEW, ...view },
    raw,
    { columns: 30, rows, print: async (part) => drawn.push(part.toString()) },
    new AbortController().signal,
  );
  const pages = drawn.filter((each) => each.startsWith('\x1b[H'));
  const plain = (each = '') => each.replace(/\x1b\[[\d;?]*[A-Za-z]|\r/g, '').split('\n');
  return { drawn, pages, last: pages.at(-1) ?? '', rows: plain(pages.at(-1)) };
}

/** From line 50 on, so that each key can go both ways. */
const from = async (keys: string) => (await screen(keys, hundred, { start: 50 })).rows[0];

describe('a key', () => {
  test.each([
    [[' ', 'f', '\x06', '\x1b[6~'], 'line 54', 'a page on'],
    [['b', '\x02', '\x1b[5~'], 'line 46', 'a page back'],
    [['d', '\x04'], 'line 52', 'half a page on'],
    [['u', '\x15'], 'line 48', 'half a page back'],
    [['j', 'e', '\r', '\n', '\x1b[B', '\x1bOB'], 'line 51', 'a line on'],
    [['k', 'y', '\x1b[A', '\x1bOA'], 'line 49', 'a line back'],
    [['g', '<', '\x1b[H', '\x1b[1~'], 'line 1', 'the beginning'],
    [['G', '>', '\x1b[F', '\x1b[4~'], 'line 97', 'the end'],
    [['x', '\x1b[C', 'é'], 'line 50', 'nothing'],
  ])('%j: to %s', async (keys, line) => {
    for (const key of keys) expect(await from(key), JSON.stringify(key)).toBe(line);
  });

  test.each(['q', 'Q', '\x03'])('%j ends it', async (key) => {
    expect((await screen(`${key}j`)).pages).toHaveLength(1);
  });

  test('h tells the keys, until the next one', async () => {
    expect((await screen('h')).rows.at(-1)).toContain('space b: pages');
    expect((await screen('hj')).rows.at(-1)).toBe('f line 2 of 100, q ends');
  });

  test('goes no further than the ends, and half a page is a line at least', async () => {
    expect(await from('g b')).toBe('line 1');
    expect(await from('gk')).toBe('line 1');
    expect(await from('G ')).toBe('line 97');
    expect(await from('GGkk')).toBe('line 95');
    const narrow = await screen('d', hundred, {}, 2);
    expect(narrow.rows[0]).toBe('line 2');
    expect((await screen(' ', hundred, {}, 1)).rows[0]).toBe('line 2');
    expect((await screen('jG', 'a\nb\n')).rows[0]).toBe('a');
  });
});

describe('a search', () => {
  test('shows what is typed behind its sign, and is left by Esc, Ctrl-G, or when all is erased', async () => {
    expect((await screen('/ab')).rows.at(-1)).toBe('/ab');
    expect((await screen('?ab\x7f')).rows.at(-1)).toBe('?a');
    expect((await screen('/a👍\b')).rows.at(-1)).toBe('/a');
    expect((await screen('/a\x1b[Ab\x01')).rows.at(-1)).toBe('/ab');
    for (const keys of ['/a\x1b', '/a\x07', '/a\x7f\x7f', '/\b'])
      expect((await screen(keys)).rows.at(-1), JSON.stringify(keys)).toBe(
        'f line 1 of 100, q ends',
      );
    expect(await from('/q\x1bj')).toBe('line 51');
  });

  test('finds from the line on the top, on and back, again and the other way', async () => {
    expect(await from('/50\r')).toBe('line 50');
    expect(await from('/5\r')).toBe('line 50');
    expect(await from('/5\rn')).toBe('line 51');
    expect(await from('/5\nnnN')).toBe('line 51');
    expect(await from('?4\r')).toBe('line 49');
    expect(await from('?4\rn')).toBe('line 48');
    expect(await from('?4\rnnN')).toBe('line 48');
    expect(await from('/6\rn?\r')).toBe('line 56');
    expect(await from('?4\r/\r')).toBe('line 54');
    expect(await from('?^line 1$\r')).toBe('line 1');
    expect(await from('/100\r')).toBe('line 100');
  });

  test('without capitals is of either case; what is no pattern is a text', async () => {
    const text = 'one\nTwo\n(three\na.b\nfour\nfive\nsix\nseven\n';
    const found = async (typed: string) => (await screen(`/${typed}\r`, text)).rows[0];
    expect([
      await found('tWO'),
      await found('two'),
      await found('Two'),
      await found('TWO'),
    ]).toEqual(['one', 'Two', 'Two', 'one']);
    expect([await found('(t'), await found('a.b'), await found('f.ve')]).toEqual([
      '(three',
      'a.b',
      'five',
    ]);
  });

  test('says where there is nothing more, and nothing yet', async () => {
    expect((await screen('/none\r')).rows.at(-1)).toBe('pattern not found');
    expect((await screen('?2\r')).rows.at(-1)).toBe('pattern not found');
    expect((await screen('n')).rows.at(-1)).toBe('nothing was searched for yet');
    expect((await screen('/\r')).rows.at(-1)).toBe('nothing was searched for yet');
    expect((await screen('/none\rj')).rows.at(-1)).toBe('f line 2 of 100, q ends');
  });

  test('marks each place on the screen that fits', async () => {
    const { last } = await screen('/an\r', 'banana\nplain\nan\n');
    expect(last).toContain('b\x1b[7man\x1b[0m\x1b[7man\x1b[0ma\x1b[K');
    expect(last).toContain('plain\x1b[K');
    expect((await screen('/x*\r', 'axb\n')).last).toContain('a\x1b[7mx\x1b[0mb');
  });
});

describe('the screen', () => {
  test('is drawn line by line, and is another one than that of the shell', async () => {
    const { drawn, last } = await screen('', 'a\nb\r\n');
    expect([drawn[0], drawn.at(-1)]).toEqual(['\x1b[?1049h', '\x1b[?1049l']);
    expect(last).toBe(
      '\x1b[Ha\x1b[K\n\rb\x1b[K\n\r~\x1b[K\n\r~\x1b[K\n\r\x1b[7mf (END)\x1b[0m\x1b[J',
    );
  });

  test('tells how far one is, in the cells that there are', async () => {
    expect((await screen(' ')).rows.at(-1)).toBe('f line 5 of 100, q ends');
    expect((await screen('G')).rows.at(-1)).toBe('f (END)');
    expect((await screen('Gk')).rows.at(-1)).toBe('f line 96 of 100, q ends');
    const title = 'a long title of a file, longer than the row';
    expect((await screen('', hundred, { title })).rows.at(-1)).toBe(title.slice(0, 29));
    expect((await screen('', '')).rows).toEqual(['~', '~', '~', '~', 'f (END)']);
  });

  test('begins where it is told to', async () => {
    const first = async (start: PageView['start'], text = hundred) =>
      (await screen('', text, { start })).rows[0];
    expect([await first(1), await first(7), await first(99), await first(500)]).toEqual([
      'line 1',
      'line 7',
      'line 97',
      'line 97',
    ]);
    expect([
      await first('end'),
      await first({ pattern: 'NE 3' }),
      await first({ pattern: 'ne 3' }),
    ]).toEqual(['line 97', 'line 1', 'line 3']);
  });

  test('is not taken for what fits on it, where that is not wanted', async () => {
    const shown = async (lines: number, quitIfShort = true) =>
      (await screen('', 'x\n'.repeat(lines), { quitIfShort })).drawn;
    expect(await shown(4)).toEqual(['x\nx\nx\nx\n']);
    expect((await shown(5))[0]).toBe('\x1b[?1049h');
    expect((await shown(4, false))[0]).toBe('\x1b[?1049h');
  });

  test('folds long lines by their cells, or cuts them; tabs go to the next eighth cell', async () => {
    const text = `${'日'.repeat(16)}\n12345678\tx\na\tb\n${'y'.repeat(31)}\nend\n`;
    expect((await screen('', text, {}, 9)).rows.slice(0, 7)).toEqual([
      '日'.repeat(15),
      '日',
      '12345678        x',
      'a       b',
      'y'.repeat(30),
      'y',
      'end',
    ]);
    const cut = await screen('', text, { chop: true, numbers: true }, 9);
    expect(cut.rows.slice(0, 5)).toEqual([
      `      1 ${'日'.repeat(11)}`,
      '      2 12345678        x',
      '      3 a       b',
      `      4 ${'y'.repeat(22)}`,
      '      5 end',
    ]);
    const numbered = await screen('', `${'z'.repeat(25)}\n`, { numbers: true }, 9);
    expect(numbered.rows.slice(0, 2)).toEqual([`      1 ${'z'.repeat(22)}`, '        zzz']);
    // A line that is found is shown from its beginning, and lines are counted, not rows.
    const found = await screen('/x\r', text, {}, 3);
    expect(found.rows).toEqual(['12345678        x', 'a       b', 'f line 2 of 5, q ends']);
  });
});
