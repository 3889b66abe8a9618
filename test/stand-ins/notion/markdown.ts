/**
 * Blocks as the service's markdown, and back.
 * https://developers.notion.com/guides/data-apis/enhanced-markdown
 * https://developers.notion.com/guides/data-apis/working-with-markdown-content ("Block type support")
 */
import { documented } from './habits.ts';
import type { Block, Json } from './model.ts';
import {
  longColor,
  parseRuns,
  plain,
  renderRuns,
  richTextOf,
  runsOf,
  shortColor,
} from './rich-text.ts';
import { parseTable, renderTable } from './tables.ts';

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
  let number = 0;
  const rendered = blocks.map((block, at) => {
    const isFirst = blocks[at - 1]?.type !== 'numbered_list_item';
    number = isFirst ? startOf(block) : number === 1 ? 1 : number + 1;
    return renderBlock(block, depth, number);
  });
  return rendered.join('\n');
}

/** Where a list begins: a list that begins with 1 has nothing but 1. */
function startOf({ content }: Block | Draft): number {
  return (content['list_start_index'] as number | undefined) ?? 1;
}

export function renderBlock(block: Block | Draft, depth = 0, number = startOf(block)): string {
  const indent = '\t'.repeat(depth);
  const children =
    block.children.length === 0 ? '' : `\n${renderBlocks(block.children, depth + 1)}`;
  if (block.type === 'toggle') {
    return `${indent}<details${tagAttrs(block)}>\n${indent}<summary>${textIn(block)}</summary>${children}\n${indent}</details>`;
  }
  if (block.type === 'callout') {
    const body = textIn(block);
    const first = body === '' ? '' : `\n${indent}\t${body}`;
    return `${indent}<callout${tagAttrs(block)}>${first}${children}\n${indent}</callout>`;
  }
  if (block.type === 'table') return renderTable(block, indent);
  const tag = { column_list: 'columns', column: 'column', synced_block: 'synced_block' }[
    block.type
  ];
  if (tag !== undefined) return `${indent}<${tag}>${children}\n${indent}</${tag}>`;
  const lines = ownLines(block, number).map((line) => `${indent}${line}`);
  return `${lines.join('\n')}${children}`;
}

/** The icon and the color of a block that is a tag. */
function tagAttrs({ content }: Block | Draft): string {
  const icon = (content['icon'] as { emoji?: string } | undefined)?.emoji;
  const color = colorOf(content);
  return `${icon === undefined ? '' : ` icon="${icon}"`}${color === null ? '' : ` color="${color}"`}`;
}

function colorOf(content: Json): string | null {
  const { color } = content as { color?: string };
  return color === undefined || color === 'default' ? null : shortColor(color);
}

/** ` {toggle="true" color="red"}` behind a line, where it has either. */
function lineAttrs({ content }: Block | Draft): string {
  const color = colorOf(content);
  const parts = [
    ...(content['is_toggleable'] === true ? ['toggle="true"'] : []),
    ...(color === null ? [] : [`color="${color}"`]),
  ];
  return parts.length === 0 ? '' : ` {${parts.join(' ')}}`;
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
  quote: '> ',
};

