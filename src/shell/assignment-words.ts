/**
 * `for x in a=1 b=2`, `case $x in a=1)`, `> a=b`, `x=(a=1)`: words that look like assignments where
 * none can stand. just-bash's parser refuses them, and leaves them out of an array. So each begins
 * with an empty quoted text, which changes no word.
 */
import { parse } from 'just-bash';

const ASSIGNMENT = String.raw`[A-Za-z_]\w*(?:\[[^\]\s]*\])?\+?=`;
/** Where one may stand; most scripts have none of these, and are not parsed once more for it. */
const SUSPECT = new RegExp(
  [
    String.raw`\b(?:for|select)\s+\w+\s+in\b(?:[^;\n\\]|\\[^])*?\s${ASSIGNMENT}`,
    String.raw`\bcase\s+${ASSIGNMENT}`,
    String.raw`(?:\bin|[(|\n]|;[;&])[ \t]*\(?[ \t]*${ASSIGNMENT}[^\s;]*[ \t]*[)|]`,
    String.raw`[<>]\s*${ASSIGNMENT}`,
    String.raw`=\((?:[^)]*\s)?${ASSIGNMENT}`,
  ].join('|'),
);
/** Any that may be such a word: an array begins none, and arithmetic has none. */
const CANDIDATE = new RegExp(String.raw`(?<=^|(?<!\()\(|[\s|;<>])${ASSIGNMENT}(?!\()`, 'g');
const EMPTY = "''";
const SPELLED = new RegExp(String.raw`(?<=^|[\s(|;<>])${EMPTY}(?=${ASSIGNMENT})`, 'g');
/** In text it stands nowhere: it is no character. */
const MARK = '\uFDDD';
const MARKED = new RegExp(`^${MARK}(\\d+)${MARK}`);
/** Where a node has words that are no assignments. */
const WORDS = new Set(['words', 'word', 'patterns', 'target', 'array']);

/** The script with each such word spelled so that it is taken for one. */
export function spellAssignmentWords(script: string): string {
  if (!SUSPECT.test(script)) return script;
  const found = wordsIn(spelled(script, (index) => `${MARK}${index}${MARK}`));
  return found.size === 0 ? script : spelled(script, (index) => (found.has(index) ? EMPTY : ''));
}

/** Text as it was written. */
export function withoutEmpties(text: string): string {
  return text.includes(EMPTY) ? text.replace(SPELLED, '') : text;
}

function spelled(script: string, before: (index: number) => string): string {
  let index = 0;
  return script.replace(CANDIDATE, (written) => before(index++) + written);
}

/** Which of the marked ones came out as words: not those in a string, a here-document or a comment, and no assignment. */
function wordsIn(marked: string): Set<number> {
  const found = new Set<number>();
  const visit = (node: unknown, isWord: boolean): void => {
    if (typeof node !== 'object' || node === null) return;
    const mark = isWord ? MARKED.exec(beginningOf(node)) : null;
    if (mark !== null) found.add(Number(mark[1]));
    const isList = Array.isArray(node);
    for (const [key, inner] of Object.entries(node)) visit(inner, isList ? isWord : WORDS.has(key));
  };
  try {
    visit(parse(marked), false);
  } catch (error) {
    // Whatever else is wrong with it is told when it is run, in the words it was written in.
    if (!(error instanceof Error)) throw error;
  }
  return found;
}

/** The text with which a word begins; empty for what is none. */
function beginningOf(node: object): string {
  const { parts } = node as { parts?: unknown };
  const [first] = Array.isArray(parts) ? (parts as { type?: unknown; value?: unknown }[]) : [];
  return first?.type === 'Literal' && typeof first.value === 'string' ? first.value : '';
}
