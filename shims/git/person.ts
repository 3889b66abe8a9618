/** People and times as git shows them. */
import type { Person } from './repository.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const MINUTE = 60;

export type DateForm =
  | 'default'
  | 'iso'
  | 'iso-strict'
  | 'short'
  | 'rfc'
  | 'raw'
  | 'unix'
  | 'relative';

const two = (value: number): string => String(value).padStart(2, '0');

/** `+0200`; with a colon for strict ISO 8601. */
function zoneOf({ timezoneOffset }: Pick<Person, 'timezoneOffset'>, colon = ''): string {
  const east = -timezoneOffset;
  const minutes = Math.abs(east);
  return `${east < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${colon}${two(minutes % 60)}`;
}

/** As objects and reflogs have it: `Ada <ada@example.com> 1700000000 +0100`. */
export const signatureOf = (person: Person): string =>
  `${person.name} <${person.email}> ${person.timestamp} ${zoneOf(person)}`;

export function dateOf(person: Person, form: DateForm, now = Date.now()): string {
  const { timestamp, timezoneOffset } = person;
  const zone = zoneOf(person);
  if (form === 'unix') return String(timestamp);
  if (form === 'raw') return `${timestamp} ${zone}`;
  if (form === 'relative') return relative(Math.floor(now / 1000) - timestamp);
  const local = new Date((timestamp - timezoneOffset * MINUTE) * 1000);
  const time = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()]
    .map(two)
    .join(':');
  const day = local.getUTCDate();
  const month = local.getUTCMonth();
  const year = local.getUTCFullYear();
  const date = `${year}-${two(month + 1)}-${two(day)}`;
  if (form === 'short') return date;
  if (form === 'iso') return `${date} ${time} ${zone}`;
  if (form === 'iso-strict')
    return `${date}T${time}${timezoneOffset === 0 ? 'Z' : zoneOf(person, ':')}`.replace(
      /Z$/,
      '+00:00',
    );
  if (form === 'rfc')
    return `${DAYS[local.getUTCDay()]}, ${day} ${MONTHS[month]} ${year} ${time} ${zone}`;
  return `${DAYS[local.getUTCDay()]} ${MONTHS[month]} ${day} ${time} ${year} ${zone}`;
}

function relative(seconds: number): string {
  const say = (count: number, unit: string): string =>
    `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  if (seconds < 90) return say(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return say(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  if (hours < 36) return say(hours, 'hour');
  const days = Math.round(hours / 24);
  if (days < 14) return say(days, 'day');
  if (days < 70) return say(Math.round(days / 7), 'week');
  if (days < 365) return say(Math.round((days + 15) / 30), 'month');
  return say(Math.round(days / 365), 'year');
}
