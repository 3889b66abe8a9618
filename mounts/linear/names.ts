/** Names for what Linear knows by id: states, labels, people, projects, cycles. */
import {
  type Person,
  type Place,
  type Problem,
  personOf,
  type Resource,
  type Scope,
  unknownName,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { cycleName, labelName, PRIORITIES } from './records.ts';
import { cycles, labels, projects, states, users } from './teams.ts';

/** Something that an issue may be given, by its name. */
type Named = Omit<Person, 'also'>;

/** A field whose value names records; those that may be named, in the order in which they are offered. */
interface Field {
  field: string;
  what: string;
  of: Resource<unknown>;
  named(place: Place): Named[];
}

const byText = (a: Named, b: Named): number => (a.name < b.name ? -1 : 1);

const FIELDS: readonly Field[] = [
  {
    field: 'state',
    what: 'state',
    of: states,
    // As on Linear's boards.
    named: (place) => place.all(states).sort((a, b) => a.position - b.position),
  },
  {
    field: 'labels',
    what: 'label',
    of: labels,
    named: (place) =>
      place
        .all(labels)
        .filter(({ isGroup }) => !isGroup)
        .map((one) => ({ id: one.id, name: labelName(one) }))
        .sort(byText),
  },
  { field: 'assignee', what: 'user', of: users, named: (place) => people(place).sort(byText) },
  {
    field: 'project',
    what: 'project',
    of: projects,
    named: (place) => place.all(projects).sort(byText),
  },
  {
    field: 'cycle',
    what: 'cycle',
    of: cycles,
    named: (place) =>
      place
        .all(cycles)
        .sort((a, b) => a.number - b.number)
        .map((one) => ({ id: one.id, name: cycleName(one) })),
  },
];

/** What an issue may be given, which its template offers. */
export const NAMED: readonly Resource<unknown>[] = FIELDS.map(({ of }) => of);

/** The names that fields of an issue of a team take. */
export function namesAt(place: Place): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    FIELDS.map(({ field, named }) => [field, [...new Set(named(place).map(({ name }) => name))]]),
  );
}

/** The labels' names, in the order of the ids; an id that nobody names stays an id. */
export function labelNames(place: Place, ids: readonly string[]): string[] {
  return ids.map((id) => {
    const held = place.held(labels, id);
    return held === null ? id : labelName(held);
  });
}

/** Who can be assigned: people who left cannot. */
function people(place: Place): Person[] {
  return place
    .all(users)
    .filter(({ active }) => active)
    .map(({ id, displayName: name, name: full, email }) => ({ id, name, also: [full, email] }));
}

/** What a name stands for: its one id and how it is spelled here, or why there is none. */
type Meant = Named | { refused: string };

function meant(place: Place, { field, what, named }: Field, name: string): Meant {
  if (field === 'assignee') {
    const found = personOf(people(place), name);
    return 'person' in found ? found.person : found;
  }
  const known = named(place);
  const spelled = known.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  const exact = spelled.filter((one) => one.name === name);
  const found = exact.length > 0 ? exact : spelled;
  const [one] = found;
  if (one === undefined) {
    return {
      refused: unknownName(what, name, [...new Set(known.map((each) => each.name))].sort()),
    };
  }
  if (found.length === 1) return one;
  return {
    refused: `there are ${found.length} with the name "${name}": rename one on Linear first`,
  };
}

/** Every name that is unknown, or that stands for two things; what they are of is asked for. Throws ServiceFailure. */
export async function checkNames(at: Scope<LinearClient>, values: Values): Promise<Problem[]> {
  const given = FIELDS.filter(({ field }) => listOf(values[field]).length > 0);
  for (const { of } of given) await at.ensure(of);
  return given.flatMap((each) =>
    listOf(values[each.field]).flatMap((name) => {
      const found = meant(at, each, name);
      return 'refused' in found ? [{ field: each.field, message: found.refused }] : [];
    }),
  );
}

/** Names that were checked, as Linear spells them. */
export function spelledNames(place: Place, values: Values): Values {
  const shown: Values = { ...values };
  for (const each of FIELDS) {
    const value = values[each.field];
    if (value === undefined || value === null) continue;
    const names = listOf(value).map((name) => {
      const found = meant(place, each, name);
      return 'refused' in found ? name : found.name;
    });
    shown[each.field] = Array.isArray(value) ? [...new Set(names)] : names[0];
  }
  return shown;
}

/** Fields of an issue that Linear takes as they are, by its names for them. */
const PLAIN: Readonly<Record<string, string>> = {
  title: 'title',
  body: 'description',
  estimate: 'estimate',
  due_date: 'dueDate',
  parent: 'parentId',
};

/** The input of a mutation: names become ids. Checked before: an unknown name is a fault of ours. */
export function inputOf(place: Place, values: Values): Values {
  const input: Values = {};
  for (const [field, name] of Object.entries(PLAIN)) {
    if (values[field] !== undefined) input[name] = values[field];
  }
  if (values['priority'] !== undefined) {
    input['priority'] = (PRIORITIES as readonly unknown[]).indexOf(values['priority']);
  }
  for (const each of FIELDS) {
    const { field } = each;
    if (values[field] === undefined) continue;
    const ids = listOf(values[field]).map((name) => onlyId(meant(place, each, name), name));
    if (field === 'labels') input['labelIds'] = ids;
    else input[`${field}Id`] = ids[0] ?? null;
  }
  return input;
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as string[]) : [String(value)];
}

function onlyId(found: Meant, name: string): string {
  if ('refused' in found) throw new Error(`the name ${name} was not checked`);
  return found.id;
}
