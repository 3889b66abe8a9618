/** What depends on languages and zones: the engine knows none, the host does. */
import type { Bag, Guest } from './loose.ts';

type Args = unknown[];

const json = (value: unknown): string | undefined => JSON.stringify(value);

/** Which formatters there are, and what they do. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  Collator: ['compare', 'resolvedOptions'],
  DateTimeFormat: ['format', 'formatToParts', 'formatRange', 'resolvedOptions'],
  DisplayNames: ['of', 'resolvedOptions'],
  ListFormat: ['format', 'formatToParts', 'resolvedOptions'],
  NumberFormat: ['format', 'formatToParts', 'formatRange', 'resolvedOptions'],
  PluralRules: ['select', 'resolvedOptions'],
  RelativeTimeFormat: ['format', 'formatToParts', 'resolvedOptions'],
  Segmenter: ['segment', 'resolvedOptions'],
};

/** @param zone the zone of this run */
export function intl({ host }: Guest, zone: () => string): void {
  const ask = <T>(name: string, ...args: Args): T => {
    const answer = host(name, ...args) as { value: T } | { wrong: string; kind: string };
    if ('value' in answer) return answer.value;
    throw new (answer.kind === 'TypeError' ? TypeError : RangeError)(answer.wrong);
  };
  const zoned = (options: unknown): Bag => ({ timeZone: zone(), ...(options as Bag | undefined) });
  /** A date crosses as its time. */
  const crossing = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);
  const scope: Bag = {};
  for (const [kind, methods] of Object.entries(KINDS)) {
    const made = {
      [kind]: class {
        constructor(locales?: unknown, options?: unknown) {
          const given = kind === 'DateTimeFormat' ? zoned(options) : options;
          for (const method of methods) {
            const call = (...args: Args): unknown => {
              const now =
                kind === 'DateTimeFormat' && method !== 'resolvedOptions' && args[0] === undefined;
              const sent = now ? [Date.now()] : args.map(crossing);
              if (method === 'compare')
                return host(
                  'compare',
                  String(args[0]),
                  String(args[1]),
                  json(locales),
                  json(given),
                );
              if (typeof sent[0] === 'bigint')
                return ask('formatNumber', String(sent[0]), json(locales), json(given));
              if (kind === 'NumberFormat' && method === 'format')
                return ask('formatNumber', Number(sent[0]), json(locales), json(given));
              return JSON.parse(
                ask<string>('intl', kind, method, json(locales), json(given), json(sent)),
              );
            };
            Object.defineProperty(this, method, {
              value: call,
              configurable: true,
              writable: true,
            });
          }
        }
        static supportedLocalesOf(locales: unknown): unknown {
          return ask('supportedLocales', kind, json(locales));
        }
      },
    };
    const Kind = made[kind] as unknown as new (...args: Args) => object;
    // Without `new`, most of them are made all the same.
    scope[kind] = new Proxy(Kind, { apply: (_, __, args) => new Kind(...args) });
  }
  scope['getCanonicalLocales'] = (locales: unknown) =>
    Array.isArray(locales) ? locales : [locales];
  scope['supportedValuesOf'] = () => [];
  Object.defineProperty(globalThis, 'Intl', { value: scope, configurable: true, writable: true });
  const define = (
    target: object,
    name: string,
    run: (this: never, ...args: never[]) => unknown,
  ): void => {
    Object.defineProperty(run, 'name', { value: name, configurable: true });
    Object.defineProperty(target, name, { value: run, configurable: true, writable: true });
  };
  define(
    String.prototype,
    'localeCompare',
    function (this: string, other: unknown, locales?: unknown, options?: unknown) {
      return host('compare', String(this), String(other), json(locales), json(options));
    },
  );
  for (const [name, isUpper] of [
    ['toLocaleUpperCase', true],
    ['toLocaleLowerCase', false],
  ] as const) {
    define(String.prototype, name, function (this: string, locale?: unknown) {
      if (locale === undefined)
        return isUpper ? String(this).toUpperCase() : String(this).toLowerCase();
      return host('localeCase', String(this), json(locale), isUpper);
    });
  }
  define(
    Number.prototype,
    'toLocaleString',
    function (this: number, locales?: unknown, options?: unknown) {
      return ask('formatNumber', Number(this), json(locales), json(options));
    },
  );
  define(
    BigInt.prototype,
    'toLocaleString',
    function (this: bigint, locales?: unknown, options?: unknown) {
      return ask('formatNumber', this.toString(), json(locales), json(options));
    },
  );
  dates({ ask, host, zone, zoned, define });
}

interface DateParts {
  ask<T>(name: string, ...args: Args): T;
  host: Guest['host'];
  zone(): string;
  zoned(options: unknown): Bag;
  define(target: object, name: string, run: (this: never, ...args: never[]) => unknown): void;
}

function dates({ ask, host, zone, zoned, define }: DateParts): void {
  const DATE = ['weekday', 'year', 'month', 'day', 'dateStyle'];
  const TIME = ['hour', 'minute', 'second', 'dayPeriod', 'fractionalSecondDigits', 'timeStyle'];
  const format = (needed: readonly string[], defaults: Bag) =>
    function (this: Date, locales?: unknown, options?: Bag): unknown {
      if (Number.isNaN(this.getTime())) return 'Invalid Date';
      const hasOne = needed.some((name) => options?.[name] !== undefined);
      const given = zoned({ ...(hasOne ? {} : defaults), ...options });
      return ask('formatDate', this.getTime(), json(locales), json(given));
    };
  const date = { year: 'numeric', month: 'numeric', day: 'numeric' };
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric' };
  define(Date.prototype, 'toLocaleString', format([...DATE, ...TIME], { ...date, ...time }));
  define(Date.prototype, 'toLocaleDateString', format(DATE, date));
  define(Date.prototype, 'toLocaleTimeString', format(TIME, time));
  const { toTimeString, toDateString } = Date.prototype;
  const withZone = (value: Date): string =>
    `${toTimeString.call(value).replace(/ \(.*\)$/, '')} (${String(host('zoneName', value.getTime(), zone()))})`;
  define(Date.prototype, 'toTimeString', function (this: Date) {
    return Number.isNaN(this.getTime()) ? 'Invalid Date' : withZone(this);
  });
  define(Date.prototype, 'toString', function (this: Date) {
    return Number.isNaN(this.getTime())
      ? 'Invalid Date'
      : `${toDateString.call(this)} ${withZone(this)}`;
  });
}
