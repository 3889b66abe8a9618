/**
 * Records as tables: of each field is said once what it is in the file, where it is in what the
 * service gives, and how it goes back. The schema of the answers, the values of a file and the input
 * of a change follow.
 */
import { z } from 'zod';
import { foundIn } from '../client/http-pages.ts';
import { type FieldKind, shown } from '../record/fields.ts';
import type { FieldSpec, RecordType, Values } from '../record/record.ts';

/** A field that is somewhere in what the service gives. */
export interface FieldAt<P extends string, V> extends FieldKind<V> {
  at: P;
  /** Its name in the input of a change; null for none. Like its place by default, where that is in no other object. */
  sent?: string | null;
}

/**
 * A field, and where it is: `lead?.displayName`. A `?` is behind what may be null or absent.
 * @param kind what it is in the file; what the service sets by default
 * @param more what of that is another in this field
 */
export function at<const P extends string, V = string>(
  place: P,
  kind: FieldKind<V> = shown(''),
  more: Partial<Omit<FieldAt<P, V>, 'at'>> = {},
): FieldAt<P, V> {
  return { ...kind, ...more, at: place };
}

/** A field that is left out of the file where the service gives nothing. */
export function ifAny<const P extends string, V = string>(
  place: P,
  kind?: FieldKind<V>,
  more: Partial<Omit<FieldAt<P, V>, 'at'>> = {},
): FieldAt<P, V> {
  return at(place, kind, { none: undefined, ...more });
}

/** When a record was made and changed, by where the service says so. */
export function times<const C extends string, const U extends string>(made: C, changed: U) {
  const otherMeans =
    'this text is of another version; read the file again, or leave updated_at out to write it all the same';
  return {
    created_at: at(made, shown('time')),
    updated_at: at(changed, { ...shown('time'), otherMeans }),
  };
}

/** A place alone is a text that the service sets; a field without a place has its value from elsewhere. */
type Fields = Readonly<Record<string, string | FieldSpec>>;
type Also = Readonly<Record<string, z.ZodType>>;

/** An object with a value at a place. */
type Within<P extends string, V> = P extends `${infer Name}.${infer Rest}`
  ? Step<Name, Within<Rest, V>>
  : Step<P, V>;
type Step<P extends string, V> = P extends `${infer Name}?`
  ? { [K in Name]?: V | null | undefined }
  : { [K in P]: V };
type PlaceOf<F> = F extends FieldAt<infer P, unknown> ? P : F extends string ? F : never;
type GivenBy<F> =
  F extends FieldAt<infer P, infer V>
    ? Within<P, V>
    : F extends string
      ? Within<F, string>
      : object;
/** What all members of a union have. */
type Together<U> = (U extends unknown ? (one: U) => void : never) extends (one: infer I) => void
  ? { [K in keyof I]: I[K] }
  : never;
/** @template I places of text beside those of the fields */
type Given<F extends Fields, A extends Also, I extends string> = Together<
  | { [N in keyof F]: GivenBy<F[N]> }[keyof F]
  | { [N in keyof A & string]: Within<N, z.infer<A[N]>> }[keyof A & string]
  | OfText<Exclude<I, PlaceOf<F[keyof F]> | keyof A>>
>;
type OfText<I> = I extends string ? Within<I, string> : never;
/** Its schema as one that is written out, to be extended and asked for. */
type SchemaOf<T> = z.ZodObject<
  {
    [K in keyof T]-?: undefined extends T[K] ? z.ZodOptional<z.ZodType<T[K]>> : z.ZodType<T[K]>;
  },
  z.core.$loose
>;

/** What else is to be said of a record, by where it is in what the service gives. */
interface TableOptions<F extends Fields, A extends Also, K extends string, U extends string> {
  /** Held under this, which stays; `id` by default. */
  key?: K;
  /** Its file is called so, where that is not its key. */
  name?: NoInfer<PlaceOf<F[keyof F]> | (keyof A & string)>;
  /** When it was changed last; as its field `updated_at` by default. */
  updatedAt?: U;
  /** What is used of it besides: `{ 'team.key': z.string() }`. */
  also?: A;
}

