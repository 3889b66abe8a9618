/**
 * Notion's own markdown: one block a line, children a tab deeper, no empty lines.
 * https://developers.notion.com/guides/data-apis/enhanced-markdown
 */
import {
  type Block,
  COLONS,
  colonsAttrs,
  colonsSpan,
  EMPTY_BLOCK,
  isSingleTag,
  type Kind,
  numbered,
  numbersOf,
  opensContainer,
  paragraph,
  spanOf,
  splitAttrs,
  type TextBlock,
  withDeepTables,
} from './blocks.ts';
import { NOTION, readInline, writeInline } from './inline.ts';
import { PLAIN_TEXT } from './languages.ts';
import { readPipes, readTags, startsTable, writeTags } from './tables.ts';
import { fenceOf } from './write-text.ts';

/** `_` means nothing to Notion. */
const PLAIN = { underscores: false } as const;

export function readNotion(markdown: string): Block[] {
  return readLines(withDeepTables(markdown.replaceAll('\r\n', '\n').split('\n')));
}

function readLines(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at++;
      continue;
    }
    const deeper = deeperLines(lines, at);
    const last = blocks.at(-1);
    if (deeper > 0 && last?.type === 'text' && last.of.kind !== 'toggle') {
      last.children.push(...readLines(lines.slice(at, at + deeper).map((each) => each.slice(1))));
      at += deeper;
      continue;
    }
    const [block, length] = readBlock(lines, at, last);
    blocks.push(block);
    at += length;
  }
  return blocks;
}

function deeperLines(lines: readonly string[], from: number): number {
  let count = 0;
  while ((lines[from + count] ?? '').startsWith('\t')) count++;
  return count;
}

type Read = [block: Block, length: number];

function readBlock(lines: readonly string[], at: number, before: Block | undefined): Read {
  const line = (lines[at] ?? '').trim();
  const fence = /^(`{3,})([^`]*)$/.exec(line);
  if (fence !== null) {
    const inner = until(lines, at, (one) => one.trim() === fence[1]);
    const language = fence[2] === '' ? PLAIN_TEXT : (fence[2] ?? '');
    return [{ type: 'code', language, code: inner.join('\n') }, inner.length + 2];
  }
  if (line === '$$') {
    const inner = until(lines, at, (one) => one.trim() === '$$');
    return [{ type: 'math', text: inner.join('\n') }, inner.length + 2];
  }
  if (line === '---') return [{ type: 'divider' }, 1];
  if (EMPTY_BLOCK.test(line)) return [{ type: 'empty' }, 1];
  if (startsTable(line, lines[at + 1])) {
    const { rows, length } = readPipes(lines, at, PLAIN);
    return [{ type: 'table', rows }, length];
  }
  return callout(lines, at, line) ?? tagged(lines, at, line) ?? [readLine(line, before), 1];
}

function until(lines: readonly string[], at: number, ends: (line: string) => boolean): string[] {
  const found = lines.slice(at + 1).findIndex(ends);
  return lines.slice(at + 1, found < 0 ? lines.length : at + 1 + found);
}

