/**
 * `{1..20000}`: just-bash cuts a range at 10,000 values in silence. A longer one
 * becomes its values; beside other braces it becomes several ranges that follow
 * one another, and {@link LIMIT} is where the shell refuses a command instead.
 */
import type { CommandNode, WordNode } from 'just-bash';
import type { WordPart } from './interpreter-types.ts';

type BracePart = Extract<WordPart, { type: 'BraceExpansion' }>;
type Range = Extract<BracePart['items'][number], { type: 'Range' }>;

/** At how many values just-bash cuts a range. */
const CUT = 10_000;
/**
 * Over this just-bash refuses the command, so no more need be made. A value counts
 * twice, once made and once joined to its word, and a line has one budget: 50,000 values pass.
 */
const LIMIT = 100_000;
/** So many words may come of one range: what one list of words may hold. */
const MOST = 1_000_000;

/** The command with long ranges in its words divided, or the very same one if it has none. */
export function divideRanges(node: CommandNode): CommandNode {
  switch (node.type) {
    case 'SimpleCommand': {
      const args = divided(node.args);
      const assignments = node.assignments.map((one) =>
        one.array === null ? one : { ...one, array: divided(one.array) },
      );
      const arrays = assignments.some((one, i) => one.array !== node.assignments[i]?.array);
      return args === node.args && !arrays ? node : { ...node, args, assignments };
    }
    case 'For': {
      if (node.words === null) return node;
      const words = divided(node.words);
      return words === node.words ? node : { ...node, words };
    }
    default:
      return node;
  }
}

function divided(given: WordNode[]): WordNode[] {
  const words = given.map(withLoneBraces);
  const made = words.flatMap((word) => valuesOf(word) ?? [dividedWord(word)]);
  return made.length !== given.length || made.some((word, i) => word !== given[i]) ? made : given;
}

/** Braces around one alternative are characters: `{a{b,c}}` gives `{ab} {ac}`. */
function withLoneBraces(word: WordNode): WordNode {
  if (!word.parts.some((part) => part.type === 'BraceExpansion')) return word;
  const parts = word.parts.flatMap((part): WordPart[] => {
    if (part.type !== 'BraceExpansion') return [part];
    const items = part.items.map((item) =>
      item.type === 'Word' ? { ...item, word: withLoneBraces(item.word) } : item,
    );
    const [only] = items;
    if (items.length > 1 || only?.type !== 'Word') return [{ ...part, items }];
    return [{ type: 'Literal', value: '{' }, ...only.word.parts, { type: 'Literal', value: '}' }];
  });
  return { ...word, parts };
}

/** The words that come of a word with one long range and no other braces; undefined for other words. */
function valuesOf(word: WordNode): WordNode[] | undefined {
  const at = word.parts.findIndex((part) => part.type === 'BraceExpansion');
  const part = word.parts[at];
  if (part?.type !== 'BraceExpansion') return undefined;
  const [before, after] = [word.parts.slice(0, at), word.parts.slice(at + 1)];
  if (after.some((other) => other.type === 'BraceExpansion')) return undefined;
  const [range, ...more] = part.items;
  if (range?.type !== 'Range' || more.length > 0) return undefined;
  const series = seriesOf(range);
  if (series === null || series.count <= CUT || series.count > MOST) return undefined;
  const { start, step, count, width } = series;
  return Array.from({ length: count }, (_, index): WordNode => {
    const value = start + index * step;
    const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, '0');
    const text = value < 0 ? `-${digits}` : digits;
    return { ...word, parts: [...before, { type: 'Literal', value: text }, ...after] };
  });
}

function dividedWord(word: WordNode): WordNode {
  const parts = word.parts.map((part) => {
    if (part.type !== 'BraceExpansion') return part;
    const items = part.items.flatMap((item): BracePart['items'] => {
      if (item.type === 'Range') return rangesOf(item);
      const inner = dividedWord(item.word);
      return [inner === item.word ? item : { ...item, word: inner }];
    });
    return items.every((item, i) => item === part.items[i]) ? part : { ...part, items };
  });
  return parts.every((part, i) => part === word.parts[i]) ? word : { ...word, parts };
}

/** The values of a range of numbers. */
interface Series {
  start: number;
  /** Negative where it goes down. */
  step: number;
  count: number;
  /** To which they are filled with zeros, the sign among them; 0 for not at all. */
  width: number;
}

function seriesOf({ start, end, step, startStr, endStr }: Range): Series | null {
  if (typeof start !== 'number' || typeof end !== 'number') return null;
  const distance = Math.abs(step ?? 1) || 1;
  const width = Math.max(paddedTo(startStr), paddedTo(endStr));
  const count = Math.floor(Math.abs(end - start) / distance) + 1;
  return { start, step: start <= end ? distance : -distance, count, width };
}

function rangesOf(range: Range): Range[] {
  const series = seriesOf(range);
  if (series === null || series.count <= CUT) return [range];
  const { start, step, count, width } = series;
  const pieces: Range[] = [];
  // One value over the limit is enough for a refusal.
  for (let first = 0; first < Math.min(count, LIMIT + 1); first += CUT) {
    const last = Math.min(first + CUT, count) - 1;
    pieces.push({
      type: 'Range',
      start: start + first * step,
      end: start + last * step,
      step: Math.abs(step),
      // Only their widths count, and those of the whole range.
      ...(width === 0 ? {} : { startStr: '0'.repeat(width), endStr: '0'.repeat(width) }),
    });
  }
  return pieces;
}

function paddedTo(text: string | undefined): number {
  return text !== undefined && /^-?0\d/.test(text) ? text.replace('-', '').length : 0;
}