/** What follows of a table, for a resource: `{ ...project, path: … }`. */
export interface RecordTable<S extends z.ZodType> {
  type: RecordType;
  /** What the service gives. */
  schema: S;
  /** What its file holds of it, by the fields' names. */
  values(one: z.infer<S>): Values;
  /** What the service knows it by. */
  key(one: z.infer<S>): string;
  /** The name of its file, where that is not its key. */
  name?(one: z.infer<S>): string;
  /** When it was changed last, ISO 8601. */
  updatedAt?(one: z.infer<S>): string;
  /** Where a person can look at it. */
  url?(one: z.infer<S>): string;
  /** What the service takes for values of the file that were checked: only those that are there. */
  input(values: Values): Values;
}

/**
 * A kind of records, said by its fields, in the order in which the file has them.
 * @param name in sentences: `project`
 */
export function record<
  const F extends Fields,
  const A extends Also = Record<never, never>,
  const K extends string = 'id',
  const U extends string = never,
>(
  name: string,
  fields: F,
  options: TableOptions<F, A, K, U> = {},
): RecordTable<SchemaOf<Given<F, A, K | U>>> {
  const all = Object.entries<Fields[string]>(fields).map(([field, one]): [string, FieldSpec] => [
    field,
    typeof one === 'string' ? at(one) : one,
  ]);
  const placed = all.flatMap(([field, one]) => (isPlaced(one) ? [{ ...one, field }] : []));
  const placeOf = (field: string) => placed.find((one) => one.field === field)?.at;
  const { key = 'id', also, updatedAt: changed = placeOf('updated_at') } = options;
  const [url, named] = [placeOf('url'), options.name];
  return {
    type: { name, fields: Object.fromEntries(all) },
    schema: schemaOf([
      ...[key, changed ?? key].map((place): [string, z.ZodType] => [place, z.string()]),
      ...placed.map((one): [string, z.ZodType] => [one.at, one.given ?? z.string()]),
      ...Object.entries<z.ZodType>(also ?? {}),
    ]) as z.ZodType as SchemaOf<Given<F, A, K | U>>,
    key: textAt(key),
    ...(named !== undefined && { name: textAt(named) }),
    ...(changed !== undefined && { updatedAt: textAt(changed) }),
    ...(url !== undefined && { url: textAt(url) }),
    values: (one) => Object.fromEntries(placed.map((each) => [each.field, shownOf(each, one)])),
    input: (values) =>
      Object.fromEntries(
        placed.flatMap((each) => {
          const { field, access, sends, sent = plain(each.at) } = each;
          const value = values[field];
          if (value === undefined || access === 'read') return [];
          if (sent === null || sent.includes('.')) return [];
          return [[sent, value === null || !sends ? value : sends.call(each, value)]];
        }),
      ),
  };
}

const isPlaced = (one: FieldSpec): one is FieldAt<string, unknown> => 'at' in one;

const plain = (place: string): string => place.replaceAll('?', '');

function textAt(place: string): (one: unknown) => string {
  const path = plain(place);
  return (one) => String(foundIn(one, path) ?? '');
}

function shownOf(each: FieldAt<string, unknown> & { field: string }, one: unknown): unknown {
  const found = foundIn(one, plain(each.at)) ?? null;
  if (found !== null) return each.shows ? each.shows(found) : found;
  if (Object.hasOwn(each, 'none')) return each.none;
  return each.field === 'body' ? '' : null;
}

/** The schema of an object by what is at its places. */
function schemaOf(places: readonly (readonly [string, z.ZodType])[]): z.ZodObject {
  const inside = new Map<string, Map<string, z.ZodType>>();
  for (const [place, given] of places) {
    const [name = '', ...rest] = place.split('.');
    const within = inside.get(name) ?? new Map<string, z.ZodType>();
    inside.set(name, within.set(rest.join('.'), given));
  }
  const names = [...inside.keys()];
  const twice = names.find((name) => names.includes(`${name}?`));
  if (twice !== undefined) throw new Error(`is ${twice} always there? Its places differ`);
  const shape = [...inside].map(([name, within]) => {
    const given = within.get('') ?? schemaOf([...within]);
    return name.endsWith('?') ? [name.slice(0, -1), given.nullish()] : [name, given];
  });
  return z.looseObject(Object.fromEntries(shape));
}
