/** xargs: GNU's options, splitting and exit statuses. Commands run one after another. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, shellQuote, type Tool, toText } from '../support/tool.ts';

const LONG = {
  null: '0',
  'arg-file': 'a:',
  delimiter: 'd:',
  eof: 'E::',
  'replace-i': 'i::',
  replace: 'i::',
  'max-lines': 'l::',
  'max-args': 'n:',
  interactive: 'p',
  'open-tty': 'o',
  'max-procs': 'P:',
  'no-run-if-empty': 'r',
  'max-chars': 's:',
  'show-limits': 'limits',
  verbose: 't',
  exit: 'x',
  'process-slot-var': 'slot:',
};

/** As GNU's default: what a command line may hold. */
const MAX_CHARS = 128 * 1024;

/** INT, KILL and TERM. */
const ENDED_BY_SIGNAL = new Set([130, 137, 143]);

interface Settings {
  replace: string | undefined;
  perCall: number;
  perLines: number;
  maxChars: number;
  exact: boolean;
  trace: boolean;
  skipEmpty: boolean;
  /** The variable in which a command finds the number of its slot. */
  slot: string | undefined;
}

function count(options: Options, key: string): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) {
    throw new UsageError(`invalid number "${text}" for -${key} option`);
  }
  const least = key === 'P' ? 0 : 1;
  if (Number(text) < least) {
    throw new UsageError(`value ${text} for -${key} option should be >= ${least}`);
  }
  return Number(text);
}

/** Options of which the last one holds, by how they name themselves. */
const EXCLUSIVE: Readonly<Record<string, readonly [kind: string, shown: string]>> = {
  I: ['replace', '--replace/-I/-i'],
  i: ['replace', '--replace/-I/-i'],
  L: ['max-lines', '-L'],
  l: ['max-lines', '--max-lines/-l'],
  n: ['max-args', '--max-args/-n'],
};

/** Which of them holds in the end; what it puts out of force is said. */
function heldOf(options: Options, warn: (text: string) => void): string | undefined {
  let held: string | undefined;
  for (const [key, value] of options.seen) {
    const [kind, shown] = EXCLUSIVE[key] ?? [];
    // To replace is to take one at a time.
    if (kind === undefined || (key === 'n' && value === '1' && held === 'replace')) continue;
    if (held !== undefined && held !== kind)
      warn(
        `warning: options --${held} and ${shown} are mutually exclusive, ignoring previous --${held} value`,
      );
    held = kind;
  }
  return held;
}

function settings(options: Options, warn: (text: string) => void): Settings {
  if (options.has('n')) count(options, 'n');
  if (options.has('L')) count(options, 'L');
  const held = heldOf(options, warn);
  const text = options.get('I') ?? (options.has('i') ? options.get('i') || '{}' : undefined);
  const lines = options.get('L') ?? (options.has('l') ? options.get('l') || '1' : undefined);
  return {
    replace: held === 'replace' ? text : undefined,
    perCall: held === 'max-args' ? (count(options, 'n') ?? Infinity) : Infinity,
    perLines: held === 'max-lines' ? Number(lines) : Infinity,
    maxChars: count(options, 's') ?? MAX_CHARS,
    exact: options.has('x') || held === 'max-lines',
    trace: options.has('t'),
    skipEmpty: options.has('r'),
    slot: options.get('slot'),
  };
}

function delimiterOf(options: Options): string | undefined {
  const found = options.seen.filter(([key]) => key === '0' || key === 'd').at(-1);
  if (found === undefined) return undefined;
  if (found[0] === '0') return '\0';
  const escapes: Readonly<Record<string, string>> = {
    '\\n': '\n',
    '\\t': '\t',
    '\\0': '\0',
    '\\\\': '\\',
    '\\r': '\r',
    '\\a': '\x07',
    '\\b': '\b',
    '\\f': '\f',
    '\\v': '\v',
  };
  const numbered = /^\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))$/.exec(found[1]);
  const text =
    escapes[found[1]] ??
    (numbered === null
      ? found[1]
      : String.fromCharCode(
          numbered[1] ? parseInt(numbered[1], 16) : parseInt(numbered[2] ?? '', 8),
        ));
  if (/^\\[^\\]/.test(text))
    throw new UsageError(`Invalid escape sequence ${found[1]} in input delimiter specification.`, {
      hint: false,
    });
  if ([...text].length !== 1) {
    throw new UsageError(
      `Invalid input delimiter specification ${found[1]}: the delimiter must be either a single character or an escape sequence starting with \\.`,
      { hint: false },
    );
  }
  return text;
}

