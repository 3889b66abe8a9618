/** What sort compares lines by. Lines are byte strings: C.UTF-8 orders by bytes. */
import { UsageError } from '../support/getopt.ts';

/** The letters of ordering options, as `-k` and the command line take them. */
export interface Ordering {
  /** b d f g h i M n R V, without r. */
  letters: Set<string>;
  reverse: boolean;
  /** Blanks skipped at the end position too. */
  endBlanks: boolean;
}

interface Position {
  field: number;
  char: number;
}

/** One `-k`, or the whole line. */
export interface SortKey extends Ordering {
  start: Position | undefined;
  end: Position | undefined;
}

const LETTERS = 'bdfghiMnRV';

/** Reads `F[.C][OPTS][,F[.C][OPTS]]`. */
export function parseKey(text: string): SortKey {
  const match = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  const after = /^\d+\.(\D.*|)$/.exec(text)?.[1];
  if (match === null && after !== undefined)
    throw new UsageError(`invalid number after '.': invalid count at start of '${after}'`, {
      hint: false,
    });
  if (match === null) {
    throw new UsageError(`invalid number at field start: invalid count at start of '${text}'`, {
      hint: false,
    });
  }
  const field = Number(match[1]);
  if (field === 0 || match[4] === '0') {
    throw new UsageError(`field number is zero: invalid field specification '${text}'`, {
      hint: false,
    });
  }
  if (match[2] === '0') {
    throw new UsageError(`character offset is zero: invalid field specification '${text}'`, {
      hint: false,
    });
  }
  const given = `${match[3] ?? ''}${match[6] ?? ''}`;
  const wrong = [...given].find((letter) => letter !== 'r' && !LETTERS.includes(letter));
  if (wrong !== undefined) {
    throw new UsageError(`stray character in field spec: invalid field specification '${text}'`, {
      hint: false,
    });
  }
  const letters = new Set(given.replaceAll('r', '').replaceAll('b', ''));
  if ((match[3] ?? '').includes('b')) letters.add('b');
  return {
    start: { field, char: Number(match[2] ?? 1) },
    end:
      match[4] === undefined ? undefined : { field: Number(match[4]), char: Number(match[5] ?? 0) },
    letters,
    reverse: given.includes('r'),
    endBlanks: (match[6] ?? '').includes('b'),
  };
}

const isBlank = (line: string, at: number): boolean => {
  const code = line.charCodeAt(at);
  return code === 32 || code === 9 || code === 10;
};

function skipBlanks(line: string, from: number): number {
  let at = from;
  while (at < line.length && isBlank(line, at)) at++;
  return at;
}

/** Where a field begins (1-based); past the end when there are too few. */
function fieldStart(line: string, field: number, separator: string | undefined): number {
  let at = 0;
  // Behind the end there is nothing more to count, however great the field's number is.
  const end = separator === undefined ? line.length - 1 : line.length;
  for (let i = 1; i < field && at <= end; i++) {
    if (separator !== undefined) {
      const next = line.indexOf(separator, at);
      at = next < 0 ? line.length + 1 : next + 1;
    } else {
      at = skipBlanks(line, at);
      while (at < line.length && !isBlank(line, at)) at++;
    }
  }
  return Math.min(at, line.length);
}

/** The part of a line that a key compares. */
function extract(line: string, key: SortKey, separator: string | undefined): string {
  if (key.start === undefined) {
    return key.letters.has('b') ? line.slice(skipBlanks(line, 0)) : line;
  }
  let from = fieldStart(line, key.start.field, separator);
  if (key.letters.has('b')) from = skipBlanks(line, from);
  from += key.start.char - 1;
  if (key.end === undefined) return line.slice(from);
  let to: number;
  if (key.end.char === 0) {
    to = fieldStart(line, key.end.field + 1, separator);
    const lacking = separator === undefined || to < line.length;
    if (separator !== undefined && (lacking || line.endsWith(separator))) {
      const start = fieldStart(line, key.end.field, separator);
      const next = line.indexOf(separator, start);
      to = next < 0 ? line.length : next;
    }
  } else {
    to = fieldStart(line, key.end.field, separator);
    if (key.endBlanks) to = skipBlanks(line, to);
    to += key.end.char;
  }
  return to <= from ? '' : line.slice(from, to);
}

const order = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

const NUMBER = /^[ \t\n]*(-?(?:\d+(?:\.\d*)?|\.\d+))/;

function numeric(text: string): number {
  const match = NUMBER.exec(text);
  return match === null ? 0 : Number(match[1]);
}

/** Exact also for integers that a double cannot hold. */
function compareNumeric(a: string, b: string, x: number, y: number): number {
  if (x !== y || Math.abs(x) < 2 ** 53) return order(x, y);
  const [big, other] = [a, b].map((text) => BigInt(/-?\d+/.exec(text)?.[0] ?? '0'));
  return big === other ? 0 : (big ?? 0n) < (other ?? 0n) ? -1 : 1;
}

