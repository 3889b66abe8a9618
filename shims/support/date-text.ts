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
const ORDINAL = '[-+]?\\s*\\d+|next|last|this|an?';

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

const WORDS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1, a: 1, an: 1 };

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
  const fits = half === undefined ? hour <= 24 : hour >= 1 && hour <= 12;
  return fits && Number(minute) < 60 && Number(second) <= 60;
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
    '@(-?\\d+(?:\\.\\d+)?)',
    (into, [seconds]) => {
      into.epoch = Number(seconds) * 1000;
      return true;
    },
  ],
  [
    '(\\d{4})-(\\d{1,2})-(\\d{1,2})(?:t(?=\\d))?',
    (into, [y, m, d]) => setDate(into, Number(y), Number(m), Number(d)),
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
    '(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d+))?)?(?:\\s*([ap])\\.?m\\b\\.?)?(?:\\s*([-+])(\\d{1,4})(?::(\\d\\d))?)?',
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
    '(?:z|utc|gmt)\\b',
    (into) => {
      into.zone = 0;
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
      if (into.date === undefined || into.date.year !== undefined) return false;
      into.date.year = Number(year);
      return true;
    },
  ],
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

/**
 * The moment that a text means, or undefined where it means none.
 *
 * @param now what relative items count from
 * @param zone as TZ names it, where the text names none; UTC by default
 */
export function parseDate(text: string, now = new Date(), zone?: string): Date | undefined {
  const reading = read(text.trim().toLowerCase());
  if (reading === undefined) return undefined;
  const { date, weekday, epoch, years, months, days, ms } = reading;
  const from = new Date(epoch ?? now.getTime());
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
