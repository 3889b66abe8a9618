/** Fields whose values name other records: a state, labels, whoever has it. */
import { unknownName } from '../../nearest.ts';
import { type Person, personOf } from '../record/people.ts';
import type { Problem, Values } from '../record/record.ts';
import { ascending, type Place, type Resource, type Scope } from './definition.ts';

/** Something that a field may name. */
export interface Named {
  /** What the service takes in the place of the name. */
  id: string | number;
  name: string;
}

/** A field that holds a name, a list of names, or null. */
export type NameField<C> = {
  field: string;
  /** Its name in the input of a change, where that is another. */
  sent?: string;
} & (
  | NamesOf<C>
  | {
      /** Asks what a name stands for, where not all that may be named is held. Throws ServiceFailure. */
      find(name: string, at: Scope<C>): Promise<Meant>;
    }
);

/** Names of what is held. */
type NamesOf<C> = {
  /** What may be named: it is asked for before a name is refused. */
  of: Resource<unknown>;
  /** What is asked for besides where a name is none of these. Throws ServiceFailure. */
  more?(at: Scope<C>): Promise<void>;
} & (
  | {
      /** In a sentence: `label`. */
      what: string;
      /** What may be named at a place, in the order in which it is offered. */
      named(place: Place): readonly Named[];
    }
  | {
      /** Of people, who may be written by whatever they are called. */
      people(place: Place): readonly Person[];
    }
);

/** Of a field that may name any of a resource: each is called by what others show of it. */
export function naming<T>(
  of: Resource<T>,
  {
    order,
    id = (one) => (one as Named).id,
    where = () => true,
  }: {
    /** In which they are offered; that of their names by default. */
    order?(a: T, b: T): number;
    /** What the service takes; their `id` by default. */
    id?(one: T): Named['id'];
    /** May it be named? All may by default. */
    where?(one: T): boolean;
  } = {},
): {
  of: Resource<T>;
  what: string;
  /** What may be named at a place, in the order in which it is offered. */
  named(place: Place): Named[];
} {
  const nameOf = (one: T) => shownName(of, one);
  return {
    of,
    what: of.type?.name ?? of.id,
    named: (place) =>
      place
        .all(of)
        .filter(where)
        .sort(order ?? ascending(nameOf))
        .map((one) => ({ id: id(one), name: nameOf(one) })),
  };
}

/** What records are called by what others show of them, in the order of their keys; by its key what is not held. */
export function namesAt<T>(place: Place, of: Resource<T>, keys: readonly string[]): string[] {
  return keys.map((key) => {
    const held = place.held(of, key);
    return held === null ? key : shownName(of, held);
  });
}

function shownName<T>(of: Resource<T>, one: T): string {
  return of.shown?.(one) ?? of.key(one);
}

/** What a name stands for, or why it stands for nothing. */
export type Meant = Named | { refused: string };

/** What follows of such fields. */
export interface NameFields<C> {
  /** For `offers`. */
  readonly offers: readonly Resource<unknown>[];
  /** For `allowed`: every name once. */
  allowed(place: Place): Readonly<Record<string, readonly string[]>>;
  /** For `check`: names that stand for nothing, or for two things. Each kind is asked for only when it is named. Throws ServiceFailure. */
  check(values: Values, at: Scope<C>): Promise<Problem[]>;
  /** For `normal`: names that were checked as the service spells them. */
  spelled(values: Values, place: Place): Values;
  /** Ids in the place of the names, of those fields that the values have; they were checked before. */
  ids(values: Values, place: Place): Readonly<Record<string, Named['id'] | Named['id'][] | null>>;
}

/**
 * The fields of a record that name others: checked, spelled and sent as ids. What was asked for by
 * name is remembered, so that fields with `find` belong to one mount.
 * @param fields in the order in which they are checked
 */
export function nameFields<C>(fields: readonly NameField<C>[]): NameFields<C> {
  const asked = new Map<string, Named>();
  const keyOf = (field: string, name: string) => `${field} ${name.toLowerCase()}`;
  const meant = (one: NameField<C>, name: string, place: Place): Meant =>
    'find' in one
      ? (asked.get(keyOf(one.field, name)) ?? { refused: 'it was not asked for' })
      : meantBy(one, name, place);
  const sought = async (one: NameField<C>, name: string, at: Scope<C>): Promise<Meant> => {
    if (!('find' in one)) return soughtFor(one, name, at);
    const found = await one.find(name, at);
    if ('refused' in found) return found;
    // By what was written, and by the name that stands for it from here on.
    for (const said of [name, found.name]) asked.set(keyOf(one.field, said), found);
    return found;
  };
  const held = fields.flatMap((one) => ('find' in one ? [] : [one]));
  return {
    offers: held.map(({ of }) => of),
    allowed: (place) =>
      Object.fromEntries(
        held.map((one) => [one.field, unique(namedBy(one, place).map(({ name }) => name))]),
      ),
    check: async (values, at) => {
      const problems: Problem[] = [];
      for (const one of fields) {
        const names = listOf(values[one.field]);
        if (names.length > 0 && 'of' in one) await at.ensure(one.of);
        for (const name of names) {
          const found = await sought(one, name, at);
          if ('refused' in found) problems.push({ field: one.field, message: found.refused });
        }
      }
      return problems;
    },
    spelled: (values, place) => {
      const written = given(fields, values).filter(({ field }) => values[field] !== null);
      const spelled = written.map((one) => {
        const value = values[one.field];
        const names = listOf(value).map((name) => {
          const found = meant(one, name, place);
          return 'refused' in found ? name : found.name;
        });
        return [one.field, Array.isArray(value) ? unique(names) : names[0]];
      });
      return { ...values, ...Object.fromEntries(spelled) };
    },
    ids: (values, place) =>
      Object.fromEntries(
        given(fields, values).map((one) => {
          const value = values[one.field];
          const all = listOf(value).map((name) => checked(meant(one, name, place), name));
          return [one.sent ?? one.field, Array.isArray(value) ? all : (all[0] ?? null)];
        }),
      ),
  };
}

function meantBy<C>(one: NamesOf<C>, name: string, place: Place): Meant {
  if ('people' in one) {
    const found = personOf(one.people(place), name);
    return 'person' in found ? found.person : found;
  }
  const known = one.named(place);
  const alike = known.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  const exact = alike.filter((each) => each.name === name);
  const found = exact.length > 0 ? exact : alike;
  const [only] = found;
  if (only === undefined) {
    const names = unique(known.map((each) => each.name)).sort();
    return { refused: unknownName(one.what, name, names) };
  }
  if (found.length === 1) return only;
  const text = `there are ${found.length} with the name "${name}": rename one of them at the service first`;
  return { refused: text };
}

async function soughtFor<C>(one: NamesOf<C>, name: string, at: Scope<C>): Promise<Meant> {
  const found = meantBy(one, name, at);
  if (!('refused' in found) || one.more === undefined) return found;
  await one.more(at);
  return meantBy(one, name, at);
}

function checked(found: Meant, name: string): Named['id'] {
  if ('refused' in found) throw new Error(`the name ${name} was not checked`);
  return found.id;
}

function namedBy<C>(one: NamesOf<C>, place: Place): readonly Named[] {
  return 'people' in one ? one.people(place) : one.named(place);
}

function given<C>(fields: readonly NameField<C>[], values: Values): NameField<C>[] {
  return fields.filter(({ field }) => values[field] !== undefined);
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as string[]) : [String(value)];
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];
