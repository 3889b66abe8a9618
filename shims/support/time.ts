/** Dates as the tools print them. */
import { zoneAt } from './zone.ts';

/** A moment in some time zone. */
export interface ZonedTime {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** Sunday is 0. */
  weekday: number;
  /** Minutes east of Greenwich; a part of one for seconds. */
  offset: number;
  /** What the zone is called there. */
  zone: string;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const LONG_MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** A date in the zone that TZ names; UTC when it names none. */
export function zoned(date: Date, zone: string | undefined): ZonedTime {
  const { offset, name } = zoneAt(date, zone);
  const local = new Date(date.getTime() + offset * 60_000);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    weekday: local.getUTCDay(),
    offset,
    zone: name,
  };
}

/** The moment at which the clocks of a zone show these fields, which stand as if they were UTC's. */
export function utcOf(fields: Date, zone: string | undefined): Date {
  // The offset at that time, looked up twice since it depends on the answer.
  let guess = fields.getTime();
  for (let i = 0; i < 2; i++) {
    guess = fields.getTime() - zoned(new Date(guess), zone).offset * 60_000;
  }
  return new Date(guess);
}

const two = (value: number): string => String(value).padStart(2, '0');

/** +0000, or +00:00 with a colon. */
export function offsetText({ offset }: ZonedTime, colon = ''): string {
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${colon}${two(Math.floor(size % 60))}`;
}

/** The short name of a month, 1 to 12. */
export function monthName(month: number): string {
  return MONTHS[month - 1] ?? '';
}

function dayOfYear(time: ZonedTime): number {
  return (Date.UTC(time.year, time.month - 1, time.day) - Date.UTC(time.year, 0, 0)) / 86_400_000;
}

/** The week of ISO 8601, and the year that it belongs to: that of its Thursday. */
function isoWeek(time: ZonedTime): { year: number; week: number } {
  const thursday = dayOfYear(time) + 4 - (time.weekday || 7);
  const year =
    thursday < 1 ? time.year - 1 : thursday > daysIn(time.year) ? time.year + 1 : time.year;
  const from =
    year < time.year
      ? thursday + daysIn(year)
      : year > time.year
        ? thursday - daysIn(time.year)
        : thursday;
  return { year, week: Math.ceil(from / 7) };
}

const daysIn = (year: number): number =>
  (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / 86_400_000;

/** Nine digits of the second; a Date knows three. */
export function nanoseconds(date: Date): string {
  return `${String(((date.getTime() % 1000) + 1000) % 1000).padStart(3, '0')}000000`;
}

function directive(letter: string, time: ZonedTime, date: Date): string | undefined {
  const twelve = time.hour % 12 || 12;
  const table: Readonly<Record<string, () => string>> = {
    Y: () => String(time.year),
    y: () => two(time.year % 100),
    C: () => two(Math.floor(time.year / 100)),
    m: () => two(time.month),
    d: () => two(time.day),
    e: () => String(time.day).padStart(2),
    H: () => two(time.hour),
    k: () => String(time.hour).padStart(2),
    I: () => two(twelve),
    l: () => String(twelve).padStart(2),
    M: () => two(time.minute),
    S: () => two(time.second),
    N: () => nanoseconds(date),
    s: () => String(Math.floor(date.getTime() / 1000)),
    p: () => (time.hour < 12 ? 'AM' : 'PM'),
    P: () => (time.hour < 12 ? 'am' : 'pm'),
    q: () => String(Math.ceil(time.month / 3)),
    G: () => String(isoWeek(time).year),
    g: () => two(isoWeek(time).year % 100),
    V: () => two(isoWeek(time).week),
    U: () => two(Math.floor((dayOfYear(time) + 6 - time.weekday) / 7)),
    W: () => two(Math.floor((dayOfYear(time) + 6 - ((time.weekday + 6) % 7)) / 7)),
    a: () => (DAYS[time.weekday] ?? '').slice(0, 3),
    A: () => DAYS[time.weekday] ?? '',
    b: () => monthName(time.month),
    h: () => monthName(time.month),
    B: () => LONG_MONTHS[time.month - 1] ?? '',
    j: () => String(dayOfYear(time)).padStart(3, '0'),
    u: () => String(time.weekday || 7),
    w: () => String(time.weekday),
    z: () => offsetText(time),
    Z: () => time.zone,
    n: () => '\n',
    t: () => '\t',
    '%': () => '%',
  };
  const compound: Readonly<Record<string, string>> = {
    F: '%Y-%m-%d',
    T: '%H:%M:%S',
    X: '%H:%M:%S',
    R: '%H:%M',
    D: '%m/%d/%y',
    x: '%m/%d/%y',
    c: '%a %b %e %H:%M:%S %Y',
    r: '%I:%M:%S %p',
    '+': '%Y-%m-%d+%H:%M:%S',
  };
  const spelled = compound[letter];
  return spelled === undefined ? table[letter]?.() : strftime(spelled, time, date);
}

/** %z with so many colons: `+0100`, `+01:00`, `+01:00:00`, and with three as short as it goes. */
function zoneText({ offset }: ZonedTime, colons: number, flags: string, width: number): string {
  const size = Math.round(Math.abs(offset) * 60);
  const [hours, minutes, seconds] = [
    Math.floor(size / 3600),
    two(Math.floor(size / 60) % 60),
    two(size % 60),
  ];
  const shortest =
    seconds !== '00' ? `:${minutes}:${seconds}` : minutes !== '00' ? `:${minutes}` : '';
  const behind = [minutes, `:${minutes}`, `:${minutes}:${seconds}`, shortest][colons] ?? '';
  const sign = offset < 0 ? '-' : '+';
  const padding = [...flags].findLast((flag) => '-_0'.includes(flag));
  if (colons === 0 && padding !== undefined && padding !== '0') {
    // One number to GNU: hours and minutes together.
    const number = `${sign}${Number(`${hours}${minutes}`)}`;
    return padding === '_' ? number.padStart(Math.max(width, 5)) : number;
  }
  const full = Math.max(width, 3 + behind.length);
  if (padding === '-') return `${sign}${hours}${behind}`;
  if (padding === '_') return `${sign}${hours}${behind}`.padStart(full);
  return `${sign}${(hours + behind).padStart(full - 1, '0')}`;
}

/** Years and centuries with the flag `+`: a sign where there are more digits than usual. */
function signedYear(letter: string, time: ZonedTime, width: number): string | undefined {
  const usual = letter === 'C' ? 2 : 4;
  const year = letter === 'G' ? isoWeek(time).year : time.year;
  const value = letter === 'C' ? Math.floor(year / 100) : year;
  if (letter === 'F') {
    const rest = `-${two(time.month)}-${two(time.day)}`;
    return `${signedYear('Y', time, Math.max(0, width - rest.length))}${rest}`;
  }
  if (!'YCG'.includes(letter)) return undefined;
  const digits = String(Math.abs(value));
  const isLong = width > usual || digits.length > usual;
  const sign = value < 0 ? '-' : isLong ? '+' : '';
  return sign + digits.padStart(Math.max(usual, width) - sign.length, '0');
}

/** Conversions that are filled up with blanks; all other numbers with zeros, and words with blanks. */
const BLANK_FILLED = 'eklaAbBhpPZ';

/** Flags and width as GNU has them: `-` no padding, `_` blanks, `0` zeros, `^` upper case, `#` the other case. */
function dressed(text: string, flags: string, width: number, letter: string): string {
  // A sign stands before the zeros, and behind the blanks.
  if (/^-\d/.test(text) && !flags.includes('_')) {
    return `-${dressed(text.slice(1), flags, Math.max(0, width - 1), letter)}`;
  }
  const number = /^[ 0]*(?=\d)/.exec(text)?.[0].length ?? 0;
  const bare = number > 0 ? text.slice(number) : text;
  const opposite = flags.includes('#') && ('pZ'.includes(letter) ? 'lower' : 'upper');
  const cased =
    flags.includes('^') || opposite === 'upper'
      ? (value: string) => value.toUpperCase()
      : (value: string) => (opposite === 'lower' ? value.toLowerCase() : value);
  const padding = [...flags].findLast((flag) => '-_0'.includes(flag));
  if (padding === '-') return cased(bare);
  const fill =
    padding === '_' ? ' ' : padding === '0' ? '0' : BLANK_FILLED.includes(letter) ? ' ' : '0';
  return cased(
    padding === undefined && width === 0 ? text : bare.padStart(Math.max(width, text.length), fill),
  );
}

/**
 * strftime(3) in the C locale, with GNU's flags, widths, %N and %s.
 * A conversion that is none stays as it is.
 */
export function strftime(format: string, time: ZonedTime, date: Date): string {
  return format.replace(
    /%([-_0^#]*\+?[-_0^#]*(?=[\d:]*[EO]?[a-zA-Z%])|)(\d*)(:*)([EO]?)([a-zA-Z+%])/g,
    (whole, flags: string, width: string, colons: string, _modifier, letter: string) => {
      // Of nanoseconds the width says how many digits.
      if (letter === 'N') return nanoseconds(date).slice(0, Number(width) || 9);
      if (letter === 'z') {
        return colons.length > 3 ? whole : zoneText(time, colons.length, flags, Number(width));
      }
      if (colons !== '') return whole;
      const signed = flags.includes('+') ? signedYear(letter, time, Number(width)) : undefined;
      const text = signed ?? directive(letter, time, date);
      return text === undefined ? whole : dressed(text, flags, Number(width), letter);
    },
  );
}
