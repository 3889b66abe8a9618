/** Fields that the records of most services have: what the service sets, lines, texts, names. */
import { z } from 'zod';
import type { FieldSpec } from './record.ts';

/** What may be said of a field beside what it holds. A new record may be given it, unless `access` is `edit`. */
export interface FieldOptions extends Partial<Pick<FieldSpec, 'access' | 'required' | 'initial'>> {
  /** So many characters, or names of a list, at most. */
  most?: number;
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

/** A list of names, in brackets. In YAML an empty line is null, and means none. */
export function list(
  about: string,
  {
    item = z.string('must be a list of names'),
    ...options
  }: FieldOptions & { item?: z.ZodType } = {},
): FieldSpec {
  const all = z.array(item, 'must be a list of names');
  const { most = Number.POSITIVE_INFINITY } = options;
  const schema = all.max(most, `at most ${most}`).nullable();
  return field(
    schema.transform((names) => names ?? []),
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

function field(
  schema: z.ZodType,
  about: string,
  { most: _, access = 'create', ...options }: FieldOptions,
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
