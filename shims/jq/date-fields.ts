/** Broken-down time as C has it: a moment's fields on some clock. */

/** The fields of a `struct tm`, as C counts them. */
export interface DateFields {
  second: number;
  minute: number;
  hour: number;
  /** 1 to 31. */
  day: number;
  /** 0 to 11. */
  month: number;
  year: number;
  /** Sunday is 0. */
  weekday: number;
  /** January 1st is 0. */
  yearday: number;
  isSummer: boolean;
  /** Seconds east of Greenwich. */
  offset: number;
}

const DAY_MS = 86_400_000;

/** Milliseconds since 1970 of fields that need not be in their ranges, read as UTC. */
export function millisecondsOf(fields: DateFields): number {
  const date = new Date(0);
  // Date.UTC would take the years 0 to 99 for those of the twentieth century.
  date.setUTCFullYear(fields.year, fields.month, fields.day);
  date.setUTCHours(fields.hour, fields.minute, fields.second);
  return date.getTime();
}

/** The fields that UTC's clock shows, each in its range. */
export function fieldsOf(milliseconds: number): DateFields {
  const date = new Date(milliseconds);
  const newYear = new Date(milliseconds);
  newYear.setUTCMonth(0, 1);
  return {
    second: date.getUTCSeconds(),
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth(),
    year: date.getUTCFullYear(),
    weekday: date.getUTCDay(),
    yearday: Math.round((milliseconds - newYear.getTime()) / DAY_MS),
    isSummer: false,
    offset: 0,
  };
}
