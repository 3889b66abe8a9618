/** Answers as lines: of what the ranking found, and of what was looked up. */
import type { Parts } from '../fuse/parts.ts';
import type { Evidence } from '../fuse/ranking.ts';
import type { HeldDocument } from '../index/documents.ts';
import type { RankedChunk } from '../index/search-index.ts';
import type { StoredChunk } from '../index/store.ts';
import { isTitle } from '../lookup/front-matter.ts';
import { RANKS, type SightedLine, type Sighting } from '../lookup/look-up.ts';
import { placesOf } from './places.ts';
import type { Line } from './telling-line.ts';

/** One answer. */
export interface Answer {
  path: string;
  /** 1-based. */
  line: number;
  text: string;
  /** Where in a long line the sentence begins that tells most, else 0. */
  from: number;
  score: number;
  /** What each part gave to the score, 0 to 1, and the raw evidence; absent where it was found literally. */
  parts?: Parts;
  evidence?: Evidence;
  /** Where in the document: its title and headings. */
  crumb: string;
  /** The whole passage, and its first line. */
  passage: string;
  passageLine: number;
}

/** Of a document that was looked up so many lines at most are shown. */
const LINES_OF_A_SIGHTING = 3;

/** What of a found passage is shown. */
export interface RankedView {
  lineOf(chunk: StoredChunk): Line;
  /** The field of a document that the question asks for; null where it asks for none. */
  fieldOf(document: HeldDocument): SightedLine | null;
}

/**
 * Answers of what was found, in its order.
 * @param shown answers that come before these: their documents are not shown again
 */
export function rankedAnswers(
  found: readonly RankedChunk[],
  limit: number,
  { lineOf, fieldOf }: RankedView,
  shown: readonly Answer[] = [],
): Answer[] {
  const before = new Set(shown.map(({ path }) => path));
  const others = found.filter(({ document: { path } }) => !before.has(path));
  const told = new Set<string>();
  return placesOf(others, limit, lineOf).map((place): Answer => {
    const { document, score, parts, evidence } = place.found;
    const field = told.has(document.path) ? null : fieldOf(document);
    told.add(document.path);
    const { chunk, line } =
      field === null ? place : { chunk: field.chunk, line: { ...field, from: 0, score: 1 } };
    return { ...answerOf(document.path, chunk, line, score), parts, evidence };
  });
}

/** How a document that was looked up is shown. */
export interface SightedView {
  /** Its chunks, from the first; some of the first ones, where it has many. */
  chunks(sighting: Sighting): Iterable<StoredChunk>;
  /** What of a chunk tells most of what is asked. */
  lineOf(chunk: StoredChunk): Line;
  /** The same of what is asked besides what was looked up; null where nothing else is. */
  elseOf: ((chunk: StoredChunk) => Line) | null;
  /** Is all of the question what was looked up? */
  isAll: boolean;
  /** The field of a document that the question asks for; null where it asks for none. */
  fieldOf(document: HeldDocument): SightedLine | null;
}

/** The lines of what was looked up, best first; where few documents have it, up to three of each. */
export function sightedAnswers(
  sightings: readonly Sighting[],
  limit: number,
  view: SightedView,
): Answer[] {
  const answers: Answer[] = [];
  const shown = sightings.slice(0, limit);
  const room = Math.floor(limit / Math.max(1, shown.length));
  for (const sighting of shown) {
    const { document, rank, lines } = sighting;
    const score = 2 - rank / RANKS.length;
    const first = named(sighting, view);
    if (first !== null) answers.push(answerOf(document.path, first.chunk, first, score));
    const most = Math.min(LINES_OF_A_SIGHTING, Math.max(1, room)) - (first === null ? 0 : 1);
    const others = lines.filter(
      (each) =>
        each.line !== first?.line &&
        each.rank > 0 &&
        !(first !== null && /^#+ /.test(each.text)) &&
        (!sighting.isWhole || each.rank < WHOLE),
    );
    for (const each of view.isAll || first === null ? others.slice(0, most) : []) {
      answers.push(answerOf(document.path, each.chunk, { ...each, from: 0, score }, score));
    }
  }
  return answers.slice(0, limit);
}

const WHOLE = RANKS.indexOf('part of its path');

/** What a document is shown by that is asked for by its name, or about which more is asked. */
function named(
  sighting: Sighting,
  { chunks, lineOf, elseOf, isAll, fieldOf }: SightedView,
): (Line & { chunk: StoredChunk }) | null {
  const field = fieldOf(sighting.document);
  if (field !== null) return { ...field, from: 0, score: 1 };
  const isNamed = sighting.rank <= 1 || sighting.lines.length === 0;
  if (isAll && !isNamed) return null;
  if (isNamed && elseOf === null) return titleLine(sighting, [...chunks(sighting)]);
  const candidates = isNamed ? chunks(sighting) : sighting.lines.map(({ chunk }) => chunk);
  const toldBy = isNamed && elseOf !== null ? elseOf : lineOf;
  let best: (Line & { chunk: StoredChunk }) | null = null;
  for (const chunk of candidates) {
    const line = { ...toldBy(chunk), chunk };
    if (best === null || line.score > best.score) best = line;
  }
  return best;
}

/** A shorter one says no more than the file's name. Words, the sign for a title being one. */
const TELLING_TITLE = 4;

/** The line with its title, else the first that says something. */
function titleLine(
  { asked, lines }: Sighting,
  chunks: readonly StoredChunk[],
): (Line & { chunk: StoredChunk }) | null {
  for (const chunk of asked === null ? [] : chunks) {
    const text = asked === null ? undefined : chunk.text.split('\n')[asked - chunk.firstLine];
    if (asked !== null && text !== undefined)
      return { chunk, line: asked, text, from: 0, score: 1 };
  }
  const own = lines.find(({ text }) => isTitle(text) && text.split(' ').length >= TELLING_TITLE);
  if (own !== undefined) return { ...own, from: 0, score: 1 };
  const [chunk] = chunks;
  if (chunk === undefined) return null;
  const all = chunk.text.split('\n');
  const title = all.findIndex((line) => isTitle(line) && line.split(' ').length >= TELLING_TITLE);
  const at =
    title === -1
      ? all.findIndex((line) => /^(?!#+ |[\w-]+:(?: |$)).*[\p{L}\p{N}]/u.test(line))
      : title;
  return { chunk, line: chunk.firstLine + Math.max(0, at), text: all[at] ?? '', from: 0, score: 1 };
}

function answerOf(
  path: string,
  chunk: StoredChunk,
  { line, text, from }: Line,
  score: number,
): Answer {
  const { crumb, text: passage, firstLine: passageLine } = chunk;
  return { path, line, text, from, score, crumb, passage, passageLine };
}
