/** One citation against the document that it names. */
import { createHash } from 'node:crypto';
import { type Citation, type Place, placeText } from './citation.ts';
import type { CitedDocument } from './document.ts';
import { hasInvisible } from './folded-text.ts';
import {
  denialBefore,
  type Occurrence,
  occurrencesOf,
  parseQuotation,
  type Scope,
  type Span,
} from './quotation.ts';

/** What is found of a citation in its document. */
export interface Finding {
  /** What is wrong, in the answer's own words and numbers alone; null where it holds. */
  fault: string | null;
  /** What the document has at that place, shortened; text of the document. */
  stands?: string;
  /** Where its words stand instead: `12`, `p3`. */
  elsewhere: readonly string[];
  /** What a reader should know, though it holds. */
  notes: readonly string[];
  /** The quotations that were looked for. */
  quotes: readonly string[];
}

/** Characters of the document that are shown. */
const SHOWN = 200;
/** Places that are named where the words stand elsewhere. */
const MOST_PLACES = 3;
/** Places that are looked at for one quotation. */
const MOST_READINGS = 50;

/** @param sentence the one that the citation is of, for its numbers */
export function checkCitation(
  doc: CitedDocument,
  { place, quotes, maybeQuote }: Citation,
  sentence: string | null,
): Finding {
  const scope = scopeOf(doc, place);
  const missing = typeof scope === 'string' ? scope : null;
  const within = typeof scope === 'string' ? null : scope;
  const said =
    maybeQuote !== undefined && hasQuote(doc, maybeQuote, within) ? [maybeQuote] : quotes;
  const base = { elsewhere: [], notes: [], quotes: said };
  if (said.length === 0) return { ...base, ...checkPlace(doc, place, within, missing, sentence) };
  const notes: string[] = [];
  for (const quote of said) {
    const finding = checkQuote(doc, quote, place, within, missing);
    if (finding.fault !== null) return { ...base, ...finding };
    notes.push(...(finding.notes ?? []));
  }
  return { ...base, fault: null, notes };
}

/** The hash of what stands at a place, by which it is known again: 16 hexadecimal digits. */
export function placeHash(doc: CitedDocument, place: Place | null): string {
  const scope = scopeOf(doc, place);
  if (typeof scope === 'string') return '';
  return textHash(scope === null ? doc.text : doc.text.slice(scope.span.from, scope.span.to));
}

/** The lines that have a hash. */
export function linesWith(doc: CitedDocument, hash: string): string[] {
  const found: string[] = [];
  for (let number = 1; !doc.paged && number <= doc.count; number++) {
    const line = doc.line(number);
    if (line !== null && textHash(doc.text.slice(line.from, line.to)) === hash)
      found.push(String(number));
  }
  return found;
}

/** Where quotations stand, by the first of them; nowhere unless the document has them all. */
export function placesWith(doc: CitedDocument, quotes: readonly string[]): string[] {
  const all = quotes.map((quote) =>
    find(doc, quote, null, MOST_READINGS).filter(({ denied }) => denied === null),
  );
  if (all.some((places) => places.length === 0)) return [];
  const places = (all[0] ?? []).map(({ from }) => doc.placeAt(from));
  return [...new Set(places)].slice(0, MOST_PLACES);
}

const textHash = (text: string): string =>
  createHash('sha256').update(text.trim()).digest('hex').slice(0, 16);

/** Where the words may stand; a sentence where there is no such place; null for a document as a whole. */
function scopeOf(doc: CitedDocument, place: Place | null): Scope | string | null {
  if (place === null) return null;
  const unit = place.unit;
  if (doc.paged !== (unit === 'page')) {
    return doc.paged
      ? `it is cited by pages, such as ${doc.anchors[0] ?? 'p1'}`
      : 'it has no pages; it is cited by lines';
  }
  const [first, last] =
    place.unit === 'line'
      ? [doc.line(place.from), doc.line(place.to)]
      : [doc.page(place.from), doc.page(place.to)];
  if (first === null || last === null) {
    const absent = first === null ? place.from : place.to;
    const has = doc.paged ? `${doc.count} pages` : `${doc.count} lines`;
    return `there is no ${unit} ${absent}; it has ${doc.count === 1 ? has.slice(0, -1) : has}`;
  }
  if (last.from < first.from) return `${placeText(place)} ends before it begins`;
  // What begins in a line may run on to the next ones.
  const closed = doc.paged || place.from !== place.to;
  return { span: { from: first.from, to: last.to }, closed };
}

/** The places in scope that have a quotation. */
function find(doc: CitedDocument, quote: string, scope: Scope | null, most: number): Occurrence[] {
  for (const folding of doc.foldings(hasInvisible(quote))) {
    const forms = parseQuotation(quote, folding);
    if (forms === null) return [];
    const found = occurrencesOf(doc.folded(folding), forms, scope, most);
    if (found.length > 0) return found;
  }
  return [];
}

