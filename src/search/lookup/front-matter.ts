/** Fields of a record, and the title of a text, as lines. */
import type { Chunk } from '../chunks/chunk.ts';
import { wordsOf } from '../words/words.ts';
import { tokensOf } from './token.ts';

/** A field's line taken apart. */
export interface Field {
  name: string;
  /** Unquoted. */
  value: string;
}

/** How many of a chunk's lines, from its first, are front matter; 0 for none. */
export function fieldsEnd(chunk: Chunk, lines: readonly string[]): number {
  if (chunk.firstLine !== 1 || lines[0] !== '---') return 0;
  const end = lines.indexOf('---', 1);
  return end === -1 ? lines.length : end;
}

/** The field of a line; null where it has none. */
export function keyOf(line: string): Field | null {
  const found = /^([\w-]+):(?: +(.*?))? *$/.exec(line);
  if (found === null) return null;
  return { name: found[1] ?? '', value: (found[2] ?? '').replace(/^(["'])(.*)\1$/, '$2') };
}

/** Is it the title of a text, or of a record? */
export function isTitle(line: string): boolean {
  return /^(?:# +\S|title: *\S)/.test(line);
}

/** What makes a noun of a doing, or another form of it: assignee, assigned; owner, owns; labels. */
const ENDINGS = /(?:ers?|ees?|ed|ing|es|s|e)$/;
/** What is left of a word without such an ending. */
export function rootOf(word: string): string {
  const cut = word.replace(ENDINGS, '');
  return cut.length >= 3 ? cut : word;
}

/** Who is asked for by "who", and what by "when". */
const WHO = /^(?:assignees?|authors?|owners?|reporters?|creators?|reviewers?|requester|lead)$/;

const WHEN = /^(?:date|due|created|started|opened|closed|resolved)(?:_?at|_?on|_?date)?$/i;

/** Words that a question for a field begins with. */
const ASKING = /^(?:what|which|whose|who|when|where)\b/i;

/**
 * Does a question ask for a field, by its name or another form of it? `type error` does not:
 * it takes a word that asks, `of`, the field's value, or what the record is called.
 */
export function isAskedFor({ name, value }: Field, question: string): boolean {
  const words = wordsOf(question).map(rootOf);
  const parts = wordsOf(name)
    .filter((part) => !/^(?:at|id|by|on)$/.test(part))
    .map(rootOf);
  if (parts.length === 0) return false;
  if (!parts.every((part) => words.includes(part))) {
    return (words[0] === 'who' && WHO.test(name)) || (words[0] === 'when' && WHEN.test(name));
  }
  if (ASKING.test(question) || /\b(?:of|for)\b|[:=]/i.test(question)) return true;
  const values = wordsOf(value).map(rootOf);
  return (
    values.some((each) => words.includes(each)) ||
    tokensOf(question).some(({ kind }) => kind === 'certain')
  );
}

/** The line of front matter that a question asks for; -1 where it asks for none of it. */
export function askedField(lines: readonly string[], end: number, question: string): number {
  return lines.slice(0, end).findIndex((line) => {
    const field = keyOf(line);
    return field !== null && field.value !== '' && isAskedFor(field, question);
  });
}
