/** What is below a page, where the search gives only what was shared by itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageUrl } from '../../test/stand-ins/notion/markdown.ts';
import {
  type Bench,
  failure,
  files,
  id,
  minute,
  named,
  names,
  page,
  TASKS,
  text,
  Workbench,
  workspace,
  write,
} from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

const HOME = `/${named('Home')}`;
const CHILD = `${HOME}/${named('Child')}`;
const DEEP = `${CHILD}/${named('Deep')}`;
const FOLDED = `${HOME}/${named('Folded')}`;

/** Home › Child › Deep, and Folded in a toggle of Home; the database Tasks below Child. */
function nested() {
  const folded = `<page url="${pageUrl(id('Folded'))}">Folded</page>`;
  const { databases, ...rest } = workspace(
    [
      page('Home', {
        markdown: `Hello\n<details>\n<summary>More</summary>\n\t${folded}\n</details>`,
      }),
      page('Child', { parent: id('Home'), markdown: 'In the middle' }),
      page('Deep', { parent: id('Child'), markdown: 'At the end' }),
      page('Folded', { parent: id('Home'), markdown: 'In a toggle' }),
    ],
    [page('First', { markdown: 'a row' })],
  );
  return { ...rest, databases: databases.map((one) => ({ ...one, parent: id('Child') })) };
}

const ALL = [
  `${CHILD}.md`,
  `${DEEP}.md`,
  `${FOLDED}.md`,
  `${HOME}.md`,
  `${CHILD}${TASKS}/${named('First')}.md`,
];

const kinds = async (bench: Bench) =>
  (await bench.asked()).map((line) =>
    line.replace(/[0-9a-f-]{32,36}/g, 'ID').replace(/\?\S*| 200$/g, ''),
  );

describe('what no search gives', () => {
  it('is in a listing of all, each page in its place', async () => {
    using bench = await workbench.bench(nested());
    const found = await files(bench.mount());
    for (const path of ALL) expect(found).toContain(path);
  });

  it.each(ALL)('is found when it is named first: %s', async (path) => {
    using bench = await workbench.bench(nested());
    expect(await text(bench.mount(), path)).toMatch(/Hello|middle|end|toggle|row/);
  });

  it('is ENOENT where the list of its parent has no such page, and that is asked once', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount({ freshMs: 60_000 });
    for (const wrong of [`${HOME}/${named('Deep')}.md`, `${DEEP}/${named('Nowhere')}.md`]) {
      expect((await failure(text(mount, wrong))).code).toBe('ENOENT');
      await bench.asked();
      expect((await failure(text(mount, wrong))).code).toBe('ENOENT');
      expect(await bench.asked()).toEqual([]);
    }
  });

  it('is met by a walk, which asks for each list once, and for nothing the second time', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch('/');
    const walked = [...(mount.walk('/') ?? [])].map(({ path }) => path);
    for (const path of ALL) expect(walked).toContain(path);
    await bench.asked();
    await mount.prefetch('/');
    for (const path of ALL) await text(mount, path);
    expect(await bench.asked()).toEqual([]);
  });

  it('is named by the text of its page as soon as that is read', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount();
    expect(await text(mount, `${HOME}.md`)).toContain('Folded</page>');
    expect(await text(mount, '/index.tsv')).toContain(named('Folded'));
  });

  it('shows what others change in it: text, title, trash, a new page beside it', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount({ freshMs: 1_000 });
    await files(mount);
    expect(await text(mount, `${DEEP}.md`)).toContain('At the end');
    await bench.notion.edit({ op: 'text', id: id('Deep'), markdown: 'Changed' });
    await bench.notion.edit({ op: 'title', id: id('Deep'), title: 'Deeper' });
    const made = await bench.notion.edit({ op: 'create', parent: id('Child'), title: 'New' });
    bench.move(60_000);
    expect(await text(mount, `${DEEP}.md`)).toMatch(/title: Deeper[\s\S]*Changed/);
    expect(await names(mount, CHILD)).toContain(`New--${made.slice(-12)}.md`);
    expect(await names(mount, CHILD)).toContain(`${named('Deeper', 'Deep')}.md`);
    await bench.notion.edit({ op: 'trash', id: id('Deep') });
    bench.move(60_000);
    expect(await names(mount, CHILD)).not.toContain(`${named('Deeper', 'Deep')}.md`);
    expect((await failure(text(mount, `${DEEP}.md`))).code).toBe('ENOENT');
  });

  it('outlives a complete search without it', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount({ freshMs: 0, reconcileMs: 0 });
    await files(mount);
    await bench.asked();
    await names(mount, '/');
    expect(await kinds(bench)).toEqual(['POST /v1/search']);
    const found = await files(mount);
    for (const path of ALL) expect(found).toContain(path);
  });

  it('keeps a page from the trash that has others below it, though nobody has listed them', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount();
    const refused = await failure(mount.unlink?.(`${CHILD}.md`) ?? Promise.resolve());
    expect(refused.reason).toMatch(/[12] pages? (is|are) below it/);
    expect(await bench.stored('Child')).toMatchObject({ inTrash: false });
    await mount.unlink?.(`${FOLDED}.md`);
    expect(await bench.stored('Folded')).toMatchObject({ inTrash: true });
  });

  it('is made below what no search gives, and edited there', async () => {
    using bench = await workbench.bench(nested());
    const mount = bench.mount();
    await write(mount, `${DEEP}/new.md`, '---\ntitle: Made\n---\n\nnew\n');
    const made = (await text(mount, `${DEEP}/.last`)).trim();
    const before = await text(mount, `${DEEP}/${made}`);
    await write(mount, `${DEEP}/${made}`, before.replace('new\n', 'newer\n'));
    expect(await bench.stored('Made')).toMatchObject({ markdown: 'newer' });
    expect(await names(mount, DEEP)).toEqual([made]);
  });
});