/** An argument, and whether a line of input ends after it. */
interface Item {
  text: string;
  endsLine: boolean;
}

/** Splits as xargs does without -d: blanks part, quotes and backslashes protect. */
function splitWords(input: string, wholeLines: boolean, fail: (message: string) => void): Item[] {
  const items: Item[] = [];
  let word: string | undefined;
  const push = (endsLine: boolean): void => {
    if (word !== undefined) items.push({ text: word, endsLine });
    else if (endsLine) {
      const before = items.at(-1);
      if (before !== undefined) before.endsLine = true;
    }
    word = undefined;
  };
  for (let i = 0; i < input.length; i++) {
    const char = input[i] ?? '';
    if (char === "'" || char === '"') {
      const end = input.indexOf(char, i + 1);
      const newline = input.indexOf('\n', i + 1);
      if (end < 0 || (newline >= 0 && newline < end)) {
        const kind = char === '"' ? 'double' : 'single';
        fail(
          `unmatched ${kind} quote; by default quotes are special to xargs unless you use the -0 option`,
        );
        return items;
      }
      word = (word ?? '') + input.slice(i + 1, end);
      i = end;
    } else if (char === '\\') {
      // The last one of all protects nothing, and is left out.
      if (i + 1 < input.length) word = (word ?? '') + input[++i];
    } else if (char === '\n') {
      // With -L a blank at the end of a line joins it with the next.
      push(!/[ \t]/.test(input[i - 1] ?? ''));
    } else if ((char === ' ' || char === '\t') && !wholeLines) push(false);
    else if (/[ \t\v\f\r]/.test(char) && wholeLines && word === undefined) continue;
    else word = (word ?? '') + char;
  }
  // Quotes around nothing are no argument where the input ends with them.
  if (word === '') word = undefined;
  push(true);
  return items;
}

function itemsOf(
  input: string,
  options: Options,
  settings: Settings,
  fail: (message: string) => void,
): Item[] {
  const delimiter = delimiterOf(options);
  if (delimiter === undefined) {
    const items = splitWords(input, settings.replace !== undefined, fail);
    const stop = options.get('E') || options.get('e') || undefined;
    // Where the input ends with it, it is the end only as the first word of its line.
    const isOpen = (at: number): boolean =>
      at === items.length - 1 && !/\s$/.test(input) && items[at - 1]?.endsLine === false;
    const end = items.findIndex(({ text }, at) => text === stop && !isOpen(at));
    return end < 0 ? items : items.slice(0, end);
  }
  const parts = input.split(delimiter);
  if (parts.at(-1) === '') parts.pop();
  return parts.map((text) => ({ text, endsLine: true }));
}

/** The arguments of each call. */
function batchesOf(
  items: readonly Item[],
  settings: Settings,
  base: number,
): { batches: string[][]; tooLong?: string } {
  const out: string[][] = [];
  let batch: string[] = [];
  let chars = base;
  let lines = 0;
  const isCounted = Math.min(settings.perCall, settings.perLines) < Infinity;
  const flush = (): void => {
    if (batch.length > 0) out.push(batch);
    batch = [];
    chars = base;
    lines = 0;
  };
  for (const item of items) {
    const size = Buffer.byteLength(item.text) + 1;
    const fits = base + size <= settings.maxChars;
    if (batch.length >= settings.perCall) flush();
    const isOver = chars + size > settings.maxChars;
    // With -x as many as were asked for are to go together, or none.
    if (settings.exact && isOver && batch.length > 0 && isCounted)
      return { batches: out, tooLong: 'argument list too long' };
    if (isOver) flush();
    // What came before it is run all the same.
    if (!fits) return { batches: out, tooLong: 'argument line too long' };
    batch.push(item.text);
    chars += size;
    if (item.endsLine) lines++;
    if (lines >= settings.perLines) flush();
  }
  flush();
  return { batches: out };
}

