/** What follows of `tableRows`, on a store that is no database. */
import { expect, test } from 'vitest';
import { failure, names, text, write } from '../../../src/mount-testing/index.ts';
import { sheetsSubject, stock, WRITES } from './sheets-subject.ts';

test('a table is its columns, an index and a file a row; one without a key has an index alone', async () => {
  using bench = await (await sheetsSubject()).bench();
  const mount = bench.mount();
  expect(await names(mount, '/')).toEqual(['README.md', 'sheets']);
  expect(await names(mount, '/sheets')).toEqual(['notes', 'stock']);
  expect(await names(mount, '/sheets/stock')).toEqual([
    'columns.tsv',
    'index.tsv',
    'rows',
    'search',
  ]);
  expect(await text(mount, '/sheets/stock/columns.tsv')).toBe(
    'column\ttype\tkey\tnull\tcomputed\tdefault\nsku\t\t1\tyes\t\t\nwhat\t\t\tyes\t\t\nbin\t\t\tyes\t\t\n',
  );
  expect(await text(mount, '/sheets/stock/index.tsv')).toContain('a2\tnut, "brass"\tnorth\n');
  expect(await names(mount, '/sheets/stock/rows')).toEqual(['a1.json', 'a2.json', 'b%2F7.json']);
  expect(JSON.parse(await text(mount, '/sheets/stock/rows/b%2F7.json'))).toEqual({
    sku: 'b/7',
    what: 'washer',
    bin: 'south',
  });
  expect(await names(mount, '/sheets/notes/rows')).toEqual([]);
  expect(await text(mount, '/sheets/notes/index.tsv')).toBe('what\ncount on Monday\n');
});

test('rows are made, changed and removed; what the store refuses is said in its words', async () => {
  const one = await sheetsSubject();
  using bench = await one.bench();
  const mount = bench.mount();
  for (const { path, content } of WRITES) {
    const given = content(path.includes('new.') ? '' : await text(mount, path));
    await (given === null ? mount.unlink?.(path) : write(mount, path, given));
  }
  expect((await names(mount, '/sheets/stock/rows')).sort()).toEqual([
    'a1.json',
    'b%2F7.json',
    'c1.json',
  ]);
  expect(stock(await one.held()).map(({ what }) => what)).toEqual(['long bolt', 'washer', 'once']);
  const refused = async (path: string, given: string) =>
    (await failure(mount.write?.(path, Buffer.from(given)))).reason;
  expect(await refused('/sheets/stock/rows/new.json', '{"sku": "a1"}')).toContain(
    'is there already',
  );
  const before = await text(mount, '/sheets/stock/rows/a1.json');
  expect(await refused('/sheets/stock/rows/a1.json', before.replace('"a1"', '"a9"'))).toContain(
    'the key stays',
  );
  expect(
    await refused('/sheets/stock/rows/a1.json', before.replace('"north"', '["north"]')),
  ).toContain('is no value of a column');
});

test('a condition goes to the store, and what it has more of than is shown is said', async () => {
  const one = await sheetsSubject();
  using bench = await one.bench();
  const mount = bench.mount();
  expect(await names(mount, '/sheets/stock/search/bin=north')).toEqual([
    'a1.json',
    'a2.json',
    'index.tsv',
  ]);
  expect((await failure(mount.readdir('/sheets/stock/search/colour=red'))).reason).toContain(
    'no column colour',
  );
  for (let at = 0; at < 20; at += 1) await one.add?.(`m${at}`);
  bench.move(120_000);
  expect(await names(mount, '/sheets/stock/rows')).toHaveLength(20);
  expect(await names(mount, '/sheets/stock/search/what=added')).toHaveLength(3);
  expect(bench.notices.join('\n')).toMatch(
    /only the first 20 rows; others are found by name, or in search/,
  );
  expect(bench.notices.join('\n')).toMatch(/only the first 2 rows; ask for fewer/);
  expect(JSON.parse(await text(mount, '/sheets/stock/rows/m19.json'))).toMatchObject({
    what: 'added',
  });
});
