/** A quotation, and where a text has it. */
import { cutsAtEnd, cutsAtStart } from './cut.ts';
import { type FoldedText, type Folding, fold, hasInvisible } from './folded-text.ts';

/** A quotation as it is looked for: its parts, in order, with something left out between them. */
export interface Quotation {
  /** Folded, none of them empty. */
  parts: readonly string[];
  /** Does it begin or end in an ellipsis, as a long line does that grep prints? Then the word there may be cut. */
  openStart: boolean;
  openEnd: boolean;
}

/** From an offset of a text up to another. */
export interface Span {
  from: number;
  to: number;
}

/** Where the parts of a quotation may stand, as offsets of the source. */
export interface Scope {
  /** Each part begins here. */
  span: Span;
  /** Does the last one end here, too? Else it may run on. */
  closed: boolean;
}

/** A place that has the words of a quotation. */
export interface Occurrence extends Span {
  /** Words that deny, left out between two parts: with them the text says something else. */
  denied: string | null;
}

const ELLIPSIS = / ?(?:\[ ?\.{3,} ?\]|\( ?\.{3,} ?\)|\.{3,}) ?/;
const CLOSING = /[.,;:]$/;

/** @returns null for one that holds no letter and no digit */
export function parseQuotation(text: string, folding: Folding): Quotation[] | null {
  const { text: folded } = fold(text.normalize('NFC').trim(), {
    ...folding,
    invisible: folding.invisible || hasInvisible(text),
  });
  const whole = folded.trim();
  if (!/[\p{L}\p{N}]/u.test(whole)) return null;
  const forms: Quotation[] = [];
  const add = (parts: readonly string[], openStart: boolean, openEnd: boolean): void => {
    if (parts.length === 0) return;
    const last = parts.at(-1) ?? '';
    forms.push({ parts, openStart, openEnd });
    // Printers put a comma or a full stop inside of the quotation marks.
    if (CLOSING.test(last) && last.length > 1)
      forms.push({
        parts: [...parts.slice(0, -1), last.slice(0, -1).trimEnd()],
        openStart,
        openEnd,
      });
  };
  add([whole], false, false);
  const parts = whole.split(ELLIPSIS);
  if (parts.length > 1)
    add(
      parts.map((part) => part.trim()).filter((part) => part !== ''),
      parts[0] === '',
      parts.at(-1) === '',
    );
  return forms;
}

/** The places that have a quotation, the first of the text first. @param most how many are wanted */
export function occurrencesOf(
  doc: FoldedText,
  forms: readonly Quotation[],
  scope: Scope | null,
  most: number,
): Occurrence[] {
  for (const form of forms) {
    const found = occurrencesOfForm(doc, form, scope, most);
    if (found.length > 0) return found;
  }
  return [];
}

function occurrencesOfForm(
  doc: FoldedText,
  { parts, openStart, openEnd }: Quotation,
  scope: Scope | null,
  most: number,
): Occurrence[] {
  const [first = '', ...rest] = parts;
  const found: Occurrence[] = [];
  for (const opening of openingsOf(first)) {
    let from = scope === null ? 0 : foldedOffset(doc, scope.span.from);
    while (found.length < most) {
      const start = doc.text.indexOf(opening, from);
      if (start === -1 || (scope !== null && sourceOf(doc, start) >= scope.span.to)) break;
      from = start + 1;
      const end = start + opening.length;
      if (cutsAtStart(doc, start, openStart) || cutsAtEnd(doc, end, openEnd && rest.length === 0))
        continue;
      const occurrence = followed(doc, start, end, rest, openEnd, scope);
      if (occurrence !== null) found.push(occurrence);
    }
  }
  return found.sort((a, b) => a.from - b.from).map((each) => tightest(each, found));
}

/** Of two readings that end alike, the shorter one is meant, and what it leaves out counts for both. */
const tightest = (occurrence: Occurrence, all: readonly Occurrence[]): Occurrence =>
  all.findLast(({ from, to }) => to === occurrence.to && from > occurrence.from) ?? occurrence;

/** How far apart parts may stand where nothing else bounds them. Folded characters. */
const FARTHEST = 2_000;

function followed(
  doc: FoldedText,
  start: number,
  firstEnd: number,
  rest: readonly string[],
  openEnd: boolean,
  scope: Scope | null,
): Occurrence | null {
  let end = firstEnd;
  let denied: string | null = null;
  for (const [index, part] of rest.entries()) {
    const next = nextPart(doc, part, end, openEnd && index === rest.length - 1);
    if (next === -1 || next - end > FARTHEST) return null;
    if (scope !== null && sourceOf(doc, next) >= scope.span.to) return null;
    denied ??= denialIn(doc.text.slice(end, next));
    end = next + part.length;
  }
  const to = sourceEnd(doc, end);
  if (scope?.closed === true && to > scope.span.to) return null;
  return { from: sourceOf(doc, start), to, denied };
}

function nextPart(doc: FoldedText, part: string, after: number, openEnd: boolean): number {
  for (let from = after; ; from++) {
    from = doc.text.indexOf(part, from);
    if (from === -1 || from - after > FARTHEST) return -1;
    if (!cutsAtStart(doc, from, false) && !cutsAtEnd(doc, from + part.length, openEnd)) return from;
  }
}

/** A quotation within a sentence begins small, one that is a sentence with a capital, whatever the text has. */
function openingsOf(part: string): string[] {
  const match = /^(?<mark>'?)(?<first>\p{L})(?=\p{Ll}|[ ']|$)/u.exec(part);
  const { mark = '', first = '' } = match?.groups ?? {};
  const upper = first.toUpperCase();
  const other = first === upper ? first.toLowerCase() : upper;
  if (first === '' || other === first || other.length !== first.length) return [part];
  return [part, `${mark}${other}${part.slice(mark.length + first.length)}`];
}

/** Words that turn a sentence round, of the languages that are met most. */
const DENIALS =
  /(?<![\p{L}\p{N}])(?:not|no|never|none|nor|neither|without|cannot|except|unless|\p{L}+n't|\p{L}+n'|nicht|kein\p{L}*|nie|ohne|ne|pas|jamais|sans|nunca|sin|não|non|mai|senza)(?![\p{L}\p{N}])/iu;
/** A gap of more words leaves out a clause of its own. */
const SHORT_GAP = 3;

function denialIn(gap: string): string | null {
  const words = gap.trim();
  if (words.split(' ').length > SHORT_GAP) return null;
  return DENIALS.exec(words)?.[0] ?? null;
}

const LAST_WORD = /(?<word>[\p{L}\p{N}']+)[^\p{L}\p{N}.!?;]*$/u;

/** The word just before a place, in its sentence, where it denies what follows. */
export function denialBefore(source: string, from: number): string | null {
  const before = source.slice(Math.max(0, from - 40), from).replaceAll('’', "'");
  const word = LAST_WORD.exec(before)?.groups?.['word'];
  return word !== undefined && DENIALS.test(word) ? word : null;
}

/** The first unit of the folded text that comes from an offset of the source or behind it. */
function foldedOffset({ at }: FoldedText, source: number): number {
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) < source) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sourceOf = ({ at }: FoldedText, offset: number): number => at[offset] ?? 0;

/** Behind the last unit of what ends there: what was folded away after it is not part of it. */
const sourceEnd = ({ at }: FoldedText, end: number): number => (at[end - 1] ?? 0) + 1;
