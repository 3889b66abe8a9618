/** sort, by bytes as in the C.UTF-8 locale, with GNU's keys and last resort. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError, wordOf } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';
import { type Comparer, comparer, parseKey, type SortKey } from './keys.ts';

const LONG = {
  'ignore-leading-blanks': 'b',
  'dictionary-order': 'd',
  'ignore-case': 'f',
  'general-numeric-sort': 'g',
  'ignore-nonprinting': 'i',
  'month-sort': 'M',
  'human-numeric-sort': 'h',
  'numeric-sort': 'n',
  'random-sort': 'R',
  'random-source': 'source:',
  reverse: 'r',
  sort: 'sort:',
  'version-sort': 'V',
  'batch-size': 'batch:',
  check: 'check::',
  'compress-program': 'ignored:',
  debug: 'debug',
  key: 'k:',
  merge: 'm',
  output: 'o:',
  stable: 's',
  'buffer-size': 'S:',
  'field-separator': 't:',
  'temporary-directory': 'T:',
  'files0-from': 'files0:',
  parallel: 'parallel:',
  unique: 'u',
  'zero-terminated': 'z',
};

const WORDS: Readonly<Record<string, string>> = {
  'general-numeric': 'g',
  'human-numeric': 'h',
  month: 'M',
  numeric: 'n',
  random: 'R',
  version: 'V',
};

const letterOf = (word: string): string | undefined =>
  WORDS[wordOf('--sort', word, Object.keys(WORDS))];

/** What options that change nothing here are given, looked at all the same. */
function checkNumbers(options: Options): void {
  const unhinted = (message: string): UsageError => new UsageError(message, { hint: false });
  for (const [key, value] of options.seen) {
    if (key === 'sort') letterOf(value);
    if (key === 'check' && value !== '') wordOf('--check', value, CHECKS);
    if (key === 'S' && !/^\d+(?:[%bEGKkMmPTYZ]|[EGKMPTYZ]i?B)?$/.test(value))
      throw unhinted(`invalid -S argument '${value}'`);
    if (key === 'parallel' && !/^\d+$/.test(value))
      throw unhinted(`invalid --parallel argument '${value}'`);
    if (key === 'parallel' && Number(value) === 0)
      throw unhinted('number in parallel must be nonzero');
    if (key === 'batch' && Number(value) < 2)
      throw unhinted(
        `invalid --batch-size argument '${value}'\nsort: minimum --batch-size argument is '2'`,
      );
  }
}

const CHECKS = [['quiet', 'silent'], 'diagnose-first'] as const;

/** The files: those that are named, or those that a list names, each ended by a NUL. */
async function namesOf(tool: Tool, options: Options): Promise<string[] | undefined> {
  const list = options.get('files0');
  const [first = '-'] = options.operands;
  if (list === undefined) return options.operands.length === 0 ? [first] : options.operands;
  if (options.operands.length > 0)
    throw new UsageError(
      `extra operand '${first}'\nfile operands cannot be combined with --files0-from`,
    );
  const content = await tool.tryRead(list, 2, `open failed: ${list}`);
  if (content === undefined) return undefined;
  const names = splitLines(content, '\0').map(toText);
  const empty = names.indexOf('');
  const wrong =
    names.length === 0
      ? `no input from '${list}'`
      : empty >= 0
        ? `${list}:${empty + 1}: invalid zero-length file name`
        : undefined;
  if (wrong !== undefined) throw new UsageError(wrong, { hint: false });
  return names;
}

function separatorOf(options: Options): string | undefined {
  const text = options.get('t');
  if (text === undefined) return undefined;
  if (text === '') throw new UsageError('empty tab', { hint: false });
  const bytes = text === '\\0' ? '\0' : toBytes(text);
  if (bytes.length > 1) throw new UsageError(`multi-character tab '${text}'`, { hint: false });
  return bytes;
}