function tagged(lines: readonly string[], at: number, line: string): Read | null {
  const name = /^<([a-z_-]+)\b/.exec(line)?.[1];
  if (name === undefined) return null;
  if (isSingleTag(line)) return [{ type: 'raw', lines: [line] }, 1];
  const isContainer =
    opensContainer(line) !== null || ['table', 'details', 'callout'].includes(name);
  const length = isContainer ? spanOf(lines, at, name) : 0;
  if (length === 0) return null;
  const whole = lines.slice(at, at + length);
  const inner = whole.slice(1, -1);
  const attrs = /^<[a-z]+((?: [a-z-]+="[^"]*")*)>$/.exec(line)?.[1];
  const raw: Block = {
    type: 'raw',
    lines: whole.map((each, index) => (index === 0 ? line : each)),
  };
  if (name === 'callout' && attrs !== undefined) {
    return [{ type: 'callout', attrs, children: readLines(inner.map(shallower)) }, length];
  }
  const summary = /^<summary>(.*)<\/summary>$/.exec(inner[0] ?? '')?.[1];
  if (name === 'details' && attrs !== undefined && summary !== undefined) {
    const children = readLines(inner.slice(1).map(shallower));
    return [
      { type: 'text', of: { kind: 'toggle' }, text: readInline(summary, PLAIN), attrs, children },
      length,
    ];
  }
  const rows = name === 'table' ? readTags(whole, PLAIN) : null;
  return [rows === null ? raw : { type: 'table', rows }, length];
}

/** The older form of a callout: `::: callout {icon="💡"}`, its lines indented or not, `:::`. */
function callout(lines: readonly string[], at: number, line: string): Read | null {
  const open = COLONS.exec(line);
  if (open === null) return null;
  const length = colonsSpan(lines, at);
  if (length === 0) return null;
  const inner = lines.slice(at + 1, at + length - 1);
  const isDeeper = inner.every((one) => one.trim() === '' || one.startsWith('\t'));
  const children = readLines(isDeeper ? inner.map(shallower) : inner);
  return [{ type: 'callout', attrs: colonsAttrs(open), children }, length];
}

const shallower = (line: string): string => line.replace(/^\t/, '');

const STARTS: readonly (readonly [RegExp, (mark: string, before?: Block) => Kind])[] = [
  [/^- \[([ x])\](?: |$)/, (mark) => ({ kind: 'todo', checked: mark === 'x' })],
  [/^(#{1,4})(?: |$)/, (mark) => ({ kind: 'heading', level: mark.length })],
  [/^(-)(?: |$)/, () => ({ kind: 'bullet' })],
  [/^(\d+)\.(?: |$)/, (mark, before) => numbered(before, Number(mark))],
  [/^(>)(?: |$)/, () => ({ kind: 'quote' })],
];

function readLine(line: string, before: Block | undefined): Block {
  const image = /^!\[((?:\\.|[^\]\\])*)\]\((\S+)\)(?: (\{.*\}))?$/.exec(line);
  if (image !== null) {
    const [, caption = '', url = '', attrs = ''] = image;
    return { type: 'image', caption: readInline(caption, PLAIN), url, attrs };
  }
  for (const [start, kind] of STARTS) {
    const found = start.exec(line);
    if (found === null) continue;
    const [text, attrs] = splitAttrs(line.slice(found[0].length));
    return {
      type: 'text',
      of: kind(found[1] ?? '', before),
      text: readInline(text, PLAIN),
      attrs,
      children: [],
    };
  }
  const [text, attrs] = splitAttrs(line.replace(/^\\(?=[#\d>!-])/, ''));
  return paragraph(readInline(text, PLAIN), attrs);
}

export function writeNotion(blocks: readonly Block[]): string {
  return linesOf(blocks).join('\n');
}

function linesOf(blocks: readonly Block[]): string[] {
  const numbers = numbersOf(blocks);
  return blocks.flatMap((block, at) => blockLines(block, numbers[at] ?? 0));
}

const deeper = (lines: readonly string[]): string[] => lines.map((line) => `\t${line}`);

function blockLines(block: Block, number: number): string[] {
  switch (block.type) {
    case 'text':
      return textLines(block, number);
    case 'callout':
      return [`<callout${block.attrs}>`, ...deeper(linesOf(block.children)), '</callout>'];
    case 'code': {
      const fence = fenceOf(block.code);
      return [`${fence}${block.language}`, ...block.code.split('\n'), fence];
    }
    case 'math':
      return ['$$', ...block.text.split('\n'), '$$'];
    case 'divider':
      return ['---'];
    case 'empty':
      return ['<empty-block/>'];
    case 'table':
      return writeTags(block.rows, NOTION);
    case 'image': {
      const attrs = block.attrs === '' ? '' : ` ${block.attrs}`;
      return [`![${writeInline(block.caption, NOTION)}](${block.url})${attrs}`];
    }
    case 'raw':
      return block.lines;
  }
}

function textLines({ of, text, attrs, children }: TextBlock, number: number): string[] {
  const inline = writeInline(text, NOTION);
  const below = deeper(linesOf(children));
  const line = `${inline}${attrs === '' || of.kind === 'toggle' ? '' : ` ${attrs}`}`.trimStart();
  switch (of.kind) {
    case 'toggle':
      return [`<details${attrs}>`, `<summary>${inline}</summary>`, ...below, '</details>'];
    case 'heading':
      return [`${'#'.repeat(of.level)} ${line}`, ...below];
    case 'todo':
      return [`- [${of.checked ? 'x' : ' '}] ${line}`, ...below];
    case 'bullet':
      return [`- ${line}`, ...below];
    case 'number':
      return [`${number}. ${line}`, ...below];
    case 'quote':
      return [`> ${line}`, ...below];
    case 'paragraph':
      // What would be read as another block: its first character is escaped (unverified).
      return [
        /^(?:#{1,6}(?: |$)|-(?: |$)|\d+\.(?: |$)|---$|!\\\[)/.test(line) ? `\\${line}` : line,
        ...below,
      ];
  }
}
