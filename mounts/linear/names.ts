/** Names for what Linear knows by id: states, labels, people, projects, cycles. */
import { unknownName } from '../../src/mount/nearest.ts';
import type { Problem, Values } from '../../src/mount/record.ts';
import type { StoredRecord } from '../../src/replica/replica.ts';
import type { ApiCycle } from './schemas.ts';
import { type LinearStore, USERS } from './store.ts';

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

type Kind = (typeof FIELDS)[number]['kind'];

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

/** Every name that is unknown, or that stands for two things. */
export function checkNames(store: LinearStore, team: string, values: Values): Problem[] {
  const problems: Problem[] = [];
  for (const { field, kind, what } of FIELDS) {
    const known = namesOf(store, kind, team);
    for (const name of listOf(values[field])) {
      const ids = idsOf(known, name);
      if (ids.length === 1) continue;
      const message =
        ids.length === 0
          ? unknownName(what, name, [...known.keys()].sort())
          : `there are ${ids.length} with the name "${name}": rename one on Linear first`;
      problems.push({ field, message });
    }
  }
  return problems;
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
  if (values['priority'] !== undefined) {
    input['priority'] = (PRIORITIES as readonly unknown[]).indexOf(values['priority']);
  }
  for (const { field, kind } of FIELDS) {
    const value = values[field];
    if (value === undefined) continue;
    const known = namesOf(store, kind, team);
    const ids = listOf(value).map((name) => onlyId(known, name));
    if (field === 'labels') input['labelIds'] = ids;
    else input[`${field}Id`] = ids[0] ?? null;
  }
  return input;
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as string[]) : [String(value)];
}

/** Exactly, else whatever its case. */
function idsOf(known: ReadonlyMap<string, string[]>, name: string): string[] {
  const exact = known.get(name);
  if (exact !== undefined) return exact;
  const wanted = name.toLowerCase();
  return [...known].flatMap(([each, ids]) => (each.toLowerCase() === wanted ? ids : []));
}

function onlyId(known: ReadonlyMap<string, string[]>, name: string): string {
  const [id] = idsOf(known, name);
  if (id === undefined) throw new Error(`the name ${name} was not checked`);
  return id;
}
