/** Sheets of a service that keeps CSV: a second store of tables, with none of the words of the first. */
import {
  HttpClient,
  type MountModule,
  openResourceMount,
  type Scope,
  type TableInput,
  type TableRow,
  tableRows,
} from '../../../src/mount/index.ts';

type At = Scope<HttpClient>;
const rowsAt = (sheet: string, key = '') => `sheets/${sheet}/rows/${encodeURIComponent(key)}`;

const sheets = tableRows({
  path: '/sheets/:sheet',
  tables: async ({ client }: At) => (await client.rows('sheets', {})) as TableInput[],
  select: async ({ table: { name }, key, condition, most }, { client }) =>
    (await client.rows(rowsAt(name, key?.join()), { most, where: condition })) as TableRow[],
  insert: ({ name }, row) => ({ method: 'POST', url: rowsAt(name), body: row }),
  inserted: ({ body }) => body as TableRow,
  update: ({ name }, key, set, were) => {
    const was = Object.fromEntries(Object.keys(set).map((column) => [column, were[column] ?? '']));
    return { method: 'PATCH', url: rowsAt(name, key.join()), body: { set, was } };
  },
  remove: ({ name }, key) => ({ method: 'DELETE', url: rowsAt(name, key.join()), body: null }),
  answered: (answer) => answer as TableRow,
  conditions: 'the rows with a value in a column: COLUMN=VALUE',
  most: { listed: 20, found: 2 },
});

/** The mount, as a config names it. */
export default ((given) =>
  openResourceMount(given, {
    kind: 'sheets',
    title: 'Sheets',
    about: 'Sheets with their rows.',
    client: (line) => new HttpClient({ baseUrl: '', ...line, service: 'Sheets' }),
    families: [sheets],
  })) satisfies MountModule;
