/**
 * Wildcards that come out of a variable: `p='d?/'; echo $p`. just-bash would look the
 * names up itself, and leave out the slash; so the variable becomes text with marks,
 * at the moment that just-bash looks at it.
 */

import type { WordNode } from 'just-bash';
import type { InterpreterState, WordPart } from '../interpreter-types.ts';
import { markedGroups } from './extended.ts';
import { WILD } from './marks.ts';

/** The word with its unquoted variables replaced; the very same one if there are none. */
export function withVariables(word: WordNode, state: () => InterpreterState): WordNode {
  const parts = word.parts.map((part) => looked(part, state));
  return parts.every((part, i) => part === word.parts[i]) ? word : { ...word, parts };
}

function looked(part: WordPart, state: () => InterpreterState): WordPart {
  if (part.type !== 'ParameterExpansion' || part.operation !== null) return part;
  const { parameter } = part;
  if (!/^\w+$/.test(parameter)) return part;
  const value = (): string | null => markedValue(parameter, state());
  return {
    ...part,
    get type() {
      return value() === null ? 'ParameterExpansion' : 'Literal';
    },
    get value() {
      return value() ?? undefined;
    },
  } as WordPart;
}

/** The value with marks; null where it holds no wildcard, or would be split into words, too. */
function markedValue(name: string, state: InterpreterState): string | null {
  const text = state.namerefs?.has(name) === true ? undefined : state.env.get(name);
  if (text === undefined || !/[*?[]|[@+!]\(/.test(text) || state.arrays.has(name)) return null;
  if (state.options['noglob'] === true || /[\\\uFDD0-\uFDD5]/.test(text)) return null;
  const separators = state.env.get('IFS') ?? ' \t\n';
  if ([...separators].some((char) => text.includes(char))) return null;
  const extended = /[@*+?!]\(/.test(text) && state.shoptOptions['extglob'] === true;
  const groups = extended ? markedGroups(text) : text;
  return groups === null
    ? null
    : groups.replace(/[*?[]/g, (char) => WILD[char as keyof typeof WILD]);
}
