/**
 * Filters, as https://linear.app/developers/filtering describes them and the schema spells them.
 * What is not evaluated here is an error and never silently true.
 */
import { GraphQLError } from 'graphql';
import type { TableName } from './model.ts';
import type { Store, View } from './store.ts';

type Filter = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;

/** A filter's field that leads to another record: the field with its id, and the record's table. */
const RELATIONS: Readonly<Partial<Record<TableName, Record<string, [string, TableName]>>>> = {
  states: { team: ['teamId', 'teams'] },
  labels: { team: ['teamId', 'teams'], parent: ['parentId', 'labels'] },
  cycles: { team: ['teamId', 'teams'] },
  projects: { lead: ['leadId', 'users'] },
  documents: {
    team: ['teamId', 'teams'],
    project: ['projectId', 'projects'],
    issue: ['issueId', 'issues'],
    initiative: ['initiativeId', 'initiatives'],
  },
  updates: { project: ['projectId', 'projects'], user: ['userId', 'users'] },
  attachments: { creator: ['creatorId', 'users'] },
  issues: {
    team: ['teamId', 'teams'],
    state: ['stateId', 'states'],
    assignee: ['assigneeId', 'users'],
    creator: ['creatorId', 'users'],
    project: ['projectId', 'projects'],
    cycle: ['cycleId', 'cycles'],
    parent: ['parentId', 'issues'],
  },
  comments: { issue: ['issueId', 'issues'], user: ['userId', 'users'] },
};

/** Many records of another table, by a list of ids. */
const COLLECTIONS: Readonly<Partial<Record<TableName, Record<string, [string, TableName]>>>> = {
  issues: { labels: ['labelIds', 'labels'], subscribers: ['subscriberIds', 'users'] },
  projects: { accessibleTeams: ['teamIds', 'teams'] },
  initiatives: { teams: ['teamIds', 'teams'] },
};

/** What a filter is matched against. */
export interface Looked {
  store: Store;
  view: View;
  /** Who asks. */
  userId: string;
}

export function matches(
  looked: Looked,
  table: TableName,
  row: Row | undefined,
  filter: Filter,
): boolean {
  const { view } = looked;
  return Object.entries(filter).every(([name, wanted]) => {
    if (wanted === undefined || wanted === null) return true;
    if (name === 'and') return each(wanted).every((one) => matches(looked, table, row, one));
    if (name === 'or') return each(wanted).some((one) => matches(looked, table, row, one));
    if (name === 'null') return (row === undefined) === wanted;
    if (row === undefined) return false;
    const relation = RELATIONS[table]?.[name];
    if (relation !== undefined) {
      const [field, other] = relation;
      const found = view[other].get(String(row[field]));
      return matches(looked, other, found, wanted as Filter);
    }
    const collection = COLLECTIONS[table]?.[name];
    if (collection !== undefined) {
      const [field, other] = collection;
      const rows = (row[field] as string[]).map((id) => view[other].get(id));
      const { some, every, ...rest } = wanted as Filter;
      if (every !== undefined || Object.keys(rest).length > 0) throw unknown(table, name);
      return rows.some((one) => matches(looked, other, one, (some ?? {}) as Filter));
    }
    if (table === 'users' && name === 'isMe') {
      return compare(row['id'] === looked.userId, wanted as Filter, 'users.isMe');
    }
    // An issue's id may be compared with its identifier, too: IssueIdComparator.
    if (!(name in row)) throw unknown(table, name);
    return compare(row[name], wanted as Filter, `${table}.${name}`);
  });
}

const each = (value: unknown): Filter[] => value as Filter[];

function compare(value: unknown, comparator: Filter, where: string): boolean {
  return Object.entries(comparator).every(([operator, wanted]) => {
    if (wanted === undefined) return true;
    const test = OPERATORS[operator];
    if (test === undefined) throw unknown(where, operator);
    return test(value, wanted);
  });
}

const TIME = /^\d{4}-\d\d-\d\dT/;

/** Times are compared as times, everything else as it is. */
function order(a: unknown, b: unknown): number {
  if (a === null || a === undefined) return Number.NaN;
  const [x, y] =
    typeof a === 'string' && TIME.test(a)
      ? [Date.parse(a), Date.parse(String(b))]
      : [a as number, b as number];
  return x === y ? 0 : x < y ? -1 : 1;
}

const text = (value: unknown): string => String(value ?? '');

const OPERATORS: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  eq: (a, b) => order(a, b) === 0,
  neq: (a, b) => order(a, b) !== 0,
  in: (a, b) => (b as unknown[]).some((one) => order(a, one) === 0),
  nin: (a, b) => !(b as unknown[]).some((one) => order(a, one) === 0),
  gt: (a, b) => order(a, b) > 0,
  gte: (a, b) => order(a, b) >= 0,
  lt: (a, b) => order(a, b) < 0,
  lte: (a, b) => order(a, b) <= 0,
  null: (a, b) => (a === null) === b,
  eqIgnoreCase: (a, b) => text(a).toLowerCase() === text(b).toLowerCase(),
  contains: (a, b) => text(a).includes(text(b)),
  containsIgnoreCase: (a, b) => text(a).toLowerCase().includes(text(b).toLowerCase()),
  startsWith: (a, b) => text(a).startsWith(text(b)),
  endsWith: (a, b) => text(a).endsWith(text(b)),
};

function unknown(where: string, name: string): GraphQLError {
  return new GraphQLError(`the stand-in does not filter ${where} by ${name}`);
}
