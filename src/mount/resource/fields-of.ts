/** What a service gives, read by where its fields are: in the words that hold of all services. */
import { z } from 'zod';
import { expectShape } from '../client/failure.ts';
import { foundIn, type Within } from '../client/http-pages.ts';

/** An id, which some services give as a number. */
export const idSchema = z.union([z.string(), z.number()]).transform(String);

/** How a service writes times: ISO 8601, or seconds or ms since the epoch, as numbers or digits. */
export type TimeForm = 'iso' | 's' | 'ms';

/** Where a field is; of a list of texts, where each of them is; of a list of objects, where it is and their fields in each. */
type Where<V> = V extends readonly (string | number)[]
  ? Within<unknown> | readonly Within<unknown>[]
  : V extends readonly (infer Item extends object)[]
    ? { at: Within<unknown> } & FieldsOf<Item>
    : Within<unknown>;

/** Where each field of a record is in what a service gives: `real_name`, `profile.title`. */
export type FieldsOf<T> = { readonly [K in keyof T]: Where<NonNullable<T[K]>> };

interface ReadingOptions<T, Given> {
  schema: z.ZodType<T, Given>;
  fields: FieldsOf<Given>;
  /** Those of its fields that are times, and how the service writes them. */
  times?: readonly (keyof Given & string)[];
  timeForm?: TimeForm | undefined;
  /** In sentences: `one of the channels`. */
  what: string;
}

/**
 * Reads one. What it does not say is as it was `before`, or as the schema has it.
 * The reader throws ServiceFailure where the answer is none of these.
 */
export function readingOf<T, Given>({
  schema,
  fields,
  times = [],
  timeForm = 'iso',
  what,
}: ReadingOptions<T, Given>): (raw: unknown, before?: T | null) => T {
  return (raw, before = null) => {
    const read = Object.entries(fields).map(([name, where]) => {
      const found = valueAt(raw, where as Where<unknown>) ?? undefined;
      const isTime = found !== undefined && times.includes(name as keyof Given & string);
      return [name, (isTime ? timeOf(found, timeForm) : found) ?? before?.[name as keyof T]];
    });
    return expectShape('the service', schema, Object.fromEntries(read), what);
  };
}

function valueAt(raw: unknown, where: unknown): unknown {
  if (Array.isArray(where)) {
    const found = where.map((one: Within<unknown>) => foundIn(raw, one));
    if (found.every((one) => one === undefined)) return undefined;
    return found.filter((one) => one !== '' && one !== null && one !== undefined);
  }
  if (typeof where !== 'object' || where === null) return foundIn(raw, where as Within<unknown>);
  const { at, ...fields } = where as { at: Within<unknown> };
  const items = foundIn(raw, at);
  if (!Array.isArray(items)) return items;
  return items.map((item: unknown) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, inside]) => [name, valueAt(item, inside)]),
    ),
  );
}

/** ISO 8601; as it came where it is no time, for the schema to refuse. */
function timeOf(value: unknown, form: TimeForm): unknown {
  if (form === 'iso') return value;
  const time = new Date(Math.floor(Number(value) * (form === 's' ? 1000 : 1)));
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}
