/** systime, strftime and mktime. */
import { strftime, utcOf, zoned } from '../support/time.ts';
import { type Builtins, textArgument } from './calls.ts';
import { map, map2, now } from './code.ts';
import { FatalError } from './errors.ts';
import type { Runtime } from './runtime.ts';
import { AwkArray, isTrue, toNumber, type Value } from './values.ts';

const DEFAULT_FORMAT = '%a %b %e %H:%M:%S %Z %Y';
/** What a Date can hold. Seconds. */
const FARTHEST = 8.64e12;

function zoneOf(runtime: Runtime): string | undefined {
  const zone = runtime.array('ENVIRON').elements.get('TZ');
  return zone === undefined || zone instanceof AwkArray ? undefined : runtime.text(zone);
}

function formatted(seconds: number, format: string, zone: string | undefined): string {
  if (!(Math.abs(seconds) <= FARTHEST))
    throw new FatalError('strftime: second argument out of range');
  const date = new Date(Math.floor(seconds) * 1000);
  return strftime(format, zoned(date, zone), date);
}

/** `YYYY MM DD HH MM SS`, each of which may be beyond its range; -1 where it is not that. */
function mktime(text: string, zone: string | undefined): number {
  const numbers = text.trim().split(/\s+/).map(Number);
  if (numbers.length < 6 || numbers.some((one) => !Number.isInteger(one))) return -1;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return Math.floor(utcOf(date, zone).getTime() / 1000);
}

export const timeFunctions: Builtins = {
  systime: { least: 0, most: 0, compile: () => now(() => Math.floor(Date.now() / 1000)) },
  mktime: {
    least: 1,
    most: 2,
    compile: (call) => {
      const [, second] = call.args;
      const utc = second === undefined ? now(() => false) : call.compiler.condition(second);
      return map2(
        textArgument(call, 0),
        utc,
        (text, inUtc): Value => mktime(text, inUtc ? undefined : zoneOf(call.compiler.runtime)),
      );
    },
  },
  strftime: {
    least: 0,
    most: 3,
    compile: ({ compiler, args }) => {
      const { runtime } = compiler;
      const [format, seconds, utc] = args;
      const how = format === undefined ? now(() => DEFAULT_FORMAT) : compiler.text(format);
      const at = map2(
        seconds === undefined ? now((): Value => Date.now() / 1000) : compiler.value(seconds),
        utc === undefined ? now((): Value => 0) : compiler.value(utc),
        (time, inUtc) => ({ time: toNumber(time), inUtc: isTrue(inUtc) }),
      );
      return map(
        map2(how, at, (text, place) => ({ text, ...place })),
        ({ text, time, inUtc }): Value =>
          formatted(time, text, inUtc ? undefined : zoneOf(runtime)),
      );
    },
  },
};
