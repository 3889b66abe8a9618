/** The expressions of Perl that people rename files with: `s/…/…/`, `y/…/…/`, `lc`, `uc`. */
import { formatInteger } from '../support/format.ts';
import { UsageError } from '../support/getopt.ts';
import { PerlPattern } from '../support/perl-pattern.ts';

type Step = (name: string) => string;

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']', '<': '>' };

/** Reads an expression from its text. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    for (;;) {
      this.#skip(/[\s;]*/y);
      if (this.#at >= this.#text.length) return steps;
      steps.push(this.#step());
    }
  }

  #skip(pattern: RegExp): string[] | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found === null ? null : [...found];
  }

  #step(): Step {
    this.#skip(/\$_\s*=~\s*/y);
    if (this.#skip(/s(?=[^\w\s=;])/y) !== null) return this.#substitution();
    if (this.#skip(/(?:y|tr)(?=[^\w\s=;])/y) !== null) return this.#transliteration();
    const cased = this.#skip(
      /(?:\$_\s*=\s*)?(lc|uc|lcfirst|ucfirst)(?:\s+\$_|\s*\(\s*\$_?\s*\))?(?=\s*(?:;|$))/y,
    );
    if (cased !== null) return caser(cased[1] ?? '');
    throw new UsageError(
      `only s/…/…/, y/…/…/, lc and uc are understood of Perl here, not '${this.#text.slice(this.#at)}': for anything else loop over the files with mv`,
      { hint: false },
    );
  }

  /** The text up to a delimiter that is not escaped. */
  #part(open: string): string {
    const close = CLOSING[open] ?? open;
    let out = '';
    for (let depth = 1; this.#at < this.#text.length; ) {
      const char = this.#text[this.#at++] ?? '';
      if (char === '\\') {
        const next = this.#text[this.#at++] ?? '';
        out += next === close && close === open ? next : `\\${next}`;
        continue;
      }
      if (char === close && --depth === 0) return out;
      if (char === open && close !== open) depth++;
      out += char;
    }
    throw new UsageError(`the expression does not end: '${close}' is missing`, { hint: false });
  }

  #parts(): [first: string, second: string, flags: string] {
    const open = this.#text[this.#at++] ?? '';
    const first = this.#part(open);
    let next = open;
    if (CLOSING[open] !== undefined) {
      this.#skip(/\s*/y);
      next = this.#text[this.#at++] ?? '';
    }
    return [first, this.#part(next), this.#skip(/[a-z]*/y)?.[0] ?? ''];
  }

  #substitution(): Step {
    const [source, replacement, flags] = this.#parts();
    const odd = flags.replace(/[gei]/g, '');
    if (odd !== '') throw new UsageError(`s///${odd} is not understood here`, { hint: false });
    const pattern = new PerlPattern(source, flags.includes('i'));
    const by = flags.includes('e') ? computed(replacement) : interpolated(replacement);
    return (name) => pattern.replace(name, flags.includes('g'), by);
  }

  #transliteration(): Step {
    const [from, to, flags] = this.#parts();
    const [left, right] = [range(from), range(to)];
    const deletes = flags.includes('d');
    return (name) =>
      [...name]
        .map((char) => {
          const at = left.indexOf(char);
          if (at < 0) return char;
          if (right.length === 0) return deletes ? '' : char;
          return right[at] ?? (deletes ? '' : (right.at(-1) ?? char));
        })
        .join('');
  }
}

function caser(name: string): Step {
  const first = (text: string, change: (char: string) => string): string =>
    change(text.slice(0, 1)) + text.slice(1);
  if (name === 'lc') return (text) => text.toLowerCase();
  if (name === 'uc') return (text) => text.toUpperCase();
  if (name === 'lcfirst') return (text) => first(text, (char) => char.toLowerCase());
  return (text) => first(text, (char) => char.toUpperCase());
}