it('a database of several data sources has a directory for each, with rows of its own', async () => {
  const { databases, pages, ...rest } = workspace([page('Home')], [page('First')]);
  const [tasks] = databases;
  if (tasks === undefined) throw new Error('no database');
  const [one, other] = [
    { ...tasks, parent: id('Home') },
    {
      ...tasks,
      parent: id('Home'),
      dataSourceId: id('Ideas'),
      title: 'Ideas',
      properties: { Name: { type: 'title' } },
    },
  ];
  const seed = {
    ...rest,
    databases: [one, other],
    pages: [...pages, page('Idea', { parent: id('Ideas') })],
  };
  using bench = await workbench.bench(seed);
  const mount = bench.mount();
  const ideas = `${HOME}/${named('Ideas')}`;
  expect(await names(mount, HOME)).toEqual([named('Ideas'), TASKS.slice(1)].sort());
  expect(await names(mount, `${HOME}${TASKS}`)).toContain(`${named('First')}.md`);
  expect(await names(mount, ideas)).toEqual([`${named('Idea')}.md`, 'index.tsv', 'schema.json']);
  await write(mount, `${ideas}/new.md`, '---\ntitle: Another\n---\n');
  expect(await names(mount, ideas)).toContain((await text(mount, `${ideas}/.last`)).trim());
  const schema = JSON.parse(await text(mount, `${ideas}/schema.json`));
  expect(schema.database_id).toBe(tasks.id);
  await bench.notion.edit({ op: 'trash-database', id: tasks.id });
  bench.move(60_000);
  expect(await names(mount, HOME)).toEqual([]);
});

describe('what it costs', () => {
  const ROWS = Array.from({ length: 200 }, (_, n) =>
    page(`row ${n}`, { markdown: `body of ${n}`, editedAt: minute(n) }),
  );

  it('to search 200 rows, cold: 204 requests at most; warm: none; to list them: 4', async () => {
    using bench = await workbench.bench(workspace([], ROWS));
    const cold = bench.mount({ freshMs: 60_000, ...bench.fresh() });
    await cold.prefetch('/');
    const walked = [...(cold.walk('/') ?? [])];
    expect(walked.filter(({ path }) => path.includes('row-'))).toHaveLength(200);
    expect((await bench.asked()).length).toBeLessThanOrEqual(204);
    await cold.prefetch('/');
    for (const { path } of walked) await text(cold, path);
    expect(await bench.asked()).toEqual([]);
    expect(await files(bench.mount({ freshMs: 60_000, ...bench.fresh() }))).toHaveLength(204);
    expect((await bench.asked()).length).toBeLessThanOrEqual(4);
  });

  it('to edit a field of a row, or to add a line to its text: 4 requests at most', async () => {
    using bench = await workbench.bench(workspace([], ROWS));
    const mount = bench.mount({ freshMs: 60_000 });
    const path = `${TASKS}/${named('row 7')}.md`;
    await names(mount, TASKS);
    for (const [from, to] of [
      ['Points: null', 'Points: 3'],
      ['body of 7', 'body of 7\n\nmore'],
      ['body of 7', 'body of seven'],
    ] as const) {
      const before = await text(mount, path);
      await bench.asked();
      await write(mount, path, before.replace(from, to));
      expect((await bench.asked()).length).toBeLessThanOrEqual(4);
    }
  });

  it('to list 200 pages of which 180 are in no search: one more for each page above others', async () => {
    const pages = Array.from({ length: 200 }, (_, n) =>
      page(`page ${n}`, { parent: n < 20 ? null : id(`page ${n % 20}`), editedAt: minute(n) }),
    );
    using bench = await workbench.bench(workspace(pages));
    const mount = bench.mount({ freshMs: 60_000 });
    expect((await files(mount)).filter((path) => path.includes('page-'))).toHaveLength(200);
    expect((await bench.asked()).length).toBe(22);
  });
});
