/**
 * Wildcards in what `${x:-…}` and `${x:+…}` fall back to. just-bash looks names up for all of the
 * text that comes out, quoted or not: so wildcards become marks there, too, and quoted ones others.
 */
import type { WordNode } from 'just-bash';
import type { WordPart } from '../interpreter-types.ts';
import { EMPTY, hasMarks, QUOTED, WILD } from './marks.ts';

/** The word with the wildcards of its operands marked; null if it has none. */
export function markedOperands(word: WordNode): WordNode | null {
  const parts = word.parts.map((part) => markedOperand(withEmpty(part, word)));
  return parts.every((part, index) => part === word.parts[index]) ? null : { ...word, parts };
}

/** `$x""` is a word even where x is empty. One that comes first just-bash knows, but for `""$x`. */
function withEmpty(part: WordPart, { parts: [first] }: WordNode): WordPart {
  const later = first !== undefined && first !== part && !isEmpty(first);
  return later && isEmpty(part) ? { type: 'SingleQuoted', value: EMPTY } : part;
}

function isEmpty(part: WordPart): boolean {
  if (part.type === 'SingleQuoted') return part.value === '';
  return part.type === 'DoubleQuoted' && part.parts.length === 0;
}

/** Does the word hold marks in an operand? */
export function hasMarkedOperand(part: WordPart): boolean {
  if (part.type !== 'ParameterExpansion') return false;
  const { operation } = part;
  if (operation?.type !== 'DefaultValue' && operation?.type !== 'UseAlternative') return false;
  return (operation.word?.parts ?? []).some((inner) => 'value' in inner && hasMarks(inner.value));
}

function markedOperand(part: WordPart): WordPart {
  if (part.type !== 'ParameterExpansion') return part;
  const { operation } = part;
  if (operation?.type !== 'DefaultValue' && operation?.type !== 'UseAlternative') return part;
  const { word } = operation;
  if (word === null || !word.parts.some((one) => hasWildcards(one) || isEmpty(one))) return part;
  const parts = word.parts.map(markedPart);
  return { ...part, operation: { ...operation, word: { ...word, parts } } };
}

function hasWildcards(part: WordPart): boolean {
  switch (part.type) {
    case 'Glob':
      return !/[@*+?!]\(/.test(part.pattern);
    case 'SingleQuoted':
    case 'Escaped':
    case 'Literal':
      return /[*?[]/.test(part.value);
    case 'DoubleQuoted':
      return part.parts.some(hasWildcards);
    default:
      return false;
  }
}

function markedPart(part: WordPart): WordPart {
  switch (part.type) {
    case 'Glob':
      return { type: 'Literal', value: replaced(part.pattern, WILD) };
    case 'SingleQuoted':
    case 'Escaped':
      return { ...part, value: part.value === '' ? EMPTY : replaced(part.value, QUOTED) };
    case 'DoubleQuoted':
      return isEmpty(part)
        ? { type: 'SingleQuoted', value: EMPTY }
        : { ...part, parts: part.parts.map(quotedPart) };
    default:
      return part;
  }
}

function quotedPart(part: WordPart): WordPart {
  return part.type === 'Literal' || part.type === 'Escaped'
    ? { ...part, value: replaced(part.value, QUOTED) }
    : part;
}

function replaced(text: string, marks: Record<'*' | '?' | '[', string>): string {
  return text.replace(/[*?[]/g, (char) => marks[char as '*' | '?' | '[']);
}
