/** Links to what is named by its id or address, or found by Notion's search. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageUrl } from '../../test/stand-ins/notion/markdown.ts';
import {
  type Bench,
  failure,
  id,
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

const DEEP = `/${named('Home')}/${named('Child')}/${named('Deep')}.md`;

function seeded(): Promise<Bench> {
  return workbench.bench(
    workspace([
      page('Home'),
      page('Child', { parent: id('Home') }),
      page('Deep', { parent: id('Child'), markdown: 'At the end' }),
    ]),
  );
}

describe('by-id/', () => {
  const hex = id('Deep').replaceAll('-', '');

  it.each([
    hex,
    id('Deep'),
    hex.toUpperCase(),
    `Deep-${hex}`,
    `${hex}?pvs=4`,
    encodeURIComponent(pageUrl(id('Deep'))),
    `https:/www.notion.so/workspace/Deep-${hex}`,
    `https:/app.notion.com/p/${hex}?v=1#x`,
  ])('%s is a link to the page in its place, though no search gives it', async (address) => {
    using bench = await seeded();
    const mount = bench.mount({ freshMs: 60_000 });
    const path = `/by-id/${address}`;
    expect((await mount.lstat(path)).type).toBe('symlink');
    const target = (await mount.readlink?.(path)) ?? '';
    expect(
      new URL(target, `file:///by-id/${address.replace(/[?#]/g, encodeURIComponent)}`).pathname,
    ).toBe(DEEP);
    expect(await text(mount, DEEP)).toContain('At the end');
    await bench.asked();
    await mount.lstat(path);
    expect(await bench.asked()).toEqual([]);
  });

  it('has a database by its own id, and by that of its data source', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    for (const name of ['Tasks', 'Tasks source']) {
      expect(await mount.readlink?.(`/by-id/${id(name)}`)).toBe(`..${TASKS}`);
    }
  });

  it('is ENOENT with the reason for what is not there or no id, is empty, and is not written', async () => {
    using bench = await seeded();
    const mount = bench.mount({ freshMs: 60_000 });
    const nowhere = await failure(mount.lstat(`/by-id/${id('Nowhere')}`));
    expect(nowhere).toMatchObject({ code: 'ENOENT' });
    expect(nowhere.reason).toContain('does not share');
    await bench.asked();
    expect((await failure(mount.lstat(`/by-id/${id('Nowhere')}`))).code).toBe('ENOENT');
    const unnamed = await failure(mount.lstat('/by-id/Deep'));
    expect(unnamed.reason).toContain('32 digits');
    expect(await names(mount, '/by-id')).toEqual([]);
    expect(await bench.asked()).toEqual([]);
    expect((await failure(write(mount, `/by-id/${id('Home')}`, 'x'))).code).toBe('EPERM');
  });
});

describe('search/', () => {
  it('has what Notion finds by title, as links, and an index', async () => {
    using bench = await seeded();
    const mount = bench.mount({ freshMs: 60_000 });
    expect(await names(mount, '/search/ho')).toEqual([`${named('Home')}.md`, 'index.tsv']);
    expect(await mount.readlink?.(`/search/ho/${named('Home')}.md`)).toBe(
      `../../${named('Home')}.md`,
    );
    expect(await text(mount, '/search/tasks/index.tsv')).toMatch(/\tTasks\tdatabase\t/);
    expect(await names(mount, '/search')).toEqual(['ho', 'tasks']);
    await bench.asked();
    expect(await names(mount, '/search/ho')).toHaveLength(2);
    expect(await bench.asked()).toEqual([]);
  });
});
