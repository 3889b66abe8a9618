/**
 * `{1..20000}`: just-bash cuts a range at 10,000 values in silence. A longer one
 * becomes several that follow one another; {@link LIMIT} is where the shell
 * refuses a command instead.
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

function divided(words: WordNode[]): WordNode[] {
  const made = words.map(dividedWord);
  return made.some((word, i) => word !== words[i]) ? made : words;
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

function rangesOf(range: Range): Range[] {
  const { start, end } = range;
  if (typeof start !== 'number' || typeof end !== 'number') return [range];
  const step = Math.abs(range.step ?? 1) || 1;
  const count = Math.floor(Math.abs(end - start) / step) + 1;
  if (count <= CUT) return [range];
  const forward = start <= end ? step : -step;
  const width = Math.max(paddedTo(range.startStr), paddedTo(range.endStr));
  const pieces: Range[] = [];
  // One value over the limit is enough for a refusal.
  for (let first = 0; first < Math.min(count, LIMIT + 1); first += CUT) {
    const last = Math.min(first + CUT, count) - 1;
    pieces.push({
      type: 'Range',
      start: start + first * forward,
      end: start + last * forward,
      step,
      // Only their widths count, and those of the whole range.
      ...(width === 0 ? {} : { startStr: '0'.repeat(width), endStr: '0'.repeat(width) }),
    });
  }
  return pieces;
}

function paddedTo(text: string | undefined): number {
  return text !== undefined && /^-?0\d/.test(text) ? text.replace('-', '').length : 0;
}
