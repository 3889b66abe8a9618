/**
 * Dates as people write them, in the forms that GNU's tools read: calendar
 * dates, times, zones, weekdays and relative items, in any order.
 * https://www.gnu.org/software/coreutils/manual/html_node/Date-input-formats.html
 */
import { utcOf, zoned } from './time.ts';

/** What was read so far. */
interface Reading {
  date?: { year: number | undefined; month: number; day: number };
  time?: { hour: number; minute: number; second: number; ms: number };
  /** Minutes east of Greenwich. */
  zone?: number;
  /** Sunday is 0; `ordinal` says how many of them further on. */
  weekday?: { day: number; ordinal: number };
  /** Ms since 1970. */
  epoch?: number;
  years: number;
  months: number;
  days: number;
  ms: number;
}

/** Takes a match; false where the numbers make no sense. */
type Take = (into: Reading, groups: readonly (string | undefined)[]) => boolean;

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const DAYS = 'sun mon tue wed thu fri sat'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAY =
  '(sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nes|nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?)';
const ORDINALS = 'first third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(
  ' ',
);
const ORDINAL = `[-+]?\\s*\\d+|next|last|this|an?|${ORDINALS.join('|')}`;

/** Hours east of Greenwich of the zones that have names of their own in dates. */
const ZONES: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  ut: 0,
  wet: 0,
  west: 1,
  bst: 1,
  art: -3,
  brt: -3,
  brst: -2,
  nst: -3.5,
  ndt: -2.5,
  ast: -4,
  adt: -3,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  akst: -9,
  akdt: -8,
  hst: -10,
  cet: 1,
  cest: 2,
  met: 1,
  mest: 2,
  eet: 2,
  eest: 3,
  cat: 2,
  sast: 2,
  eat: 3,
  msk: 3,
  msd: 4,
  ist: 5.5,
  sgt: 8,
  jst: 9,
  nzst: 12,
  nzdt: 13,
};

/** The letters of military zones: A to M east of Greenwich, without J, and N to Y west. */
function militaryHours(letter: string): number {
  const east = 'abcdefghiklm'.indexOf(letter);
  return east >= 0 ? east + 1 : -('nopqrstuvwxy'.indexOf(letter) + 1);
}

const UNITS: Readonly<
  Record<string, readonly [kind: 'years' | 'months' | 'days' | 'ms', each: number]>
> = {
  sec: ['ms', 1000],
  second: ['ms', 1000],
  min: ['ms', 60_000],
  minute: ['ms', 60_000],
  hour: ['ms', 3_600_000],
  day: ['days', 1],
  week: ['days', 7],
  fortnight: ['days', 14],
  month: ['months', 1],
  year: ['years', 1],
};

const WORDS: Readonly<Record<string, number>> = {
  last: -1,
  this: 0,
  next: 1,
  a: 1,
  an: 1,
  ...Object.fromEntries(ORDINALS.map((word, i) => [word, i === 0 ? 1 : i + 2])),
};

const countOf = (text: string): number => WORDS[text] ?? Number(text.replace(/\s/g, ''));

/** Of two digits, the years from 1969 to 2068. */
function yearOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

function setDate(into: Reading, year: number | undefined, month: number, day: number): boolean {
  if (into.date !== undefined) return false;
  into.date = { year, month, day };
  return month >= 1 && month <= 12 && day >= 1;
}

function setTime(
  into: Reading,
  hour: number,
  rest: readonly (string | undefined)[],
  half?: string,
): boolean {
  if (into.time !== undefined) return false;
  const [minute = '0', second = '0', fraction = ''] = rest;
  const twelve = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  into.time = {
    hour: twelve,
    minute: Number(minute),
    second: Number(second),
    ms: Number(fraction.padEnd(3, '0').slice(0, 3)),
  };
  const fits = half === undefined ? hour < 24 : hour >= 1 && hour <= 12;
  return fits && Number(minute) < 60 && Number(second) < 60;
}

function setZone(into: Reading, sign: string | undefined, digits = '0', minutes?: string): boolean {
  if (sign === undefined) return true;
  const long = digits.length > 2;
  const hours = Number(long ? digits.slice(0, -2) : digits);
  const east = hours * 60 + Number(minutes ?? (long ? digits.slice(-2) : 0));
  into.zone = sign === '-' ? -east : east;
  return east <= 24 * 60;
}

function shift(into: Reading, count: number, unit: string): boolean {
  const [kind, each] = UNITS[unit] ?? ['ms', 0];
  into[kind] += count * each;
  return true;
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3)) + 1;

