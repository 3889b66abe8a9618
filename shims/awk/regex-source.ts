/** An awk pattern's source in the form of POSIX's extended patterns: no escape sequences but those of operators. */

const CONTROL: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
  b: '\b',
};

/** Escapes that are operators to gawk, and how the engine spells them. */
const OPERATORS: Readonly<Record<string, string>> = {
  y: '\\b',
  B: '\\B',
  '<': '\\<',
  '>': '\\>',
  '`': '\\`',
  "'": "\\'",
  w: '\\w',
  W: '\\W',
  s: '\\s',
  S: '\\S',
};

export interface NormalisedSource {
  text: string;
  alternatives: boolean;
  /** Is there a bracketed part that is repeated? */
  repeatedGroups: boolean;
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|]/.test(char) ? `\\${char}` : char;
}

/** The character that an escape stands for, and where what follows begins. */
function escaped(source: string, at: number): { char: string; next: number } | null {
  const char = source[at] ?? '';
  const octal = /^[0-7]{1,3}/.exec(source.slice(at, at + 3));
  if (octal !== null) {
    const code = Number.parseInt(octal[0], 8) & 0xff;
    return { char: String.fromCharCode(code), next: at + octal[0].length };
  }
  const hex = /^x([0-9a-fA-F]{1,2})/.exec(source.slice(at, at + 3));
  if (hex !== null) {
    const code = Number.parseInt(hex[1] ?? '', 16);
    return { char: String.fromCharCode(code), next: at + hex[0].length };
  }
  const control = CONTROL[char];
  return control === undefined ? null : { char: control, next: at + 1 };
}

/** One member of a bracket expression. */
interface Member {
  /** A class such as `[:alpha:]`, as it is. */
  named: string | null;
  from: string;
  to: string;
}

class Brackets {
  readonly #source: string;
  at: number;

  constructor(source: string, at: number) {
    this.#source = source;
    this.at = at;
  }

  /** Reads what follows `[`, and gives it so that no character in it needs a backslash; null if it never ends. */
  read(): string | null {
    const negated = this.#source[this.at] === '^';
    if (negated) this.at++;
    const members: Member[] = [];
    for (let first = true; ; first = false) {
      const char = this.#source[this.at];
      if (char === undefined) return null;
      if (char === ']' && !first) break;
      const from = this.#one();
      if (from.named === null && this.#rangeFollows()) {
        this.at++;
        members.push({ ...from, to: this.#one().from });
      } else members.push(from);
    }
    this.at++;
    return written(members, negated);
  }

  #rangeFollows(): boolean {
    const after = this.#source[this.at + 1];
    return this.#source[this.at] === '-' && after !== ']' && after !== undefined;
  }

  #one(): Member {
    const rest = this.#source.slice(this.at, this.at + 40);
    const named = /^\[:\w+:\]/.exec(rest);
    if (named !== null) {
      this.at += named[0].length;
      return { named: named[0], from: '', to: '' };
    }
    const collated = /^\[([.=])(.)\1\]/u.exec(rest);
    let char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    if (collated !== null) {
      char = collated[2] ?? '';
      this.at += collated[0].length;
    } else if (char === '\\' && rest.length > 1) {
      const meant = escaped(this.#source, this.at + 1);
      char = meant?.char ?? String.fromCodePoint(rest.codePointAt(1) ?? 0);
      this.at = meant?.next ?? this.at + 1 + char.length;
    } else this.at += char.length;
    return { named: null, from: char, to: char };
  }
}

/** Characters that stand in a bracket expression only in certain places. */
const AWKWARD = ']^\\-[';

function written(members: readonly Member[], negated: boolean): string {
  const singles = new Set<string>();
  let ranges = '';
  for (const { named, from, to } of members) {
    if (named !== null) ranges += named;
    else if (from === to) singles.add(from);
    else if (AWKWARD.includes(from) || AWKWARD.includes(to)) {
      for (let code = from.codePointAt(0) ?? 0; code <= (to.codePointAt(0) ?? 0); code++) {
        singles.add(String.fromCodePoint(code));
      }
    } else ranges += `${from}-${to}`;
  }
  const only = singles.size === 1 && ranges === '' ? [...singles][0] : undefined;
  if (only !== undefined && !negated) return literal(only);
  const plain = [...singles].filter((char) => !AWKWARD.includes(char)).join('');
  const has = (char: string): string => (singles.has(char) ? char : '');
  const inner = `${has(']')}${plain}${ranges}${has('[')}${has('\\')}`;
  // A caret in front would negate, and a dash is itself only at an end.
  const ends = inner === '' && !negated ? `${has('-')}${has('^')}` : `${has('^')}${has('-')}`;
  return `[${negated ? '^' : ''}${inner}${ends}]`;
}

/** Puts a pattern into that form. */
export function normalise(source: string): NormalisedSource {
  let text = '';
  let alternatives = false;
  let repeatedGroups = false;
  for (let at = 0; at < source.length; ) {
    const char = source[at] ?? '';
    if (char === '\\') {
      const next = source[at + 1];
      if (next === undefined) return { text: `${text}\\\\`, alternatives, repeatedGroups };
      const operator = OPERATORS[next];
      const meant = operator === undefined ? escaped(source, at + 1) : null;
      const plain = String.fromCodePoint(source.codePointAt(at + 1) ?? 0);
      text += operator ?? literal(meant?.char ?? plain);
      at = operator === undefined ? (meant?.next ?? at + 1 + plain.length) : at + 2;
      continue;
    }
    if (char === '[') {
      const brackets = new Brackets(source, at + 1);
      const set = brackets.read();
      text += set ?? '[';
      at = set === null ? at + 1 : brackets.at;
      continue;
    }
    if (char === '|') alternatives = true;
    if (char === ')' && /[*+?{]/.test(source[at + 1] ?? '')) repeatedGroups = true;
    text += char;
    at++;
  }
  return { text, alternatives, repeatedGroups };
}