/** The keys, those without letters of their own with the global ones. */
function keysOf(options: Options): SortKey[] {
  const letters = new Set<string>();
  for (const [key, value] of options.seen) {
    if ('bdfgiMhnRV'.includes(key)) letters.add(key);
    const word = key === 'sort' ? letterOf(value) : undefined;
    if (word !== undefined) letters.add(word);
  }
  const has = (letter: string): boolean => letters.has(letter);
  const kinds = ['g', 'h', 'M', 'n', 'R', 'V'].filter(has);
  // What compares numbers looks at no letters that others leave out.
  const texts = kinds.some((kind) => 'ghMn'.includes(kind)) ? ['d', 'i'].filter(has) : [];
  if (kinds.length + texts.length > 1) {
    const clash = [...texts, ...kinds].join('');
    throw new UsageError(`options '-${clash}' are incompatible`, { hint: false });
  }
  const reverse = options.has('r');
  const keys = options.all('k').map((text) => {
    const key = parseKey(text);
    const own = key.letters.size > 0 || key.reverse || key.endBlanks;
    return own ? key : { ...key, letters, reverse, endBlanks: letters.has('b') };
  });
  if (keys.length > 0) return keys;
  return [{ start: undefined, end: undefined, letters, reverse, endBlanks: false }];
}

interface Row {
  line: string;
  keys: Array<string | number>;
}

type Compare = (a: Row, b: Row) => number;

function comparison(keys: readonly SortKey[], comparers: readonly Comparer[]): Compare {
  return (a, b) => {
    for (let i = 0; i < comparers.length; i++) {
      const found = comparers[i]?.compare(a.keys[i] ?? '', b.keys[i] ?? '') ?? 0;
      if (found !== 0) return keys[i]?.reverse === true ? -found : found;
    }
    return 0;
  };
}

function lastResort(compare: Compare, reverse: boolean): Compare {
  const sign = reverse ? -1 : 1;
  return (a, b) => compare(a, b) || (a.line < b.line ? -sign : a.line > b.line ? sign : 0);
}

/** Whole lines by their bytes: what the engine's own sort does fastest. */
function isPlain(keys: readonly SortKey[]): boolean {
  const [key] = keys;
  return keys.length === 1 && key?.start === undefined && key?.letters.size === 0;
}

