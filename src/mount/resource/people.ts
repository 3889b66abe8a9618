/** The people of a service: a table of them, and how what they wrote is shown by their names. */
import { z } from 'zod';
import { type Place, type Resource, type ResourceSpec, resource } from './definition.ts';
import type { Family } from './family.ts';
import { type FieldsOf, idSchema, readingOf } from './fields-of.ts';
import { readRows } from './pages.ts';

const memberSchema = z.object({
  /** Stays, and is what records of the service say. */
  id: idSchema,
  /** As texts and fields show them. */
  name: z.string(),
  fullName: z.string().default(''),
  /** Can they be spoken to no more? */
  isGone: z.boolean().default(false),
});
/** Somebody whom a service knows. */
export type Member = z.infer<typeof memberSchema>;

/** Who a service knows, and where it says what of them. */
export interface PeopleSpec<C>
  extends Required<Pick<ResourceSpec<never, C>, 'list'>>,
    Pick<ResourceSpec<never, C>, 'freshMs'> {
  fields: FieldsOf<z.input<typeof memberSchema>>;
}

/** People as a family, and as what other families refer to. */
export interface People {
  family: Family;
  /** For `with`: what shows their names is in step with these. */
  of: Resource<Member>;
  /** The name of an id at a place; the id itself where nobody is known by it. */
  nameAt(place: Place): (id: string) => string;
}

/** `users.tsv`, and names in the place of ids. */
export function people<C>({ fields, list, ...spec }: PeopleSpec<C>): People {
  const read = readingOf({ schema: memberSchema, fields, what: 'one of the users' });
  const of: Resource<Member> = resource<Member, C>('users', {
    ...spec,
    about: 'people',
    schema: memberSchema,
    key: ({ id }) => id,
    list: (...asked) => readRows(list(...asked), read),
    table: {
      about: 'people: id, name, full name, whether they are gone',
      name: 'users.tsv',
      columns: ['id', 'name', 'full name', 'gone'],
      rows: ({ id, name, fullName, isGone }) => [[id, name, fullName, isGone ? 'gone' : '']],
    },
  });
  return {
    family: { params: {}, resources: [of] },
    of,
    nameAt: (place) => (id) => place.held(of, id)?.name ?? id,
  };
}
