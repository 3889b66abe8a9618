/** What is printed of a turn and of a command while they run. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { visible } from '../visible.ts';
import type { ExecResult } from '../world/world.ts';
import { Printer } from './printer.ts';
import { showProgress } from './progress.ts';
import { NO_STATUS_LINE, statusLine } from './status-line.ts';
import { progressLine } from './sync.ts';
import { keptOutput } from './testing.ts';
import { type PrintedParts, printAnswer, TurnPrinter } from './turn-printer.ts';
import { Waiting } from './waiting.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const line = (text: string): string => String(statusLine(visible`${text}`));
const GONE = String(NO_STATUS_LINE);

/** What is printed of the events of a turn. */
async function turn(events: object[], how: PrintedParts & { terminal?: boolean } = {}) {
  const { terminal = true, ...parts } = how;
  const { output, pieces } = keptOutput({ errIsTerminal: terminal });
  const printer = new TurnPrinter(output, parts);
  for (const event of events) printer.print({ transient: true, ...event } as never);
  await printer.finish();
  // Styles are the terminal's affair.
  return pieces.join('').replaceAll(/\x1b\[\d*m/g, '');
}

const said = (text: string) => ({ type: 'text-delta', text });
const start = (input: unknown, name = 'bash') => ({ type: 'tool-start', name, input });
const failure = (text: string) => ({ type: 'tool-end', failed: true, text });

describe('of a turn', () => {
  test('the answer is on stdout, and its last line is ended', async () => {
    expect(await turn([said('a'), said('b')])).toBe('out:aout:bout:\n');
    expect(await turn([said('ab\n')])).toBe('out:ab\n');
    expect(await turn([])).toBe('');
    expect(await turn([{ type: 'other' }, said('')])).toBe('');
  });

  test('each call is a line on stderr, below what was said, at a terminal alone', async () => {
    expect(await turn([said('a'), start({ command: 'ls' }), said('b\n')])).toBe(
      'out:aerr:\n· bash ls\nout:b\n',
    );
    expect(await turn([said('a\n'), start({ command: 'ls' })])).toBe('out:a\nerr:· bash ls\n');
    expect(await turn([said('a'), start({ command: 'ls' })], { terminal: false })).toBe(
      'out:aout:\n',
    );
  });

  test.each<[unknown, string]>([
    [{ path: 'a', text: ' one\ntwo\n' }, 'bash a one …'],
    [{ path: 'a', count: 1, list: ['x'] }, 'bash a 1 ["x"]'],
    [null, 'bash '],
    ['text', 'bash '],
    [{ a: 'x'.repeat(95) }, `bash ${'x'.repeat(95)}`],
    [{ a: 'x'.repeat(96) }, `bash ${'x'.repeat(95)}…`],
  ])('of a call with %j the first lines of its values are shown', async (input, shown) => {
    expect(await turn([start(input)])).toBe(`err:· ${shown}\n`);
  });

  test.each<[string, string[]]>([
    ['a\nb\n', ['b']],
    ['a\n[stderr]\nb\n[exit status 1]\n', ['b']],
    [
      'dirigent: one\nx\ndirigent: two\ndirigent: three\ndirigent: four\n',
      ['dirigent: one', 'dirigent: two', 'dirigent: three'],
    ],
    ['', []],
    ['x'.repeat(398), ['x'.repeat(398)]],
    ['x'.repeat(399), [`${'x'.repeat(398)}…`]],
  ])('of a failure %j the reason is shown', async (text, reasons) => {
    const lines = reasons.map((reason) => `err:·   ${reason}\n`).join('');
    expect(await turn([failure(text)])).toBe(lines);
    expect(await turn([{ ...failure(text), failed: false }])).toBe('');
  });

  test('a notice is a line', async () => {
    expect(await turn([{ type: 'notice', text: 'be told' }])).toBe('err:· be told\n');
  });

  test('nothing is shown where the result alone is wanted, nor an answer that may be taken back', async () => {
    const all = [said('a'), start({ command: 'ls' }), said('b')];
    expect(await turn(all, { quiet: true })).toBe('');
    expect(await turn(all, { withheld: true })).toBe('err:· bash ls\n');
    expect(await turn([{ ...said('a'), transient: false }])).toBe('');
  });

  test('an answer of which a part was missed is completed, or shown anew', async () => {
    const completed = async (events: object[], answer: string, how: PrintedParts = {}) => {
      const { output, out } = keptOutput();
      const printer = new TurnPrinter(output, how);
      for (const event of events) printer.print({ transient: true, ...event } as never);
      printer.complete(answer);
      printer.complete(answer);
      await printer.finish();
      return out();
    };
    expect(await completed([said('one ')], 'one two')).toBe('one two\n');
    expect(await completed([said('one')], 'one')).toBe('one\n');
    expect(await completed([said('two')], 'one two')).toBe('two\none two\n');
    expect(await completed([said('two\n')], 'one two')).toBe('two\none two\n');
    // What stands before a call is no part of the answer.
    expect(await completed([said('first\n'), start({})], 'last')).toBe('first\nlast\n');
    expect(await completed([said('a')], 'ab', { quiet: true })).toBe('');
    expect(await completed([said('a')], 'ab', { withheld: true })).toBe('');
  });

  test('an answer is styled at a terminal, and as the model wrote it elsewhere', async () => {
    const printed = async (outIsTerminal: boolean) => {
      const { output, out } = keptOutput({ outIsTerminal });
      await printAnswer(output, '**a**');
      return out();
    };
    vi.stubEnv('NO_COLOR', undefined);
    expect(await printed(false)).toBe('**a**');
    expect(await printed(true)).not.toContain('**');
    vi.stubEnv('NO_COLOR', '1');
    expect(await printed(true)).toBe('**a**');
  });

  test('that it goes on is shown from a second on, at the beginning of a line alone', async () => {
    const { output, pieces } = keptOutput();
    const printer = new TurnPrinter(output);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(pieces).toEqual([expect.stringContaining(' 1 s')]);
    printer.print({ transient: true, ...said('half') } as never);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pieces.slice(1)).toEqual([`err:${GONE}`, 'out:half']);
    printer.print({ transient: true, ...said(' line\n') } as never);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(pieces.slice(3, 5)).toEqual(['out: line\n', expect.stringContaining(' 1 s')]);
    await printer.finish();
    expect(pieces.at(-1)).toBe(`err:${GONE}`);
    const shown = pieces.length;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(pieces).toHaveLength(shown);
  });
});

