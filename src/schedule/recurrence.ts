/** When a prompt comes again: an expression of cron, in a time zone. */
import { Cron } from 'croner';
import { nearest } from '../nearest.ts';

/** Times that come again. */
export interface Recurrence {
  /** The first one later than a time; null where there is none. */
  after(time: Date): Date | null;
}

const NICKNAME = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;
const FIELDS = 'minute, hour, day of the month, month and day of the week';

/**
 * Reads an expression of five fields, or a nickname such as `@daily`; a text tells what is wrong.
 * A time of the day that summer time leaves out comes when it has begun, and one that comes twice
 * comes once.
 * @param zone of the IANA database, e.g. `Europe/Berlin`
 */
export function parseRecurrence(every: string, zone: string): Recurrence | string {
  if (!isZone(zone)) return `zone: there is no time zone ${JSON.stringify(zone)}${alike(zone)}`;
  const expression = every.trim();
  const fields = expression === '' ? 0 : expression.split(/\s+/).length;
  if (fields !== 5 && !NICKNAME.test(expression))
    return `every: ${JSON.stringify(every)} has ${fields} ${fields === 1 ? 'field' : 'fields'}, and five are wanted: ${FIELDS}, such as "0 9 * * 1" for Mondays at 9`;
  let cron: Cron;
  try {
    cron = new Cron(expression, {
      timezone: zone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      paused: true,
    });
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return `every: ${JSON.stringify(every)}: ${error.message.replace(/^CronPattern: /, '')}`;
  }
  if (cron.nextRun() === null) return `every: ${JSON.stringify(every)} is a time that never comes`;
  return { after: (time) => cron.nextRun(time) };
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function alike(zone: string): string {
  const names = nearest(zone, Intl.supportedValuesOf('timeZone'));
  return names.length === 0
    ? '; "UTC" and "Europe/Berlin" are some'
    : `; nearest: ${names.join(', ')}`;
}