function human(text: string): [sign: number, power: number, value: number] {
  const match = /^[ \t]*(-?)(\d+(?:\.\d*)?|\.\d+)([kKMGTPEZY]?)/.exec(text);
  if (match === null) return [0, 0, 0];
  const value = Number(match[2]);
  const sign = value === 0 ? 0 : match[1] === '-' ? -1 : 1;
  return [sign, value === 0 ? 0 : ' KMGTPEZY'.indexOf((match[3] || ' ').toUpperCase()), value];
}

function compareHuman(a: string, b: string): number {
  const [signA, powerA, valueA] = human(a);
  const [signB, powerB, valueB] = human(b);
  if (signA !== signB) return order(signA, signB);
  return (signA < 0 ? -1 : 1) * (order(powerA, powerB) || order(valueA, valueB));
}

const MONTHS = 'JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC';

function month(text: string): number {
  const name = text.trimStart().slice(0, 3).toUpperCase();
  const at = name.length === 3 ? MONTHS.indexOf(name) : -1;
  return at >= 0 && at % 3 === 0 ? at / 3 + 1 : 0;
}

function rank(char: string | undefined): number {
  if (char === '~') return -2;
  if (char === undefined) return -1;
  if (/\d/.test(char)) return 0;
  const code = char.charCodeAt(0);
  return /[A-Za-z]/.test(char) ? code : code + 256;
}

/** Suffixes such as `.tar.gz` count only between names that are else the same. */
const SUFFIX = /(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/;

/** Version order: digits as numbers, `~` before the end, letters before the rest. */
export function compareVersions(a: string, b: string): number {
  return compareParts(a.replace(SUFFIX, ''), b.replace(SUFFIX, '')) || compareParts(a, b);
}

function compareParts(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    while ((i < a.length && !/\d/.test(a[i] ?? '')) || (j < b.length && !/\d/.test(b[j] ?? ''))) {
      const difference = rank(a[i]) - rank(b[j]);
      if (difference !== 0) return difference;
      i++;
      j++;
    }
    const x = /^\d*/.exec(a.slice(i))?.[0] ?? '';
    const y = /^\d*/.exec(b.slice(j))?.[0] ?? '';
    const [p, q] = [x.replace(/^0+/, ''), y.replace(/^0+/, '')];
    const difference = p.length - q.length || order(p, q);
    if (difference !== 0) return difference;
    i += x.length;
    j += y.length;
  }
  return 0;
}

/** The number that a text begins with; as text where it is none. */
function general(text: string): number | string {
  const hexadecimal = /^\s*([+-]?)(0x[\da-f]+)/i.exec(text);
  if (hexadecimal !== null) return Number(hexadecimal[2]) * (hexadecimal[1] === '-' ? -1 : 1);
  const number = Number.parseFloat(text.trim().replace(/^([+-]?)inf/i, '$1Infinity'));
  return Number.isNaN(number) && !/^\s*[+-]?nan/i.test(text) ? '' : number;
}

/** What is no number comes first, then what says that it is none, then the numbers. */
function compareGeneral(a: number | string, b: number | string): number {
  const rank = (one: number | string) => (typeof one === 'string' ? 0 : Number.isNaN(one) ? 1 : 2);
  return rank(a) - rank(b) || (rank(a) < 2 ? 0 : order(a, b));
}

function scrambler(): (text: string) => number {
  const seen = new Map<string, number>();
  return (text) => {
    const known = seen.get(text);
    if (known !== undefined) return known;
    const made = Math.random();
    seen.set(text, made);
    return made;
  };
}

function translate(text: string, letters: Set<string>): string {
  let out = text;
  if (letters.has('d')) out = out.replace(/[^A-Za-z0-9 \t]/g, '');
  else if (letters.has('i')) out = out.replace(/[^\x20-\x7e]/g, '');
  return letters.has('f') ? out.replace(/[a-z]+/g, (run) => run.toUpperCase()) : out;
}

/** What a key makes of each line once, and how two of those compare. */
export interface Comparer {
  prepare(line: string): string | number;
  /** `a` and `b` are prepared, the others the raw parts. */
  compare(a: string | number, b: string | number): number;
}

/** Makes the comparison of a key, its `r` left out. */
export function comparer(key: SortKey, separator: string | undefined): Comparer {
  const { letters } = key;
  const part = (line: string) => extract(line, key, separator);
  if (letters.has('n')) {
    return {
      prepare: (line) => {
        const text = part(line);
        const value = numeric(text);
        return Math.abs(value) < 2 ** 53 ? value : text;
      },
      compare: (a, b) => {
        if (typeof a === 'number' && typeof b === 'number') return order(a, b);
        return compareNumeric(String(a), String(b), numeric(String(a)), numeric(String(b)));
      },
    };
  }
  if (letters.has('g')) return { prepare: (line) => general(part(line)), compare: compareGeneral };
  if (letters.has('h')) {
    return { prepare: part, compare: (a, b) => compareHuman(String(a), String(b)) };
  }
  if (letters.has('M')) return { prepare: (line) => month(part(line)), compare: order };
  if (letters.has('V')) {
    return { prepare: part, compare: (a, b) => compareVersions(String(a), String(b)) };
  }
  if (letters.has('R')) {
    const scramble = scrambler();
    return { prepare: (line) => scramble(translate(part(line), letters)), compare: order };
  }
  return { prepare: (line) => translate(part(line), letters), compare: order };
}
