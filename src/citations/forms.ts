/**
 * The forms in which a citation may stand: `[path:12 "text"]`, which is the one
 * to write; a link; a line as grep prints it; a path and a line by their names.
 */
import { type Citation, PLACE, pathLooks, placeOf } from './citation.ts';
import { isOpener, quotedFrom, unquoted } from './marks.ts';

/** What is taken already, or is no prose: nothing is found across it. */
export const TAKEN = '\0';

/** Puts what is taken out of sight; offsets stay. */
export function without(text: string, spans: readonly { at: number; end: number }[]): string {
  if (spans.length === 0) return text;
  const units = text.split('');
  for (const { at, end } of spans) {
    for (let i = at; i < end; i++) if (units[i] !== '\n') units[i] = TAKEN;
  }
  return units.join('');
}

interface Match {
  index: number;
  0: string;
  groups?: Record<string, string | undefined>;
}

/** A citation of what a pattern has found; null where it is none. */
function citationOf(
  match: Match,
  more: Partial<Citation> & { strict?: boolean } = {},
): Citation | null {
  const { path: written = '', first, second } = match.groups ?? {};
  const path = written.trim();
  const place = first === undefined ? null : placeOf(first, second);
  const looks = pathLooks(path);
  if (looks === 'none' || (first !== undefined && place === null)) return null;
  const { strict, ...given } = more;
  const doubtful = looks === 'doubtful' && strict !== true;
  const at = match.index;
  return { path, place, quotes: [], doubtful, at, end: at + match[0].length, ...given };
}

const NOT_IN_PATH = '\\n\\0"“”«»„';
/** Behind a place: no letter, no further number; a column is allowed. */
const PLACE_END = '(?::\\d+)?(?![\\p{L}\\p{N}_]|[.:]\\d)';

