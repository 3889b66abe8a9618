/** The calls of C's library that turn moments into dates and back, in the time zone of the shell. */
import { offsetText, strftime, utcOf, zoned } from '../support/time.ts';
import { type DateFields, fieldsOf, millisecondsOf } from './date-fields.ts';
import { type Address, type ProgramMemory, textSize } from './memory.ts';
import { strptime } from './strptime.ts';

const FIRST_YEAR = 1900;

/** Room for a zone's name, UTC's and the shell's, each with a zero behind it. Bytes. */
const NAME = 16;
/** Where a `struct tm` points to its zone's name. */
const ZONE_AT = 40;
export const ZONE_NAMES = 2 * NAME;

/** Seconds between a zone's clock and UTC's at a moment. */
const offsetAt = (milliseconds: number, zone: string | undefined): number =>
  zoned(new Date(milliseconds), zone).offset * 60;

/** Clocks of one run. */
export class ProgramClock {
  readonly #memory: ProgramMemory;
  readonly #zone: string | undefined;
  /** Where {@link ZONE_NAMES} bytes are free for the names that fields point to. */
  names: Address = 0;

  /** @param zone as TZ names it; undefined is UTC */
  constructor(memory: ProgramMemory, zone: string | undefined) {
    this.#memory = memory;
    this.#zone = zone;
  }

  /** The calls, by their names in C. */
  readonly calls = {
    now: (): number => Date.now(),
    gmtime: (seconds: bigint, to: Address): void => this.#put(to, fieldsOf(Number(seconds) * 1000)),
    localtime: (seconds: bigint, to: Address): void => this.#putLocal(to, Number(seconds) * 1000),
    timegm: (at: Address): bigint => {
      const milliseconds = millisecondsOf(this.#fields(at));
      this.#put(at, fieldsOf(milliseconds));
      return BigInt(milliseconds / 1000);
    },
    mktime: (at: Address): bigint => {
      const clock = new Date(millisecondsOf(this.#fields(at)));
      const milliseconds = utcOf(clock, this.#zone).getTime();
      this.#putLocal(at, milliseconds);
      return BigInt(milliseconds / 1000);
    },
    tzset: (seconds: Address, hasSummer: Address, name: Address, summerName: Address): void => {
      const { winter, summer } = this.#offsets(new Date().getUTCFullYear());
      this.#memory.putInt(seconds, -winter);
      this.#memory.putInt(hasSummer, winter === summer ? 0 : 1);
      this.#memory.putText(name, nameOf(winter));
      this.#memory.putText(summerName, nameOf(summer));
    },
    strptime: (text: Address, format: Address, to: Address): Address => {
      const given = this.#memory.text(text);
      const read = strptime(given, this.#memory.text(format), this.#fields(to));
      if (read === null) return 0;
      this.#put(to, read.fields);
      return text + textSize(given) - textSize(read.rest);
    },
  };

  #offsets(year: number): { winter: number; summer: number } {
    const both = [0, 6].map((month) => offsetAt(Date.UTC(year, month), this.#zone));
    return { winter: Math.min(...both), summer: Math.max(...both) };
  }

  #putLocal(to: Address, milliseconds: number): void {
    const offset = offsetAt(milliseconds, this.#zone);
    const fields = fieldsOf(milliseconds + offset * 1000);
    const isSummer = offset !== this.#offsets(fields.year).winter;
    this.#put(to, { ...fields, isSummer, offset });
    const at = this.names + NAME;
    const clock = new Date(milliseconds);
    const name = strftime('%Z', zoned(clock, this.#zone), clock);
    this.#memory.putText(at, name.slice(0, NAME - 1));
    this.#memory.putInt(to + ZONE_AT, at);
  }

  #fields(at: Address): DateFields {
    const field = (index: number): number => this.#memory.int(at + 4 * index);
    return {
      second: field(0),
      minute: field(1),
      hour: field(2),
      day: field(3),
      month: field(4),
      year: field(5) + FIRST_YEAR,
      weekday: field(6),
      yearday: field(7),
      isSummer: field(8) > 0,
      offset: field(9),
    };
  }

  #put(to: Address, fields: DateFields): void {
    const { second, minute, hour, day, month, year, weekday, yearday, isSummer, offset } = fields;
    const summer = isSummer ? 1 : 0;
    const numbers = [second, minute, hour, day, month, year - FIRST_YEAR, weekday, yearday];
    for (const [index, number] of [...numbers, summer, offset].entries())
      this.#memory.putInt(to + 4 * index, number);
    this.#memory.putText(this.names, 'UTC');
    this.#memory.putInt(to + ZONE_AT, this.names);
  }
}

/** A zone's short name, as `date` writes it. */
const nameOf = (seconds: number): string =>
  seconds === 0 ? 'UTC' : offsetText({ ...zoned(new Date(0), undefined), offset: seconds / 60 });
