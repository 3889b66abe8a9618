/** Tables of a store as directories: their columns, an index, a file a row by its key, conditions, questions. */
import type { ServiceRequest } from '../../changes/change.ts';
import { keyNamed } from '../record/file-name.ts';
import {
  type FileOf,
  type Resource,
  resource,
  type Scope,
  view,
  type Writing,
} from './definition.ts';
import type { Family } from './family.ts';
import { above, ownParam } from './paths.ts';
import { finding, firstOf, type Inquiry } from './questions.ts';
import {
  COLUMNS,
  cellOf,
  fixedOf,
  type HeldRow,
  heldOf,
  heldSchema,
  keyColumns,
  keyIn,
  rowNameOf,
  type Table,
  type TableInput,
  type TableKey,
  type TableRow,
  type TableValue,
  tableSchema,
  typeOf,
} from './table-fields.ts';

/** Which rows of a table are asked for: that of a key, those that a condition holds for, or all. */
export interface Selection {
  table: Table;
  key?: TableKey;
  /** In the store's own words, as somebody wrote it: it may change nothing. */
  condition?: string;
  /** So many at most, the first in the order of their keys. */
  most: number;
}

/** What a store of tables is asked and told. */
export interface TableStore<C> {
  /** The directory of a table: `/:table` by default. */
  path?: string;
  /** Throws ServiceFailure, as all that asks. */
  tables(scope: Scope<C>): Promise<readonly TableInput[]>;
  /** Files in the directory of a table beside its rows; by default `columns.tsv`. */
  files?: Readonly<Record<string, FileOf<Table>>>;
  /** Rows of a table. */
  select(which: Selection, scope: Scope<C>): Promise<readonly TableRow[]>;
  /** Makes a row of these values: what they leave out is the store's to choose. */
  insert?(table: Table, row: TableRow, scope: Scope<C>): ServiceRequest;
  /** The values that such a request gives: it may come from the journal. */
  inserted?(request: ServiceRequest): TableRow;
  /** Changes some columns of a row, if they are as they `were`. */
  update?(
    table: Table,
    key: TableKey,
    delta: TableRow,
    were: TableRow,
    scope: Scope<C>,
  ): ServiceRequest;
  /** Removes the row of a key. */
  remove?(table: Table, key: TableKey, scope: Scope<C>): ServiceRequest;
  /** The row in an answer to `insert` or `update`; undefined where it does not tell. */
  answered?(answer: unknown): TableRow | undefined;
  /** What a condition is, in a line: then there is `TABLE/search/CONDITION/`. */
  conditions?: string;
  /** Questions of somebody's own beside the tables: `queries/NAME.ENDING`. They may change nothing. */
  queries?: {
    about: string;
    ending: string;
    /** `most` rows at most. */
    ask(
      text: string,
      most: number,
      scope: Scope<C>,
    ): Promise<{ columns: readonly string[]; rows: readonly (readonly TableValue[])[] }>;
  };
  /** So many rows of a table are listed, and of an answer shown, 1,000 by default; so many are found, 200. */
  most?: { listed?: number; found?: number };
}

const SELDOM_MS = 60_000;
const NAME = /^(?!(?:new|queries|search)$)(?!\.)[^/\0]+(?<!\.md)$/;
const NO_KEY = 'the table has no primary key, so that none of its rows can be named';

