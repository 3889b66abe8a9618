/**
 * Known bugs of the programs compared with. No case is left out for them: the
 * other program gets the pattern in a spelling that means the same and is free of
 * the bug; ours gets it as it is.
 */
import type { Case } from './native.ts';

/**
 * PCRE2 10.42, when it tolerates invalid UTF-8, takes no character beyond ASCII
 * for one of `\D`, `\S` or `\W`, unless they stand in brackets.
 */
function negatedShorthands(pattern: string): string {
  let inClass = false;
  return pattern.replace(/\\Q.*?(?:\\E|$)|\\.|\[\^?\]?|\]/gs, (piece) => {
    if (piece[0] === '[' && !inClass) {
      inClass = true;
      return piece;
    }
    if (piece === ']') inClass = false;
    return !inClass && /^\\[DSW]$/.test(piece) ? `[${piece}]` : piece;
  });
}

/** The C library loses matches of a repeated repetition where a back-reference follows. */
function repeatedRepetitions(pattern: string, extended: boolean): string {
  if (!/\\[1-9]/.test(pattern)) return pattern;
  const atom = '(?<!\\\\[bB<>])(?<=[^(|^*+?\\\\])';
  const twice = extended ? '(?:[*+?]\\*|\\*[+?])' : '\\*\\*';
  return pattern.replace(new RegExp(atom + twice, 'g'), '*');
}

function isPattern(args: readonly string[], i: number): boolean {
  const before = args[i - 1] ?? '';
  return /^(?:-e|--regexp)$/.test(before) || /^(?:-e.|--regexp=)/s.test(args[i] ?? '');
}

/** A case as GNU grep is to be given it. */
export function forGnu(one: Case): Case {
  const perl = one.args.some((arg) => arg === '-P' || arg === '--perl-regexp');
  const extended = one.args.some((arg) => /^-E|^--ext/.test(arg));
  const args = one.args.map((arg, i) => {
    if (!isPattern(one.args, i)) return arg;
    return perl ? negatedShorthands(arg) : repeatedRepetitions(arg, extended);
  });
  return { ...one, args };
}
