/** Lines from a terminal: who gets what was typed, and when. */
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { visible } from '../visible.ts';
import { LineReader, type LineReaderOptions } from './line-reader.ts';

const PROMPT = visible`> `;

/** A terminal, with what was asked of it and what it shows. */
function terminal(options: Partial<LineReaderOptions> = {}) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (raw: boolean) => modes.push(raw),
  });
  const output = new PassThrough();
  let shown = '';
  output.on('data', (data) => (shown += String(data)));
  const reader = new LineReader({
    input,
    output,
    history: [],
    historySize: 100,
    complete: async (text) => [[], text],
    ...options,
  });
  onTestFinished(() => reader.close());
  return { input, reader, modes, shown: () => shown };
}

/** Types something once a question is on the screen. */
async function onceAsked({ shown }: { shown(): string }, question: string, act: () => void) {
  await expect.poll(() => seen(shown()), { interval: 5 }).toContain(question);
  act();
}

/** What the next prompts get. */
async function readings(reader: LineReader, count: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let left = count; left > 0; left--) found.push(await reader.read(PROMPT));
  return found;
}

const seen = (shown: string): string => shown.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');

test('each line that is typed is for one prompt, and what follows it for the next, until the input ends', async () => {
  const { input, reader, shown } = terminal();
  input.end('one\ntwo\r\nthr\x7free\rrest');
  expect(await readings(reader, 4)).toEqual([
    { line: 'one' },
    { line: 'two' },
    { line: 'three' },
    { line: 'rest' },
  ]);
  expect(await readings(reader, 2)).toEqual(['ended', 'ended']);
  expect(seen(shown())).toContain('> one');
});

test('a character that arrives in two pieces is one', async () => {
  const { input, reader } = terminal();
  const bytes = Buffer.from('é\r');
  const reading = reader.read(PROMPT);
  input.write(bytes.subarray(0, 1));
  input.write(bytes.subarray(1));
  expect(await reading).toEqual({ line: 'é' });
});

test('Ctrl-C forgets the line and all that was typed behind it, shows that it did, and the next prompt begins anew', async () => {
  const { input, reader, shown } = terminal();
  const reading = reader.read(PROMPT);
  input.write('half');
  input.write('\x03dropped\r');
  expect(await reading).toBe('interrupted');
  expect(seen(shown())).toMatch(/> half\^C\n/);
  const next = reader.read(PROMPT);
  input.write('whole\r');
  expect(await next).toEqual({ line: 'whole' });
});

test('lines are remembered, the newest first and each once; answers to questions are not', async () => {
  const at = terminal({ history: ['old'] });
  const { input, reader } = at;
  input.write('one\rtwo\rone\r');
  await readings(reader, 3);
  const answer = reader.ask(visible`sure? `);
  await onceAsked(at, 'sure?', () => input.write('yes\r'));
  expect(await answer).toEqual({ line: 'yes' });
  expect(reader.lines()).toEqual(['one', 'two', 'old']);
  const same = reader.ask(visible`really? `);
  await onceAsked(at, 'really?', () => input.write('one\r'));
  expect(await same).toEqual({ line: 'one' });
  expect(reader.lines()).toEqual(['one', 'two', 'old']);
  await reader.lend(async () => {
    const other = reader.ask(visible`certain? `);
    await onceAsked(at, 'certain?', () => input.write('no\r'));
    expect(await other).toEqual({ line: 'no' });
  });
  const next = reader.read(PROMPT);
  input.write('\x1b[A\x1b[A\r');
  expect(await next).toEqual({ line: 'two' });
  expect(reader.lines()).toEqual(['two', 'one', 'old']);
});

test('what was typed before a question is no answer to it', async () => {
  const at = terminal();
  const { input, reader } = at;
  reader.typed('yes\r');
  const answer = reader.ask(visible`sure? `);
  input.write('yes\r');
  await onceAsked(at, 'sure?', () => input.write('no\r'));
  expect(await answer).toEqual({ line: 'no' });
});