/** Tables, each with its rows as files; what a store cannot do is not offered. */
export function tableRows<C>(store: TableStore<C>): Family {
  const { path = '/:table', most: { listed = 1_000, found = 200 } = {} } = store;
  type At = Scope<C>;
  const tables = resource('tables', {
    about: 'a table or a view',
    path,
    schema: tableSchema,
    freshMs: SELDOM_MS,
    key: ({ name }) => name,
    name: ({ name }) => rowNameOf([name]),
    list: (at: At) => store.tables(at),
    files: store.files ?? { 'columns.tsv': COLUMNS },
  });
  const select = async (at: At, which: Omit<Selection, 'table'>) => {
    const table = at.record(tables);
    return (await store.select({ table, ...which }, at)).map(heldOf(table));
  };
  const one = async (key: TableKey, at: At) => (await select(at, { key, most: 1 }))[0];
  const rows = resource('rows', {
    about: 'a row by its primary key; writing it changes the columns that differ',
    path: `${path}/rows/:key.json`,
    schema: heldSchema,
    document: true,
    key: ({ key }) => key,
    name: (held) => rowNameOf(keyIn(held)),
    listed: ({ isKeyed }) => isKeyed,
    typeOf: (_, place) => typeOf(place.record(tables)),
    fixed: (_, place) => fixedOf(place.record(tables)),
    values: ({ row }) => row,
    list: async (at: At) =>
      firstOf(
        await select(at, { most: listed + 1 }),
        listed,
        `others are found by name${store.conditions === undefined ? '' : ', or in search/'}`,
      ),
    get: async (name, at: At) => {
      const key = keyNamed(name);
      return key?.length === keyColumns(at.record(tables)).length
        ? { data: await one(key, at) }
        : null;
    },
    ...writing(store, tables, one),
  });
  const index = view({
    about: 'the rows, one line each; in the order of their keys',
    path: `${path}/index.tsv`,
    of: rows,
    columnsAt: (place) => place.record(tables).columns.map(({ name }) => name),
    rows: ({ row }, place) => [place.record(tables).columns.map(({ name }) => cellOf(row[name]))],
  });
  const more = store.queries === undefined ? 'ask for fewer' : 'write a query to count them';
  const search = (about: string) =>
    finding({
      about,
      path: `${path}/search`,
      of: rows,
      columns: ['row'],
      row: ({ row }) => [JSON.stringify(row)],
      find: async (condition, at: At) =>
        firstOf(await select(at, { condition, most: found + 1 }), found, more),
    });
  return {
    params: {
      [ownParam({ path })]: { matches: NAME, example: 'orders' },
      key: { matches: NAME, example: '1' },
      ...(store.queries && { name: { matches: NAME, example: 'open' } }),
    },
    resources: [tables, rows],
    views: [index],
    findings: store.conditions === undefined ? [] : [search(store.conditions)],
    inquiries: store.queries === undefined ? [] : [inquiryOf(store.queries, above(path), listed)],
  };
}

/** How rows are made, changed and removed: what the store can do of it. */
function writing<C>(
  store: TableStore<C>,
  tables: Resource<Table>,
  one: (key: TableKey, at: Scope<C>) => Promise<HeldRow | undefined>,
): Writing<HeldRow, C> {
  const { insert, inserted, update, remove, answered } = store;
  return {
    ...(insert && {
      create: (given, at, key) => {
        const table = at.record(tables);
        const [first, ...others] = keyColumns(table);
        // An id that we choose tells after a lost answer whether the row was made.
        const isOurs = others.length === 0 && first?.takes === 'uuid';
        const row = (isOurs ? { [first.name]: key, ...given } : given) as TableRow;
        return insert.call(store, table, row, at);
      },
    }),
    ...(inserted && {
      find: async (request, at) => {
        const row = inserted.call(store, request);
        const key = keyColumns(at.record(tables)).map(({ name }) => row[name]);
        if (key.length === 0 || key.includes(undefined)) return null;
        const found = await one(key as TableKey, at);
        const given = Object.entries(row);
        const isSame = given.every(([name, value]) => cellOf(found?.row[name]) === cellOf(value));
        return isSame ? found : null;
      },
    }),
    ...(update && {
      update: (held, delta, at) =>
        update.call(store, at.record(tables), keyIn(held), delta as TableRow, held.row, at),
    }),
    ...(remove && {
      remove: (held, at) =>
        held.isKeyed ? remove.call(store, at.record(tables), keyIn(held), at) : NO_KEY,
    }),
    made: (answer, _request, _one, place) => {
      const row = answered?.call(store, answer);
      return row && heldOf(place.record(tables))(row, 0);
    },
  };
}

function inquiryOf<C>(
  queries: NonNullable<TableStore<C>['queries']>,
  directory: string,
  most: number,
): Inquiry<C> {
  return {
    id: 'queries',
    about: { question: queries.about, answer: 'its answer' },
    question: `${directory}/queries/:name.${queries.ending}`,
    answer: `${directory}/queries/:name.tsv`,
    ask: async (text, scope) => {
      const { columns, rows } = await queries.ask(text, most + 1, scope);
      const cells = rows.map((row) => row.map(cellOf));
      return { columns, ...firstOf(cells, most, 'ask for fewer') };
    },
  };
}
