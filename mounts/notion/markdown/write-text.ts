/**
 * The tree as the markdown of the mount's files: as few escapes as it takes to be read back as
 * the same tree.
 */
import { type Block, type Inline, numbersOf, sameBlocks, type TextBlock } from './blocks.ts';
import { CELL, ESCAPING, type InlineForm, LITERAL, writeInline } from './inline.ts';
import { PLAIN_TEXT } from './languages.ts';
import { ALERTS, readText } from './read-text.ts';
import { pipeRow } from './tables.ts';

/** Beyond so many escapes in one text they are not tried one by one. */
const TRIED_MOST = 24;

export function writeText(blocks: readonly Block[]): string {
  return linesOf(blocks).join('\n');
}

function linesOf(blocks: readonly Block[]): string[] {
  const lines: string[] = [];
  const numbers = numbersOf(blocks);
  blocks.forEach((block, at) => {
    const before = blocks[at - 1];
    if (before !== undefined && !close(before, block)) lines.push('');
    lines.push(...blockLines(block, numbers[at] ?? 0));
  });
  return lines;
}

function kindOf(block: Block | undefined): string {
  return block?.type === 'text' ? block.of.kind : (block?.type ?? '');
}

/** Items of one list have no empty line between them. */
function close(before: Block, block: Block): boolean {
  const [a, b] = [before, block].map((one) => kindOf(one).replace('todo', 'bullet'));
  return a === b && (a === 'bullet' || a === 'number');
}

function blockLines(block: Block, number: number): string[] {
  switch (block.type) {
    case 'text':
      return textLines(block, number);
    case 'code': {
      const fence = fenceOf(block.code);
      const language = block.language === PLAIN_TEXT ? '' : block.language;
      return [`${fence}${language}`, ...block.code.split('\n'), fence];
    }
    case 'math':
      return ['$$', ...block.text.split('\n'), '$$'];
    case 'divider':
      return ['---'];
    case 'empty':
      return ['<empty-block/>'];
    case 'raw':
      return block.lines;
    case 'callout':
      return calloutLines(block.attrs, linesOf(block.children));
    case 'table':
      return tableLines(block.rows);
    case 'image': {
      const url = /^[^\s()<>]+$/.test(block.url) ? block.url : `<${block.url}>`;
      const caption = writeInline(block.caption, { ...ESCAPING, lineBreak: '<br>' });
      return [`![${caption}](${url})${block.attrs === '' ? '' : ` ${block.attrs}`}`];
    }
  }
}

export function fenceOf(code: string): string {
  let fence = '```';
  while (code.includes(fence)) fence += '`';
  return fence;
}

function calloutLines(attrs: string, inner: string[]): string[] {
  const alert = Object.entries(ALERTS).find(([, own]) => own === attrs)?.[0];
  if (alert === undefined) return [`<callout${attrs}>`, ...inner, '</callout>'];
  return [`> [!${alert}]`, ...quoted(inner)];
}

function quoted(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '>' : `> ${line}`));
}

function tableLines(rows: readonly Inline[][][]): string[] {
  const cell = (one: Inline[]) =>
    fewestEscapes({
      nodes: one,
      around: (text) => `${pipeRow([text])}\n| --- |`,
      wanted: { type: 'table', rows: [[one]] },
      escaping: CELL,
    });
  const [heads = '', ...rest] = rows.map((row) => pipeRow(row.map(cell)));
  return [heads, pipeRow((rows[0] ?? []).map(() => '---')), ...rest];
}

function textLines(block: TextBlock, number: number): string[] {
  const { of, attrs, children } = block;
  const behind = attrs === '' ? '' : ` ${attrs}`;
  switch (of.kind) {
    case 'toggle': {
      const open = `<details${attrs}>`;
      const tagged = (one: string) => `${open}\n<summary>${one}</summary>\n</details>`;
      const summary = `<summary>${textOf(block, tagged)}</summary>`;
      const inner = children.length === 0 ? [] : ['', ...linesOf(children), ''];
      return [open, summary, ...inner, '</details>'];
    }
    case 'quote': {
      const around = (one: string) => quoted(`${one}${behind}`.split('\n')).join('\n');
      const written = `${textOf(block, around, BREAKS)}${behind}`;
      const lines = block.text.length === 0 ? [] : written.split('\n');
      const inner = linesOf(children);
      return quoted([...lines, ...(lines.length > 0 && inner.length > 0 ? [''] : []), ...inner]);
    }
    case 'paragraph': {
      const written = `${textOf(block, (one) => `${one}${behind}`, BREAKS)}${behind}`;
      return [...written.split('\n'), ...below(children, '\t', true)];
    }
    case 'heading': {
      const mark = '#'.repeat(of.level);
      const written = textOf(block, (one) => `${mark} ${one}${behind}`);
      return [`${mark} ${written}${behind}`.trimEnd(), ...below(children, '\t', true)];
    }
    default:
      return itemLines(block, number, behind);
  }
}

