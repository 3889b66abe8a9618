/**
 * Blocks as the service's markdown, and back.
 * https://developers.notion.com/guides/data-apis/enhanced-markdown
 * https://developers.notion.com/guides/data-apis/working-with-markdown-content ("Block type support")
 */
import type { Block, Json } from './model.ts';
import { parseRuns, plain, renderRuns, richTextOf, runsOf } from './rich-text.ts';

/** A block that a text asks for. `ref`: it must be one that is there, by its id. */
export interface Draft {
  type: string;
  content: Json;
  children: Draft[];
  ref?: string;
}

export const pageUrl = (id: string): string => `https://www.notion.so/${id.replaceAll('-', '')}`;

/** One block a line, children a tab deeper. */
export function renderBlocks(blocks: readonly (Block | Draft)[], depth = 0): string {
  return blocks.map((block) => renderBlock(block, depth)).join('\n');
}

export function renderBlock(block: Block | Draft, depth = 0): string {
  const indent = '\t'.repeat(depth);
  const children =
    block.children.length === 0 ? '' : `\n${renderBlocks(block.children, depth + 1)}`;
  if (block.type === 'toggle') {
    return `${indent}<details>\n${indent}<summary>${textIn(block)}</summary>${children}\n${indent}</details>`;
  }
  if (block.type === 'callout') {
    const body = textIn(block);
    return `${indent}<callout>\n${indent}\t${body}${children}\n${indent}</callout>`;
  }
  const lines = ownLines(block).map((line) => `${indent}${line}`);
  return `${lines.join('\n')}${children}`;
}

function textIn({ content }: Block | Draft): string {
  return renderRuns(runsOf(content['rich_text'] ?? []));
}

const PREFIX: Readonly<Record<string, string>> = {
  heading_1: '# ',
  heading_2: '## ',
  heading_3: '### ',
  heading_4: '#### ',
  bulleted_list_item: '- ',
  numbered_list_item: '1. ',
  quote: '> ',
};

function ownLines(block: Block | Draft): string[] {
  const { type, content } = block;
  const id = 'id' in block ? block.id : (block.ref ?? '');
  const text = () => textIn(block);
  switch (type) {
    case 'paragraph': {
      const line = text();
      if (line === '') return ['<empty-block/>'];
      // A text that would be read as another block: its first character is escaped (unverified).
      return [/^(#{1,6} |- |\d+\. |---$)/.test(line) ? `\\${line}` : line];
    }
    case 'to_do':
      return [`- [${content['checked'] === true ? 'x' : ' '}] ${text()}`];
    case 'divider':
      return ['---'];
    case 'code': {
      const code = runsOf(content['rich_text'] ?? [])
        .map((run) => run.text)
        .join('');
      return [`\`\`\`${String(content['language'] ?? '')}`, ...code.split('\n'), '```'];
    }
    case 'equation':
      return ['$$', String(content['expression'] ?? ''), '$$'];
    case 'child_page':
      return [`<page url="${pageUrl(id)}">${String(content['title'] ?? '')}</page>`];
    case 'child_database':
      return [`<database url="${pageUrl(id)}">${String(content['title'] ?? '')}</database>`];
    default: {
      const prefix = PREFIX[type];
      // "The following block types are not yet rendered": bookmarks, embeds, link previews …
      if (prefix === undefined) return [`<unknown url="${pageUrl(id)}" alt="${type}"/>`];
      return [`${prefix}${text()}`];
    }
  }
}

/** Reads a text. Empty lines stand for nothing. */
export function parseBlocks(markdown: string): Draft[] {
  return parseLines(markdown.replaceAll('\r\n', '\n').split('\n'));
}

function parseLines(lines: string[]): Draft[] {
  const drafts: Draft[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at++;
      continue;
    }
    const last = drafts.at(-1);
    const below = indented(lines, at);
    if (below > 0 && last !== undefined && takesChildren(last.type)) {
      last.children.push(...parseLines(lines.slice(at, at + below).map((one) => one.slice(1))));
      at += below;
      continue;
    }
    const { draft, length } = parseOne(lines, at);
    drafts.push(draft);
    at += length;
  }
  return drafts;
}

function indented(lines: readonly string[], from: number): number {
  let count = 0;
  while ((lines[from + count] ?? '').startsWith('\t')) count++;
  return count;
}

const takesChildren = (type: string): boolean =>
  ['paragraph', 'bulleted_list_item', 'numbered_list_item', 'to_do', 'quote'].includes(type);

const rich = (source: string): Json => ({ rich_text: richTextOf(parseRuns(source)) });

function parseOne(lines: readonly string[], at: number): { draft: Draft; length: number } {
  const line = (lines[at] ?? '').trimStart();
  const until = (end: RegExp): string[] => {
    const found = lines.slice(at + 1).findIndex((one) => end.test(one));
    return lines.slice(at + 1, found < 0 ? lines.length : at + 1 + found);
  };
  const fence = /^```(.*)$/.exec(line);
  if (fence !== null) {
    const body = until(/^\t*```$/);
    const code = richTextOf(plain(body.join('\n')));
    const language = fence[1] === '' ? 'plain text' : (fence[1] ?? '');
    return one('code', { rich_text: code, language, caption: [] }, body.length + 2);
  }
  if (line === '$$') {
    const body = until(/^\t*\$\$$/);
    return one('equation', { expression: body.join('\n') }, body.length + 2);
  }
  if (/^<details>$/.test(line)) return parseContainer(lines, at, 'toggle', /^<\/details>$/);
  if (/^<callout/.test(line)) return parseContainer(lines, at, 'callout', /^<\/callout>$/);
  return { draft: parseLine(line), length: 1 };
}

