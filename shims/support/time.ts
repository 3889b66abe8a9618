/** Dates as the tools print and read them. */

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
  /** Minutes east of Greenwich. */
  offset: number;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const LONG_MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

function offsetOf(date: Date, zone: string): number {
  try {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(date)
      .find((part) => part.type === 'timeZoneName')?.value;
    const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts ?? '');
    if (match === null) return 0;
    return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
  } catch (error) {
    // An unknown zone is UTC, as the C library has it.
    if (error instanceof RangeError) return 0;
    throw error;
  }
}

/** A date in the zone that TZ names; UTC when it names none. */
export function zoned(date: Date, zone: string | undefined): ZonedTime {
  const offset = zone === undefined || /^(?:UTC0?|GMT0?|)$/.test(zone) ? 0 : offsetOf(date, zone);
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
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

/** +0000 */
export function offsetText({ offset }: ZonedTime): string {
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${two(size % 60)}`;
}

/** The short name of a month, 1 to 12. */
export function monthName(month: number): string {
  return MONTHS[month - 1] ?? '';
}

function dayOfYear(time: ZonedTime): number {
  return (Date.UTC(time.year, time.month - 1, time.day) - Date.UTC(time.year, 0, 0)) / 86_400_000;
}

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
    a: () => (DAYS[time.weekday] ?? '').slice(0, 3),
    A: () => DAYS[time.weekday] ?? '',
    b: () => monthName(time.month),
    h: () => monthName(time.month),
    B: () => LONG_MONTHS[time.month - 1] ?? '',
    j: () => String(dayOfYear(time)).padStart(3, '0'),
    u: () => String(time.weekday || 7),
    w: () => String(time.weekday),
    z: () => offsetText(time),
    Z: () => (time.offset === 0 ? 'UTC' : offsetText(time)),
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

/** strftime(3) in the C locale, with GNU's %N and %s. */
export function strftime(format: string, time: ZonedTime, date: Date): string {
  return format.replace(
    /%([-_0^]?)(\d*)([a-zA-Z+%])/g,
    (whole, flag: string, _width, letter: string) => {
      const text = directive(letter, time, date);
      if (text === undefined) return whole;
      if (flag === '-') return text.replace(/^[0 ]+(?=\d)/, '');
      if (flag === '_') return text.replace(/^0+(?=\d)/, (zeros) => ' '.repeat(zeros.length));
      return flag === '^' ? text.toUpperCase() : text;
    },
  );
}

const UNITS: Readonly<Record<string, number>> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  fortnight: 1_209_600,
  month: 2_592_000,
  year: 31_536_000,
};

/** Months and years are those of the calendar, all other units so many seconds. */
function shifted(base: Date, count: number, unit: string): Date {
  if (unit !== 'month' && unit !== 'year') {
    return new Date(base.getTime() + count * (UNITS[unit] ?? 0) * 1000);
  }
  const out = new Date(base);
  out.setUTCMonth(out.getUTCMonth() + count * (unit === 'year' ? 12 : 1));
  return out;
}

/** Reads the dates that people write: ISO, @epoch, `3 days ago`, `yesterday`. undefined if it is none. */
export function parseDate(text: string, now = new Date()): Date | undefined {
  const clean = text.trim().toLowerCase();
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  if (clean === 'now' || clean === '') return now;
  if (clean === 'today') return now;
  if (clean === 'midnight') return new Date(midnight);
  if (clean === 'yesterday') return new Date(now.getTime() - 86_400_000);
  if (clean === 'tomorrow') return new Date(now.getTime() + 86_400_000);
  const epoch = /^@(-?\d+(?:\.\d+)?)$/.exec(clean);
  if (epoch !== null) return new Date(Number(epoch[1]) * 1000);
  const relative = /^(.*?)\s*([+-]\s*\d+|\b\d+|\blast|\bnext|\ban?)\s*([a-z]+?)s?(\s+ago)?$/.exec(
    clean,
  );
  if (relative !== null && UNITS[relative[3] ?? ''] !== undefined) {
    const [, start = '', amount = '', unit = '', ago] = relative;
    const base = parseDate(start, now);
    const words: Readonly<Record<string, number>> = { last: -1, next: 1, a: 1, an: 1 };
    const count = words[amount] ?? Number(amount.replace(/\s/g, ''));
    return base === undefined ? undefined : shifted(base, ago === undefined ? count : -count, unit);
  }
  const iso =
    /^(\d{4})-?(\d\d)-?(\d\d)(?:[t ]+(\d\d?):(\d\d)(?::(\d\d)(\.\d+)?)?)?\s*(z|utc|[+-]\d\d:?\d\d)?$/;
  const match = iso.exec(clean);
  if (match === null) {
    const parsed = Date.parse(text);
    return Number.isNaN(parsed) ? undefined : new Date(parsed);
  }
  const [, y, mo, d, h = '0', mi = '0', s = '0', fraction = '0', zone = 'z'] = match;
  const base = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
  const shift = /([+-])(\d\d):?(\d\d)/.exec(zone);
  const minutes = shift === null ? 0 : Number(shift[2]) * 60 + Number(shift[3]);
  return new Date(
    base + Number(fraction) * 1000 - (shift?.[1] === '-' ? -1 : 1) * minutes * 60_000,
  );
}
