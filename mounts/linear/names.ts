/** Names for what Linear knows by id: states, labels, people, projects, cycles. */
import {
  ascending,
  type Named,
  nameFields,
  type Person,
  type Place,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { cycleName, issue, labelName } from './records.ts';
import { cycles, labels, projects, states, users } from './teams.ts';

const byName = ascending<Named>(({ name }) => name);

/** What an issue may be given, in the order in which it is offered. */
export const names = nameFields<LinearClient>([
  {
    field: 'state',
    sent: 'stateId',
    what: 'state',
    of: states,
    // As on Linear's boards.
    named: (place) => place.all(states).sort(ascending(({ position }) => position)),
  },
  {
    field: 'labels',
    sent: 'labelIds',
    what: 'label',
    of: labels,
    named: (place) =>
      place
        .all(labels)
        .filter(({ isGroup }) => !isGroup)
        .map((one) => ({ id: one.id, name: labelName(one) }))
        .sort(byName),
  },
  {
    field: 'assignee',
    sent: 'assigneeId',
    of: users,
    people: (place) => people(place).sort(byName),
  },
  {
    field: 'project',
    sent: 'projectId',
    what: 'project',
    of: projects,
    named: (place) => place.all(projects).sort(byName),
  },
  {
    field: 'cycle',
    sent: 'cycleId',
    what: 'cycle',
    of: cycles,
    named: (place) =>
      place
        .all(cycles)
        .sort(ascending((one) => one.number))
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

/** The input of a mutation: names become ids. Checked before: an unknown name is a fault of ours. */
export function inputOf(place: Place, values: Values): Values {
  return { ...issue.input(values), ...names.ids(values, place) };
}