/** What may stand there, the first that fits counts; each is tried where the one before ended. */
const ITEMS: readonly (readonly [pattern: string, take: Take])[] = [
  ['[\\s,]+', () => true],
  [
    // What is behind it must be a word of its own: `@1e3` is no number.
    '@\\s*([-+]?\\d+(?:[.,]\\d+)?)(?!\\w)',
    (into, [seconds = '']) => {
      into.epoch = Number(seconds.replace(',', '.')) * 1000;
      return true;
    },
  ],
  [
    '(\\d{4})([-/])(\\d{1,2})\\2(\\d{1,2})(?:t(?=\\d))?',
    (into, [y, , m, d]) => setDate(into, Number(y), Number(m), Number(d)),
  ],
  [
    '(\\d{4})(\\d\\d)(\\d\\d)(?!\\d)(?:t(?=\\d))?',
    (into, [y, m, d]) => setDate(into, Number(y), Number(m), Number(d)),
  ],
  [
    '(\\d{1,2})/(\\d{1,2})(?:/(\\d{4}|\\d\\d))?(?!\\d)',
    (into, [m, d, y]) => setDate(into, yearOf(y), Number(m), Number(d)),
  ],
  [
    '(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:[.,](\\d+))?)?(?:\\s*([ap])\\.?m\\b\\.?)?(?:\\s*([-+])\\s*(\\d{1,4})(?:\\s*:\\s*(\\d{1,2}))?)?',
    (into, [hour, minute, second, fraction, half, sign, digits, minutes]) =>
      setTime(into, Number(hour), [minute, second, fraction], half) &&
      setZone(into, sign, digits, minutes),
  ],
  [
    '(\\d{1,2})\\s*([ap])\\.?m\\b\\.?',
    (into, [hour, half]) => setTime(into, Number(hour), [], half),
  ],
  [
    `(\\d{1,2})[\\s-]*${MONTH}\\b\\.?(?:[\\s,-]*(\\d{4}|\\d\\d)(?![\\d:]))?`,
    (into, [d, name, y]) => setDate(into, yearOf(y), monthOf(name), Number(d)),
  ],
  [
    `${MONTH}\\b\\.?\\s*(\\d{1,2})(?![\\d:])(?:[\\s,]+(\\d{4})(?![\\d:]))?`,
    (into, [name, d, y]) => setDate(into, yearOf(y), monthOf(name), Number(d)),
  ],
  [
    `${MONTH}-(\\d{1,2})-(\\d{4}|\\d\\d)(?!\\d)`,
    (into, [name, d, y]) => setDate(into, yearOf(y), monthOf(name), Number(d)),
  ],
  [
    `(?:(${ORDINAL})\\s+)?${WEEKDAY}\\b`,
    (into, [ordinal, name = '']) => {
      if (into.weekday !== undefined) return false;
      into.weekday = {
        day: DAYS.indexOf(name.slice(0, 3)),
        ordinal: ordinal === undefined ? 0 : countOf(ordinal),
      };
      return true;
    },
  ],
  [
    `(?:(${ORDINAL})\\s*)?(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\\b(?:\\s*(ago|hence)\\b)?`,
    (into, [ordinal = '1', unit = '', way]) =>
      shift(into, way === 'ago' ? -countOf(ordinal) : countOf(ordinal), unit),
  ],
  [
    `(${Object.keys(ZONES).join('|')})\\b(?:\\s*([-+])(\\d{1,4})(?::(\\d\\d))?(?!\\s*[a-z\\d]))?(?:\\s+dst\\b)?`,
    (into, [name = '', sign, digits, minutes]) => {
      if (sign !== undefined) return setZone(into, sign, digits, minutes);
      into.zone = (ZONES[name] ?? 0) * 60;
      return true;
    },
  ],
  [
    '([a-ik-z])(?![a-z])',
    (into, [letter = 'z']) => {
      into.zone = letter === 'z' ? 0 : militaryHours(letter) * 60;
      return true;
    },
  ],
  ['(?:now|today)\\b', () => true],
  ['yesterday\\b', (into) => shift(into, -1, 'day')],
  ['tomorrow\\b', (into) => shift(into, 1, 'day')],
  ['(midnight|noon)\\b', (into, [word]) => setTime(into, word === 'noon' ? 12 : 0, [])],
  // The year at the end of what `date` itself prints.
  [
    '(\\d{4})(?!\\d)',
    (into, [year]) => {
      if (into.date === undefined || into.date.year !== undefined) {
        return setTime(into, Number(year?.slice(0, 2)), [year?.slice(2)]);
      }
      into.date.year = Number(year);
      return true;
    },
  ],
  // Digits alone: a day with its year before it, else an hour, with its minutes behind it.
  [
    '(\\d{1,4})(\\d\\d)(\\d\\d)(?!\\d)',
    (into, [y, m, d]) => setDate(into, yearOf(y), Number(m), Number(d)),
  ],
  ['(\\d{1,2})(\\d\\d)(?!\\d)', (into, [hour, minute]) => setTime(into, Number(hour), [minute])],
  ['(\\d{1,2})(?!\\d)', (into, [hour]) => setTime(into, Number(hour), [])],
  ['-(?!\\d)', () => true],
];

