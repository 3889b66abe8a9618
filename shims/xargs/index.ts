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

function settings(options: Options): Settings {
  // -I, -L and -n exclude one another: the last one wins.
  const last = options.seen.filter(([key]) => 'IiLln'.includes(key)).at(-1)?.[0] ?? '';
  const replacing = last === 'I' || last === 'i' || (last === 'n' && options.get('n') === '1');
  const text = options.get('I') ?? (options.has('i') ? options.get('i') || '{}' : undefined);
  const lines = options.get('L') ?? (options.has('l') ? options.get('l') || '1' : undefined);
  if (options.has('n')) count(options, 'n');
  if (options.has('L')) count(options, 'L');
  return {
    replace: replacing ? text : undefined,
    perCall: last === 'n' ? (count(options, 'n') ?? Infinity) : Infinity,
    perLines: (last === 'L' || last === 'l') && lines !== undefined ? Number(lines) : Infinity,
    maxChars: count(options, 's') ?? MAX_CHARS,
    exact: options.has('x'),
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
    const stop = options.get('E') || undefined;
    const end = stop === undefined ? -1 : items.findIndex((item) => item.text === stop);
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
): { batches: string[][]; tooLong: boolean } {
  const out: string[][] = [];
  let batch: string[] = [];
  let chars = base;
  let lines = 0;
  const flush = (): void => {
    if (batch.length > 0) out.push(batch);
    batch = [];
    chars = base;
    lines = 0;
  };
  for (const item of items) {
    const size = Buffer.byteLength(item.text) + 1;
    const fits = base + size <= settings.maxChars;
    if (!fits || chars + size > settings.maxChars || batch.length >= settings.perCall) flush();
    // What came before it is run all the same.
    if (!fits) return { batches: out, tooLong: true };
    batch.push(item.text);
    chars += size;
    if (item.endsLine) lines++;
    if (lines >= settings.perLines) flush();
  }
  flush();
  return { batches: out, tooLong: false };
}

/** Runs one call; false when xargs must stop. */
async function call(
  tool: Tool,
  words: readonly string[],
  settings: Settings,
  stdin: string,
): Promise<boolean> {
  if (settings.trace) tool.stderr += `${words.map(shellQuote).join(' ')}\n`;
  // One runs after another, so that each has the first slot.
  const own = settings.slot === undefined ? [] : ['env', `${settings.slot}=0`];
  const result = await tool.spawn([...own, ...words], stdin);
  tool.write(result.stdout);
  tool.stderr += result.stderr;
  await tool.pulse();
  if (result.exitCode === 0) return true;
  if (result.exitCode === 126 || result.exitCode === 127) {
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
  const chosen = settings(options);
  count(options, 'P');
  const command = options.operands.length === 0 ? ['echo'] : options.operands;
  const file = options.get('a');
  const content = file === undefined ? tool.stdin : await tool.tryRead(file);
  if (content === undefined) return;
  const stdin = file === undefined ? '' : tool.stdin;
  // What stands before a quote without an end is still run, as GNU's xargs does.
  const items = itemsOf(toText(content), options, chosen, (message) => tool.fail(message));
  const { replace } = chosen;
  if (replace !== undefined) {
    for (const { text } of items) {
      const words = command.map((word) => word.replaceAll(replace, () => text));
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
  if (tooLong) tool.fail('argument line too long');
}

/** xargs. */
export const xargsShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'xargs', usage: 'Usage: xargs [OPTION]... COMMAND [INITIAL-ARGS]...' },
    xargs,
  ),
];
