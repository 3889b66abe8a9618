/** wc, with GNU's column widths: from the sizes of files, seven wide for a pipe. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError, wordOf } from '../support/getopt.ts';
import { defineTool, type Tool, toBuffer, toBytes, toText } from '../support/tool.ts';

type Key = 'l' | 'w' | 'm' | 'c' | 'L';
/** The order in which counts are printed, whatever that of the options. */
const ORDER: readonly Key[] = ['l', 'w', 'm', 'c', 'L'];
type Counts = Record<Key, number>;

function countLines(bytes: string): number {
  let count = 0;
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) count++;
  return count;
}

/** What there is but ASCII that is shown, and what parts words of it. */
const STRANGE = /[^\t-\r -~]/;

/** The characters of a text; bytes that are no UTF-8 are none. */
function charactersOf(bytes: string): string {
  const text = toText(bytes);
  return toBytes(text) === bytes ? text : toBuffer(bytes).toString().replaceAll('\ufffd', '');
}

function countWords(bytes: string): number {
  if (STRANGE.test(bytes)) {
    const words = charactersOf(bytes).split(/[\s\u2060]+/);
    // What nobody sees alone is no word.
    return words.filter((word) => /\P{C}/u.test(word)).length;
  }
  let count = 0;
  let inside = false;
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes.charCodeAt(i);
    const blank = code === 32 || (code >= 9 && code <= 13);
    if (!blank && !inside) count++;
    inside = !blank;
  }
  return count;
}

function longest(text: string): number {
  let most = 0;
  for (const line of text.split(/[\n\r\f]/)) {
    let width = 0;
    for (const char of line)
      width += char === '\t' ? 8 - (width % 8) : /[\p{C}\p{M}]/u.test(char) ? 0 : wide(char);
    most = Math.max(most, width);
  }
  return most;
}

function wide(char: string): number {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u.test(
    char,
  )
    ? 2
    : 1;
}

function measure(bytes: string, keys: readonly Key[]): Counts {
  const has = (key: Key) => keys.includes(key);
  const text = has('m') || has('L') ? charactersOf(bytes) : '';
  return {
    l: has('l') ? countLines(bytes) : 0,
    w: has('w') ? countWords(bytes) : 0,
    m: has('m') ? [...text].length : 0,
    c: bytes.length,
    L: has('L') ? longest(text) : 0,
  };
}

async function names(tool: Tool, options: Options): Promise<string[] | undefined> {
  const list = options.get('files0');
  if (list === undefined) return options.operands;
  if (options.operands.length > 0)
    throw new UsageError(
      `extra operand '${options.operands[0]}'\nfile operands cannot be combined with --files0-from`,
    );
  const content = await tool.tryRead(list);
  if (content === undefined) return undefined;
  const found = toText(content).replace(/\0$/, '').split('\0');
  if (content === '') return [];
  return found.filter((name, i) => {
    if (name === '') tool.fail(`${list}:${i + 1}: invalid zero-length file name`);
    else if (name === '-' && list === '-')
      tool.fail("when reading file names from stdin, no file name of '-' allowed");
    else return true;
    return false;
  });
}

const TOTALS = ['auto', 'always', 'only', 'never'];

async function wc(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'clLmw',
    long: {
      bytes: 'c',
      chars: 'm',
      lines: 'l',
      'max-line-length': 'L',
      words: 'w',
      'files0-from': 'files0:',
      total: 'total:',
    },
  });
  const when = wordOf('--total', options.get('total') ?? 'auto', TOTALS);
  const given = ORDER.filter((key) => options.has(key));
  const keys: readonly Key[] = given.length === 0 ? ['l', 'w', 'c'] : given;
  const files = await names(tool, options);
  if (files === undefined) return;
  const rows: Array<[Counts, string]> = [];
  const total: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
  let irregular = false;
  for (const name of files.length === 0 && !options.has('files0') ? [''] : files) {
    if ((name === '' || name === '-') && !tool.isStdinFile) irregular = true;
    const content = await tool.tryRead(name === '' ? '-' : name);
    if (content === undefined) continue;
    const counts = measure(content, keys);
    for (const key of ORDER)
      total[key] = key === 'L' ? Math.max(total.L, counts.L) : total[key] + counts[key];
    rows.push([counts, name]);
    await tool.pulse();
  }
  // One number alone needs no column; a pipe's size is not known before, so GNU takes seven.
  // Of names that come through a pipe none is known before, either.
  const single = (files.length <= 1 && keys.length === 1) || options.get('files0') === '-';
  const width = single ? 1 : Math.max(String(total.c).length, irregular ? 7 : 1);
  const print = (counts: Counts, name: string) => {
    const cells = keys.map((key) => String(counts[key]).padStart(width));
    tool.print(`${cells.join(' ')}${name === '' ? '' : ` ${name}`}\n`);
  };
  if (when !== 'only') for (const [counts, name] of rows) print(counts, name);
  const summed = when === 'always' || (when === 'auto' && files.length > 1);
  if (when === 'only') tool.print(`${keys.map((key) => total[key]).join(' ')}\n`);
  else if (summed) print(total, 'total');
}

/** wc. */
export const wcShims: ShimFactory = (host) => [
  defineTool(host, { name: 'wc', usage: 'Usage: wc [OPTION]... [FILE]...' }, wc),
];