const hasQuote = (doc: CitedDocument, quote: string, scope: Scope | null): boolean =>
  find(doc, quote, scope, 1).length > 0;

type Checked = Pick<Finding, 'fault'> & Partial<Finding>;

function checkQuote(
  doc: CitedDocument,
  quote: string,
  place: Place | null,
  scope: Scope | null,
  missing: string | null,
): Checked {
  if (!/[\p{L}\p{N}]/u.test(quote)) return { fault: 'it quotes no word' };
  const here = missing === null ? find(doc, quote, scope, MOST_READINGS) : [];
  const plain = here.find(({ denied }) => denied === null);
  if (plain !== undefined) {
    const denial = denialBefore(doc.text, plain.from);
    const note = `the word before "${shortened(quote, 60)}" is "${denial}"`;
    return { fault: null, notes: denial === null ? [] : [note] };
  }
  const stands = scope === null ? {} : { stands: shownAt(doc, scope.span) };
  const [turned] = here;
  if (turned !== undefined)
    return { ...stands, fault: `what it leaves out turns it round: "${turned.denied}"` };
  const apart = scope === null ? null : runsTo(doc, quote, scope);
  if (apart !== null && place !== null)
    return { ...stands, fault: `these words run on to ${apart}; cite ${place.from}-${apart}` };
  const elsewhere = placesWith(doc, [quote]);
  const what = place === null ? 'it' : `${unitOf(place)} ${placeText(place)}`;
  const lacks = missing ?? `${what} does not have these words`;
  if (elsewhere.length > 0) {
    const where = `they stand at ${doc.paged ? '' : 'line '}${elsewhere.join(', ')}`;
    return {
      ...stands,
      elsewhere,
      fault: `${lacks}; ${missing === null ? where : `the words: ${where}`}`,
    };
  }
  const agreement = missing === null ? agreementWith(doc, quote, scope) : '';
  return { ...stands, fault: `${lacks}${agreement}${strangeLetters(quote)}` };
}

/** Where words end that begin in scope and do not stay in it; null where there are none. */
function runsTo(doc: CitedDocument, quote: string, { span }: Scope): string | null {
  const next = doc.paragraphEnd(span);
  if (doc.paged || next <= span.to) return null;
  const [found] = find(doc, quote, { span: { from: span.from, to: next }, closed: true }, 1);
  return found === undefined || found.from >= span.to ? null : doc.placeAt(found.to - 1);
}

const unitOf = (place: Place): string =>
  place.unit === 'page' ? 'page' : place.from === place.to ? 'line' : 'lines';

/** How far a quotation agrees with its place, in words of its own. */
function agreementWith(doc: CitedDocument, quote: string, scope: Scope | null): string {
  const words = quote.trim().split(/\s+/);
  let agreed = 0;
  for (let high = words.length - 1; agreed < high; ) {
    const middle = (agreed + high + 1) >> 1;
    if (hasQuote(doc, words.slice(0, middle).join(' '), scope)) agreed = middle;
    else high = middle - 1;
  }
  if (agreed === 0) return ', nor the first of them';
  const from = words.slice(Math.max(0, agreed - 6), agreed).join(' ');
  return `: it has them as far as "${from}", and not "${words[agreed] ?? ''}" after that`;
}

/** Letters of another alphabet within a word, which look like those of this one. */
const STRANGE =
  /\p{Script=Latin}(?=\p{M}*(?<a>[\p{Script=Cyrillic}\p{Script=Greek}]))|(?<b>[\p{Script=Cyrillic}\p{Script=Greek}])(?=\p{M}*\p{Script=Latin})/u;

function strangeLetters(quote: string): string {
  const groups = STRANGE.exec(quote)?.groups;
  const letter = groups?.['a'] ?? groups?.['b'];
  if (letter === undefined) return '';
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `; "${letter}" (U+${code}) is a letter of another alphabet`;
}

function checkPlace(
  doc: CitedDocument,
  place: Place | null,
  scope: Scope | null,
  missing: string | null,
  sentence: string | null,
): Checked {
  if (missing !== null) return { fault: missing };
  const text = scope === null ? doc.text : doc.text.slice(scope.span.from, scope.span.to);
  const what = place === null ? 'the file' : `${unitOf(place)} ${placeText(place)}`;
  if (text.trim() === '') return { fault: `${what} is empty` };
  const strange = numbersIn(sentence ?? '').filter((number) => !numbersIn(text).includes(number));
  const shown = [...new Set(strange)].slice(0, 3).join(', ');
  const notes = ['nothing is quoted: only the place was checked'];
  if (shown !== '') notes.push(`the sentence says ${shown}, which ${what} does not`);
  return { fault: null, notes, stands: shortened(text, SHOWN) };
}

const numbersIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}.,_-])\d+(?:[.,:]\d+)*(?![\p{L}_])/gu)].map(
    ([number]) => number,
  );

const shownAt = (doc: CitedDocument, { from, to }: Span): string =>
  shortened(doc.text.slice(from, to), SHOWN);

function shortened(text: string, most: number): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
