/** Collections of one question: each read to its end, none twice, gone on with where they were left. */
import { expect, test } from 'vitest';
import {
  type Connections,
  type ConnectionsPage,
  connectionPages,
  connectionRows,
  deltaCursor,
  deltaStart,
} from './connections.ts';

type Variables = Readonly<Record<string, unknown>>;

/** A service with two rows a page. */
class Service {
  readonly asked: Variables[] = [];
  readonly #rows: Readonly<Record<string, readonly number[]>>;
  /** The cursor that every page gives; null for the true one. */
  readonly #stuckAt: string | null;

  constructor(rows: Readonly<Record<string, readonly number[]>>, stuckAt: string | null = null) {
    this.#rows = rows;
    this.#stuckAt = stuckAt;
  }

  async ask(_query: string, variables: Variables) {
    this.asked.push(variables);
    const pages = Object.entries(this.#rows)
      .filter(([name]) => variables[`with${name}`] === true)
      .map(([name, rows]) => {
        const start = Number(variables[`${name}After`] ?? 0);
        const endCursor = this.#stuckAt === null ? String(start + 2) : this.#stuckAt;
        const pageInfo = { hasNextPage: start + 2 < rows.length, endCursor };
        return [name, { nodes: rows.slice(start, start + 2), pageInfo }];
      });
    return { data: Object.fromEntries(pages), at: `2025-01-01T00:00:0${this.asked.length}Z` };
  }
}

const ROWS = { few: [1], many: [1, 2, 3, 4, 5] };
const reading = (client: Service): Connections => ({
  title: 'Tracker',
  client,
  query: 'query',
  variables: { fixed: true },
  names: ['few', 'many'],
  all: ['few', 'many', 'other'],
});

test('every collection is read to its end, and asked for no longer than it has pages', async () => {
  const service = new Service(ROWS);
  expect(await connectionRows(reading(service))).toEqual(ROWS);
  expect(service.asked.map((one) => [one['withfew'], one['withmany'], one['withother']])).toEqual([
    [true, true, false],
    [false, true, false],
    [false, true, false],
  ]);
  expect(service.asked.every((one) => one['fixed'] === true)).toBe(true);
});

test('what was left is gone on with where it stood, and the first answer keeps its time', async () => {
  const first = await connectionPages(reading(new Service(ROWS))).next();
  const from = first.done === true ? null : first.value.place;
  const service = new Service(ROWS);
  const pages: ConnectionsPage[] = [];
  for await (const page of connectionPages({ ...reading(service), from: from ?? undefined }))
    pages.push(page);
  expect(pages.map(({ at, rows }) => [at, rows])).toEqual([
    ['2025-01-01T00:00:01Z', { many: [3, 4] }],
    ['2025-01-01T00:00:01Z', { many: [5] }],
  ]);
  expect(pages.at(-1)?.place).toBe(null);
  expect(service.asked).toHaveLength(2);
});

test('pages that need not be read are not', async () => {
  const service = new Service(ROWS);
  const isEnough = (name: string) => name === 'many';
  await connectionRows({ ...reading(service), isEnough });
  expect(service.asked).toHaveLength(1);
});

test.each([
  ['says not where it goes on', ''],
  ['gives a page twice', '2'],
])('a service that %s is no end of the listing', async (_, cursor) => {
  await expect(connectionRows(reading(new Service(ROWS, cursor)))).rejects.toMatchObject({
    kind: 'protocol',
  });
});

test('pages that lead in a circle are no end of the listing, and are not asked for again and again', async () => {
  const cursors = ['2', '4', '6', '2'];
  let asked = 0;
  const ask = async () => {
    const endCursor = cursors[asked % cursors.length];
    asked += 1;
    const many = { nodes: [asked], pageInfo: { hasNextPage: true, endCursor } };
    return { data: { many }, at: null };
  };
  const rows = connectionRows({
    title: 'Tracker',
    client: { ask },
    query: '',
    variables: {},
    names: ['many'],
  });
  await expect(rows).rejects.toMatchObject({ kind: 'protocol' });
  expect(asked).toBe(4);
});

test('a delta begins before what is known, and what is known never ends behind what came', () => {
  expect(deltaStart('2025-01-01T00:01:00.000Z')).toBe('2025-01-01T00:00:30.000Z');
  const [before, came, at] = ['2025-01-01', '2025-01-03', '2025-01-02'];
  expect(deltaCursor({ since: before, times: [] }, null)).toBe(before);
  expect(deltaCursor({ since: before, times: [came] }, null)).toBe(came);
  // What was made while the pages were read may be on none of them.
  expect(deltaCursor({ since: before, times: [came] }, at)).toBe(at);
  expect(deltaCursor({ since: null, times: [] }, null)).toBe('1970-01-01T00:00:00.000Z');
});
