/** What follows of `Graph` and `GraphqlClient`, on a depot whose documents are executed by graphql-js. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { selectionOf } from '../../../src/mount/index.ts';
import { failure, names, text, write } from '../../../src/mount-testing/index.ts';
import { idOf } from './depot-server.ts';
import { depotSubject, fileOf, WRITES } from './depot-subject.ts';

test('records are read page by page, written once, and what an answer refuses is said', async () => {
  const one = await depotSubject();
  using bench = await one.bench();
  const mount = bench.mount({ freshMs: 300_000 });
  expect(await names(mount, '/products')).toEqual([1, 2, 3, 4, 5].map((n) => `${idOf(n)}.md`));
  expect((await one.asked()).map(({ write: isWrite }) => isWrite)).toEqual([false, false, false]);
  expect(await text(mount, fileOf(1))).toBe('---\nname: Anchor\nstock: 1\nshelf: A1\n---\n');
  expect(await text(mount, fileOf(2))).toContain('shelf: null');
  for (const { path, content } of WRITES) {
    const written = content(path.endsWith('new.md') ? '' : await text(mount, path));
    if (written === null) await mount.unlink?.(path);
    else await write(mount, path, written);
  }
  const held = await one.held();
  expect(WRITES.map(({ made }) => made(held))).toEqual([1, 1, 1]);
  expect(await names(mount, '/products')).not.toContain(`${idOf(2)}.md`);
  const refused = await failure(write(mount, '/products/new.md', '---\nname: Nothing\n---\n'));
  expect(refused).toMatchObject({
    code: 'EINVAL',
    reason: expect.stringContaining('Depot answered: must be something'),
  });
});

test('what was changed elsewhere comes with the next listing, and the rest is not asked for again', async () => {
  const one = await depotSubject();
  using bench = await one.bench();
  const mount = bench.mount({ freshMs: 1_000, reconcileMs: 600_000 });
  await names(mount, '/products');
  await one.add?.('Fairlead');
  bench.move(60_000);
  expect(await names(mount, '/products')).toHaveLength(6);
});

test('a selection has the fields of a schema, through what may be absent or several; what is piped is one value', () => {
  const schema = z.looseObject({
    id: z.string(),
    state: z.object({ name: z.string() }).nullish(),
    labels: z.array(z.object({ id: z.string() })).default([]),
    metadata: z.unknown().pipe(z.looseObject({ status: z.string().optional() })),
  });
  expect(selectionOf(schema)).toBe('id state { name } labels { id } metadata');
});