const BRACKETED = [
  new RegExp(`\\[(?!\\^)(?<path>[^\\[\\]${NOT_IN_PATH}]{1,500}?)${PLACE}${PLACE_END}`, 'gu'),
  new RegExp(`\\[(?<path>\\/[^${NOT_IN_PATH}]{1,500}?)${PLACE}${PLACE_END}`, 'gu'),
  /\[(?!\^)(?<path>[^\s[\]\0"“”«»„]{1,500})(?=\s+["“„«])/gu,
];

/** `[path:12 "text"]`, with several quotations, or none. */
export function findBracketed(text: string): Citation[] {
  const found: Citation[] = [];
  let rest = text;
  for (const pattern of BRACKETED) {
    for (const match of rest.matchAll(pattern)) {
      const citation = citationOf(match, { strict: true });
      if (citation === null || !isBalanced(citation.path)) continue;
      const tail = bracketTail(rest, citation.end);
      if (tail === null || (citation.place === null && tail.quotes.length === 0)) continue;
      if (citation.place === null && pathLooks(citation.path) !== 'sure') continue;
      found.push({ ...citation, ...tail });
    }
    rest = without(rest, found);
  }
  return found;
}

function isBalanced(path: string): boolean {
  let depth = 0;
  for (const unit of path) {
    if (unit === '[') depth++;
    if (unit === ']' && --depth < 0) return false;
  }
  return depth === 0;
}

const QUOTE_ENDS = /[.,;]?\s*(?:\]|[,;]?\s*["“„«‘'`])/y;
const BETWEEN = /[\s,;:–—-]*/y;
const TARGET = /\]\([^()\s]*\)/y;

/** What stands between the place and the bracket that closes; null where it is something else. */
function bracketTail(text: string, from: number): { quotes: string[]; end: number } | null {
  const quotes: string[] = [];
  for (let at = from; ; ) {
    BETWEEN.lastIndex = at;
    at += BETWEEN.exec(text)?.[0].length ?? 0;
    if (text.charAt(at) === ']') {
      TARGET.lastIndex = at;
      return { quotes, end: at + (TARGET.exec(text)?.[0].length ?? 1) };
    }
    const quoted = quotedFrom(text, at, QUOTE_ENDS);
    if (quoted === null) return null;
    quotes.push(quoted.text);
    at = quoted.to;
    if (/[.,;]/.test(text.charAt(at))) at++;
  }
}

const LINK =
  /!?\[(?<label>[^[\]\n\0]*)\]\((?:<(?<angled>[^<>\n\0]+)>|(?<target>[^()\s\0]+))(?:\s+(?<title>"[^"\0]*"|'(?:[^'\0]|'(?!\)))*'))?\)/g;
const WHOLE = new RegExp(`^(?<path>[^\\n\\0]+?)${PLACE}(?::\\d+)?$`, 'u');
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** `[label](path:12)`, `[label](path#L12 "text")` */
export function findLinks(text: string): Citation[] {
  return [...text.matchAll(LINK)].flatMap((match) => {
    const { label = '', angled, target, title } = match.groups ?? {};
    const address = decoded(angled ?? target ?? '');
    const whole = SCHEME.test(address) ? null : WHOLE.exec(address);
    if (whole === null) return [];
    const quotes = title === undefined ? [] : [title.slice(1, -1)];
    if (title === undefined && isOpener(label.trim().charAt(0))) quotes.push(unquoted(label));
    const citation = citationOf(
      { index: match.index, 0: match[0], groups: whole.groups ?? {} },
      { quotes, strict: true },
    );
    return citation === null ? [] : [citation];
  });
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch (error) {
    // A percent sign of its own.
    if (error instanceof URIError) return address;
    throw error;
  }
}

const HIT_PATH =
  '(?:[^\\s:`"\'()\\[\\]\\0]+|\\.{0,2}\\/[^\\n:`\\0]{1,500}?\\.[\\p{L}\\p{N}]{1,10})';
const HIT = new RegExp(
  `^(?<lead>[ \\t]*(?:>[ \\t]?)*(?:(?:[-*+]|\\d{1,3}[.)])[ \\t]+)?)(?<tick>\`?)(?<path>${HIT_PATH})${PLACE}:(?<text>[^\\n\\0]*)$`,
  'gmu',
);
/** What a compiler says of a line is not what the line says. */
const MESSAGE = /^\d+:\s*(?:fatal |internal )?(?:error|warning|note|info|remark)\b|^\d+\)?$/i;

/** Lines as grep prints them. @param isCode is there a fence around an offset? */
export function findHits(text: string, isCode: (at: number) => boolean): Citation[] {
  return [...text.matchAll(HIT)].flatMap((match) => {
    const { lead = '', tick = '', text: line = '' } = match.groups ?? {};
    const said = tick !== '' && line.trimEnd().endsWith(tick) ? line.trimEnd().slice(0, -1) : line;
    if (said.trim() === '' || MESSAGE.test(said)) return [];
    const at = match.index + lead.length;
    const found = { index: at, 0: match[0].slice(lead.length), groups: match.groups ?? {} };
    // Behind colon and blank stands what the answer says of the line, or a line that is indented.
    const isProse = /^ [^ ]/.test(said) && !isCode(at) && tick === '';
    if (isProse && isOpener(said.charAt(1))) return [];
    const citation = citationOf(found, isProse ? { maybeQuote: said } : { quotes: [said] });
    if (citation === null) return [];
    // The prose may have citations of its own.
    return [isProse ? { ...citation, end: citation.end - said.length - 1 } : citation];
  });
}

const NAMED = [
  new RegExp(`\`(?<path>[^\`\\n\\0]{1,500}?)${PLACE}(?::\\d+)?\``, 'gu'),
  new RegExp(`["“](?<path>\\.{0,2}\\/[^${NOT_IN_PATH}]{1,500}?)${PLACE}["”]`, 'gu'),
  new RegExp(
    `(?<![\\p{L}\\p{N}\\p{M}_/.:@~-])(?<path>(?:~|\\.{0,2})\\/?[\\p{L}\\p{N}\\p{M}_@%+=~.-]{1,255}(?:\\/[\\p{L}\\p{N}\\p{M}_@%+=~.-]{1,255}){0,40})${PLACE}${PLACE_END}`,
    'gu',
  ),
];
const CODE = /`(?<code>[^`\n\0]+)`/g;
const CODE_HIT = new RegExp(`^(?<path>${HIT_PATH})${PLACE}:(?<text>.*\\D.*)$`, 'u');

/** A path and a place in running text, in quotation marks, or as code. */
export function findNamed(text: string): Citation[] {
  const found: Citation[] = [];
  for (const match of text.matchAll(CODE)) {
    const hit = CODE_HIT.exec(match.groups?.['code'] ?? '');
    if (hit === null) continue;
    const groups = hit.groups ?? {};
    const quotes = [groups['text'] ?? ''];
    const citation = citationOf({ index: match.index, 0: match[0], groups }, { quotes });
    if (citation !== null) found.push(citation);
  }
  for (const pattern of NAMED) {
    const rest = without(text, found);
    for (const match of rest.matchAll(pattern)) {
      const citation = citationOf(match);
      if (citation !== null) found.push(citation);
    }
  }
  return found;
}