function one(type: string, content: Json, length: number): { draft: Draft; length: number } {
  return { draft: { type, content, children: [] }, length };
}

function parseContainer(lines: readonly string[], at: number, type: string, end: RegExp) {
  const found = lines.slice(at + 1).findIndex((line) => end.test(line));
  const inner = lines.slice(at + 1, found < 0 ? lines.length : at + 1 + found);
  const first = (inner[0] ?? '').trim().replace(/^<summary>(.*)<\/summary>$/, '$1');
  const children = parseLines(inner.slice(1).map((line) => line.replace(/^\t/, '')));
  const draft: Draft = { type, content: rich(first), children };
  if (type === 'callout') draft.content['icon'] = { type: 'emoji', emoji: '💡' };
  return { draft, length: inner.length + 2 };
}

const REFERENCE =
  /^<(page|database|unknown) url="[^"]*?([0-9a-f]{32})"(?: alt="(\w+)")?(?:\/>|>(.*)<\/\1>)$/;

function parseLine(line: string): Draft {
  const draft = (type: string, content: Json): Draft => ({ type, content, children: [] });
  if (line === '---') return draft('divider', {});
  if (line === '<empty-block/>') return draft('paragraph', { rich_text: [] });
  const reference = REFERENCE.exec(line);
  if (reference !== null) {
    const [, kind, id = '', alt] = reference;
    const type = kind === 'unknown' ? (alt ?? 'unsupported') : `child_${kind}`;
    return { ...draft(type, { title: reference[4] ?? '' }), ref: dashed(id) };
  }
  const todo = /^- \[([ x])\] (.*)$/.exec(line);
  if (todo !== null) return draft('to_do', { ...rich(todo[2] ?? ''), checked: todo[1] === 'x' });
  const heading = /^(#{1,6}) (.*)$/.exec(line);
  if (heading !== null) {
    // "Headings 5 and 6 are converted to heading 4."
    return draft(`heading_${Math.min(4, (heading[1] ?? '').length)}`, rich(heading[2] ?? ''));
  }
  for (const [start, type] of [
    [/^- /, 'bulleted_list_item'],
    [/^\d+\. /, 'numbered_list_item'],
    [/^> /, 'quote'],
  ] as const) {
    if (start.test(line)) return draft(type, rich(line.replace(start, '')));
  }
  return draft('paragraph', rich(line.replace(/^\\(?=[#\d-])/, '')));
}

export function dashed(id: string): string {
  const hex = id.replaceAll('-', '');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
