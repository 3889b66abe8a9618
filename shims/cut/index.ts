/** cut. As with GNU's, -c counts bytes. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

type Range = readonly [from: number, to: number];

/** Reads `1,3-5,7-`; merged and in order. */
function ranges(text: string, what: string): Range[] {
  const out: Range[] = [];
  for (const part of text.split(/[,\s]+/)) {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (match === null) throw new UsageError(`invalid ${what} value '${part}'`);
    const [, from = '', dash, to = ''] = match;
    if (from === '' && to === '') {
      throw new UsageError(
        dash === '-' ? 'invalid range with no endpoint: -' : `${what}s are numbered from 1`,
      );
    }
    const low = from === '' ? 1 : Number(from);
    const high = dash === '' ? low : to === '' ? Infinity : Number(to);
    if (low === 0) throw new UsageError(`${what}s are numbered from 1`);
    if (high < low) throw new UsageError('invalid decreasing range');
    out.push([low, high]);
  }
  out.sort((a, b) => a[0] - b[0]);
  const merged: Range[] = [];
  for (const [low, high] of out) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1])
      merged[merged.length - 1] = [last[0], Math.max(last[1], high)];
    else merged.push([low, high]);
  }
  return merged;
}

function complement(list: readonly Range[]): Range[] {
  const out: Range[] = [];
  let next = 1;
  for (const [low, high] of list) {
    if (low > next) out.push([next, low - 1]);
    next = high + 1;
  }
  if (next !== Infinity) out.push([next, Infinity]);
  return out;
}

interface Cutter {
  list: readonly Range[];
  by: 'fields' | 'bytes';
  separator: string;
  between: string | undefined;
  onlyDelimited: boolean;
}

/** A field by its number, from 1; nothing beyond the last. */
function field(line: string, separator: string, number: number): string {
  let from = 0;
  for (let n = 1; n < number; n++) {
    from = line.indexOf(separator, from) + 1;
    if (from === 0) return '';
  }
  const to = line.indexOf(separator, from);
  return to < 0 ? line.slice(from) : line.slice(from, to);
}

/**
 * What is kept of a line; undefined when the line is dropped.
 * @param delimited is there a delimiter that the line does not show?
 */
function kept(
  line: string,
  { list, by, separator, between, onlyDelimited }: Cutter,
  delimited: boolean,
): string | undefined {
  if (by === 'bytes') {
    const parts = list
      .map(([low, high]) => line.slice(low - 1, high))
      .filter((part) => part !== '');
    return parts.join(between ?? '');
  }
  if (!line.includes(separator)) {
    if (!delimited) return onlyDelimited ? undefined : line;
    // Its one delimiter is that at the end: there is a first field, and no other.
    if (onlyDelimited && list[0]?.[0] !== 1) return undefined;
  }
  const [only] = list;
  if (only !== undefined && list.length === 1 && only[0] === only[1])
    return field(line, separator, only[0]);
  const fields = line.split(separator);
  const out: string[] = [];
  for (const [low, high] of list) out.push(...fields.slice(low - 1, high));
  return out.join(between ?? separator);
}

function cutter(options: Options): Cutter {
  const found = options.seen.filter(([key]) => 'bcf'.includes(key));
  const [first, second] = found;
  if (first === undefined)
    throw new UsageError('you must specify a list of bytes, characters, or fields');
  if (second !== undefined) throw new UsageError('only one list may be specified');
  const by = first[0] === 'f' ? 'fields' : 'bytes';
  const separator = options.get('d');
  if (by !== 'fields' && separator !== undefined) {
    throw new UsageError('an input delimiter may be specified only when operating on fields');
  }
  if (by !== 'fields' && options.has('s')) {
    throw new UsageError(
      'suppressing non-delimited lines makes sense\n\tonly when operating on fields',
    );
  }
  if (separator !== undefined && toBytes(separator).length > 1) {
    throw new UsageError('the delimiter must be a single character');
  }
  const list = ranges(first[1], by === 'fields' ? 'field' : 'byte/character position');
  const between = options.get('out');
  return {
    list: options.has('complement') ? complement(list) : list,
    by,
    separator: separator === '' ? '\0' : (separator ?? '\t'),
    between: between === '' ? '\0' : between === undefined ? undefined : toBytes(between),
    onlyDelimited: options.has('s'),
  };
}

/** All of the content as one line. */
function wholeOf(content: string, end: string): string[] {
  if (content === '') return [];
  return [content.endsWith(end) ? content.slice(0, -1) : content];
}

async function cut(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'b:c:d:f:nsz',
    long: {
      bytes: 'b:',
      characters: 'c:',
      delimiter: 'd:',
      fields: 'f:',
      complement: 'complement',
      'only-delimited': 's',
      'output-delimiter': 'out:',
      'zero-terminated': 'z',
    },
  });
  const chosen = cutter(options);
  const end = options.has('z') ? '\0' : '\n';
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name);
    if (content === undefined) continue;
    let out: string[] = [];
    // A delimiter that ends lines, too, makes of all lines one.
    const whole = chosen.by === 'fields' && chosen.separator === end;
    const delimited = whole && content.includes(end);
    for (const line of whole ? wholeOf(content, end) : splitLines(content, end)) {
      const text = kept(line, chosen, delimited);
      if (text !== undefined) out.push(text, end);
      const rest = tool.pulse();
      if (rest === undefined) continue;
      tool.write(out.join(''));
      out = [];
      await rest;
    }
    tool.write(out.join(''));
  }
}

/** cut. */
export const cutShims: ShimFactory = (host) => [
  defineTool(host, { name: 'cut', usage: 'Usage: cut OPTION... [FILE]...' }, cut),
];
