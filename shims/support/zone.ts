/** Time zones as TZ names them: of the database (`Europe/Berlin`), or a rule of POSIX (`EET-2EEST,M3.5.0/3,M10.5.0/4`). */

/** A zone at one moment. */
export interface ZoneTime {
  /** Minutes east of Greenwich; a part of one for seconds. */
  offset: number;
  /** As `%Z` prints it: `CET`, `+08`. */
  name: string;
}

const UTC: ZoneTime = { offset: 0, name: 'UTC' };

/** English of these regions, and others, have the short names that the zones' own people use. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-CA', 'en-ZA', 'en-IN', 'en-HK', 'ja-JP', 'id-ID'];

/** Zones whose short names none of the locales has. With `/`: in winter and in summer. */
const NAMES: Readonly<Record<string, string>> = {
  'Asia/Shanghai': 'CST',
  'Asia/Taipei': 'CST',
  'Asia/Macau': 'CST',
  'Asia/Seoul': 'KST',
  'Asia/Manila': 'PST',
  'Asia/Karachi': 'PKT',
  'Asia/Jerusalem': 'IST/IDT',
  'Asia/Dubai': '+04',
  'Australia/Lord_Howe': '+1030/+11',
  'Europe/Moscow': 'MSK',
  'Europe/London': 'GMT/BST',
  'Europe/Dublin': 'GMT/IST',
};

const two = (value: number): string => String(value).padStart(2, '0');

function numericName(offset: number): string {
  const size = Math.abs(offset);
  const minutes = size % 60 === 0 ? '' : two(Math.floor(size % 60));
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${minutes}`;
}

function part(date: Date, zone: string, locale: string, style: 'short' | 'longOffset'): string {
  return (
    new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: style })
      .formatToParts(date)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  );
}

function standardOffset(date: Date, zone: string): number {
  const year = date.getUTCFullYear();
  return Math.min(...[0, 6].map((month) => offsetAt(new Date(Date.UTC(year, month, 1)), zone)));
}

function offsetAt(date: Date, zone: string): number {
  const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(part(date, zone, 'en-US', 'longOffset'));
  if (match === null) return 0;
  const [, sign, hours, minutes, seconds = '0'] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes) + Number(seconds) / 60);
}

function nameAt(date: Date, zone: string, offset: number): string {
  const [winter = '', summer = winter] = NAMES[zone]?.split('/') ?? [];
  if (winter !== '') return offset > standardOffset(date, zone) ? summer : winter;
  for (const locale of LOCALES) {
    const name = part(date, zone, locale, 'short');
    if (/^[A-Z]{3,5}$/.test(name) && name !== 'UTC') return name;
  }
  return offset === 0 ? 'GMT' : numericName(offset);
}

/** A day of the year on which clocks change: the week'th weekday of a month, or a day's number. */
type Change = (year: number) => number;

interface Rule {
  standard: ZoneTime;
  summer?: ZoneTime & { from: Change; to: Change };
}

function secondsOf(text: string): number {
  const [, sign, hours, minutes = '0', seconds = '0'] =
    /^([-+]?)(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** The moment of a change, in ms since 1970 as the clocks before it show. */
function changeOf(text: string): Change | undefined {
  const match = /^(?:M(\d+)\.(\d)\.(\d)|(J?)(\d+))(?:\/([-+]?[\d:]+))?$/.exec(text);
  if (match === null) return undefined;
  const [, month, week, weekday, julian, day, time = '2'] = match;
  const ms = secondsOf(time) * 1000;
  if (month === undefined) {
    return (year) => {
      const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
      const counted = Number(day) + (julian === 'J' ? (isLeap && Number(day) > 59 ? 1 : 0) - 1 : 0);
      return Date.UTC(year, 0, 1 + counted) + ms;
    };
  }
  return (year) => {
    const first = new Date(Date.UTC(year, Number(month) - 1, 1)).getUTCDay();
    const length = new Date(Date.UTC(year, Number(month), 0)).getUTCDate();
    let date = 1 + ((Number(weekday) - first + 7) % 7) + 7 * (Number(week) - 1);
    if (date > length) date -= 7;
    return Date.UTC(year, Number(month) - 1, date) + ms;
  };
}

const NAME = '(<[^>]+>|[A-Za-z]{3,})';
const OFFSET = '([-+]?\\d{1,2}(?::\\d{1,2}){0,2})';
const RULE = new RegExp(`^${NAME}${OFFSET}(?:${NAME}${OFFSET}?(?:,([^,]+),([^,]+))?)?$`);

/** A rule of POSIX; undefined where it is none. */
function ruleOf(zone: string): Rule | undefined {
  const match = RULE.exec(zone);
  if (match === null) return undefined;
  const [, name = '', west = '0', summerName, summerWest, from = 'M3.2.0', to = 'M11.1.0'] = match;
  const bare = (text: string): string => text.replace(/[<>]/g, '');
  const standard = { offset: -secondsOf(west) / 60, name: bare(name) };
  const [start, end] = [changeOf(from), changeOf(to)];
  if (summerName === undefined || start === undefined || end === undefined) return { standard };
  const offset = summerWest === undefined ? standard.offset + 60 : -secondsOf(summerWest) / 60;
  return { standard, summer: { offset, name: bare(summerName), from: start, to: end } };
}

function ruledAt(date: Date, { standard, summer }: Rule): ZoneTime {
  if (summer === undefined) return standard;
  const year = new Date(date.getTime() + standard.offset * 60_000).getUTCFullYear();
  const from = summer.from(year) - standard.offset * 60_000;
  const to = summer.to(year) - summer.offset * 60_000;
  const at = date.getTime();
  const isSummer = from < to ? at >= from && at < to : at >= from || at < to;
  return isSummer ? { offset: summer.offset, name: summer.name } : standard;
}

/** The zone that TZ names at a moment; UTC when it names none. */
export function zoneAt(date: Date, zone: string | undefined): ZoneTime {
  const name = zone?.replace(/^:/, '');
  if (name === undefined || name === '' || /^(?:UTC|Etc\/UTC|Universal|Zulu)$/.test(name))
    return UTC;
  const rule = ruleOf(name);
  if (rule !== undefined) return ruledAt(date, rule);
  try {
    const offset = offsetAt(date, name);
    return { offset, name: nameAt(date, name, offset) };
  } catch (error) {
    // An unknown zone is UTC under its own name, as the C library has it.
    if (error instanceof RangeError)
      return { offset: 0, name: /^[A-Za-z]{3,}/.exec(name)?.[0] ?? 'UTC' };
    throw error;
  }
}
