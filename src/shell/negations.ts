/** `${x//!(a|b)/y}` and `${x#!(a)}`: what is not said by a pattern, for which just-bash's expressions have no form. */
import { type Ends, markedGroups } from './glob/extended.ts';
import { WILD } from './glob/marks.ts';
import { compileEnds } from './glob/match.ts';
import type { Stretch } from './pattern-source.ts';

/** The pattern, if a group of it is a negation; null for all others. */
export function negation(stretches: readonly Stretch[], fold: boolean): Ends | null {
  if (!stretches.some(({ text, quoted }) => !quoted && text.includes('!('))) return null;
  if (stretches.some(({ text, quoted }) => quoted && /[()|]/.test(text))) return null;
  const text = stretches.map(({ text, quoted }) => (quoted ? text : wildcards(text))).join('');
  const marked = markedGroups(text);
  return marked === null ? null : compileEnds(marked, fold);
}

function wildcards(text: string): string {
  return text.replace(/[*?](?!\()|\[/g, (char) => WILD[char as keyof typeof WILD]);
}

/** The value with what the pattern fits, at its longest, replaced. */
export function replaceFitting(
  value: string,
  ends: Ends,
  anchor: 'start' | 'end' | null,
  all: boolean,
  replacement: (found: string) => string,
): string {
  const chars = [...value];
  let made = '';
  let at = 0;
  for (let done = false; at < chars.length && !done; ) {
    const fitting = [...ends(chars, at)];
    const end =
      anchor === 'end'
        ? fitting.includes(chars.length)
          ? chars.length
          : at
        : Math.max(at, ...fitting);
    const found = end > at || (!all && fitting.includes(end) && anchor !== 'end');
    done = anchor === 'start' || (found && !all);
    if (found) made += replacement(chars.slice(at, end).join(''));
    if (end === at && !done) made += chars[at++] ?? '';
    else at = end;
  }
  return made + chars.slice(at).join('');
}

/** The value without what the pattern fits at one of its sides. */
export function removeFitting(
  value: string,
  ends: Ends,
  side: 'prefix' | 'suffix',
  greedy: boolean,
): string {
  const chars = [...value];
  if (side === 'prefix') {
    const fitting = [...ends(chars, 0)];
    if (fitting.length === 0) return value;
    return chars.slice(greedy ? Math.max(...fitting) : Math.min(...fitting)).join('');
  }
  const starts = chars.map((_, at) => at).concat(chars.length);
  const fits = (at: number): boolean => new Set(ends(chars, at)).has(chars.length);
  const start = greedy ? starts.find(fits) : starts.findLast(fits);
  return start === undefined ? value : chars.slice(0, start).join('');
}
