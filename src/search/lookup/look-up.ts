/**
 * Looks tokens up letter for letter: in paths, titles, fields and texts. The terms
 * of the index narrow it to a few chunks, which are then read.
 */
import { parentOf } from '../fuse/parents.ts';
import type { HeldDocument } from '../index/documents.ts';
import type { IndexMemory, Selection } from '../index/memory.ts';
import type { StoredChunk } from '../index/store.ts';
import { folded, isPlain } from '../words/folded.ts';
import { isStopWord, type Stemmer, wordsOf } from '../words/words.ts';
import { fieldsEnd, isTitle, keyOf } from './front-matter.ts';
import { lookedUpAs, type Matcher, matcherOf } from './token.ts';

/** How a document has a token, the best first. */
export const RANKS = [
  'its name',
  'its title',
  'a field',
  'its text',
  'its text, letter case aside',
  'its text, loosely',
  'part of its path',
  'part of its title or of a field',
  'part of its text',
] as const;
type Rank = (typeof RANKS)[number];
const rankOf = (rank: Rank): number => RANKS.indexOf(rank);

/** From here on it is a part of something else that was found. */
const PARTS = rankOf('part of its path');

/** A line that has the token. */
export interface SightedLine {
  chunk: StoredChunk;
  /** 1-based, in the document. */
  line: number;
  text: string;
  rank: number;
}

/** A document that has the token. */
export interface Sighting {
  document: HeldDocument;
  /** Place in {@link RANKS}. */
  rank: number;
  isWhole: boolean;
  /** The line that was named with its path, 1-based. */
  asked: number | null;
  /** Its lines, best first; none where only its path has it. */
  lines: SightedLine[];
  /** The slot of its first chunk, and the one after its last. */
  first: number;
  end: number;
}

/** What it looks at. */
export interface LookedAt {
  memory: IndexMemory;
  stemmer: Stemmer;
  chunk(slot: number): StoredChunk | null;
  /** Chunks whose texts have a string as it stands, by slot; it reads all of them. */
  scan(text: string): Iterable<number>;
}

/** Chunks that are read for one token, at most. */
const MOST_READ = 2_000;
/** Signs that a part of a word needs to be looked for. */
const SHORTEST_PART = 3;
/** A text in hexadecimal may be longer than any word of the index. */
const HASH = /^[0-9a-f]{6,}$/i;

export class LookUp {
  readonly #at: LookedAt;
  readonly #selection: Selection;

  constructor(at: LookedAt, selection: Selection) {
    this.#at = at;
    this.#selection = selection;
  }

  /**
   * The documents that have a token: whole before in part, then by where it stands, then by `order`.
   * @param order of two documents that have it alike, the one with the smaller number comes first
   * @param inTexts false where only names are looked at
   */
  find(
    token: string,
    order: (document: HeldDocument) => number = () => 0,
    inTexts = true,
  ): Sighting[] {
    const { text, line } = lookedUpAs(token);
    const matcher = matcherOf(text);
    const sightings = new Map<number, Sighting>();
    for (const { document, first, end } of this.#at.memory.documents.all(mayHave(matcher))) {
      // A document without text has no chunk to be selected, and no line to be shown.
      if (first === end || this.#selection.slots[first] !== 1) continue;
      const rank = rankOfPath(document.path, matcher);
      if (rank === null) continue;
      sightings.set(document.id, {
        document,
        rank,
        isWhole: rank < PARTS,
        asked: line,
        lines: [],
        first,
        end,
      });
    }
    for (const slot of inTexts ? this.#slots(text) : []) this.#read(slot, matcher, sightings);
    for (const sighting of sightings.values()) sighting.lines.sort((a, b) => a.rank - b.rank);
    return [...sightings.values()].sort(
      (a, b) =>
        a.rank - b.rank ||
        Number(parentOf(a.document.path) !== null) - Number(parentOf(b.document.path) !== null) ||
        order(a.document) - order(b.document) ||
        compare(a.document.path, b.document.path),
    );
  }

  #read(slot: number, matcher: Matcher, sightings: Map<number, Sighting>): void {
    const chunk = this.#at.chunk(slot);
    if (chunk === null) return;
    const lines = linesWith(chunk, matcher);
    if (lines.length === 0) return;
    const { documents } = this.#at.memory;
    const document = documents.owner(slot);
    let sighting = sightings.get(document.id);
    if (sighting === undefined) {
      const { first, end } = documents.slots(document.id);
      sighting = {
        document,
        rank: RANKS.length,
        isWhole: false,
        asked: null,
        lines: [],
        first,
        end,
      };
      sightings.set(document.id, sighting);
    }
    // Chunks may overlap.
    const known = new Set(sighting.lines.map(({ line }) => line));
    sighting.lines.push(...lines.filter(({ line }) => !known.has(line)));
    sighting.rank = Math.min(sighting.rank, ...lines.map(({ rank }) => rank));
    sighting.isWhole = sighting.rank < PARTS;
  }

  /** The chunks that may have a token, by its words. */
  #slots(token: string): number[] {
    const { memory } = this.#at;
    const { corpus } = memory;
    const { slots } = this.#selection;
    const words = [...new Set(wordsOf(token))].filter((word) => !isStopWord(word));
    const found: number[] = [];
    if (words.length > 0) {
      const has = new Uint8Array(corpus.size);
      for (const [place, word] of words.entries()) {
        for (const term of this.#termsWith(word)) {
          corpus.each(term, (slot) => {
            if (has[slot] === place) has[slot] = place + 1;
          });
        }
      }
      for (let slot = 0; slot < has.length && found.length < MOST_READ; slot++) {
        if (has[slot] === words.length && slots[slot] === 1 && corpus.alive(slot)) found.push(slot);
      }
    }
    if (found.length > 0 || (words.length > 0 && !HASH.test(token))) return found;
    for (const slot of this.#at.scan(token)) {
      if (slots[slot] === 1) found.push(slot);
      if (found.length === MOST_READ) break;
    }
    return found;
  }

