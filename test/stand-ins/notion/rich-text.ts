/**
 * Rich text as the API gives it, and as the service's markdown has it.
 * https://developers.notion.com/guides/data-apis/enhanced-markdown ("Escaping", "Rich text formatting")
 */
import type { Json } from './model.ts';

/** A run of text. A mention of a user keeps the API's own form in `other`. */
export interface Run {
  text: string;
  link: string | null;
  bold: boolean;
  italic: boolean;
  strikethrough: boolean;
  code: boolean;
  other: Json | null;
}

export type Style = Omit<Run, 'text' | 'other'>;

export const PLAIN: Style = {
  link: null,
  bold: false,
  italic: false,
  strikethrough: false,
  code: false,
};

/** The runs of a `rich_text` of a request or a response. */
export function runsOf(richText: unknown): Run[] {
  return (richText as Json[]).map((item) => {
    const annotations = (item['annotations'] ?? {}) as Record<string, boolean>;
    const text = item['text'] as { content: string; link?: { url: string } | null } | undefined;
    return {
      text: text?.content ?? String(item['plain_text'] ?? ''),
      link: text?.link?.url ?? null,
      bold: annotations['bold'] ?? false,
      italic: annotations['italic'] ?? false,
      strikethrough: annotations['strikethrough'] ?? false,
      code: annotations['code'] ?? false,
      other: text === undefined ? item : null,
    };
  });
}

/** As a response has it. */
export function richTextOf(runs: readonly Run[]): Json[] {
  return runs.map((run) => {
    const { text, link, bold, italic, strikethrough, code, other } = run;
    const annotations = { bold, italic, strikethrough, underline: false, code, color: 'default' };
    if (other !== null) return { plain_text: text, href: null, ...other, annotations };
    return {
      type: 'text',
      text: { content: text, link: link === null ? null : { url: link } },
      annotations,
      plain_text: text,
      href: link,
    };
  });
}

export function plain(text: string): Run[] {
  return text === '' ? [] : [{ ...PLAIN, text, other: null }];
}

export function textOf(richText: unknown): string {
  return runsOf(richText)
    .map(({ text }) => text)
    .join('');
}

/** "The following characters should be escaped outside of code blocks". */
const SPECIAL = /[\\*~`$[\]<>{}|^]/g;

export function renderRuns(runs: readonly Run[]): string {
  return runs.map(renderRun).join('');
}

function renderRun({ text, link, bold, italic, strikethrough, code, other }: Run): string {
  if (other !== null) return `<mention-user url="https://www.notion.so/${userOf(other)}"/>`;
  let out = code ? `\`${text}\`` : text.replace(SPECIAL, '\\$&').replaceAll('\n', '<br>');
  if (strikethrough) out = `~~${out}~~`;
  if (italic) out = `*${out}*`;
  if (bold) out = `**${out}**`;
  return link === null ? out : `[${out}](${link})`;
}

function userOf(other: Json): string {
  const mention = other['mention'] as { user?: { id: string } } | undefined;
  return mention?.user?.id ?? '';
}

const MARKS = [
  ['**', 'bold'],
  ['~~', 'strikethrough'],
  ['*', 'italic'],
] as const;

/** Reads one line of markdown. What is not closed is text. */
export function parseRuns(source: string, style: Style = PLAIN): Run[] {
  const runs: Run[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') runs.push({ ...style, text, other: null });
    text = '';
  };
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const special = specialAt(rest, style);
    if (special === null) {
      const escaped = /^\\[\\*~`$[\]<>{}|^]/.test(rest);
      const line = rest.startsWith('<br>');
      text += line ? '\n' : escaped ? (rest[1] ?? '') : (rest[0] ?? '');
      at += line ? 4 : escaped ? 2 : 1;
      continue;
    }
    flush();
    runs.push(...special.runs);
    at += special.length;
  }
  flush();
  return merged(runs);
}

function specialAt(rest: string, style: Style): { runs: Run[]; length: number } | null {
  const code = /^`([^`]+)`/.exec(rest);
  if (code !== null) {
    return {
      runs: [{ ...style, code: true, text: code[1] ?? '', other: null }],
      length: code[0].length,
    };
  }
  const mention = /^<mention-user url="https:\/\/www\.notion\.so\/([0-9a-f-]+)"\/>/.exec(rest);
  if (mention !== null) {
    const user = { object: 'user', id: mention[1] ?? '' };
    const other = { type: 'mention', mention: { type: 'user', user }, plain_text: '@someone' };
    return { runs: [{ ...style, text: '@someone', other }], length: mention[0].length };
  }
  const link = /^\[((?:\\.|[^\]\\])*)\]\(([^)\s]+)\)/.exec(rest);
  if (link !== null) {
    return {
      runs: parseRuns(link[1] ?? '', { ...style, link: link[2] ?? null }),
      length: link[0].length,
    };
  }
  for (const [mark, name] of MARKS) {
    if (!rest.startsWith(mark) || style[name]) continue;
    const end = closing(rest, mark);
    if (end < 0) continue;
    const inner = rest.slice(mark.length, end);
    return { runs: parseRuns(inner, { ...style, [name]: true }), length: end + mark.length };
  }
  return null;
}

/** Where a mark ends; -1 where it does not, or holds nothing. */
function closing(rest: string, mark: string): number {
  for (let at = mark.length; at < rest.length; at++) {
    if (rest[at] === '\\') at++;
    else if (rest.startsWith(mark, at)) {
      const longer = mark === '*' && rest.startsWith('**', at);
      if (longer) at++;
      else return at === mark.length ? -1 : at;
    }
  }
  return -1;
}

/** Neighbours of one style are one run, and none holds more than the API takes. */
function merged(runs: readonly Run[]): Run[] {
  const out: Run[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    const { text: _, ...style } = run;
    const { text: __, ...before } = last ?? run;
    if (
      last !== undefined &&
      run.other === null &&
      JSON.stringify(style) === JSON.stringify(before)
    ) {
      last.text += run.text;
    } else out.push({ ...run });
  }
  return out;
}
