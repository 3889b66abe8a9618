/** Does a name fit a pattern? Patterns are one segment of a path, with marks for wildcards. */
import { compileGroups, type Ends, endsOfGroups, hasGroups } from './extended.ts';
import { WILD } from './marks.ts';

/** One character of a name, or any number of them (null). */
export type Token = ((char: string) => boolean) | null;

export interface Segment {
  /** Does it begin with a dot that is no wildcard? Then it may fit names that do. */
  dot: boolean;
  fits(name: string): boolean;
}

/** @param fold ignore case: `shopt -s nocaseglob` */
export function compileSegment(text: string, fold: boolean): Segment {
  const dot = text.startsWith('.');
  if (!hasGroups(text)) {
    const tokens = tokensOf(text, fold);
    return { dot, fits: (name) => fits(tokens, [...name]) };
  }
  const ends = compileGroups(text, plainEnds(fold));
  return { dot, fits: (name) => ends([...name]) };
}

/** Where what fits a pattern with groups may end, in any text. */
export function compileEnds(text: string, fold: boolean): Ends {
  return endsOfGroups(text, plainEnds(fold));
}

function plainEnds(fold: boolean): (stretch: string) => Ends {
  return (stretch) => {
    const tokens = tokensOf(stretch, fold);
    return (name, from) => endsOf(tokens, name, from);
  };
}

/** Where what fits the tokens may end, from an offset on. */
function endsOf(tokens: readonly Token[], name: readonly string[], from: number): Set<number> {
  let now = new Set([from]);
  for (const token of tokens) {
    const next = new Set<number>();
    for (const at of now) {
      if (token === null) for (let end = at; end <= name.length; end++) next.add(end);
      else if (at < name.length && token(name[at] ?? '')) next.add(at + 1);
    }
    now = next;
  }
  return now;
}

function tokensOf(text: string, fold: boolean): Token[] {
  const chars = [...text];
  const tokens: Token[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] ?? '';
    if (char === WILD['*']) {
      if (tokens.at(-1) !== null || tokens.length === 0) tokens.push(null);
    } else if (char === WILD['?']) {
      tokens.push(() => true);
    } else {
      const end = char === WILD['['] ? endOfClass(chars, i) : -1;
      if (end > 0) {
        tokens.push(classToken(chars.slice(i + 1, end).join(''), fold));
        i = end;
      } else {
        tokens.push(plainToken(char === WILD['['] ? '[' : char, fold));
      }
    }
  }
  return tokens;
}

/** Goes back to the last star alone, so that no pattern takes more than |tokens| × |name| steps. */
export function fits(tokens: readonly Token[], name: readonly string[]): boolean {
  let at = 0;
  let token = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
    const one = tokens[token];
    if (one === null) {
      star = token++;
      resume = at;
    } else if (one?.(name[at] ?? '') === true) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (tokens[token] === null) token++;
  return token === tokens.length;
}

function plainToken(char: string, fold: boolean): Token {
  if (!fold) return (other) => other === char;
  const lower = char.toLowerCase();
  return (other) => other.toLowerCase() === lower;
}

/** The index of the bracket that closes the class; -1 if none does. */
function endOfClass(chars: readonly string[], start: number): number {
  let i = start + 1;
  if (chars[i] === '!' || chars[i] === '^') i++;
  // A bracket that comes first stands for itself.
  if (chars[i] === ']') i++;
  for (; i < chars.length; i++) {
    if (chars[i] === '\\') i++;
    else if (chars[i] === ']') return i;
    else if (isBracket(chars[i]) && chars[i + 1] === ':') {
      const close = chars.indexOf(']', i + 2);
      if (close > 0 && chars[close - 1] === ':') i = close;
    }
  }
  return -1;
}

const isBracket = (char: string | undefined): boolean => char === '[' || char === WILD['['];

const NAMED: Readonly<Record<string, string>> = {
  alnum: '\\p{L}\\p{N}',
  alpha: '\\p{L}',
  blank: ' \\t',
  cntrl: '\\p{Cc}',
  digit: '0-9',
  graph: '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}',
  lower: '\\p{Ll}',
  print: '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ',
  punct: '\\p{P}\\p{S}',
  space: '\\s',
  upper: '\\p{Lu}',
  word: '\\p{L}\\p{N}_',
  xdigit: '0-9A-Fa-f',
};

/** A class of one character, from what stands between its brackets. */
function classToken(content: string, fold: boolean): Token {
  const not = /^[!^]/.test(content);
  const body = (not ? content.slice(1) : content)
    .replaceAll(WILD['['], '[')
    .replaceAll(WILD['*'], '*')
    .replaceAll(WILD['?'], '?');
  let named = '';
  let listed = '';
  for (const [, name, dash, escaped, plain] of body.matchAll(
    /\[:(\w+):\]|((?<=:\])-|-(?=\[:\w+:\])|^-|-$)|\\(.)|(.)/gsu,
  )) {
    if (name !== undefined) named += NAMED[name] ?? '';
    // A dash at either end, or beside a named class, stands for itself.
    else if (dash !== undefined) listed += '\\-';
    else if (escaped !== undefined) listed += quoted(escaped);
    else if (plain !== undefined) listed += plain === '-' ? '-' : quoted(plain);
  }
  try {
    // Whoever names a class of letters means their case, also where case is ignored.
    const [ofClass, inList] = [
      new RegExp(`^[${named}]$`, 'u'),
      new RegExp(`^[${listed}]$`, fold ? 'iu' : 'u'),
    ];
    return (char) => (ofClass.test(char) || inList.test(char)) !== not;
  } catch (error) {
    // `[z-a]` fits nothing.
    if (error instanceof SyntaxError) return () => false;
    throw error;
  }
}

function quoted(char: string): string {
  return /[\^\]\\[\-/|(){}$.*+?&]/.test(char) ? `\\${char}` : char;
}
