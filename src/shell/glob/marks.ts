/**
 * Which characters of a word are wildcards. just-bash expands file names itself,
 * before anything can see the words, and gets many wrong (a slash at the end,
 * links to directories, `**` from the root). So the wildcards of a word become
 * marks, which its expansion passes on as any other character, and the file
 * names are looked up once the word is expanded.
 */
import type { WordNode } from 'just-bash';
import type { WordPart } from '../interpreter-types.ts';
import { markedGroups, writtenGroups } from './extended.ts';

/** Noncharacters of Unicode, set aside for use within a program: no text has them. */
const STRICT = { '*': '\uFDD0', '?': '\uFDD1', '[': '\uFDD2' } as const;
/** For words in which wildcards that come out of `$x` count, too. */
const LOOSE = { '*': '\uFDD3', '?': '\uFDD4', '[': '\uFDD5' } as const;
/** Quoted ones, where just-bash would forget the quotes. */
export const QUOTED = { '*': '\uFDD6', '?': '\uFDD7', '[': '\uFDD8' } as const;
/** An empty quoted text, where just-bash would drop the word that it is in. */
export const EMPTY = '\uFDD9';
const ANY = /[\uFDD0-\uFDD9\uFDE0-\uFDE6]/;
const SINGLE = /[\uFDD0-\uFDD9]/g;
const WILDCARDS = /[\uFDD0-\uFDD5\uFDE0-\uFDE6]/;
const CHARACTERS = '*?[*?[*?[';

/** The word with its wildcards marked, or null if it has none, or only such as are left to just-bash. */
export function marked(word: WordNode): WordNode | null {
  if (!word.parts.some(hasWildcard) || word.parts.some(isExtended)) return null;
  const marks = word.parts.some(mayHoldWildcards) ? LOOSE : STRICT;
  return { ...word, parts: word.parts.map((part) => markedPart(part, marks)) };
}

/** Has the text of an expanded word marks? */
export function hasMarks(text: string): boolean {
  return ANY.test(text);
}

/** Has it wildcards? */
export function hasWildcards(text: string): boolean {
  return WILDCARDS.test(text);
}

/** The text as it was written: bash's answer when nothing fits a pattern. */
export function unmarked(text: string): string {
  const plain = text.replace(SINGLE, (mark) => CHARACTERS[mark.charCodeAt(0) - 0xfdd0] ?? '');
  return writtenGroups(plain);
}

/** The marks of an expanded word, all of one kind: strict. */
export function settled(text: string): string {
  const strict = /[\uFDD3-\uFDD5]/.test(text)
    ? text.replace(/[*?[\uFDD3-\uFDD5]/g, (char) => WILD[unmarked(char) as keyof typeof WILD])
    : text;
  return strict.replace(/[\uFDD6-\uFDD9]/g, unmarked);
}

/** The three wildcards, as they stand in a settled text. */
export const WILD = STRICT;

function hasWildcard(part: WordPart): boolean {
  if (part.type === 'Glob') return /[*?[]|[@+!]\(/.test(part.pattern);
  if (part.type !== 'BraceExpansion') return false;
  return part.items.some((item) => item.type === 'Word' && item.word.parts.some(hasWildcard));
}

/** `@(a|b)` and its kin, with what must be expanded first. */
function isExtended(part: WordPart): boolean {
  if (part.type === 'Glob') {
    return /[@*+?!]\(/.test(part.pattern) && markedGroups(part.pattern) === null;
  }
  if (part.type !== 'BraceExpansion') return false;
  return part.items.some((item) => item.type === 'Word' && item.word.parts.some(isExtended));
}

function mayHoldWildcards({ type }: WordPart): boolean {
  return type === 'ParameterExpansion' || type === 'CommandSubstitution';
}

function markedPart(part: WordPart, marks: Record<'*' | '?' | '[', string>): WordPart {
  if (part.type === 'Glob') {
    const groups = markedGroups(part.pattern) ?? part.pattern;
    const value = groups.replace(/[*?[]/g, (char) => marks[char as '*' | '?' | '[']);
    return { type: 'Literal', value };
  }
  if (part.type !== 'BraceExpansion') return part;
  return {
    ...part,
    items: part.items.map((item) =>
      item.type === 'Word'
        ? {
            ...item,
            word: { ...item.word, parts: item.word.parts.map((one) => markedPart(one, marks)) },
          }
        : item,
    ),
  };
}