async function rowsOf(tool: Tool, lines: string[], comparers: readonly Comparer[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const line of lines) {
    rows.push({ line, keys: comparers.map((one) => one.prepare(line)) });
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
  return rows;
}

async function sorted(tool: Tool, lines: string[], options: Options): Promise<string[]> {
  const keys = keysOf(options);
  if (isPlain(keys)) {
    const unique = options.has('u') ? [...new Set(lines)] : lines;
    unique.sort();
    return keys[0]?.reverse === true ? unique.reverse() : unique;
  }
  const separator = separatorOf(options);
  const comparers = keys.map((key) => comparer(key, separator));
  const rows = await rowsOf(tool, lines, comparers);
  const compare = comparison(keys, comparers);
  const plain = options.has('s') || options.has('u');
  rows.sort(plain ? compare : lastResort(compare, options.has('r')));
  const kept = options.has('u')
    ? rows.filter((row, i) => i === 0 || compare(rows[i - 1] ?? row, row) !== 0)
    : rows;
  return kept.map((row) => row.line);
}

/** -m: takes the least of the heads in turn, as a merge of what need not be sorted does. */
async function merged(tool: Tool, files: string[][], options: Options): Promise<string[]> {
  const keys = keysOf(options);
  const separator = separatorOf(options);
  const comparers = keys.map((key) => comparer(key, separator));
  const base = comparison(keys, comparers);
  const plain = options.has('s') || options.has('u');
  const compare = plain ? base : lastResort(base, options.has('r'));
  const queues: Row[][] = [];
  for (const lines of files) queues.push((await rowsOf(tool, lines, comparers)).reverse());
  const out: Row[] = [];
  for (;;) {
    let least: Row[] | undefined;
    for (const queue of queues) {
      const [mine, best] = [queue.at(-1), least?.at(-1)];
      if (mine !== undefined && (best === undefined || compare(mine, best) < 0)) least = queue;
    }
    const row = least?.pop();
    if (row === undefined) break;
    const before = out.at(-1);
    if (!options.has('u') || before === undefined || base(before, row) !== 0) out.push(row);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
  return out.map((row) => row.line);
}

async function check(
  tool: Tool,
  name: string,
  lines: string[],
  options: Options,
  quiet: boolean,
): Promise<void> {
  const keys = keysOf(options);
  const separator = separatorOf(options);
  const comparers = keys.map((key) => comparer(key, separator));
  const rows = await rowsOf(tool, lines, comparers);
  const base = comparison(keys, comparers);
  const strict = options.has('u');
  const compare = strict || options.has('s') ? base : lastResort(base, options.has('r'));
  const at = rows.findIndex((row, i) => {
    const before = i === 0 ? 0 : compare(rows[i - 1] ?? row, row);
    return i > 0 && (strict ? before >= 0 : before > 0);
  });
  if (at < 0) return;
  tool.status = 1;
  if (!quiet) tool.fail(`${name}:${at + 1}: disorder: ${rows[at]?.line}`);
}

/** `+1.2n -3`: the keys of old, whose fields are counted from 0, as `-k`. */
function withoutOldKeys(args: readonly string[]): string[] {
  const made: string[] = [];
  const old = /^([+-])(\d+)(?:\.(\d+))?([bdfgiMnrRV]*)$/;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') return [...made, ...args.slice(at)];
    const [, sign, from = '', fromChar = '0', letters = ''] = old.exec(word) ?? [];
    if (sign !== '+') {
      made.push(word);
      continue;
    }
    const start = `${Number(from) + 1}.${Number(fromChar) + 1}${letters}`;
    const [, end, to = '', toChar = '0', more = ''] = old.exec(args[at + 1] ?? '') ?? [];
    if (end !== '-') {
      made.push('-k', start);
      continue;
    }
    at++;
    // Up to before that character: without one, to the end of the field before.
    const last = Number(toChar) === 0 ? to : `${Number(to) + 1}.${toChar}`;
    made.push('-k', `${start},${last}${more}`);
  }
  return made;
}

/** Options of which one would undo what the other asks for. */
function checkOptions(options: Options): void {
  const outputs = options.seen.filter(([key]) => key === 'o').map(([, file]) => file);
  if (new Set(outputs).size > 1) {
    throw new UsageError('multiple output files specified', { hint: false });
  }
  const [first, second] = ['c', 'C', 'o'].filter((key) => options.has(key));
  if (first !== undefined && second !== undefined) {
    throw new UsageError(`options '-${first}${second}' are incompatible`, { hint: false });
  }
}

async function sort(tool: Tool): Promise<undefined> {
  const options = tool.options(
    { short: 'bcCdfghik:mMno:rRsS:t:T:uVyz', long: LONG },
    withoutOldKeys(tool.args),
  );
  checkOptions(options);
  checkNumbers(options);
  const end = options.has('z') ? '\0' : '\n';
  separatorOf(options);
  keysOf(options);
  const names = await namesOf(tool, options);
  if (names === undefined) return;
  const files: string[][] = [];
  for (const name of names) {
    const content = await tool.tryRead(name, 2, `cannot read: ${name}`);
    if (content === undefined) return;
    files.push(splitLines(content, end));
  }
  const lines = files.flat();
  const mode = options.get('check');
  if (options.has('c') || options.has('C') || mode !== undefined) {
    const [name = '-', extra] = names;
    if (extra !== undefined)
      throw new UsageError(`extra operand '${extra}' not allowed with -c`, { hint: false });
    await check(
      tool,
      name,
      lines,
      options,
      options.has('C') || (mode !== undefined && mode !== '' && !'diagnose-first'.startsWith(mode)),
    );
    return;
  }
  const rows = options.has('m')
    ? await merged(tool, files, options)
    : await sorted(tool, lines, options);
  const out = rows.join(end);
  const text = lines.length === 0 ? '' : out + end;
  const output = options.get('o');
  if (output === undefined) tool.write(text);
  else await tool.attempt(`open failed: ${output}`, () => tool.save(output, text), 2);
}

/** sort. */
export const sortShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'sort', usage: 'Usage: sort [OPTION]... [FILE]...', usageStatus: 2 },
    sort,
  ),
];
