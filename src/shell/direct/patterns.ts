/** Patterns of plain text and `*`: what most scripts match with. Others are left to the interpreter. */
import type { WordNode } from 'just-bash';
import { hasMarks } from '../glob/marks.ts';
import type { InterpreterState } from '../interpreter-types.ts';
import type { Text } from './compiled.ts';

/** Pieces of plain text, with a `*` between each two; null for another pattern. */
export type Pieces = readonly string[];
export type Pattern = (state: InterpreterState) => Pieces | null;

/**
 * A word as a pattern; null where it is of another kind.
 * @param quoted how text in quotes, in which nothing is special, is made
 */
export function patternOf(
  word: WordNode,
  quoted: (part: WordNode['parts'][number]) => Text | null,
): Pattern | null {
  // A text, or `*`.
  const made: (Text | '*')[] = [];
  for (const part of word.parts) {
    if (part.type === 'Glob' || part.type === 'Literal') {
      const value = part.type === 'Glob' ? part.pattern : part.value;
      if (/[?[\]\\(|~]/.test(value) || hasMarks(value)) return null;
      for (const [at, text] of value.split(/\*+/).entries()) {
        if (at > 0) made.push('*');
        if (text !== '') made.push(() => text);
      }
      continue;
    }
    // What comes out of `$x` without quotes is a pattern itself.
    const text = part.type === 'ParameterExpansion' ? null : quoted(part);
    if (text === null) return null;
    made.push(text);
  }
  return (state) => {
    const pieces = [''];
    for (const one of made) {
      if (one === '*') {
        pieces.push('');
        continue;
      }
      const text = one(state);
      if (text === null) return null;
      pieces[pieces.length - 1] += text;
    }
    return pieces;
  };
}

/** Does the whole text fit? */
export function fits(text: string, pieces: Pieces): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** The text without what fits at one end, as little or as much as can be; null where this cannot tell. */
export function without(
  text: string,
  pieces: Pieces,
  side: 'prefix' | 'suffix',
  greedy: boolean,
): string | null {
  const [first = '', last] = pieces;
  if (pieces.length > 2) return null;
  if (last === undefined) {
    if (first === '') return text;
    if (side === 'prefix') return text.startsWith(first) ? text.slice(first.length) : text;
    return text.endsWith(first) ? text.slice(0, -first.length) : text;
  }
  if (side === 'prefix') {
    if (!text.startsWith(first)) return text;
    if (last === '') return greedy ? '' : text.slice(first.length);
    const at = greedy ? text.lastIndexOf(last) : text.indexOf(last, first.length);
    return at < first.length ? text : text.slice(at + last.length);
  }
  if (!text.endsWith(last)) return text;
  const end = text.length - last.length;
  if (first === '') return greedy ? '' : text.slice(0, end);
  const at = greedy ? text.indexOf(first) : text.lastIndexOf(first, end - first.length);
  return at === -1 || at + first.length > end ? text : text.slice(0, at);
}
