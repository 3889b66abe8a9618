/**
 * A page's text as a tree. Two languages are read into it and written from it: Notion's own
 * markdown (one block a line, children a tab deeper) and the markdown of the mount's files.
 */

import { FENCE } from './lines.ts';

/** A piece of text. */
export type Inline =
  | { type: 'text' | 'code' | 'math'; text: string }
  /** `<span …>`, `</span>`, mentions, citations: Notion's own, kept to the letter. */
  | { type: 'tag'; text: string }
  | { type: 'break' }
  | { type: 'bold' | 'italic' | 'strike'; children: Inline[] }
  | { type: 'link'; url: string; children: Inline[] };

/** What a text block is. */
export type Kind =
  | { kind: 'paragraph' | 'bullet' | 'quote' | 'toggle' }
  /** `start`: of the first item of a list that does not begin with 1. */
  | { kind: 'number'; start?: number }
  | { kind: 'heading'; level: number }
  | { kind: 'todo'; checked: boolean };

/** A block with a text and blocks below it. `attrs` are Notion's: `{color="red"}`, or a tag's. */
export interface TextBlock {
  type: 'text';
  of: Kind;
  text: Inline[];
  attrs: string;
  children: Block[];
}

export type Block =
  | TextBlock
  | { type: 'callout'; attrs: string; children: Block[] }
  | { type: 'code'; language: string; code: string }
  | { type: 'math'; text: string }
  | { type: 'divider' | 'empty' }
  /** With one row of heads, and nothing else that Notion can do with tables. */
  | { type: 'table'; rows: Inline[][][] }
  | { type: 'image'; caption: Inline[]; url: string; attrs: string }
  /** Everything else: Notion's own lines, to the letter, children still a tab deeper. */
  | { type: 'raw'; lines: string[] };

/** A text that Notion could not hold as it is. */
export interface Trouble {
  /** Of the text, from 1; null where it is of the whole. */
  line: number | null;
  message: string;
}

export function sameBlocks(a: readonly Block[], b: readonly Block[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function paragraph(text: Inline[], attrs = ''): TextBlock {
  return { type: 'text', of: { kind: 'paragraph' }, text, attrs, children: [] };
}

/** A line's text, and the ` {color="red"}` behind it. */
export function splitAttrs(source: string): [text: string, attrs: string] {
  const found = /(?:^|[ \t])(\{(?:[a-z_-]+="[^"\\]*"[ \t]*)+\})$/.exec(source);
  if (found === null) return [source, ''];
  return [source.slice(0, found.index), found[1] ?? ''];
}

/** The tags of blocks that have others within, and that are kept as they are. */
const CONTAINERS = ['columns', 'column', 'synced_block', 'synced_block_reference', 'meeting-notes'];
const SINGLE =
  /^<(?:page|database|unknown|file|video|audio|pdf|table_of_contents|folder|custom-block|data-source)\b[^>]*(?:\/>|>.*<\/[a-z_-]+>)$/;

export const EMPTY_BLOCK = /^<empty-block ?\/>$/;

/** One line of Notion's that stands for what is not text. */
export function isSingleTag(line: string): boolean {
  return SINGLE.test(line);
}

/** The name of the container that a line opens; null where it opens none. */
export function opensContainer(line: string): string | null {
  const name = /^<([a-z_-]+)\b[^>]*>$/.exec(line)?.[1];
  return name !== undefined && CONTAINERS.includes(name) ? name : null;
}

/** A line that closes what no line opened. */
export function isStrayClose(line: string): boolean {
  const name = /^<\/([a-z_-]+)>$/.exec(line)?.[1];
  return name !== undefined && [...CONTAINERS, 'table', 'details', 'callout'].includes(name);
}

/** How many lines from `at` belong to a tag that opens there, closing line included; 0 where it is not closed. */
export function spanOf(lines: readonly string[], at: number, name: string): number {
  const opens = new RegExp(`^<${name}(?:\\s[^>]*)?>`);
  const close = `</${name}>`;
  let depth = 0;
  let fence: string | null = null;
  for (let end = at; end < lines.length; end++) {
    const line = (lines[end] ?? '').trim();
    const [, , mark = null, info = ''] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) && info === '') fence = null;
      continue;
    }
    if (mark !== null) {
      fence = mark;
      continue;
    }
    if (opens.test(line) && !line.endsWith('/>')) depth += line.endsWith(close) ? 0 : 1;
    else if (line === close) depth--;
    if (depth === 0) return end - at + 1;
  }
  return 0;
}

/** A kind of list item that goes on with a list, or begins one where none goes before. */
export function numbered(before: Block | undefined, number: number): Kind {
  const goesOn = before?.type === 'text' && before.of.kind === 'number';
  return goesOn || number === 1 ? { kind: 'number' } : { kind: 'number', start: number };
}

/** The numbers of the items in their lists; 0 for what is none. */
export function numbersOf(blocks: readonly Block[]): number[] {
  let last = 0;
  return blocks.map((block) => {
    if (block.type !== 'text' || block.of.kind !== 'number') last = 0;
    else last = last === 0 ? (block.of.start ?? 1) : last + 1;
    return last;
  });
}

/**
 * The lines with those of a table at least as deep as the one that opens it: they are given flush
 * left, too, wherever the table stands.
 */
export function withDeepTables(lines: readonly string[]): string[] {
  const out = [...lines];
  let fence: string | null = null;
  for (let at = 0; at < out.length; at++) {
    const line = out[at] ?? '';
    const [, , mark = null, info = ''] = FENCE.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) && info === '') fence = null;
      continue;
    }
    fence = mark;
    if (!/^\s*<table\b[^>]*>\s*$/.test(line)) continue;
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    const length = spanOf(out, at, 'table');
    for (let next = at + 1; next < at + length; next++) {
      const inner = out[next] ?? '';
      if (!inner.startsWith(indent)) out[next] = indent + inner.trimStart();
    }
    at += Math.max(0, length - 1);
  }
  return out;
}

/** The line that opens a callout in the older form. */
export const COLONS = /^::: ?callout(?: \{((?:[a-z-]+="[^"]*" ?)*)\})?$/;

/** The attributes of such a line, as a tag has them. */
export function colonsAttrs([, attrs = '']: RegExpExecArray): string {
  return attrs.trim() === '' ? '' : ` ${attrs.trim()}`;
}

/** How many lines from `at` belong to such a callout; 0 where it is not closed. */
export function colonsSpan(lines: readonly string[], at: number): number {
  let depth = 0;
  for (let end = at; end < lines.length; end++) {
    const line = (lines[end] ?? '').trim();
    if (COLONS.test(line)) depth++;
    else if (line === ':::') depth--;
    if (depth === 0) return end - at + 1;
  }
  return 0;
}
