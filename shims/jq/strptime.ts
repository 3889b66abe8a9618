/** strptime(3) in the C locale, as glibc has it. */
import { type DateFields, fieldsOf, millisecondsOf } from './date-fields.ts';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );

const SPELLED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
};

const SPACE = /^[ \t\n\v\f\r]+/;

/** What was read of a date so far. */
class Reader {
  rest: string;
  readonly fields: DateFields;
  #isAfternoon: boolean | undefined;
  #century: number | undefined;
  #hasDate = false;
  #hasWeekday = false;
  #hasYearday = false;
  #hasMonth = false;

  constructor(text: string, fields: DateFields) {
    this.rest = text;
    this.fields = { ...fields };
  }

  skipSpace(): void {
    this.rest = this.rest.replace(SPACE, '');
  }

  /** Takes this text away; false where something else stands there. */
  literal(text: string): boolean {
    if (!this.rest.startsWith(text)) return false;
    this.rest = this.rest.slice(text.length);
    return true;
  }

  /** Reads what one conversion stands for; false when it does not match. */
  conversion(letter: string): boolean {
    const spelled = SPELLED[letter];
    if (spelled !== undefined) return readAll(this, spelled);
    const { fields } = this;
    switch (letter) {
      case '%':
        return this.literal('%');
      case 'n':
      case 't':
        this.skipSpace();
        return true;
      case 'a':
      case 'A':
        return this.#name(DAYS, (index) => this.#setWeekday(index));
      case 'b':
      case 'B':
      case 'h':
        return this.#name(MONTHS, (index) => this.#setMonth(index));
      case 'p':
        return this.#halfOfDay();
      case 'z':
        return this.#zone();
      case 'Z':
        // Read, and of no effect, as in glibc.
        this.rest = this.rest.replace(SPACE, '').replace(/^\S+/, '');
        return true;
      case 's':
        return this.#epoch();
      case 'H':
      case 'k':
        return this.#number(0, 23, (value) => Object.assign(fields, { hour: value }));
      case 'I':
      case 'l':
        this.#isAfternoon ??= false;
        return this.#number(1, 12, (value) => Object.assign(fields, { hour: value % 12 }));
      case 'M':
        return this.#number(0, 59, (value) => Object.assign(fields, { minute: value }));
      case 'S':
        return this.#number(0, 61, (value) => Object.assign(fields, { second: value }));
      default:
        return this.#dateNumber(letter);
    }
  }

  #dateNumber(letter: string): boolean {
    const { fields } = this;
    switch (letter) {
      case 'd':
      case 'e':
        return this.#number(1, 31, (value) => {
          fields.day = value;
          this.#hasDate = true;
        });
      case 'm':
        return this.#number(1, 12, (value) => this.#setMonth(value - 1));
      case 'j':
        return this.#number(1, 366, (value) => {
          fields.yearday = value - 1;
          this.#hasYearday = true;
        });
      case 'y':
        return this.#number(0, 99, (value) => this.#setYear(value + (value < 69 ? 2000 : 1900)));
      case 'Y':
        return this.#number(0, 9999, (value) => this.#setYear(value));
      case 'C':
        return this.#number(0, 99, (value) => {
          this.#century = value;
        });
      case 'u':
        return this.#number(1, 7, (value) => this.#setWeekday(value % 7));
      case 'w':
        return this.#number(0, 6, (value) => this.#setWeekday(value));
      // Weeks are read, and of no effect, as in glibc.
      case 'g':
        return this.#number(0, 99, () => undefined);
      case 'G':
        return this.#number(0, 9999, () => undefined);
      case 'U':
      case 'W':
      case 'V':
        return this.#number(0, 53, () => undefined);
      default:
        return false;
    }
  }

  #setMonth(month: number): void {
    this.fields.month = month;
    this.#hasMonth = true;
    this.#hasDate = true;
  }

  #setYear(year: number): void {
    this.fields.year = year;
    this.#hasDate = true;
  }

  #setWeekday(weekday: number): void {
    this.fields.weekday = weekday;
    this.#hasWeekday = true;
  }

  /** A number in these bounds, with no more digits than they allow. */
  #number(least: number, most: number, take: (value: number) => void): boolean {
    this.skipSpace();
    const digits = String(most).length;
    let read = '';
    while (read.length < digits && /^\d/.test(this.rest) && Number(read) * 10 <= most) {
      read += this.rest.slice(0, 1);
      this.rest = this.rest.slice(1);
    }
    const value = Number(read);
    if (read === '' || value < least || value > most) return false;
    take(value);
    return true;
  }

  #name(names: readonly string[], take: (index: number) => void): boolean {
    const text = this.rest.toLowerCase();
    for (const [index, name] of names.entries()) {
      const found = [name, name.slice(0, 3)].find((form) => text.startsWith(form));
      if (found === undefined) continue;
      this.rest = this.rest.slice(found.length);
      take(index);
      return true;
    }
    return false;
  }

  #halfOfDay(): boolean {
    const match = /^[ap]m/i.exec(this.rest);
    if (match === null) return false;
    this.#isAfternoon = match[0].toLowerCase() === 'pm';
    this.rest = this.rest.slice(2);
    return true;
  }

  #zone(): boolean {
    this.skipSpace();
    const match = /^(?:Z|([+-])(\d\d)(?::?(\d\d))?)/.exec(this.rest);
    if (match === null) return false;
    const minutes = Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
    this.fields.offset = (match[1] === '-' ? -60 : 60) * minutes;
    this.rest = this.rest.slice(match[0].length);
    return true;
  }

  #epoch(): boolean {
    const match = /^\d+/.exec(this.rest);
    if (match === null) return false;
    Object.assign(this.fields, fieldsOf(Number(match[0]) * 1000));
    this.rest = this.rest.slice(match[0].length);
    return true;
  }

  /** What follows from what was read: the half of the day, the century, weekday and day of the year. */
  finish(): DateFields {
    const { fields } = this;
    if (this.#isAfternoon === true && fields.hour < 12) fields.hour += 12;
    if (this.#century !== undefined) fields.year = this.#century * 100 + (fields.year % 100);
    if (this.#hasYearday && !this.#hasMonth) {
      const { month, day } = fieldsOf(
        millisecondsOf({ ...fields, month: 0, day: fields.yearday + 1 }),
      );
      Object.assign(fields, { month, day });
      this.#hasDate = true;
    }
    if (this.#hasDate) {
      // A date of its own has a day 0 where none was read; C leaves it so.
      const { weekday, yearday } = fieldsOf(millisecondsOf(fields));
      if (!this.#hasWeekday) fields.weekday = weekday;
      if (!this.#hasYearday) fields.yearday = yearday;
    }
    return fields;
  }
}

function readAll(reader: Reader, format: string): boolean {
  for (const [part, letter] of format.matchAll(/%[EO]?(.)|\s+|[\s\S]/g)) {
    if (letter !== undefined) {
      if (!reader.conversion(letter)) return false;
    } else if (SPACE.test(part)) reader.skipSpace();
    else if (!reader.literal(part)) return false;
  }
  return true;
}

/**
 * Reads a date.
 * @param before what the fields are where the text says nothing
 * @returns the fields and what follows the date; null when the text does not match
 */
export function strptime(
  text: string,
  format: string,
  before: DateFields,
): { fields: DateFields; rest: string } | null {
  const reader = new Reader(text, before);
  return readAll(reader, format) ? { fields: reader.finish(), rest: reader.rest } : null;
}