describe('that something is under way', () => {
  test('is drawn again and again, counts from its start, and leaves nothing', async () => {
    const { output, pieces } = keptOutput();
    const waiting = new Waiting(output);
    waiting.start();
    await vi.advanceTimersByTimeAsync(960);
    expect(pieces).toEqual([]);
    // A second start is none.
    waiting.start();
    await vi.advanceTimersByTimeAsync(120);
    await vi.advanceTimersByTimeAsync(120);
    expect(pieces).toEqual([`err:${line('⠏ 1 s')}`, `err:${line('⠋ 1 s')}`]);
    await waiting.stop();
    await waiting.stop();
    expect(pieces.slice(2)).toEqual([`err:${GONE}`]);
    waiting.start();
    await waiting.stop();
    expect(pieces).toHaveLength(3);
  });

  test('is not shown where stderr is no terminal', async () => {
    const { output, pieces } = keptOutput({ errIsTerminal: false });
    const waiting = new Waiting(output);
    waiting.start();
    const progress = showProgress(output);
    await vi.advanceTimersByTimeAsync(5_000);
    progress.stop();
    await waiting.stop();
    expect(pieces).toEqual([]);
  });

  test('of a command is a line each second from the first one on, which goes with it', async () => {
    const { output, pieces } = keptOutput();
    const progress = showProgress(output, 'indexing');
    await vi.advanceTimersByTimeAsync(999);
    expect(pieces).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(pieces).toEqual(
      [1, 2].map((each) => `err:${line(`indexing ${each} s (Ctrl-C stops it)`)}`),
    );
    progress.stop();
    progress.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pieces.slice(2)).toEqual([`err:${GONE}`]);
    const short = showProgress(output);
    short.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pieces).toHaveLength(3);
  });
});

describe('of a fetch', () => {
  const made = (more: object) =>
    String(progressLine({ running: [], requests: 3, bytes: 1023, ...more }, 10_000));
  const job = (done: number, total: number | null, startedAt = 0) => ({
    what: 'issues',
    done,
    total,
    startedAt,
  });
  test.each<[object, string]>([
    [{}, 'fetching …; 3 requests, 1023 B'],
    [{ bytes: 1024 }, 'fetching …; 3 requests, 1 kB'],
    [{ bytes: 1536 }, 'fetching …; 3 requests, 2 kB'],
    [{ running: [job(0, null)] }, 'fetching issues; 3 requests, 1023 B'],
    [{ running: [job(4, null)] }, 'fetching issues 4; 3 requests, 1023 B'],
    [{ running: [job(0, 9)] }, 'fetching issues 0/9; 3 requests, 1023 B'],
    [{ running: [job(4, 10)] }, 'fetching issues 4/10; 3 requests, 1023 B; about 15 s left'],
    [
      { running: [job(4, 10), job(5, 10), job(1, null)] },
      'fetching issues 4/10, issues 5/10, issues 1; 3 requests, 1023 B; about 15 s left',
    ],
    [{ running: [job(3, 4, 9_000)] }, 'fetching issues 3/4; 3 requests, 1023 B; about 1 s left'],
  ])('%j is said', (progress, text) => expect(made(progress)).toBe(text));
});

describe('of a command', () => {
  const result = (stdout: string, stderr = '') =>
    ({
      stdoutBytes: Buffer.from(stdout),
      stderrBytes: Buffer.from(stderr),
    }) as unknown as ExecResult;

  test('what came while it ran is printed once, and the rest in the end', async () => {
    const { output, pieces } = keptOutput();
    const printer = new Printer(output, () => undefined);
    expect(printer.last).toBeUndefined();
    printer.print('stdout', Buffer.from('ab'));
    printer.print('stderr', Buffer.from('x'));
    printer.print('stdout', Buffer.from(''));
    await printer.settle();
    expect(pieces).toEqual(['out:ab', 'err:x']);
    expect(printer.last).toBe('x'.charCodeAt(0));
    await printer.finish(result('abc\n', 'x'));
    expect(pieces.slice(2)).toEqual(['out:c\n']);
    expect([printer.last, printer.closed]).toEqual([10, false]);
  });

  test('that nobody reads stdout any more is told once; stderr is no matter', async () => {
    const { output } = keptOutput({ out: async () => false, err: async () => false });
    let told = 0;
    const printer = new Printer(output, () => told++);
    printer.print('stderr', Buffer.from('x'));
    await printer.settle();
    expect([told, printer.closed]).toEqual([0, false]);
    printer.print('stdout', Buffer.from('x'));
    await printer.finish(result('xy', 'x'));
    expect([told, printer.closed]).toEqual([1, true]);
  });

  test('a failure to print is thrown where it is waited for', async () => {
    const { output } = keptOutput({ out: () => Promise.reject(new Error('the disk is full')) });
    const printer = new Printer(output, () => undefined);
    printer.print('stdout', Buffer.from('x'));
    await expect(printer.finish(result('x'))).rejects.toThrow('the disk is full');
  });
});