/** Sticky: each looks where it is told to. */
const PATTERNS = ITEMS.map(([pattern, take]) => ({ pattern: new RegExp(pattern, 'y'), take }));

/** Reads all of the text; undefined where some of it is none of this. */
function read(text: string): Reading | undefined {
  const into: Reading = { years: 0, months: 0, days: 0, ms: 0 };
  for (let at = 0; at < text.length; ) {
    const length = readItem(text, at, into);
    if (length === undefined) return undefined;
    at += length;
  }
  return into;
}

/** The length of the item there; undefined where there is none, or it makes no sense. */
function readItem(text: string, at: number, into: Reading): number | undefined {
  for (const { pattern, take } of PATTERNS) {
    pattern.lastIndex = at;
    const [whole, ...groups] = pattern.exec(text) ?? [];
    if (whole !== undefined) return take(into, groups) ? whole.length : undefined;
  }
  return undefined;
}

/** What stands in parentheses says nothing; they nest, and may stay open. */
function withoutComments(text: string): string {
  let depth = 0;
  let out = '';
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')' && depth > 0) depth--;
    else if (depth === 0) out += char;
  }
  return out;
}

/** A day that its month does not have is no date. */
function exists({ year, month, day }: { year: number; month: number; day: number }): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1;
}

/** Days on to a weekday: to the next one that is not past, and so many weeks beyond. */
function daysTo({ day, ordinal }: { day: number; ordinal: number }, from: number): number {
  const ahead = ordinal > 0 && from !== day ? ordinal - 1 : ordinal;
  return ((day - from + 7) % 7) + 7 * ahead;
}

/** Does a text name a moment between two milliseconds, which no date here can be? */
export function isFiner(text: string): boolean {
  return /[.,]\d{3}\d*[1-9]/.test(text);
}

/**
 * The moment that a text means, or undefined where it means none.
 *
 * @param now what relative items count from
 * @param zone as TZ names it, where the text names none; UTC by default
 */
export function parseDate(text: string, now = new Date(), zone?: string): Date | undefined {
  // A zone of its own counts for the text alone.
  const own = /^\s*TZ="((?:[^"\\]|\\.)*)"\s*/.exec(text);
  if (own !== null) return parseDate(text.slice(own[0].length), now, own[1]);
  const reading = read(withoutComments(text).trim().toLowerCase());
  if (reading === undefined) return undefined;
  const { date, weekday, epoch, years, months, days, ms } = reading;
  const from = new Date(epoch ?? now.getTime());
  const isMoment =
    date === undefined &&
    weekday === undefined &&
    reading.time === undefined &&
    reading.zone === undefined;
  // An hour that comes twice is not to be read back from what the clocks show.
  if (isMoment && years === 0 && months === 0 && days === 0) return new Date(from.getTime() + ms);
  const local =
    reading.zone === undefined
      ? zoned(from, zone)
      : zoned(new Date(from.getTime() + reading.zone * 60_000), 'UTC');
  const day = date === undefined ? local : { ...date, year: date.year ?? local.year };
  if (!exists(day)) return undefined;
  const midnight = { hour: 0, minute: 0, second: 0, ms: 0 };
  const asked = date !== undefined || weekday !== undefined;
  const time = reading.time ?? (asked ? midnight : { ...local, ms: from.getTime() % 1000 });
  const start = new Date(0);
  start.setUTCFullYear(day.year, day.month - 1, day.day);
  const onward =
    weekday === undefined || date !== undefined ? 0 : daysTo(weekday, start.getUTCDay());
  const fields = new Date(start);
  fields.setUTCFullYear(day.year + years, day.month - 1 + months, day.day + days + onward);
  fields.setUTCHours(time.hour, time.minute, time.second, time.ms);
  const moment =
    reading.zone === undefined
      ? utcOf(fields, zone)
      : new Date(fields.getTime() - reading.zone * 60_000);
  return new Date(moment.getTime() + ms);
}
