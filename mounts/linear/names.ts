/** Names for what Linear knows by id: states, labels, people, projects, cycles. */

import {
  type Params,
  type Person,
  type Problem,
  personOf,
  type StoredRecord,
  unknownName,
  type Values,
} from '../../src/mount/index.ts';
import { type ApiCycle, userSchema } from './schemas.ts';
import { type LinearStore, TEAMS, teamOf, USERS } from './store.ts';

/** Priorities by their number. */
export const PRIORITIES = ['none', 'urgent', 'high', 'medium', 'low'] as const;

/** A field whose value names records of a kind. */
const FIELDS = [
  { field: 'state', kind: 'states', what: 'state' },
  { field: 'labels', kind: 'labels', what: 'label' },
  { field: 'assignee', kind: 'users', what: 'user' },
  { field: 'project', kind: 'projects', what: 'project' },
  { field: 'cycle', kind: 'cycles', what: 'cycle' },
] as const;

type Field = (typeof FIELDS)[number];
type Kind = Field['kind'];

/** What a record is called in a frontmatter. A label of a group has the group's name before its own. */
export function displayName(kind: string, value: unknown): string {
  const row = value as {
    name?: string | null;
    number?: number;
    displayName?: string;
    parent?: { name: string } | null;
  };
  if (kind === 'users') return row.displayName ?? '';
  if (kind === 'cycles') return cycleName(row as ApiCycle);
  const group = kind === 'labels' && row.parent ? `${row.parent.name}/` : '';
  return `${group}${row.name ?? ''}`;
}

/** A cycle by its name, or by its number where it has none. */
export function cycleName({ name, number }: Pick<ApiCycle, 'name' | 'number'>): string {
  return name === null || name === undefined || name === '' ? `Cycle ${number}` : name;
}

interface Named {
  id: string;
  isGroup?: boolean;
  active?: boolean;
  position?: number;
  number?: number;
}

/** States stand as on Linear's boards, cycles by number. */
function orderOf({ position, number }: Named): number {
  return position ?? number ?? 0;
}

/** What may be named: by name, the ids that have it. Groups of labels and people who left may not. */
export function namesOf(store: LinearStore, kind: Kind, team: string): Map<string, string[]> {
  const records: StoredRecord[] =
    kind === 'users' ? store.replica.all(store.mount, USERS) : store.all(kind, team);
  const rows = records
    .map(({ value }) => value as Named)
    .filter(({ isGroup, active }) => isGroup !== true && active !== false)
    .sort((a, b) => orderOf(a) - orderOf(b));
  const found = new Map<string, string[]>();
  for (const row of rows) {
    const name = displayName(kind, row);
    found.set(name, [...(found.get(name) ?? []), row.id]);
  }
  return found;
}

/** The labels' names, in the order of the ids; an id that nobody names stays an id. */
export function labelNames(store: LinearStore, team: string, ids: readonly string[]): string[] {
  return ids.map((id) => {
    const record = store.replica.get(store.mount, `labels:${team}`, id);
    return record === null ? id : displayName('labels', record.value);
  });
}

/** The collections that must be in step before names can be looked up. */
export function kindsIn(values: Values): { team: boolean; users: boolean } {
  const given = (field: string) => values[field] !== undefined && values[field] !== null;
  return {
    team: FIELDS.some(({ field, kind }) => kind !== 'users' && given(field)),
    users: given('assignee'),
  };
}

/** Who can be assigned: people who left cannot. */
function people(store: LinearStore): Person[] {
  return store.replica
    .all(store.mount, USERS)
    .map(({ value }) => userSchema.parse(value))
    .filter(({ active }) => active)
    .map(({ id, displayName: name, name: full, email }) => ({ id, name, also: [full, email] }));
}

/** What a name stands for: its one id and how it is spelled here, or why there is none. */
type Meant = { id: string; name: string } | { refused: string };

function meant(store: LinearStore, team: string, { kind, what }: Field, name: string): Meant {
  if (kind === 'users') {
    const found = personOf(people(store), name);
    return 'person' in found ? found.person : found;
  }
  const known = namesOf(store, kind, team);
  const spelled = [...known.keys()].filter((one) => one.toLowerCase() === name.toLowerCase());
  const exact = spelled.includes(name) ? [name] : spelled;
  const ids = exact.flatMap((one) => known.get(one) ?? []);
  const [id] = ids;
  if (id === undefined) return { refused: unknownName(what, name, [...known.keys()].sort()) };
  if (ids.length === 1) return { id, name: exact[0] ?? name };
  return { refused: `there are ${ids.length} with the name "${name}": rename one on Linear first` };
}

/** Every name that is unknown, or that stands for two things. */
export function checkNames(store: LinearStore, team: string, values: Values): Problem[] {
  return FIELDS.flatMap((each) =>
    listOf(values[each.field]).flatMap((name) => {
      const found = meant(store, team, each, name);
      return 'refused' in found ? [{ field: each.field, message: found.refused }] : [];
    }),
  );
}

/** Names that were checked, as Linear spells them. */
export function spelledNames(store: LinearStore, team: string, values: Values): Values {
  const shown: Values = { ...values };
  for (const each of FIELDS) {
    const value = values[each.field];
    if (value === undefined || value === null) continue;
    const names = listOf(value).map((name) => {
      const found = meant(store, team, each, name);
      return 'refused' in found ? name : found.name;
    });
    shown[each.field] = Array.isArray(value) ? [...new Set(names)] : names[0];
  }
  return shown;
}

/** The team that an issue is in once these values are written: names are those of that one. */
export function teamAfter(params: Params, values: Values): string {
  return typeof values['team'] === 'string' ? values['team'] : teamOf(params);
}

/** The input of a mutation: names become ids. Checked before: an unknown name is a fault of ours. */
export function inputOf(store: LinearStore, team: string, values: Values): Values {
  const input: Values = {};
  const plain: Readonly<Record<string, string>> = {
    title: 'title',
    body: 'description',
    estimate: 'estimate',
    due_date: 'dueDate',
    parent: 'parentId',
  };
  for (const [field, name] of Object.entries(plain)) {
    if (values[field] !== undefined) input[name] = values[field];
  }
  if (values['team'] !== undefined) input['teamId'] = teamId(store, String(values['team']));
  if (values['priority'] !== undefined) {
    input['priority'] = (PRIORITIES as readonly unknown[]).indexOf(values['priority']);
  }
  for (const each of FIELDS) {
    const { field } = each;
    const value = values[field];
    if (value === undefined) continue;
    const ids = listOf(value).map((name) => onlyId(meant(store, team, each, name), name));
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

/** The UUID of a team that was checked. */
export function teamId(store: LinearStore, key: string): string {
  const held = store.replica.get(store.mount, TEAMS, key);
  if (held === null) throw new Error(`the team ${key} was not checked`);
  return String((held.value as { id: unknown }).id);
}
