/** Names for what Linear knows by id: states, labels, people, projects, cycles. */
import {
  ascending,
  nameFields,
  naming,
  type Person,
  type Place,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { issue } from './records.ts';
import { cycles, labels, projects, states, users } from './teams.ts';

/** What an issue may be given, in the order in which it is offered. */
export const names = nameFields<LinearClient>([
  {
    field: 'state',
    sent: 'stateId',
    // As on Linear's boards.
    ...naming(states, { order: ascending(({ position }) => position) }),
  },
  { field: 'labels', sent: 'labelIds', ...naming(labels, { where: ({ isGroup }) => !isGroup }) },
  { field: 'assignee', sent: 'assigneeId', of: users, people },
  { field: 'project', sent: 'projectId', ...naming(projects) },
  { field: 'cycle', sent: 'cycleId', ...naming(cycles, { order: ascending((one) => one.number) }) },
]);

/** Who can be assigned: people who left cannot. */
function people(place: Place): Person[] {
  return place
    .all(users)
    .filter(({ active }) => active)
    .map(({ id, displayName: name, name: full, email }) => ({ id, name, also: [full, email] }))
    .sort(ascending(({ name }) => name));
}

/** The input of a mutation: names become ids. Checked before: an unknown name is a fault of ours. */
export function inputOf(place: Place, values: Values): Values {
  return { ...issue.input(values), ...names.ids(values, place) };
}
