/**
 * Is there an answer at all? A ranking always has a best; whether that is an
 * answer shows in what is not normalised over the candidates: how much of what
 * the question tells a chunk has in it, how near it is by the word table, how near
 * all that is searched is to it, and how much of it is told in words that occur.
 */
import type { Evidence } from '../fuse/ranking.ts';
import type { SentenceSignal } from '../fuse/sentences.ts';
import type { Language } from '../words/languages.ts';

/**
 * What an answer needs, and what counts how much: chosen on one half of the
 * questions in bench/questions (see docs/search.md). Nearly all everyday questions
 * stay below it, and of the questions that have an answer one in thirty.
 */
const ENOUGH = 0.82;
/** Of a question in another language the word table says nothing, which is about so much. */
const UNSAID = 0.2;

/** What an answer needs to a question in a language. */
export const enoughIn = (language: Language): number =>
  language === 'en' ? ENOUGH : ENOUGH - UNSAID;

/** What it counts that the words of a question occur at all: by what they tell, and each alike. */
const KNOWN = 0.2;
const SAID = 0.35;
/**
 * The best chunk counts half, and half the mean of so many of the best: one that
 * stands alone may be chance. Of few chunks a tenth: there one is all that can be expected.
 */
const AGREEING = { most: 5, share: 0.1 };
/** Of a corpus that is broader than this it is believed less, by so much, that it has the words of a question. */
const BROAD = { from: 0.4, costs: 0.5 };

/** By so many deviations thirteen in fourteen of the questions about nothing do not stand out. */
const STANDS_OUT = 1.5;
/** Nearer than this comes some chunk to five in six of the questions about nothing. */
const DENIED = -1;
/** A chunk that has so much of the question is an answer, whatever a model thinks of its wording. */
const WHOLE = 0.9;

/**
 * How much speaks for an answer; it needs {@link ENOUGH}.
 * @param candidates the best chunks, ten at most
 * @param searched chunks that are searched
 */
export function evidenceFor(candidates: readonly Evidence[], searched: number): number {
  const [one] = candidates;
  if (one === undefined) return 0;
  const each = candidates.map(({ covered, words }) => covered + words).sort((a, b) => b - a);
  const agreeing = each.slice(0, Math.min(AGREEING.most, Math.ceil(AGREEING.share * searched)));
  const mean = agreeing.reduce((sum, value) => sum + value, 0) / agreeing.length;
  const chunks = ((each[0] ?? 0) + mean) / 2;
  const broad = BROAD.costs * Math.max(0, one.breadth - BROAD.from);
  return chunks + one.background + KNOWN * one.known + SAID * one.said - broad;
}

/**
 * Is that enough? A sentence model can find an answer where the words do not, and
 * where it knows all chunks it can deny one where the words alone would have it.
 * @param reached what {@link evidenceFor} gave for these candidates
 * @param enough what is needed of it
 */
export function isRelevant(
  reached: number,
  candidates: readonly Evidence[],
  sentences: Pick<SentenceSignal, 'complete' | 'standing'> | null = null,
  enough: number = ENOUGH,
): boolean {
  const most = (part: 'covered' | 'sentence'): number =>
    Math.max(0, ...candidates.map((evidence) => evidence[part] ?? 0));
  const told = reached >= enough;
  if (sentences === null) return told;
  const standing = sentences.standing(most('sentence'));
  if (standing >= STANDS_OUT) return true;
  return told && (standing >= DENIED || !sentences.complete || most('covered') >= WHOLE);
}

/** Where a chunk has so much of a question, and another less than such a share of that, the other is chance. */
const FOUND_WHOLE = { covered: 0.95, share: 0.34 };

/**
 * Tells which candidates are worth a line. Where what was asked for is found as it was
 * said, what has hardly a word of it is left out; otherwise the best are all there is
 * to go by, and none of what says how near they are tells the weak ones from the others.
 * @param judged the best of them
 */
export function worthShowing(
  judged: readonly Evidence[],
): (candidate: { readonly evidence: Evidence }) => boolean {
  const most = Math.max(0, ...judged.map(({ covered }) => covered));
  if (most < FOUND_WHOLE.covered) return () => true;
  return ({ evidence }) => evidence.covered >= FOUND_WHOLE.share * most;
}
