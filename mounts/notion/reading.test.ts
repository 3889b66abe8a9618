/** What is where, what it is called, and what it costs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
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
} from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

const [HOME, CHILD, GRANDCHILD] = ['Home', 'Child', 'Grandchild'].map((one) => named(one)) as [
  string,
  string,
  string,
];
const NESTED = [
  page('Home', { markdown: 'Hello\n\n- a\n\t- b' }),
  page('Child', { parent: id('Home'), markdown: 'In the middle' }),
  page('Grandchild', { parent: id('Child') }),
];
const ROWS = [
  page('First', {
    values: {
      Status: 'Open',
      Kind: 'bug',
      Areas: ['api', 'web'],
      Points: 3,
      Due: '2025-03-01',
      Owner: ['Mara'],
      Notes: 'short',
      Link: 'https://example.org/',
      url: 'own',
    },
  }),
  page('Second', { values: { Status: 'Done', Blocks: [id('First')] } }),
];

describe('the tree', () => {
  it('has no table of rows for whoever only looks at what is held before these were listed', async () => {
    using bench = await workbench.bench(workspace(NESTED, ROWS));
    const mount = bench.mount();
    await mount.readdir('/');
    const index = () => {
      const found = [...mount.otherFiles(TASKS)].find(({ path }) => path.endsWith('/index.tsv'));
      const bytes = found?.bytes() ?? null;
      return bytes === null ? null : Buffer.from(bytes).toString();
    };
    expect(index()).toBeNull();
    await mount.readdir(TASKS);
    expect(index()).toContain('First');
  });

  it('is nested as in the workspace, to any depth', async () => {
    using bench = await workbench.bench(workspace(NESTED, ROWS));
    const mount = bench.mount();
    expect(await files(mount)).toEqual([
      `/${HOME}/${CHILD}/${GRANDCHILD}.md`,
      `/${HOME}/${CHILD}.md`,
      `/${HOME}.md`,
      '/README.md',
      `${TASKS}/${named('First')}.md`,
      `${TASKS}/${named('Second')}.md`,
      `${TASKS}/index.tsv`,
      `${TASKS}/schema.json`,
      '/index.tsv',
    ]);
    expect(await text(mount, `/${HOME}/${CHILD}.md`)).toContain('\n---\n\nIn the middle\n');
    // Found when named: there a first page can be made.
    expect((await mount.lstat(`/${HOME}/${CHILD}/${GRANDCHILD}`)).type).toBe('directory');
    for (const missing of [
      `/${CHILD}.md`,
      `/${HOME}/${GRANDCHILD}.md`,
      `/${HOME}/schema.json`,
      `/${HOME}/index.tsv`,
      `${TASKS}.md`,
      `${TASKS}/comments`,
    ]) {
      expect((await failure(mount.lstat(missing))).code, missing).toBe('ENOENT');
    }
  });

  it('shows a row’s properties as fields, and tables and a schema of its database', async () => {
    using bench = await workbench.bench(workspace([], ROWS));
    const mount = bench.mount();
    expect(await text(mount, `${TASKS}/${named('First')}.md`)).toBe(
      `---\ntitle: First\nStatus: Open\nKind: bug\nAreas: [api, web]\nPoints: 3\nDue: 2025-03-01\nUrgent: false\nOwner: [Mara]\nNotes: short\nLink: https://example.org/\nMail: null\nBlocks: []\nurl (property): own\nMade: null\nid: ${id('First')}\nurl: https://www.notion.so/${id('First').replaceAll('-', '')}\ncreated_time: ${minute(0)}\nlast_edited_time: ${minute(1)}\n---\n`,
    );
    expect(await text(mount, `${TASKS}/${named('Second')}.md`)).toContain(
      `Blocks: [${named('First')}]`,
    );
    const [head = '', second = ''] = (await text(mount, `${TASKS}/index.tsv`)).split('\n');
    expect(head).toBe(
      'file\ttitle\tStatus\tKind\tAreas\tPoints\tDue\tUrgent\tOwner\tNotes\tLink\tMail\tBlocks\turl (property)\tMade\tlast_edited_time',
    );
    expect(second).toMatch(/\.md\t/);
    const schema = JSON.parse(await text(mount, `${TASKS}/schema.json`));
    expect(schema.properties.Status).toMatchObject({
      type: 'status',
      writable: true,
      options: ['Open', 'Doing', 'Done'],
    });
    expect(schema.properties.Made.writable).toBe(false);
  });
});

describe('names', () => {
  const HOSTILE: readonly [title: string, slug: string][] = [
    ['a/b', 'a-b'],
    ['..', 'Untitled'],
    ['../../etc/passwd', 'etc-passwd'],
    ['', 'Untitled'],
    ['tab\tline\nnul\u0000bell\u0007', 'tab-line-nul-bell'],
    ['x'.repeat(300), 'x'.repeat(180)],
    ['🚀'.repeat(100), '🚀'.repeat(45)],
    ['Rocket 🚀 day', 'Rocket-🚀-day'],
    ['same', 'same'],
    ['-rf *', 'rf'],
    ['$(reboot) `id` "q" \u202egnp.exe', 'reboot-id-q-gnp.exe'],
    ['.hidden', 'hidden'],
    ['a--0123456789ab', 'a-0123456789ab'],
    ['Über café', 'Über-café'],
  ];

  it('of hostile titles are one safe segment each, listed, found and read', async () => {
    const pages = HOSTILE.map(([title], n) =>
      page(`hostile ${n}`, { title, markdown: `text ${n}` }),
    );
    pages.push(page('another', { title: 'same' }));
    using bench = await workbench.bench(workspace(pages));
    const mount = bench.mount();
    const listed = await names(mount, '/');
    expect(listed).toHaveLength(HOSTILE.length + 6);
    for (const [n, [title, slug]] of HOSTILE.entries()) {
      const name = `${slug}--${id(`hostile ${n}`).slice(-12)}.md`;
      expect(listed, title).toContain(name);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(await text(mount, `/${name}`)).toContain(`text ${n}`);
    }
    expect(listed.filter((name) => name.startsWith('same--'))).toHaveLength(2);
  });

  it('go on working with an old title, at every depth, and not after a move', async () => {
    using bench = await workbench.bench(workspace(NESTED));
    const mount = bench.mount({ freshMs: 0 });
    await names(mount, '/');
    await bench.notion.edit({ op: 'title', id: id('Home'), title: 'Moved in' });
    const renamed = named('Moved in', 'Home');
    expect(await names(mount, '/')).toEqual(
      [
        renamed,
        `${renamed}.md`,
        'README.md',
        TASKS.slice(1),
        'by-id',
        'index.tsv',
        'search',
      ].sort(),
    );
    expect(await text(mount, `/${HOME}/${CHILD}.md`)).toContain('In the middle');
    expect(await text(mount, `/${renamed}/${CHILD}.md`)).toContain('In the middle');
    expect(await text(mount, `/whatever--${HOME.slice(-12)}.md`)).toContain('title: Moved in');
    expect(
      mount
        .feed(0)
        .filter(({ op, path }) => op === 'upsert' && path.includes('/Child'))
        .map(({ path }) => path),
    ).toContain(`/${renamed}/${CHILD}.md`);
    expect(mount.feed(0).find(({ path }) => path === `/${HOME}/${CHILD}.md`)?.op).toBe('delete');
  });
});

describe('requests', () => {
  const MANY = Array.from({ length: 200 }, (_, n) =>
    page(`page ${n}`, {
      parent: n < 20 ? null : id(`page ${n % 20}`),
      markdown: `body of ${n}`,
      editedAt: minute(n),
    }),
  );

  it('list 200 pages in three, read each text once, and ask nothing while nothing changes', async () => {
    using bench = await workbench.bench({
      ...workspace(MANY),
      habits: { searchLeavesOut: false },
    });
    const mount = bench.mount({ freshMs: 60_000 });
    const found = (await files(mount)).filter((path) => /page-\d+--[0-9a-f]{12}\.md$/.test(path));
    expect(found).toHaveLength(200);
    const listing = await bench.asked();
    expect(listing.filter((line) => line.includes('search'))).toHaveLength(3);
    expect(listing.filter((line) => !line.includes('search'))).toEqual([
      expect.stringContaining('query'),
    ]);
    await mount.prefetch('/');
    for (const path of found) expect(await text(mount, path)).toContain('body of');
    const bodies = await bench.asked();
    expect(bodies).toHaveLength(200);
    expect(new Set(bodies).size).toBe(200);
    for (const path of found) await text(mount, path);
    await files(mount);
    expect(await bench.asked()).toEqual([]);
  });

  it('after one edit elsewhere are one for the listing and one for the text', async () => {
    using bench = await workbench.bench(workspace(MANY));
    const mount = bench.mount({ freshMs: 1_000 });
    await mount.prefetch('/');
    await bench.notion.edit({ op: 'text', id: id('page 7'), markdown: 'changed' });
    await bench.asked();
    bench.move(10_000);
    await names(mount, '/');
    expect(await text(mount, `/${named('page 7')}.md`)).toContain('changed');
    expect(await text(mount, `/${named('page 8')}.md`)).toContain('body of 8');
    expect(await bench.asked()).toEqual([
      'POST /v1/search 200',
      expect.stringMatching(/markdown 200$/),
    ]);
  });

  it('notice a second edit in the minute in which a text was read', async () => {
    using bench = await workbench.bench(workspace(NESTED));
    const mount = bench.mount({ freshMs: 1_000 });
    const path = `/${HOME}.md`;
    await bench.notion.edit({ op: 'text', id: id('Home'), markdown: 'one' });
    expect(await text(mount, path)).toContain('one');
    await bench.notion.edit({ op: 'text', id: id('Home'), markdown: 'two' });
    bench.move(10_000);
    expect(await text(mount, path)).toContain('two');
  });

  it('are spared a walk that would need more than 300 texts', async () => {
    const lots = Array.from({ length: 320 }, (_, n) => page(`lot ${n}`));
    using bench = await workbench.bench(workspace(lots));
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch('/');
    const path = `/${named('lot 3')}.md`;
    expect(mount.costly(path)).toBe(true);
    expect((await bench.asked()).some((line) => line.includes('markdown'))).toBe(false);
    await text(mount, path);
    expect(mount.costly(path)).toBe(false);
  });

  it('find what went to the trash, or is not shared any more, at the next complete listing', async () => {
    using bench = await workbench.bench(workspace(NESTED, ROWS));
    const mount = bench.mount({ freshMs: 0, reconcileMs: 0 });
    expect(await names(mount, '/')).toContain(`${HOME}.md`);
    await bench.notion.edit({ op: 'trash', id: id('Home') });
    await bench.notion.edit({ op: 'trash', id: id('First') });
    expect(await names(mount, '/')).toEqual(
      ['README.md', TASKS.slice(1), 'by-id', 'index.tsv', 'search'].sort(),
    );
    expect((await failure(mount.read(`/${HOME}/${CHILD}.md`))).code).toBe('ENOENT');
    expect(await names(mount, TASKS)).toEqual([
      `${named('Second')}.md`,
      'index.tsv',
      'schema.json',
    ]);
    expect(mount.feed(0).find(({ path }) => path === `/${HOME}.md`)?.op).toBe('delete');
  });
});
