/**
 * `m=([$k]=1 [a b]=2)`: just-bash knows keys that are plain text alone. Others
 * are turned into such: an expansion is carried out, and a key with blanks, which
 * its parser cuts into words, is put together again.
 */
import type { WordNode } from 'just-bash';
import { onlyCommand } from './array-literals.ts';
import type { WordPart } from './interpreter-types.ts';

/** Carries out the expansions of a word, as in an assignment. */
export type Expand = (word: WordNode) => Promise<string>;

/** A word of a literal, taken apart. */
interface Keyed {
  key: WordPart[];
  append: boolean;
  value: WordPart[];
}

/** Would just-bash take some of the keys for something else? */
export function hasHardKeys(elements: readonly WordNode[]): boolean {
  return elements.some(({ parts: [first, second] }) => {
    if (first?.type !== 'Glob' || !first.pattern.startsWith('[')) return false;
    if (first.pattern !== '[') return !first.pattern.endsWith(']') || /["'\\]/.test(first.pattern);
    if (second?.type === 'DoubleQuoted') return second.parts.some(({ type }) => type !== 'Literal');
    return second?.type !== 'SingleQuoted';
  });
}

/** Does the literal use `[key]=value`? */
export function isKeyed(elements: readonly WordNode[]): boolean {
  return elements.some((_, index) => takeKeyed(elements, index) !== null);
}

/** The words with every key as plain text. */
export async function plainKeys(
  elements: readonly WordNode[],
  expand: Expand,
): Promise<WordNode[]> {
  const plain: WordNode[] = [];
  for (let index = 0; index < elements.length; ) {
    const taken = takeKeyed(elements, index);
    if (taken === null) {
      plain.push(...elements.slice(index, index + 1));
      index += 1;
      continue;
    }
    const { keyed, words } = taken;
    plain.push(keyedWord(await expand({ type: 'Word', parts: keyed.key }), keyed));
    index += words;
  }
  return plain;
}

/** A word `[key]=value` with exactly this key. */
export function keyedWord(key: string, { append, value }: Omit<Keyed, 'key'>): WordNode {
  return {
    type: 'Word',
    parts: [
      { type: 'Glob', pattern: '[' },
      { type: 'SingleQuoted', value: key },
      { type: 'Literal', value: append ? ']+=' : ']=' },
      ...value,
    ],
  };
}

/** The key and the value that begin at a word, and how many words they take. */
function takeKeyed(
  elements: readonly WordNode[],
  index: number,
): { keyed: Keyed; words: number } | null {
  const first = elements[index]?.parts[0];
  if (first?.type !== 'Glob' || !first.pattern.startsWith('[')) return null;
  const key: WordPart[] = [];
  for (let words = 1; index + words <= elements.length; words++) {
    if (words > 1) key.push({ type: 'Literal', value: ' ' });
    const parts = elements[index + words - 1]?.parts ?? [];
    for (const [at, part] of parts.entries()) {
      const isFirst = words === 1 && at === 0;
      const text = isFirst ? first.pattern.slice(1) : textOfPart(part);
      if (text === null) {
        key.push(part);
        continue;
      }
      const next = parts[at + 1];
      const rest = next?.type === 'Literal' ? next.value : '';
      // `[k]` and `=v` are two parts, or `]=v` is the head of one.
      const closed = /^(.*)\](\+?)=(.*)$/s.exec(text);
      if (closed !== null && !isFirst) {
        key.push(...textParts(closed[1] ?? ''));
        const value = [...literal(closed[3] ?? ''), ...parts.slice(at + 1)];
        return { keyed: { key, append: closed[2] === '+', value }, words };
      }
      const equals = /^(\+?)=(.*)$/s.exec(rest);
      if (text.endsWith(']') && equals !== null) {
        key.push(...textParts(text.slice(0, -1)));
        const value = [...literal(equals[2] ?? ''), ...parts.slice(at + 2)];
        return { keyed: { key, append: equals[1] === '+', value }, words };
      }
      key.push(...textParts(text));
    }
  }
  return null;
}

function textOfPart(part: WordPart): string | null {
  if (part.type === 'Literal') return part.value;
  return part.type === 'Glob' ? part.pattern : null;
}

function literal(value: string): WordPart[] {
  return value === '' ? [] : [{ type: 'Literal', value }];
}

/** Source text that the parser took for a pattern: `'a b'`, with its quotes. */
function textParts(source: string): WordPart[] {
  if (source === '') return [];
  if (!/["'\\$`]/.test(source)) return [{ type: 'SingleQuoted', value: source }];
  return onlyCommand(`x=${source}`)?.assignments[0]?.value?.parts ?? literal(source);
}
