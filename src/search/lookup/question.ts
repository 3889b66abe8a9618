/** What of a question is looked up, what comes of it, and which of its words are nowhere. */
import type { HeldDocument } from '../index/documents.ts';
import { isStopWord, wordsOf } from '../words/words.ts';
import type { LookUp, SightedLine, Sighting } from './look-up.ts';
import { isKey, type Token, tokensOf } from './token.ts';

/** What was found letter for letter. */
export interface LookedUp {
  /** Documents that come before those that the ranking found, best first. */
  first: Sighting[];
  /** Documents that come after them, or in their place where it found none. */
  last: Sighting[];
  /** Nothing else can be meant: no ranking is asked. */
  decides: boolean;
  /** Tokens that no document has, as they were typed, and those that one has. */
  missing: string[];
  there: string[];
}

/** So many tokens of a longer question are looked up: one with more was pasted. */
const MOST_TOKENS = 6;
/** A token names a document where it is the name of so few. */
const NAMED = 3;
/** A date or a number of a record in a longer question is found in its text, too: in so many documents at most. */
const TOLD = 20;

/**
 * Looks up what of a question is meant letter for letter.
 * @param order of documents that are found alike
 * @param isRanked has the ranking found something?
 */
export function lookUpQuestion(
  query: string,
  lookUp: LookUp,
  order: (document: HeldDocument) => number,
  isRanked: boolean,
): LookedUp {
  const tokens = tokensOf(query);
  const [only] = tokens;
  if (only === undefined) return lookUpSigns(query, lookUp);
  if (tokens.length === 1) return lookUpOne(only, lookUp, order, isRanked);
  const looked: LookedUp = { first: [], last: [], decides: false, missing: [], there: [] };
  const meant = tokens.filter(({ kind }) => kind === 'certain' || kind === 'symbol');
  if (meant.length > MOST_TOKENS) return looked;
  const found = meant.map((token) => ({ token, sightings: lookUp.find(token.text, order) }));
  for (const { token, sightings } of found) {
    const whole = sightings.filter(({ isWhole }) => isWhole);
    const named = whole.filter(({ rank }) => rank <= 1);
    const isName = named.length > 0 && named.length <= NAMED;
    if (isName && token.kind === 'certain') looked.first.push(...named);
    else if (isName) looked.first.push(...named.filter(({ rank }) => rank === 0));
    else if (token.kind === 'certain' && !isKey(token) && whole.length <= TOLD) {
      looked.first.push(...whole);
    }
    (sightings.length === 0 ? looked.missing : looked.there).push(token.text);
  }
  looked.first = unique(looked.first);
  // What nothing else is asked about stands alone.
  const others = tokens.filter(({ kind }) => kind !== 'certain');
  looked.decides = looked.first.length > 0 && others.every(tellsNothing);
  return looked;
}

/** A question that is one token. */
function lookUpOne(
  token: Token,
  lookUp: LookUp,
  order: (document: HeldDocument) => number,
  isRanked: boolean,
): LookedUp {
  // Where the ranking has a plain word, only a document of that name comes before it.
  const sightings = lookUp.find(token.text, order, token.kind !== 'word' || !isRanked);
  const isNowhere = sightings.length === 0;
  const hasWords = wordsOf(token.text).length > 0;
  const missing = isNowhere && (token.kind !== 'word' || !hasWords) ? [token.text] : [];
  const there = isNowhere ? [] : [token.text];
  if (token.kind === 'certain' || token.kind === 'number') {
    return { first: sightings, last: [], decides: true, missing, there };
  }
  const isFirst = ({ rank, isWhole }: Sighting): boolean =>
    token.kind === 'symbol' ? isWhole : rank === 0;
  return {
    first: sightings.filter(isFirst),
    // A word that is in all texts tells none of them apart.
    last: hasWords && tellsNothing(token) ? [] : sightings.filter((each) => !isFirst(each)),
    decides: false,
    missing,
    there,
  };
}

function tellsNothing({ text, kind }: Token): boolean {
  const words = wordsOf(text);
  return kind === 'word' && words.every((word) => isStopWord(word));
}

/** A question without a word or a number, such as an arrow or an emoji. */
function lookUpSigns(query: string, lookUp: LookUp): LookedUp {
  const signs = query.trim();
  const first = signs === '' ? [] : lookUp.find(signs);
  const missing = first.length === 0 && signs !== '' ? [signs] : [];
  return { first, last: [], decides: true, missing, there: [] };
}

/** Each document once, with the lines of all that it was found by. */
function unique(sightings: readonly Sighting[]): Sighting[] {
  const known = new Map<number, Sighting>();
  for (const each of sightings) {
    const before = known.get(each.document.id);
    const lines = [...(before?.lines ?? []), ...each.lines];
    known.set(each.document.id, { ...(before ?? each), lines: uniqueLines(lines) });
  }
  return [...known.values()];
}

function uniqueLines(lines: readonly SightedLine[]): SightedLine[] {
  const known = new Set<number>();
  return lines.filter(({ line }) => !known.has(line) && known.add(line));
}
