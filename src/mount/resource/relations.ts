/** Relations between records of one resource: each is in a list of both files, with what is at its other end. */
import { z } from 'zod';
import { list } from '../record/fields.ts';
import type { FieldSpec, Values } from '../record/record.ts';
import { BY_NUMBERS } from './record-names.ts';

/** A field that lists what is at the other ends of relations. */
export interface RelationField {
  /** The kind of relation, as the service calls it. */
  type: string;
  /** Which end of it the record is whose field this is; absent where that makes no difference. */
  end?: 'first' | 'second';
  /** Is it in the file only where there is one? */
  ifAny?: boolean;
  /** What it says of those that are listed: `that wait for this one`. */
  about: string;
}

/** A record at an end of a relation. */
interface RelationEnd {
  id: string;
  /** What files call it. */
  identifier: string;
}

/** A relation as a service gives it. */
interface TwoEnds {
  id: string;
  type: string;
  ends: readonly [first: RelationEnd, second: RelationEnd];
}

/** Which relations there are between the records of a resource. */
export interface RelationsSpec<R, N extends string> {
  /** In the order in which the file has them. */
  fields: Readonly<Record<N, RelationField>>;
  /** What is listed, in a sentence: `issues such as ENG-12`. */
  what: string;
  /** Which words name one of them. */
  named: RegExp;
  /** Where a relation has its type and its ends. */
  of(relation: R): TwoEnds;
}

const relatedSchema = z.object({ id: z.string(), field: z.string(), identifier: z.string() });
/** A relation as one of its records sees it: the field that it is in, and what the other is called. */
export type Related = z.infer<typeof relatedSchema>;

/** A record, with its relations as it sees them. */
interface Relating {
  id: string;
  ends: readonly Related[];
}

/** What follows for the resource whose records are related. */
export interface Relations<R, N extends string> {
  /** Of what a record holds of its relations. */
  schema: z.ZodDefault<z.ZodArray<typeof relatedSchema>>;
  /** For its table of fields. */
  fields: Record<N, FieldSpec>;
  /**
   * Relations as the record with this id sees them, without those that no field stands for.
   * @param nameOf what another is called now, by its id; null where that is not known
   */
  seenBy(id: string, all: readonly R[], nameOf: (id: string) => string | null): Related[];
  /** The fields of a file: what is at the other ends, in their order. */
  values(ends: readonly Related[]): Values;
  /** For `normal`: without an empty list for what the file does not show since there is none of it. */
  normal(values: Values, ends: readonly Related[]): Values;
  /** The records that a write names, by the fields that name them. */
  named(values: Values): { field: string; identifier: string }[];
  /**
   * What a write asks for: which relations go, by their ids, and which are made.
   * @param idOf the id of a record that was checked
   */
  changes(
    one: Relating,
    values: Values,
    idOf: (identifier: string) => string,
  ): { gone: string[]; made: { type: string; first: string; second: string }[] };
}

/** Relations, each of which two records have a field for. */
export function relationLists<R, const N extends string>({
  fields,
  what,
  named,
  of,
}: RelationsSpec<R, N>): Relations<R, N> {
  const all = Object.entries<RelationField>(fields).map(([field, spec]) => ({ field, ...spec }));
  const said = `must be a list of ${what}`;
  const item = z.string(said).regex(named, said);
  const specs = all.map(({ field, about }): [string, FieldSpec] => [
    field,
    list(`a list in brackets of the ${what.split(' ')[0]} ${about}`, {
      access: 'edit',
      what,
      item,
    }),
  ]);
  const namesIn = (field: string, ends: readonly Related[]): string[] =>
    ends.filter((end) => end.field === field).map(({ identifier }) => identifier);
  const wantedIn = (field: string, values: Values) => values[field] as string[] | undefined;
  return {
    schema: z.array(relatedSchema).default([]),
    fields: Object.fromEntries(specs) as Record<N, FieldSpec>,
    seenBy: (own, relations, nameOf) =>
      relations.map(of).flatMap(({ id, type, ends: [first, second] }) => {
        const [at, other] =
          first.id === own ? (['first', second] as const) : (['second', first] as const);
        const found = all.find((one) => one.type === type && (one.end ?? at) === at);
        if (found === undefined) return [];
        return [{ id, field: found.field, identifier: nameOf(other.id) ?? other.identifier }];
      }),
    values: (ends) =>
      Object.fromEntries(
        all.map(({ field, ifAny }) => {
          const names = [...new Set(namesIn(field, ends))].sort(BY_NUMBERS.compare);
          return [field, names.length === 0 && ifAny === true ? undefined : names];
        }),
      ),
    normal: (values, ends) => {
      const none = all.filter(
        ({ field, ifAny }) =>
          ifAny === true &&
          wantedIn(field, values)?.length === 0 &&
          namesIn(field, ends).length === 0,
      );
      const left = new Set(none.map(({ field }) => field));
      return Object.fromEntries(Object.entries(values).filter(([field]) => !left.has(field)));
    },
    named: (values) =>
      all.flatMap(({ field }) =>
        (wantedIn(field, values) ?? []).map((identifier) => ({ field, identifier })),
      ),
    changes: ({ id: own, ends }, values, idOf) => {
      const written = all.flatMap((one) => {
        const wanted = wantedIn(one.field, values);
        return wanted === undefined ? [] : [{ ...one, wanted: new Set(wanted) }];
      });
      const gone = written.flatMap(({ field, wanted }) =>
        ends.filter((end) => end.field === field && !wanted.has(end.identifier)),
      );
      const made = written.flatMap(({ field, type, end, wanted }) => {
        const held = namesIn(field, ends);
        return [...wanted]
          .filter((name) => !held.includes(name))
          .map((name) => {
            const other = idOf(name);
            const [first, second] = end === 'second' ? [other, own] : [own, other];
            return { type, first, second };
          });
      });
      return { gone: gone.map(({ id }) => id), made };
    },
  };
}