function ownLines(block: Block | Draft, number: number): string[] {
  const { type, content } = block;
  const id = 'id' in block ? block.id : (block.ref ?? '');
  const text = () => textIn(block);
  switch (type) {
    case 'paragraph': {
      const line = text();
      if (line === '') return ['<empty-block/>'];
      // A text that would be read as another block: its first character is escaped (unverified).
      const mark = /^(#{1,6}( |$)|-( |$)|\d+\.( |$)|---$|!\\\[)/.test(line) ? '\\' : '';
      return [`${mark}${line}${lineAttrs(block)}`];
    }
    case 'to_do':
      return [`- [${content['checked'] === true ? 'x' : ' '}] ${text()}${lineAttrs(block)}`];
    case 'numbered_list_item':
      return [`${number}. ${text()}${lineAttrs(block)}`];
    case 'divider':
      return ['---'];
    case 'code': {
      const code = runsOf(content['rich_text'] ?? [])
        .map((run) => run.text)
        .join('');
      const fence = '`'.repeat(
        Math.max(2, ...(code.match(/`+/g) ?? []).map((one) => one.length)) + 1,
      );
      return [`${fence}${String(content['language'] ?? '')}`, ...code.split('\n'), fence];
    }
    case 'equation':
      return ['$$', ...String(content['expression'] ?? '').split('\n'), '$$'];
    case 'image': {
      const { url } = (content['external'] ?? content['file']) as { url: string };
      return [`![${renderRuns(runsOf(content['caption'] ?? []))}](${url})`];
    }
    case 'child_page':
      return [`<page url="${pageUrl(id)}">${String(content['title'] ?? '')}</page>`];
    case 'child_database':
      return [`<database url="${pageUrl(id)}">${String(content['title'] ?? '')}</database>`];
    default: {
      const prefix = PREFIX[type];
      // "The following block types are not yet rendered": bookmarks, embeds, link previews …
      if (prefix === undefined) return [`<unknown url="${pageUrl(id)}" alt="${type}"/>`];
      return [`${prefix}${text()}${lineAttrs(block)}`];
    }
  }
}

/** Reads a text. Empty lines stand for nothing. */
export function parseBlocks(markdown: string): Draft[] {
  return parseLines(documented(markdown).split('\n'));
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
    const start = Number(/^\t*(\d+)\.(?: |$)/.exec(line)?.[1] ?? 1);
    if (draft.type === 'numbered_list_item' && last?.type !== draft.type && start !== 1)
      draft.content['list_start_index'] = start;
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
  type.startsWith('heading_') ||
  ['paragraph', 'bulleted_list_item', 'numbered_list_item', 'to_do', 'quote'].includes(type);

const rich = (source: string): Json => ({ rich_text: richTextOf(parseRuns(source)) });

function parseOne(lines: readonly string[], at: number): { draft: Draft; length: number } {
  const line = (lines[at] ?? '').trimStart();
  const until = (end: RegExp): string[] => {
    const found = lines.slice(at + 1).findIndex((one) => end.test(one));
    return lines.slice(at + 1, found < 0 ? lines.length : at + 1 + found);
  };
  const fence = /^(`{3,})([^`]*)$/.exec(line);
  if (fence !== null) {
    const body = until(new RegExp(`^\\t*${fence[1]}$`));
    const code = richTextOf(plain(body.join('\n')));
    const language = fence[2] === '' ? 'plain text' : (fence[2] ?? '');
    return one('code', { rich_text: code, language, caption: [] }, body.length + 2);
  }
  if (line === '$$') {
    const body = until(/^\t*\$\$$/);
    return one('equation', { expression: body.join('\n') }, body.length + 2);
  }
  const table = parseTable(lines, at);
  if (table !== null) return table;
  const tag = /^<(details|callout|columns|column|synced_block)\b/.exec(line)?.[1];
  if (tag !== undefined) return parseContainer(lines, at, tag);
  return { draft: parseLine(line), length: 1 };
}

function one(type: string, content: Json, length: number): { draft: Draft; length: number } {
  return { draft: { type, content, children: [] }, length };
}

const CONTAINERS: Readonly<Record<string, string>> = {
  details: 'toggle',
  callout: 'callout',
  columns: 'column_list',
  column: 'column',
  synced_block: 'synced_block',
};

function parseContainer(lines: readonly string[], at: number, tag: string) {
  const type = CONTAINERS[tag] ?? tag;
  const indent = /^\t*/.exec(lines[at] ?? '')?.[0] ?? '';
  const found = lines.slice(at + 1).indexOf(`${indent}</${tag}>`);
  const inner = lines.slice(at + 1, found < 0 ? lines.length : at + 1 + found);
  const content = tagContent(lines[at] ?? '');
  const summary = /^\t*<summary>(.*)<\/summary>$/.exec(inner[0] ?? '')?.[1];
  const rest = summary === undefined ? inner : inner.slice(1);
  let children = parseLines(rest.map((line) => line.replace(/^\t/, '')));
  if (type === 'synced_block') content['synced_from'] = null;
  if (type === 'toggle') Object.assign(content, rich(summary ?? ''));
  if (type === 'callout') {
    content['icon'] ??= { type: 'emoji', emoji: '💡' };
    const [first] = children;
    const own = first?.type === 'paragraph' && first.children.length === 0;
    content['rich_text'] = own ? first.content['rich_text'] : [];
    if (own) children = children.slice(1);
  }
  const draft: Draft = { type, content, children };
  return { draft, length: inner.length + 2 };
}

/** What the attributes of a tag say. */
function tagContent(line: string): Json {
  const icon = / icon="([^"]*)"/.exec(line)?.[1];
  const color = / color="([^"]*)"/.exec(line)?.[1];
  return {
    ...(icon === undefined ? {} : { icon: { type: 'emoji', emoji: icon } }),
    ...(color === undefined ? {} : { color: longColor(color) }),
  };
}

const REFERENCE =
  /^<(page|database|unknown) url="[^"]*?([0-9a-f]{32})"(?: alt="(\w+)")?(?:\/>|>(.*)<\/\1>)$/;

const LINE_ATTRS = /(?:^| )\{((?:[a-z]+="[^"]*" ?)+)\}$/;

function parseLine(line: string): Draft {
  const attrs = LINE_ATTRS.exec(line);
  if (attrs === null) return parseBare(line);
  const draft = parseBare(line.slice(0, attrs.index));
  const color = /color="([^"]*)"/.exec(attrs[1] ?? '')?.[1];
  if (color !== undefined) draft.content['color'] = longColor(color);
  if (/toggle="true"/.test(attrs[1] ?? '')) draft.content['is_toggleable'] = true;
  return draft;
}

function parseBare(line: string): Draft {
  const draft = (type: string, content: Json): Draft => ({ type, content, children: [] });
  if (line === '---') return draft('divider', {});
  if (line === '<empty-block/>') return draft('paragraph', { rich_text: [] });
  const reference = REFERENCE.exec(line);
  if (reference !== null) {
    const [, kind, id = '', alt] = reference;
    const type = kind === 'unknown' ? (alt ?? 'unsupported') : `child_${kind}`;
    return { ...draft(type, { title: reference[4] ?? '' }), ref: dashed(id) };
  }
  const image = /^!\[((?:\\.|[^\]\\])*)\]\((\S+)\)$/.exec(line);
  if (image !== null) {
    const caption = richTextOf(parseRuns(image[1] ?? ''));
    return draft('image', { type: 'external', external: { url: image[2] ?? '' }, caption });
  }
  const todo = /^- \[([ x])\](?: (.*)|)$/.exec(line);
  if (todo !== null) return draft('to_do', { ...rich(todo[2] ?? ''), checked: todo[1] === 'x' });
  const heading = /^(#{1,6})(?: (.*)|)$/.exec(line);
  if (heading !== null) {
    // "Headings 5 and 6 are converted to heading 4."
    return draft(`heading_${Math.min(4, (heading[1] ?? '').length)}`, rich(heading[2] ?? ''));
  }
  for (const [start, type] of [
    [/^-(?: |$)/, 'bulleted_list_item'],
    [/^\d+\.(?: |$)/, 'numbered_list_item'],
    [/^>(?: |$)/, 'quote'],
  ] as const) {
    if (start.test(line)) return draft(type, rich(line.replace(start, '')));
  }
  return draft('paragraph', rich(line.replace(/^\\(?=[#\d>!-])/, '')));
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