/** As the traced word is quoted: in double quotes where those are the ones that need no more. */
function traced(word: string): string {
  return /'/.test(word) && !/["$`\\!\n]/.test(word) ? `"${word}"` : shellQuote(word);
}

/** Runs one call; false when xargs must stop. */
async function call(
  tool: Tool,
  words: readonly string[],
  settings: Settings,
  stdin: string,
): Promise<boolean> {
  if (settings.trace) tool.stderr += `${words.map(traced).join(' ')}\n`;
  // One runs after another, so that each has the first slot.
  const own = settings.slot === undefined ? [] : ['env', `${settings.slot}=0`];
  const result = await tool.spawn([...own, ...words], stdin);
  tool.write(result.stdout);
  tool.stderr += result.stderr;
  await tool.pulse();
  if (result.exitCode === 0) return true;
  // A command that ran may end with these, too: then they are no more than a failure.
  const isRefused = result.stderr.startsWith(`bash: ${words[0]}: `);
  if (isRefused && (result.exitCode === 126 || result.exitCode === 127)) {
    tool.status = result.exitCode;
    return false;
  }
  if (result.exitCode === 255) {
    tool.fail(`${words[0]}: exited with status 255; aborting`, tool.status === 123 ? 123 : 124);
    return false;
  }
  // A status alone does not tell a signal from an `exit` of that number: these are the usual ones.
  if (ENDED_BY_SIGNAL.has(result.exitCode)) {
    tool.fail(`${words[0]}: terminated by signal ${result.exitCode - 128}`, 125);
    return false;
  }
  tool.status = 123;
  return true;
}

async function xargs(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: '0a:d:E:e::I:i::L:l::n:oP:prs:tx',
    long: LONG,
    stopAtOperand: true,
  });
  const chosen = settings(options, (text) => tool.warn(text));
  count(options, 'P');
  const command = options.operands.length === 0 ? ['echo'] : options.operands;
  const file = options.get('a');
  const content =
    file === undefined
      ? tool.stdin
      : await tool.tryRead(file, 1, `Cannot open input file '${file}'`);
  if (content === undefined) return;
  const stdin = file === undefined ? '' : tool.stdin;
  // What stands before a quote without an end is still run, as GNU's xargs does.
  const items = itemsOf(toText(content), options, chosen, (message) => tool.fail(message));
  const { replace } = chosen;
  if (replace === '') throw new UsageError('command too long', { hint: false });
  const cut = items.filter(({ text }) => text.includes('\0'));
  if (cut.length > 0)
    tool.warn(
      'WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?',
    );
  for (const item of cut) item.text = item.text.slice(0, item.text.indexOf('\0'));
  if (replace !== undefined) {
    for (const { text } of items) {
      const words = command.map((word) => word.replaceAll(replace, () => text));
      const size = words.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
      if (size > chosen.maxChars) throw new UsageError('argument line too long', { hint: false });
      if (!(await call(tool, words, chosen, stdin))) return;
    }
    return;
  }
  const base = command.reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (base > chosen.maxChars) {
    throw new UsageError('cannot fit single argument within argument list size limit', {
      hint: false,
    });
  }
  if (items.length === 0) {
    if (!chosen.skipEmpty) await call(tool, command, chosen, stdin);
    return;
  }
  const { batches, tooLong } = batchesOf(items, chosen, base);
  for (const batch of batches) {
    if (!(await call(tool, [...command, ...batch], chosen, stdin))) return;
  }
  if (tooLong !== undefined) tool.fail(tooLong);
}

/** xargs. */
export const xargsShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'xargs', usage: 'Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...' },
    xargs,
  ),
];
