/**
 * Rich text as the API gives it, and as the service's markdown has it.
 * https://developers.notion.com/guides/data-apis/enhanced-markdown ("Escaping", "Rich text formatting")
 */
import type { Json } from './model.ts';

/** A run of text. */
export interface Run {
  text: string;
  link: string | null;
  bold: boolean;
  italic: boolean;
  strikethrough: boolean;
  code: boolean;
  underline: boolean;
  /** As the API names it: `red`, `red_background`. */
  color: string;
  /** A mention or an equation, in the API's own form. */
  other: Json | null;
}

export type Style = Omit<Run, 'text' | 'other'>;

const PLAIN: Style = {
  link: null,
  bold: false,
  italic: false,
  strikethrough: false,
  code: false,
  underline: false,
  color: 'default',
};

/** The runs of a `rich_text` of a request or a response. */
export function runsOf(richText: unknown): Run[] {
  return (richText as Json[]).map((item) => {
    const annotations = (item['annotations'] ?? {}) as Partial<Style>;
    const text = item['text'] as { content: string; link?: { url: string } | null } | undefined;
    return {
      text: text?.content ?? String(item['plain_text'] ?? ''),
      link: text?.link?.url ?? null,
      bold: annotations.bold ?? false,
      italic: annotations.italic ?? false,
      strikethrough: annotations.strikethrough ?? false,
      code: annotations.code ?? false,
      underline: annotations.underline ?? false,
      color: annotations.color ?? 'default',
      other: text === undefined ? item : null,
    };
  });
}

/** As a response has it. */
export function richTextOf(runs: readonly Run[]): Json[] {
  return runs.map((run) => {
    const { text, link, bold, italic, strikethrough, code, underline, color, other } = run;
    const annotations = { bold, italic, strikethrough, underline, code, color };
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

function renderRun(run: Run): string {
  const { text, link, bold, italic, strikethrough, code, underline, color, other } = run;
  let out = code ? codeOf(text) : text.replace(SPECIAL, '\\$&').replaceAll('\n', '<br>');
  if (other !== null) out = renderOther(other);
  if (strikethrough) out = `~~${out}~~`;
  if (italic) out = `*${out}*`;
  if (bold) out = `**${out}**`;
  if (underline) out = `<span underline="true">${out}</span>`;
  if (color !== 'default') out = `<span color="${shortColor(color)}">${out}</span>`;
  return link === null ? out : `[${out}](${link})`;
}

function codeOf(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Markdown says `red_bg`, the API `red_background`. */
export const shortColor = (color: string): string => color.replace(/_background$/, '_bg');
export const longColor = (color: string): string => color.replace(/_bg$/, '_background');

interface Other {
  equation?: { expression: string };
  mention?: {
    user?: { id: string };
    page?: { id: string };
    date?: { start: string; end: string | null };
  };
}

function renderOther(other: Json): string {
  const { equation, mention } = other as Other;
  if (equation !== undefined) return `$${equation.expression}$`;
  const { user, page, date } = mention ?? {};
  if (date !== undefined) {
    const end = date.end === null ? '' : ` end="${date.end}"`;
    return `<mention-date start="${date.start}"${end}/>`;
  }
  const name = other['plain_text'];
  const kind = user === undefined ? 'page' : 'user';
  return `<mention-${kind} url="https://www.notion.so/${user?.id ?? page?.id}">${String(name)}</mention-${kind}>`;
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
  const one = (run: Partial<Run>, whole: string) => ({
    runs: [{ ...style, text: '', other: null, ...run }],
    length: whole.length,
  });
  const code = /^(`+)( ?)(.*?[^`])\2\1(?!`)/.exec(rest);
  if (code !== null) return one({ code: true, text: code[3] ?? '' }, code[0]);
  const equation = /^\$(?=[^\s$])((?:\\.|[^$\\])*[^\s\\$]|[^\s\\$])\$(?![\d$])/.exec(rest);
  if (equation !== null) {
    const expression = equation[1] ?? '';
    const other = { type: 'equation', equation: { expression }, plain_text: expression };
    return one({ text: expression, other }, equation[0]);
  }
  const mention = mentionAt(rest);
  if (mention !== null) return one({ text: mention.name, other: mention.other }, mention.whole);
  const span = /^<span (underline|color)="([a-z_]+)">(.*?)<\/span>/.exec(rest);
  if (span !== null) {
    const own = span[1] === 'color' ? { color: longColor(span[2] ?? '') } : { underline: true };
    return { runs: parseRuns(span[3] ?? '', { ...style, ...own }), length: span[0].length };
  }
  const link = /^\[((?:\\.|[^\]\\])*)\]\(((?:[^()\s]|\([^()\s]*\))+)\)/.exec(rest);
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

function mentionAt(rest: string): { name: string; other: Json; whole: string } | null {
  const date = /^<mention-date start="([^"]*)"(?: end="([^"]*)")?\/>/.exec(rest);
  if (date !== null) {
    const [whole, start = '', end = null] = date;
    const mention = { type: 'date', date: { start, end, time_zone: null } };
    return { name: start, whole, other: { type: 'mention', mention, plain_text: start } };
  }
  const thing =
    /^<mention-(user|page) url="[^"]*?([0-9a-f-]{32,36})"(?:\/>|>([^<]*)<\/mention-\1>)/.exec(rest);
  if (thing === null) return null;
  const [whole, kind = '', id = '', label] = thing;
  const name = label ?? (kind === 'user' ? '@someone' : 'Untitled');
  const own = kind === 'user' ? { object: 'user', id } : { id };
  const mention = { type: kind, [kind]: own };
  return { name, whole, other: { type: 'mention', mention, plain_text: name } };
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