function itemLines(block: TextBlock, number: number, behind: string): string[] {
  const { of, children } = block;
  const box = of.kind === 'todo' ? ` [${of.checked ? 'x' : ' '}]` : '';
  const marker = of.kind === 'number' ? `${number}.` : `-${box}`;
  // Alone it is the first one of its list.
  const probe = of.kind === 'number' ? `${of.start ?? 1}.` : marker;
  const written = textOf(block, (one) => `${probe} ${one}${behind}`);
  const [first] = children;
  // A list that begins with another number than 1 would go on with the text.
  const startsLate =
    first?.type === 'text' && first.of.kind === 'number' && first.of.start !== undefined;
  const apart = startsLate || !['bullet', 'todo', 'number', 'code'].includes(kindOf(first));
  const indent = ' '.repeat(of.kind === 'number' ? marker.length + 1 : 2);
  return [`${marker} ${written}${behind}`.trimEnd(), ...below(children, indent, apart)];
}

/** Line breaks as they are; in what stays on its line, `<br>`. */
const BREAKS = ['\n', '<br>'];

/** The text of a block, which `around` makes a whole one again. */
function textOf(
  block: TextBlock,
  around: (text: string) => string,
  lineBreaks: readonly string[] = ['<br>'],
): string {
  return fewestEscapes({
    nodes: block.text,
    around,
    wanted: { ...block, children: [] },
    lineBreaks,
  });
}

function below(children: readonly Block[], indent: string, apart: boolean): string[] {
  if (children.length === 0) return [];
  const lines = linesOf(children).map((line) => (line === '' ? '' : `${indent}${line}`));
  return apart ? ['', ...lines] : lines;
}

interface Wanted {
  nodes: readonly Inline[];
  /** The text as part of a block. */
  around: (text: string) => string;
  /** What that block must be read as. */
  wanted: Block;
  /** The first of them of which nothing but a text comes. */
  lineBreaks?: readonly string[];
  escaping?: Pick<InlineForm, 'text'>;
}

/** A text with so few escapes that it is still read as what is wanted: none, else those that it needs. */
function fewestEscapes({
  nodes,
  around,
  wanted,
  lineBreaks = ['<br>'],
  escaping = ESCAPING,
}: Wanted): string {
  const fits = (text: string): boolean => {
    const { blocks, troubles } = readText(around(text));
    return troubles.length === 0 && sameBlocks(blocks, [wanted]);
  };
  for (const lineBreak of lineBreaks) {
    const plain = writeInline(nodes, { ...LITERAL, lineBreak });
    if (fits(plain)) return plain;
    const escaped = atLineStarts(writeInline(nodes, { ...escaping, lineBreak }));
    if (fits(escaped)) return withoutNeedless(escaped, fits);
  }
  return atLineStarts(writeInline(nodes, { ...escaping, lineBreak: '<br>' }));
}

/** What would begin another block begins with a backslash: `\- `, `1\. `. */
function atLineStarts(text: string): string {
  return text.replace(/^(?=[-+=#!])/gm, '\\').replace(/^(\d{1,9})(?=[.)])/gm, '$1\\');
}

function withoutNeedless(text: string, fits: (text: string) => boolean): string {
  const escapes = [...text.matchAll(/\\[!-/:-@[-`{-~]/g)].map(({ index }) => index);
  if (escapes.length > TRIED_MOST) return text;
  return escapes.reduceRight((kept, at) => {
    const without = kept.slice(0, at) + kept.slice(at + 1);
    return fits(without) ? without : kept;
  }, text);
}
