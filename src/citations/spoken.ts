/** Which words of an answer are quoted from which citation, where that is said by how they stand. */
import type { Citation } from './citation.ts';
import { TAKEN } from './forms.ts';
import { isOpener, type Quoted, quotationsIn, quotedFrom, quotedUpTo, unquoted } from './marks.ts';

/** From an offset of the answer up to another. */
interface Range {
  at: number;
  end: number;
}

/** How far from its citation a quotation may begin. UTF-16 units. */
const FARTHEST = 4_000;

/** Between a quotation and the citation behind it. */
const LEAD_IN =
  /[\s([*_—–\-,;:|]*(?:(?:see|from|in|at|source|cf\.?|siehe|aus|vgl\.?)[:\s]*)?[\s([*_]*$/i;
/** Between a citation and the quotation behind it. */
const LEAD_ON = /^[*_`]{0,3}(?:\s*[:,–—-]\s*|\s+(?:says|reads|states|has|sagt)[:,]?\s*|\s+)?/;

/**
 * Gives each citation without a quotation the one that stands beside it.
 * @param text the answer, with what is no prose out of sight
 * @param sentences the ranges of its sentences
 */
export function attachQuotes(
  text: string,
  citations: readonly Citation[],
  sentences: readonly Range[],
): Citation[] {
  // What a citation has within itself is its own.
  const used: Range[] = citations.map(({ at, end }) => ({ at, end }));
  const quotes = citations.map(({ quotes }) => [...quotes]);
  const isFree = (index: number): boolean =>
    quotes[index]?.length === 0 && citations[index]?.maybeQuote === undefined;
  const attach = (index: number, { text: said, from, to }: Quoted): void => {
    quotes[index]?.push(said);
    used.push({ at: from, end: to });
  };
  const each = (work: (citation: Citation, index: number) => void): void => {
    for (const [index, citation] of citations.entries()) if (isFree(index)) work(citation, index);
  };
  each(({ at }, index) => {
    const from = Math.max(citations[index - 1]?.end ?? 0, at - FARTHEST);
    const quoted = quotedBefore(text.slice(from, at), from);
    if (quoted !== null) attach(index, quoted);
  });
  each(({ end }, index) => {
    const to = Math.min(citations[index + 1]?.at ?? text.length, end + FARTHEST);
    const quoted = quotedBehind(text.slice(0, to), end);
    if (quoted !== null && !used.some((range) => overlap(range, quoted))) attach(index, quoted);
  });
  for (const sentence of sentences) {
    for (const quoted of longQuotations(text, sentence)) {
      if (used.some((range) => overlap(range, quoted))) continue;
      const index = nearest(citations, sentence, quoted, isFree);
      if (index !== -1) attach(index, quoted);
    }
  }
  return citations.map((citation, index) => ({ ...citation, quotes: quotes[index] ?? [] }));
}

const overlap = ({ at, end }: Range, { from, to }: Quoted): boolean => from < end && at < to;

function quotedBefore(before: string, offset: number): Quoted | null {
  const lead = LEAD_IN.exec(before)?.index ?? before.length;
  const paragraph = before.lastIndexOf('\n\n', lead) + 1;
  // What is quoted may have paragraphs of its own.
  for (const from of paragraph > 0 ? [paragraph, 0] : [0]) {
    const quoted = quotedUpTo(before.slice(from, lead));
    if (quoted === null || quoted.text.includes(TAKEN)) continue;
    const by = offset + from;
    return { ...quoted, from: quoted.from + by, to: quoted.to + by };
  }
  return null;
}

function quotedBehind(text: string, end: number): Quoted | null {
  const lead = LEAD_ON.exec(text.slice(end))?.[0] ?? '';
  if (lead.includes('\n\n')) return null;
  const from = end + lead.length;
  if (!isOpener(text.charAt(from))) return null;
  return quotedFrom(text, from, /(?![\p{L}\p{N}])/uy);
}

/** Fewer words may be a name, or said with a wink. */
const TELLING_WORDS = 4;

function longQuotations(text: string, { at, end }: Range): Quoted[] {
  return quotationsIn(text.slice(at, end))
    .filter(({ text: said }) => said.trim().split(/\s+/).length >= TELLING_WORDS)
    .map(({ from, to, text: said }) => ({ from: from + at, to: to + at, text: said }));
}

/** The next citation of the sentence, or the last one before. */
function nearest(
  citations: readonly Citation[],
  { at, end }: Range,
  quoted: Quoted,
  isFree: (index: number) => boolean,
): number {
  const inside = [...citations.entries()].filter(
    ([index, one]) => one.at >= at && one.at < end && isFree(index),
  );
  const [index] = inside.find(([, one]) => one.at >= quoted.to) ?? inside.at(-1) ?? [-1];
  return index;
}

const BLOCKQUOTE = /(?:^[ \t]*>[^\n]*(?:\n|$))+/gm;
const DASH = /[—–-]/;
const ATTRIBUTION = /^[ \t]*\n?[ \t]*[—–\-(*_`[ \t]*$/;

/** Gives a citation at the end of a blockquote, below it, or in the line before it, what the blockquote says. */
export function attachBlockquotes(text: string, citations: readonly Citation[]): Citation[] {
  const quotes = new Map<Citation, string>();
  const quoted = new Set<Citation>();
  for (const match of text.matchAll(BLOCKQUOTE)) {
    const at = match.index;
    const end = at + match[0].length;
    const inside = citations.filter((each) => each.at >= at && each.at < end);
    const signer = below(text, end, citations);
    if (signer?.quotes.length === 0 && DASH.test(text.slice(end, signer.at))) {
      // Whatever is cited within is part of what is quoted.
      for (const each of inside) quoted.add(each);
      quotes.set(signer, bodyOf(text.slice(at, end), false));
      continue;
    }
    const [only] = inside;
    if (inside.length > 1 || (only !== undefined && only.quotes.length > 0)) continue;
    const owner = only ?? signer ?? above(text, at, citations);
    if (owner === undefined || owner.quotes.length > 0 || quotes.has(owner)) continue;
    if (only !== undefined && /[\p{L}\p{N}]/u.test(text.slice(only.end, end))) continue;
    const body = text.slice(at, only === undefined ? end : only.at);
    const said = bodyOf(body, only !== undefined);
    if (said !== '') quotes.set(owner, said);
  }
  return citations
    .filter((each) => !quoted.has(each))
    .map((each) => {
      const said = quotes.get(each);
      if (said === undefined) return each;
      const { maybeQuote: _, ...rest } = each;
      return { ...rest, quotes: [said] };
    });
}

function bodyOf(body: string, withLead: boolean): string {
  const lines = body.replace(/^[ \t]*>[ \t]?/gm, '');
  const own = withLead ? lines.replace(LEAD_IN, '') : lines;
  return unquoted(own);
}

/** The citation that the line below a blockquote begins with. */
const below = (text: string, end: number, citations: readonly Citation[]): Citation | undefined =>
  citations.find((each) => each.at >= end && ATTRIBUTION.test(text.slice(end, each.at)));

/** The citation that the line above ends with: `/mnt/docs/a.md:12:` */
const above = (text: string, at: number, citations: readonly Citation[]): Citation | undefined =>
  citations.findLast(
    (each) => each.end <= at && /^[)*_`\]]*:?[ \t]*\n\n?$/.test(text.slice(each.end, at)),
  );