  /** The terms of a word, and those that it is a part of. */
  #termsWith(word: string): Set<number> {
    const { memory, stemmer } = this.#at;
    const { corpus, documents } = memory;
    const terms = new Set<number>();
    const add = (term: string): void => {
      const number = corpus.termNumber(term);
      if (number !== undefined) terms.add(number);
    };
    add(stemmer.stem(word));
    for (const language of documents.languages) add(stemmer.stem(word, language));
    // A measure's number and unit are two words of the index.
    for (const part of wordsOf(word)) add(stemmer.stem(part));
    const plain = folded(word);
    if (isShort(plain) && !/\d/.test(plain)) return terms;
    for (const [number, term] of corpus.vocabulary.entries()) {
      if (term.includes(plain)) terms.add(number);
    }
    return terms;
  }
}

/** Too short for a part of a word; a sign of a script without spaces is a word. */
const isShort = (plain: string): boolean => plain.length < SHORTEST_PART && isPlain(plain);

const numeric = new Intl.Collator('en', { numeric: true });
const compare = (one: string, other: string): number => numeric.compare(one, other);

/** Tells which paths are worth a closer look: there may be many. */
function mayHave({ plain, inPath }: Matcher): (path: string) => boolean {
  return (path) =>
    inPath.test(path) || (!isPlain(path) && folded(path).toLowerCase().includes(plain));
}

/** How a path has a token; null where it does not. */
function rankOfPath(path: string, { plain, part }: Matcher): number | null {
  const shown = folded(path).toLowerCase();
  if (shown === plain || shown.endsWith(plain.startsWith('/') ? plain : `/${plain}`)) return 0;
  const name = shown.slice(shown.lastIndexOf('/') + 1);
  const stem = name.replace(/\.[^.]+$/, '');
  // A page's name may end in what tells it from others of the same title.
  const [title = stem, hash = ''] = stem.split(/--(?=[0-9a-f]+$)/);
  const number = plain.startsWith('#') ? plain.slice(1) : plain;
  if ([stem, title, hash, stem.replace(/\.[^.]+$/, '')].includes(number)) return 0;
  if (isShort(plain) || shown.search(part) === -1) return null;
  return rankOf('part of its path');
}

/** The lines of a chunk that have a token. */
function linesWith(chunk: StoredChunk, matcher: Matcher): SightedLine[] {
  const text = folded(chunk.text);
  const places: [regexp: RegExp, rank: Rank][] = [
    [matcher.sameCase, 'its text'],
    [matcher.whole, 'its text, letter case aside'],
    [matcher.loose, 'its text, loosely'],
    [matcher.part, 'part of its text'],
  ];
  const lines = chunk.text.split('\n');
  const fields = fieldsEnd(chunk, lines);
  const found = new Map<number, SightedLine>();
  for (const [regexp, inText] of places) {
    if (inText === 'part of its text' && isShort(matcher.plain)) continue;
    for (const { index } of text.matchAll(regexp)) {
      const at = newlines(text, index);
      if (found.has(at)) continue;
      const line = lines[at] ?? '';
      const rank = rankInLine(line, at < fields, inText, matcher);
      found.set(at, { chunk, line: chunk.firstLine + at, text: line, rank });
    }
  }
  return [...found.values()];
}

function rankInLine(line: string, isField: boolean, inText: Rank, { plain }: Matcher): number {
  const isPart = rankOf(inText) >= PARTS;
  if (!isField && !isTitle(line)) return rankOf(inText);
  if (isPart) return rankOf('part of its title or of a field');
  const key = isField ? keyOf(line) : null;
  if (key !== null && /^(?:id|key|identifier|number|slug|name)$/.test(key.name)) {
    const number = plain.replace(/^#/, '');
    if (folded(key.value).toLowerCase() === number) return rankOf('its name');
  }
  return rankOf(isTitle(line) ? 'its title' : 'a field');
}

/** How many lines end before a place. */
function newlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) {
    count += 1;
  }
  return count;
}
