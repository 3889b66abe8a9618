/** Fields that the records of most services have: what the service sets, lines, texts, names. */
import { z } from 'zod';
import type { FieldSpec } from './record.ts';

/** What may be said of a field beside what it holds. A new record may be given it, unless `access` is `edit`. */
export interface FieldOptions extends Partial<Pick<FieldSpec, 'access' | 'required' | 'initial'>> {
  /** So many characters, or names of a list, at most. */
  most?: number;
}

/** What a field is in the file, and what the service gives for it and takes. */
export interface FieldKind<V = string> extends FieldSpec {
  /** What the service gives; text by default. */
  given?: z.ZodType<V>;
  /** What the file shows of it; the same by default. */
  shows?(value: V): unknown;
  /** What the file shows where the service gives nothing; null by default, undefined leaves the field out. */
  none?: unknown;
  /** What the service takes for a value of the file; the same by default. */
  sends?(value: unknown): unknown;
}

/** A field that the service sets. */
export function shown(about: string): FieldSpec {
  return { schema: z.unknown(), access: 'read', about };
}

/** A line of text that says something. */
export function line(about = 'one line', options: FieldOptions = {}): FieldSpec {
  const schema = words(options).refine((text) => !/[\r\n]/.test(text), 'must be one line');
  return field(schema, about, options);
}

/** Text of any number of lines; where it is required, it may not be blank. */
export function prose(about: string, options: FieldOptions = {}): FieldSpec {
  return field(options.required === true ? words(options) : text(options), about, options);
}

/** One of a few words. */
export function choice(
  values: readonly [string, ...string[]],
  options: FieldOptions = {},
): FieldSpec {
  const about = values.join(', ').replace(/, ([^,]*)$/, ' or $1');
  return field(z.enum(values), about, { initial: values[0], ...options });
}

/** One of a few words, by what the service has for each: `{ none: 0, urgent: 1 }`. The first is a new record's. */
export function coded<V extends string | number>(
  codes: Readonly<Record<string, V>>,
): FieldKind<V> & Required<Pick<FieldKind<V>, 'shows'>> {
  const words = Object.keys(codes);
  const about = words.join(', ');
  const schema = z.enum(words, `must be one of ${about}`);
  return {
    ...field(schema, about, { initial: words[0] }),
    given: z.custom<V>((value) => ['string', 'number'].includes(typeof value)),
    shows: (value) => words.find((word) => codes[word] === value) ?? value,
    sends: (word) => codes[String(word)],
  };
}

/** A yes or no of a record that is there. */
export function flag(about: string): FieldSpec {
  return field(z.boolean('must be true or false'), about, { access: 'edit' });
}

/** A yes or no that the service says by a time: yes since then, no where it has none. */
export function flagSince(about: string): FieldKind {
  return { ...flag(about), shows: () => true, none: false };
}

/** The name of something, or null. @param what ends "must be …": `the name of a project` */
export function named(what: string, about = `${what}, or null`): FieldSpec {
  return field(z.string(`must be ${what} or null`).nullable(), about, { initial: null });
}

/** A day of the calendar, or null. */
export function day(): FieldSpec {
  const what = 'a date such as 2026-03-31, or null';
  return field(z.iso.date(`must be ${what}`).nullable(), what, { initial: null });
}

/** A moment, or null. @param what that is said of it: `until which it is out of sight` */
export function moment(what: string, options: FieldOptions = {}): FieldSpec {
  const form = 'a time such as 2026-03-31T09:00:00Z';
  const schema = z.iso.datetime(`must be ${form}, or null`).nullable();
  return field(schema, `${form} ${what}, or null`, { initial: null, ...options });
}

/** A number of things, or null: as much as 32 bits hold, which is what most services keep. @param what they are: `points` */
export function count(what: string): FieldKind<number> {
  const most = 2_147_483_647;
  const schema = z
    .int('must be a whole number or null')
    .min(0, 'must not be below 0')
    .max(most, `is more than ${most.toLocaleString('en')}`)
    .nullable();
  const spec = field(schema, `${what}, a whole number from 0, or null`, { initial: null });
  return { ...spec, given: z.number() };
}

/** A list of names, in brackets. In YAML an empty line is null, and means none; each is taken once. `what`: what they are, in a refusal. */
export function list(
  about: string,
  {
    what = 'names',
    item = z.string(`must be a list of ${what}`),
    ...options
  }: FieldOptions & { what?: string; item?: z.ZodType } = {},
): FieldSpec {
  const all = z.array(item, `must be a list of ${what}`);
  const { most = Number.POSITIVE_INFINITY } = options;
  const schema = all.max(most, `at most ${most}`).nullable();
  return field(
    schema.transform((names) => [...new Set(names ?? [])]),
    about,
    { initial: [], ...options },
  );
}

/** What a write adds to a list of names and takes from it; nothing where it leaves the field out. */
export function listChanges(
  held: readonly string[],
  wanted: unknown,
): { added: string[]; removed: string[] } {
  if (wanted === undefined) return { added: [], removed: [] };
  const names = [...new Set(z.array(z.string()).parse(wanted))];
  return {
    added: names.filter((name) => !held.includes(name)),
    removed: held.filter((name) => !names.includes(name)),
  };
}

/** Any other field, by the schema of what is written. */
export function field(
  schema: z.ZodType,
  about: string,
  { most: _, access = 'create', ...options }: FieldOptions = {},
): FieldSpec {
  return { schema, about, access, ...options };
}

/** Characters are counted as a person counts them, not in the units of UTF-16. */
function text({ most = Number.POSITIVE_INFINITY }: FieldOptions) {
  const told = `is longer than ${most.toLocaleString('en')} characters`;
  return z.string('must be text').refine((one) => [...one].length <= most, told);
}

function words(options: FieldOptions) {
  return text(options).refine((one) => one.trim() !== '', 'must not be empty');
}
