/** The sentences of an answer that claim something, and which of them are without a citation. */
import type { Citation } from './citation.ts';

/** A sentence of an answer. */
export interface Sentence {
  /** Without its citations. */
  text: string;
  cited: boolean;
  /** Where it stands in the answer. UTF-16 units. */
  at: number;
  end: number;
}

/** Stands for a citation while sentences are told apart; no answer has it. */
const CITED = '\ue000';

/** Headings, rows of tables, blockquotes, rules, definitions of footnotes and of links. */
const NO_PROSE = /^[ \t]*(?:#{1,6}[ \t].*|\|.*|>.*|(?:[-*_][ \t]*){3,}|\[[^\]\n]+\]:.*)$/gm;
/** A paragraph or an item of a list. */
const BLOCK = /[^\n]*\S[^\n]*(?:\n(?![ \t]*\n|[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])[^\n]+)*/g;
const ITEM = /^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+/;
const FOOTNOTE = /^[ \t]*\[(?<name>\^?[^\]\s]+)\]:/gm;

/** @param text the answer, with code and certificate out of sight */
export function sentencesOf(text: string, citations: readonly Citation[]): Sentence[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const prose = proseOf(text, citations);
  return [...prose.matchAll(BLOCK)].flatMap(({ index, 0: block }) => {
    const lead = ITEM.exec(block)?.[0].length ?? 0;
    const found: Sentence[] = [];
    // A line that ends within a paragraph ends no sentence.
    const flat = block.slice(lead).replaceAll('\n', ' ');
    for (const { index: at, segment } of segmenter.segment(flat))
      addSegment(found, segment, index + lead + at);
    return found.filter(({ text: said }) => isClaim(said));
  });
}

function proseOf(text: string, citations: readonly Citation[]): string {
  const units = text.replaceAll('\0', ' ').replaceAll(CITED, ' ').split('');
  const cover = (at: number, end: number, mark: string): void => {
    for (let i = at; i < end; i++) if (units[i] !== '\n') units[i] = i === at ? mark : ' ';
  };
  for (const { at, end } of citations) cover(at, end, CITED);
  const noted = footnotesWith(text, citations);
  for (const { index, 0: mark } of text.matchAll(/\[\^?[^\]\s\0]{1,40}\](?!:)/g))
    if (noted.has(mark.slice(1, -1))) cover(index, index + mark.length, CITED);
  return units.join('').replace(NO_PROSE, (line) => ' '.repeat(line.length));
}

/** The names of footnotes that have citations. */
function footnotesWith(text: string, citations: readonly Citation[]): Set<string> {
  const names = new Set<string>();
  for (const { index, groups } of text.matchAll(FOOTNOTE)) {
    const end = text.indexOf('\n', index + 1);
    const to = end === -1 ? text.length : end;
    const name = groups?.['name'];
    if (name !== undefined && citations.some(({ at }) => at >= index && at < to)) names.add(name);
  }
  return names;
}

/** A citation behind a full stop belongs to what stands before it. */
function addSegment(found: Sentence[], segment: string, at: number): void {
  const lead = new RegExp(`^[\\s(${CITED}),.;]*${CITED}[\\s),.;]*`).exec(segment)?.[0] ?? '';
  const last = found.at(-1);
  const rest = segment.slice(lead.length);
  const belongs = lead !== '' && last !== undefined && !/^\p{Ll}/u.test(rest);
  if (belongs) {
    last.cited = true;
    last.end = at + lead.length;
  }
  const own = belongs ? rest : segment;
  if (!/[\p{L}\p{N}]/u.test(own)) return;
  found.push({
    text: own.replaceAll(CITED, ' ').replace(/\s+/g, ' ').trim(),
    cited: own.includes(CITED),
    at: at + (segment.length - own.length),
    end: at + segment.length,
  });
}

/** Questions claim nothing, nor does what only leads in to a list. */
const isClaim = (text: string): boolean => /\p{L}{2}/u.test(text) && !/[?:][)"'”*_\s]*$/.test(text);
