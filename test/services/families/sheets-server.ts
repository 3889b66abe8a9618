/** A service that keeps sheets as CSV, in memory: the first column is the key, where a sheet has one. */
import type { IncomingMessage } from 'node:http';
import type { TableInput } from '../../../src/mount/index.ts';
import type { StandIn } from '../../../src/mount-testing/index.ts';
import { serveJson } from './serve-json.ts';

type Row = Record<string, string>;
export type Sheets = Readonly<Record<string, readonly Row[]>>;

/** What it has to begin with; `notes` has no key. */
const CSV: Readonly<Record<string, string>> = {
  stock: 'sku,what,bin\na1,bolt,north\na2,"nut, ""brass""",north\nb/7,washer,south\n',
  notes: 'what\ncount on Monday\n',
};

export async function startSheets(): Promise<StandIn<Sheets>> {
  const sheets = new Map(Object.entries(CSV).map(([name, csv]) => [name, rowsOf(csv)]));
  const stock = () => sheets.get('stock') ?? [];
  const answer = (request: IncomingMessage, body: unknown): [number, unknown] => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://sheets');
    const [, , sheet, , ...rest] = pathname.split('/');
    if (sheet === undefined) return [200, [...sheets.keys()].map(described)];
    const rows = sheets.get(sheet);
    if (rows === undefined) return [404, { message: `no sheet ${sheet}` }];
    const key = decodeURIComponent(rest.join('/'));
    const index = rows.findIndex((row) => keyOf(row) === key);
    const row = rows[index];
    if (request.method === 'GET') {
      const [column = '', value] = searchParams.get('where')?.split('=') ?? [];
      if (value !== undefined && !(column in (rows[0] ?? {})))
        return [422, { message: `no column ${column}` }];
      const found = rows.filter((one) => value === undefined || one[column] === value);
      const most = Number(searchParams.get('most'));
      return [200, key === '' ? found.slice(0, most) : row === undefined ? [] : [row]];
    }
    if (request.method === 'POST') {
      const made = { ...Object.fromEntries(Object.keys(rows[0] ?? {}).map((one) => [one, ''])) };
      Object.assign(made, body);
      if (rows.some((one) => keyOf(one) === keyOf(made)))
        return [409, { message: `${keyOf(made)} is there already` }];
      rows.push(made);
      return [201, made];
    }
    if (row === undefined) return [404, { message: `no row ${key}` }];
    if (request.method === 'DELETE') return [200, rows.splice(index, 1)[0]];
    const { set, was } = body as { set: Row; was: Row };
    const isAsItWas = Object.entries(was).every(([name, value]) => row[name] === value);
    return isAsItWas ? [200, Object.assign(row, set)] : [409, { message: 'it was changed' }];
  };
  const { url, close } = await serveJson(answer);
  return {
    url,
    close,
    held: () => Object.fromEntries(sheets),
    add: (title) => void stock().push({ sku: title, what: 'added', bin: '' }),
    removeRecord: () => void stock().shift(),
  };

  function described(name: string): TableInput {
    const columns = Object.keys(sheets.get(name)?.[0] ?? {});
    return {
      name,
      columns: columns.map((one, at) => ({
        name: one,
        key: columns.length > 1 && at === 0 ? 1 : 0,
      })),
    };
  }
}

const keyOf = (row: Row): string => Object.values(row)[0] ?? '';

function rowsOf(csv: string): Row[] {
  const [header = [], ...lines] = csv.trim().split('\n').map(cellsOf);
  return lines.map((cells) =>
    Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])),
  );
}

function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