test('a question ends when it is withdrawn, before it was asked or after, and Esc is no answer', async () => {
  const at = terminal();
  const { input, reader, modes } = at;
  expect(await reader.ask(visible`sure? `, AbortSignal.abort())).toBe('withdrawn');
  expect(modes.at(-1)).toBe(false);
  const ending = new AbortController();
  const asked = reader.ask(visible`really? `, ending.signal);
  await onceAsked(at, 'really?', () => ending.abort());
  expect(await asked).toBe('withdrawn');
  const escaped = reader.ask(visible`certain? `);
  await onceAsked(at, 'certain?', () => input.write('\x1b'));
  expect(await escaped).toBe('interrupted');
  expect(modes.at(-1)).toBe(false);
  reader.close();
  expect(await reader.ask(visible`sure? `)).toBe('ended');
});

test('while the terminal is lent its keys are left alone, and what the borrower gives back is typed first', async () => {
  const { input, reader, modes } = terminal({ marksPastes: true });
  expect(modes.at(-1)).toBe(true);
  await reader.lend(async () => {
    expect(modes.at(-1)).toBe(false);
    expect(input.isPaused()).toBe(true);
    expect(input.listenerCount('data')).toBe(0);
    expect(reader.takeTyped()).toBe('');
    reader.typed('ahead');
    reader.typed('!\r');
  });
  expect([modes.at(-1), input.isPaused(), input.listenerCount('data')]).toEqual([true, false, 1]);
  expect(await reader.read(PROMPT)).toEqual({ line: 'ahead!' });
  await expect(reader.lend(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(modes.at(-1)).toBe(true);
  reader.typed('kept');
  expect([reader.takeTyped(), reader.takeTyped()]).toEqual(['kept', '']);
});

test('lines of a paste are told from those that were sent, tabs in it are blanks, and its marks may come in pieces', async () => {
  const { input, reader, shown } = terminal({
    marksPastes: true,
    complete: async () => [['completed'], ''],
  });
  expect(shown()).toContain('\x1b[?2004h');
  const first = reader.read(PROMPT);
  input.write('\x1b[20');
  input.write('0~one\n\ttwo\nthree');
  expect(await first).toEqual({ line: 'one', pasted: true });
  expect(await reader.read(PROMPT)).toEqual({ line: '    two', pasted: true });
  const last = reader.read(PROMPT);
  input.write('\x1b[201');
  input.write('~\r');
  expect(await last).toEqual({ line: 'three' });
  reader.close();
  expect(shown()).toContain('\x1b[?2004l');
});

test('a terminal that marks no paste is asked for none', async () => {
  const { input, reader, shown } = terminal();
  input.write('x\r');
  await reader.read(PROMPT);
  reader.close();
  expect(shown()).not.toContain('2004');
});

test('Tab completes, and what completes it may fail without harm', async () => {
  const completing = terminal({ complete: async () => [['status '], 'sta'] });
  const reading = completing.reader.read(PROMPT);
  completing.input.write('sta\t');
  await expect.poll(() => seen(completing.shown())).toContain('status');
  completing.input.write('now\r');
  expect(await reading).toEqual({ line: 'status now' });
  const failing = terminal({ complete: () => Promise.reject(new Error('no')) });
  const other = failing.reader.read(PROMPT);
  failing.input.write('sta\t');
  failing.input.write('x\r');
  expect(await other).toEqual({ line: 'stax' });
});

test.each([
  ['git\r', { line: 'git push' }],
  ['git\x12\r', { line: 'git pull' }],
  ['nothing\x07!\r', { line: 'typed!' }],
  ['git\x01echo \r', { line: 'echo git push' }],
  ['\r', { line: 'typed' }],
])('Ctrl-R and %j put a line of before in the place of what was typed', async (keys, result) => {
  const { input, reader, shown } = terminal({ history: ['git push', 'ls', 'git pull'] });
  const reading = reader.read(PROMPT);
  input.write(`typed\x12${keys}`);
  expect(await reading).toEqual(result);
  expect(seen(shown())).toContain("(search)`': ");
  expect(seen(shown()).includes('(failed search)`')).toBe(keys.startsWith('nothing'));
  // The prompt is drawn again behind the search.
  expect(seen(shown())).toMatch(/> typed\(search\)`': .*> /s);
});

test('in an answer Ctrl-R searches nothing: what was said before is not for questions', async () => {
  const at = terminal({ history: ['secret'] });
  const answer = at.reader.ask(visible`sure? `);
  await onceAsked(at, 'sure?', () => at.input.write('\x12no\r'));
  expect(await answer).toEqual({ line: 'no' });
  expect(seen(at.shown())).not.toContain('search');
});
