/** Names for what Linear knows by id: states, labels, people, projects, cycles. */
import {
  type Named,
  nameFields,
  type Person,
  type Place,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { cycleName, labelName, PRIORITIES } from './records.ts';
import { cycles, labels, projects, states, users } from './teams.ts';

const byText = (a: Named, b: Named): number => (a.name < b.name ? -1 : 1);

/** What an issue may be given, in the order in which it is offered. */
export const names = nameFields<LinearClient>([
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
  { field: 'assignee', of: users, people: (place) => people(place).sort(byText) },
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
]);

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
  for (const [field, id] of Object.entries(names.ids(values, place)))
    input[field === 'labels' ? 'labelIds' : `${field}Id`] = id;
  return input;
}
