/** What holds for the mount of a database, whichever it is. */
import { describe, expect, it } from 'vitest';
import { failure, names, ServiceBench, text, write } from '../../test/services/testing.ts';
import { createSqlMount, type SqlMountOptions } from './index.ts';

/** A database with the tables of {@link SCHEMA}, empty but for {@link ROWS}. */
export interface TestDatabase {
  options: Pick<SqlMountOptions, 'database' | 'token'>;
  /** Carries out statements, past the mount. */
  run(sql: string): Promise<void>;
  /** The rows of a question, past the mount. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

const SCHEMA = `
  CREATE TABLE orders (id integer PRIMARY KEY, customer text NOT NULL, total numeric, note text DEFAULT 'none');
  CREATE TABLE lines (order_id integer REFERENCES orders (id), sku text, PRIMARY KEY (order_id, sku));
  CREATE TABLE log (what text);
  CREATE VIEW open AS SELECT id FROM orders;`;
const ROWS = `
  INSERT INTO orders (id, customer, total) VALUES (1, 'Ada', 12.5), (2, 'Bo "b"', 3), (10, 'Cy', NULL);
  INSERT INTO lines VALUES (1, 'a/b'), (1, 'c');
  INSERT INTO log VALUES ('one');`;
const CLEAR = 'DROP VIEW open; DROP TABLE lines; DROP TABLE log; DROP TABLE orders;';

type Mount = Parameters<typeof write>[0];

export function describeSqlMount(what: string, database: () => TestDatabase): void {
  async function opened(clear: boolean) {
    const { options, run } = database();
    if (clear) await run(CLEAR);
    await run(SCHEMA + ROWS);
    const bench = new ServiceBench<SqlMountOptions>('sql', createSqlMount, {
      ...options,
      point: '/db',
    });
    return Object.assign(bench, { [Symbol.dispose]: () => bench.end() });
  }
  let isFirst = true;
  const open = async () => {
    const bench = await opened(!isFirst);
    isFirst = false;
    return bench;
  };
  const json = async (mount: Parameters<typeof text>[0], path: string) =>
    JSON.parse(await text(mount, path));

  describe(what, () => {
    it('tables are directories, rows files by their keys', async () => {
      using bench = await open();
      const mount = bench.mount();
      expect(await names(mount, '/')).toEqual([
        'README.md',
        'lines',
        'log',
        'open',
        'orders',
        'queries',
      ]);
      expect(await names(mount, '/orders')).toEqual(['index.tsv', 'rows', 'schema.sql', 'search']);
      expect((await names(mount, '/orders/rows')).sort()).toEqual(['1.json', '10.json', '2.json']);
      expect(await names(mount, '/lines/rows')).toEqual(['1,a%2Fb.json', '1,c.json']);
      expect(await names(mount, '/log/rows')).toEqual([]);
      expect(await json(mount, '/orders/rows/2.json')).toMatchObject({
        id: 2,
        customer: 'Bo "b"',
        note: 'none',
      });
      expect(await json(mount, '/lines/rows/1,a%2Fb.json')).toEqual({ order_id: 1, sku: 'a/b' });
      expect(await text(mount, '/orders/schema.sql')).toMatch(/CREATE TABLE[\s\S]*customer/);
      expect(await text(mount, '/orders/index.tsv')).toBe(
        'id\tcustomer\ttotal\tnote\n1\tAda\t12.5\tnone\n2\tBo "b"\t3\tnone\n10\tCy\t\tnone\n',
      );
      expect(await text(mount, '/log/index.tsv')).toBe('what\none\n');
      expect((await failure(mount.read('/orders/rows/7.json'))).code).toBe('ENOENT');
      expect((await failure(mount.read('/nothing/schema.sql'))).code).toBe('ENOENT');
    });

    it('a row is changed, made and removed; what is read afterwards is so', async () => {
      using bench = await open();
      const mount = bench.mount();
      const before = await text(mount, '/orders/rows/1.json');
      await write(mount, '/orders/rows/1.json', before.replace('"Ada"', '"Ada; DROP TABLE lines"'));
      await write(mount, '/orders/rows/new.json', '{"id": 11, "customer": "", "total": 4}\n');
      await mount.unlink?.('/orders/rows/2.json');
      expect(await text(mount, '/orders/rows/.last')).toBe('/db/orders/rows/11.json\n');
      expect((await names(mount, '/orders/rows')).sort()).toEqual(['1.json', '10.json', '11.json']);
      const held = await database().rows('SELECT id, customer, note FROM orders ORDER BY id');
      expect(held.map((row) => ({ ...row }))).toEqual([
        { id: 1, customer: 'Ada; DROP TABLE lines', note: 'none' },
        { id: 10, customer: 'Cy', note: 'none' },
        { id: 11, customer: '', note: 'none' },
      ]);
    });

    it('what the database refuses is EINVAL in its own words, and nothing is changed', async () => {
      using bench = await open();
      const mount = bench.mount();
      const refused = async (path: string, content: string) => {
        const error = await failure(mount.write?.(path, Buffer.from(content)));
        expect(error.code, path).toBe('EINVAL');
        return error.reason;
      };
      const whole = await text(mount, '/orders/rows/1.json');
      expect(await refused('/orders/rows/1.json', whole.replace('"Ada"', 'null'))).toMatch(/null/i);
      expect(await refused('/orders/rows/1.json', whole.replace('"id": 1', '"id": 5'))).toContain(
        'the key stays',
      );
      expect(await refused('/orders/rows/1.json', whole.replace('"note"', '"nota"'))).toContain(
        'nearest: note',
      );
      expect(await refused('/orders/rows/1.json', whole.slice(2))).toContain('JSON');
      expect(await refused('/orders/rows/new.json', '{"id": 1, "customer": "twice"}')).toMatch(
        /unique|duplicate/i,
      );
      const kept = await failure(mount.unlink?.('/orders/rows/1.json'));
      expect([kept.code, kept.reason]).toEqual(['EINVAL', expect.stringMatching(/foreign key/i)]);
      expect(await database().rows('SELECT id FROM orders')).toHaveLength(3);
    });

    it('a change of others is merged by column, or refused where both touched one', async () => {
      using bench = await open();
      const mount = bench.mount();
      const before = await text(mount, '/orders/rows/1.json');
      await database().run("UPDATE orders SET note = 'theirs' WHERE id = 1");
      await write(mount, '/orders/rows/1.json', before.replace('"Ada"', '"mine"'));
      expect(await json(mount, '/orders/rows/1.json')).toMatchObject({
        customer: 'mine',
        note: 'theirs',
      });
      const again = await text(mount, '/orders/rows/1.json');
      await database().run("UPDATE orders SET note = 'theirs again' WHERE id = 1");
      const refused = await failure(
        mount.write?.('/orders/rows/1.json', Buffer.from(again.replace('"theirs"', '"mine"'))),
      );
      expect(refused.code).toBe('ESTALE');
    });

    it('a dry run changes nothing, and questions are answered in it', async () => {
      using bench = await open();
      const mount = bench.mount({ stage: true });
      const before = await text(mount, '/orders/rows/1.json');
      await write(mount, '/orders/rows/1.json', before.replace('"Ada"', '"staged"'));
      expect(await json(mount, '/orders/rows/1.json')).toMatchObject({ customer: 'staged' });
      expect(
        await database().rows("SELECT 1 AS one FROM orders WHERE customer = 'staged'"),
      ).toEqual([]);
      await write(mount, '/queries/all.sql', 'SELECT customer FROM orders ORDER BY id;\n');
      expect(await text(mount, '/queries/all.tsv')).toBe('customer\nAda\nBo "b"\nCy\n');
      const [change] = mount.journal.list({ state: 'pending' });
      expect(change?.request).toMatchObject({
        method: 'PATCH',
        body: { sql: expect.stringContaining('UPDATE "orders"') },
      });
      await mount.journal.apply([change?.id ?? '']);
      expect(
        await database().rows("SELECT 1 AS one FROM orders WHERE customer = 'staged'"),
      ).toHaveLength(1);
    });

    it('rows that were staged are applied in one transaction', async () => {
      using bench = await open();
      const mount = bench.mount({ stage: true });
      const before = await text(mount, '/orders/rows/2.json');
      await write(mount, '/orders/rows/2.json', before.replace('"none"', '"mine"'));
      await write(mount, '/orders/rows/new.json', '{"id": 11, "customer": "Di"}');
      // Its order is there only once what was written before it is.
      await write(mount, '/lines/rows/new.json', '{"order_id": 11, "sku": "x"}');
      await mount.unlink?.('/lines/rows/1,c.json');
      const staged = mount.journal.list({ state: 'pending' });
      const sent = staged.map(({ request }) => request?.body as { sql: string; values: unknown[] });
      const plain = ({ sql, values }: (typeof sent)[number]) => [
        sql.replace(/\?|\$/g, '$'),
        values,
      ];
      expect(sent.map(plain)).toEqual([
        [
          expect.stringMatching(/^UPDATE "orders" SET "note" = .* WHERE "id" = .* RETURNING /),
          ['mine', 'none', 2],
        ],
        [expect.stringMatching(/^INSERT INTO "orders" \("id", "customer"\) VALUES /), [11, 'Di']],
        [expect.stringMatching(/^INSERT INTO "lines" \("order_id", "sku"\) VALUES /), [11, 'x']],
        [
          expect.stringMatching(/^DELETE FROM "lines" WHERE "order_id" = .* AND "sku" = /),
          [1, 'c'],
        ],
      ]);
      const applied = await mount.journal.apply(staged.map(({ id, digest }) => ({ id, digest })));
      expect(applied).toEqual(staged.map(({ id }) => ({ id, state: 'applied' })));
      expect(await names(mount, '/lines/rows')).toEqual(['1,a%2Fb.json', '11,x.json']);
      expect(await json(mount, '/orders/rows/2.json')).toMatchObject({ note: 'mine' });
      expect(await text(mount, '/lines/rows/.last')).toBe('/db/lines/rows/11,x.json\n');
      const held = await database().rows('SELECT id, note FROM orders ORDER BY id');
      expect(held.map((row) => ({ ...row }))).toContainEqual({ id: 2, note: 'mine' });
    });

    it.each([
      {
        what: 'the database',
        wrong: (mount: Mount) =>
          write(mount, '/orders/rows/new.json', '{"id": 10, "customer": "twice"}'),
        meanwhile: 'SELECT 1',
        state: 'failed',
        said: /unique|duplicate/i,
      },
      {
        what: 'a change of others',
        wrong: async (mount: Mount) => {
          const before = await text(mount, '/orders/rows/10.json');
          await write(mount, '/orders/rows/10.json', before.replace('"Cy"', '"mine"'));
        },
        meanwhile: "UPDATE orders SET customer = 'theirs' WHERE id = 10",
        state: 'conflict',
        said: /customer changed/,
      },
    ])(
      'where one of a set is refused by $what nothing is changed, and the others wait and say for which',
      async ({ wrong, meanwhile, state, said }) => {
        using bench = await open();
        const mount = bench.mount({ stage: true });
        const before = await text(mount, '/orders/rows/2.json');
        await write(mount, '/orders/rows/2.json', before.replace('"none"', '"mine"'));
        await wrong(mount);
        await mount.unlink?.('/lines/rows/1,c.json');
        await database().run(meanwhile);
        const [first, second, third] = mount.journal.list({ state: 'pending' });
        const ids = [first, second, third].map((one) => one?.id ?? '');
        const together = {
          state: 'pending',
          error: expect.stringMatching(new RegExp(`^nothing was changed: .*${ids[1]}`)),
        };
        expect(await mount.journal.apply(ids)).toEqual([
          { id: ids[0], ...together },
          { id: ids[1], state, error: expect.stringMatching(said) },
          { id: ids[2], ...together },
        ]);
        expect(await database().rows("SELECT id FROM orders WHERE note = 'mine'")).toEqual([]);
        expect(await database().rows('SELECT * FROM lines')).toHaveLength(2);
        expect(await json(mount, '/orders/rows/2.json')).toMatchObject({ note: 'mine' });
        // Without it they go.
        const rest = [ids[0] ?? '', ids[2] ?? ''];
        expect(await mount.journal.apply(rest)).toEqual(
          rest.map((id) => ({ id, state: 'applied' })),
        );
        expect(await database().rows('SELECT * FROM lines')).toHaveLength(1);
      },
    );

    it('a set of which one was staged anew since it was shown is not sent', async () => {
      using bench = await open();
      const mount = bench.mount({ stage: true });
      for (const id of [1, 2]) {
        const before = await text(mount, `/orders/rows/${id}.json`);
        await write(mount, `/orders/rows/${id}.json`, before.replace('"none"', '"mine"'));
      }
      const shown = mount.journal.list({ state: 'pending' });
      await write(
        mount,
        '/orders/rows/2.json',
        (await text(mount, '/orders/rows/2.json')).replace('"mine"', '"other"'),
      );
      const applied = await mount.journal.apply(shown.map(({ id, digest }) => ({ id, digest })));
      expect(applied.map(({ state }) => state)).toEqual(['pending', 'dropped']);
      expect(applied.map(({ error }) => error)).toEqual([
        expect.stringContaining('applied together with'),
        expect.stringContaining('staged again'),
      ]);
      expect(await database().rows("SELECT id FROM orders WHERE note <> 'none'")).toEqual([]);
    });

    it('a question is kept with its answer, asked again when it is old, and removed', async () => {
      using bench = await open();
      const mount = bench.mount();
      await write(mount, '/queries/count.sql', 'SELECT count(*) AS n FROM orders');
      expect(await names(mount, '/queries')).toEqual(['count.sql', 'count.tsv']);
      expect(await text(mount, '/queries/count.tsv')).toBe('n\n3\n');
      await database().run('DELETE FROM orders WHERE id = 10');
      bench.move(60_000);
      expect(await text(mount, '/queries/count.tsv')).toBe('n\n2\n');
      expect((await failure(mount.read('/queries/other.tsv'))).reason).toContain(
        'write the question first',
      );
      await mount.unlink?.('/queries/count.sql');
      expect(await names(mount, '/queries')).toEqual([]);
      expect(mount.journal.list()).toEqual([]);
    });

    it.each([
      'DELETE FROM orders',
      "UPDATE orders SET note = 'x' RETURNING id",
      'SELECT 1; DELETE FROM orders',
      'SELECT 1; COMMIT; DELETE FROM orders',
      'DROP TABLE log',
      'WITH gone AS (DELETE FROM lines RETURNING *) SELECT * FROM gone',
      'SELECT nothing FROM orders',
      'not sql',
      '',
    ])('a question that would change something, or is none, is refused: %s', async (sql) => {
      using bench = await open();
      const mount = bench.mount();
      const refused = await failure(mount.write?.('/queries/bad.sql', Buffer.from(`${sql}\n`)));
      expect(refused.code).toBe('EINVAL');
      expect(await names(mount, '/queries')).toEqual([]);
      expect(await database().rows('SELECT id FROM orders')).toHaveLength(3);
      expect(await database().rows('SELECT * FROM lines')).toHaveLength(2);
    });

    it('search/ has the rows for which a condition holds, and its conditions change nothing', async () => {
      using bench = await open();
      const mount = bench.mount();
      expect(await names(mount, "/orders/search/customer LIKE 'C%'")).toEqual([
        '10.json',
        'index.tsv',
      ]);
      expect(await mount.readlink?.("/orders/search/customer LIKE 'C%'/10.json")).toBe(
        '../../rows/10.json',
      );
      const injected = await failure(mount.readdir('/orders/search/1=1); DELETE FROM log; --'));
      expect(injected.code).toBe('EINVAL');
      expect(await database().rows('SELECT * FROM log')).toHaveLength(1);
    });

    it('a listing is bounded and says so; any other row is found by its name', async () => {
      using bench = await open();
      await database().run(
        "INSERT INTO orders (id, customer) WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1999) SELECT i, 'many' FROM n",
      );
      const mount = bench.mount();
      expect(await names(mount, '/orders/rows')).toHaveLength(1_000);
      expect(bench.notices.join()).toContain('only the first 1000 rows');
      expect(await json(mount, '/orders/rows/1999.json')).toMatchObject({ id: 1999 });
      await write(mount, '/queries/all.sql', 'SELECT id FROM orders');
      expect((await text(mount, '/queries/all.tsv')).split('\n')).toHaveLength(1_002);
      expect(bench.notices.join()).toContain('ask for fewer');
    });
  });
}
