/** Patterns of `${x/…/…}` as regular expressions. */

/** A stretch of a pattern or replacement; what is quoted stands for itself. */
export interface Stretch {
  text: string;
  quoted: boolean;
}

const CLASS = /\[([!^]?)(\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*)\]/;
const CLASSES: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}0-9',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
};

/** Part of a regular expression for part of a pattern; null where it holds groups. */
export function sourceOf({ text, quoted }: Stretch): string | null {
  if (quoted) return literally(text);
  if (/[@*+?!]\(/.test(text)) return null;
  const one = new RegExp(`\\\\([\\s\\S])|${CLASS.source}|[\\s\\S]`, 'gu');
  return text.replace(one, (char, escaped?: string, not?: string, members?: string) => {
    if (escaped !== undefined) return literally(escaped);
    if (members !== undefined) return classOf(not ?? '', members);
    if (char === '*') return '.*';
    return char === '?' ? '.' : literally(char);
  });
}

function classOf(not: string, members: string): string {
  const inside = members.replace(
    /\[:(\w+):\]|\\([\s\S])|[[\]^&|~{}()/]/g,
    (char, name?: string, escaped?: string) => {
      if (name !== undefined) return CLASSES[name] ?? '';
      return escaped === undefined ? `\\${char}` : literally(escaped).replace('-', '\\-');
    },
  );
  return `[${not === '' ? '' : '^'}${inside}]`;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