/** `a-z` as its letters; a dash behind a backslash is one. */
function range(text: string): string[] {
  const chars = text.match(/\\.|./gsu) ?? [];
  const out: string[] = [];
  for (let i = 0; i < chars.length; i++) {
    const from = letter(chars[i]);
    const to = chars[i + 2];
    if (chars[i + 1] !== '-' || to === undefined) {
      out.push(from);
      continue;
    }
    const last = letter(to).codePointAt(0) ?? 0;
    for (let code = from.codePointAt(0) ?? 0; code <= last; code++)
      out.push(String.fromCodePoint(code));
    i += 2;
  }
  return out;
}

const letter = (written = ''): string => written.replace(/^\\/, '') || '\\';

type Replacement = (match: string, groups: readonly string[]) => string;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** `$1`, `\1`, `$&`, and `\U … \E`. */
function interpolated(template: string): Replacement {
  const pieces = template.match(/\\\d|\\.|\$(?:\d+|\{\d+\}|&)|[^\\$]+|./gs) ?? [];
  return (match, groups) => {
    let out = '';
    let all: ((text: string) => string) | undefined;
    let one: ((text: string) => string) | undefined;
    for (const piece of pieces) {
      const mode = /^\\([ULEul])$/.exec(piece)?.[1];
      if (mode !== undefined) {
        if (mode === 'u') one = caser('ucfirst');
        else if (mode === 'l') one = caser('lcfirst');
        else all = mode === 'E' ? undefined : caser(mode === 'U' ? 'uc' : 'lc');
        continue;
      }
      const number = /^(?:\\|\$\{?)(\d+)\}?$/.exec(piece)?.[1];
      let text =
        number !== undefined
          ? (groups[Number(number) - 1] ?? '')
          : piece === '$&'
            ? match
            : piece.startsWith('\\')
              ? (ESCAPES[piece[1] ?? ''] ?? piece.slice(1))
              : piece;
      if (all !== undefined) text = all(text);
      if (one !== undefined && text !== '') {
        text = one(text);
        one = undefined;
      }
      out += text;
    }
    return out;
  };
}

/** What `s///e` computes: sprintf of a number, a sum, or another case. */
function computed(code: string): Replacement {
  const text = code.trim();
  const operand = '\\$(\\d+|&)\\s*(?:([-+*])\\s*(\\d+))?';
  const print = new RegExp(
    `^sprintf\\s*\\(?\\s*(["'])([^%]*)(%0?\\d*d)([^%]*)\\1\\s*,\\s*${operand}\\s*\\)?$`,
  ).exec(text);
  if (print !== null) {
    const [, , before = '', spec = '', after = '', name = '', sign, amount] = print;
    return (match, groups) =>
      before + formatInteger(spec, numberOf(match, groups, name, sign, amount)) + after;
  }
  const cased = /^(lc|uc|lcfirst|ucfirst)\s*\(?\s*\$(\d+|&)\s*\)?$/.exec(text);
  if (cased !== null) {
    const change = caser(cased[1] ?? '');
    return (match, groups) => change(groupOf(match, groups, cased[2] ?? ''));
  }
  const sum = new RegExp(`^${operand}$`).exec(text);
  if (sum !== null) {
    const [, name = '', sign, amount] = sum;
    return (match, groups) => String(numberOf(match, groups, name, sign, amount));
  }
  throw new UsageError(
    `only sprintf("%03d", $1), $1 + 1, lc and uc are understood in s///e here, not '${text}'`,
    { hint: false },
  );
}

const groupOf = (match: string, groups: readonly string[], name: string): string =>
  name === '&' ? match : (groups[Number(name) - 1] ?? '');

function numberOf(
  match: string,
  groups: readonly string[],
  name: string,
  sign: string | undefined,
  amount: string | undefined,
): bigint {
  const digits = /^\s*-?\d+/.exec(groupOf(match, groups, name))?.[0] ?? '0';
  const [value, by] = [BigInt(digits.trim()), BigInt(amount ?? 0)];
  if (sign === '*') return value * by;
  return sign === '-' ? value - by : value + by;
}

/** What an expression makes of a name. Fails with {@link UsageError} where it is not understood. */
export function perlExpression(text: string): (name: string) => string {
  const steps = new Reader(text).steps();
  return (name) => steps.reduce((now, step) => step(now), name);
}
