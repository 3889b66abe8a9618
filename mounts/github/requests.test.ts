/** What reading costs, and that what is read is true. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { Bench, failure, REPO, text } from './testing.ts';

/** What `ls -l` does. */
async function list(mount: ServiceMount, path: string): Promise<string[]> {
  const rows = await mount.readdir(path);
  for (const { name } of rows) await mount.lstat(`${path}/${name}`);
  return rows.map(({ name }) => name);
}

/** What `grep -rn WORD` does: a prefetch, then everything below; paths with the word. */
async function grep(mount: ServiceMount, word: string, path: string): Promise<string[]> {
  await mount.prefetch(path);
  const found: string[] = [];
  const visit = async (at: string): Promise<void> => {
    for (const { name, type } of await mount.readdir(at)) {
      const below = `${at}/${name}`;
      if (mount.costly(below)) continue;
      if (type === 'directory') await visit(below);
      else if ((await text(mount, below)).includes(word)) found.push(below);
    }
  };
  await visit(path);
  return found;
}

describe('200 issues and pull requests with 600 comments', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await Bench.start({ issues: 200, commentsEach: 3, pullEvery: 5 });
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  it('cost at most 12 requests to list and search at first, and 3 that say "not modified" then', async () => {
    bench.stopClock();
    const mount = bench.mount({ freshMs: 0 });
    const names = await list(mount, `${REPO}/issues`);
    expect(names.filter((name) => name.endsWith('.md'))).toHaveLength(160);
    const found = [
      ...(await grep(mount, 'squeaks', `${REPO}/issues`)),
      ...(await grep(mount, 'squeaks', `${REPO}/pulls`)),
    ];
    expect(found).toHaveLength(600);
    const first = await bench.asked();
    expect(first.length).toBeLessThanOrEqual(12);

    bench.move(60_000);
    await list(mount, `${REPO}/issues`);
    await grep(mount, 'squeaks', `${REPO}/issues`);
    await grep(mount, 'squeaks', `${REPO}/pulls`);
    const second = await bench.asked();
    expect(second.length).toBeLessThanOrEqual(3);
    expect(second.filter((line) => !line.endsWith(' 304'))).toEqual([]);
  });

  it('ask nothing again within the window, nor after a restart', async () => {
    const before = bench.mount({ freshMs: 60_000 });
    await before.prefetch(REPO);
    await bench.asked();
    const after = bench.mount({ freshMs: 60_000 });
    expect((await text(after, `${REPO}/issues/12.md`)).split('\n')[2]).toBe(
      'title: Number 12 is broken',
    );
    expect(await grep(after, 'Comment 2 on 12:', `${REPO}/issues`)).toEqual([
      `${REPO}/issues/12/comments/11202.md`,
    ]);
    expect(await bench.asked()).toEqual([]);
  });

  it('are all in walk, without a question, and what is costly is marked', async () => {
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(REPO);
    const files = [...(mount.walk(REPO) ?? [])];
    const free = files.filter((file) => file.costly === false);
    expect(free.filter((file) => file.bytes() === null)).toEqual([]);
    expect(free.length).toBeGreaterThan(100);
    expect(mount.costly(`${REPO}/pulls/5/files.tsv`)).toBe(true);
    expect(free.filter(({ path }) => mount.costly(path))).toEqual([]);
    expect(files.filter(({ path }) => mount.costly(path))).toHaveLength(120);
    expect(files.filter(({ costly }) => costly === 'directory')).toHaveLength(40);
    expect(files.filter(({ path }) => path.includes('/comments/'))).toHaveLength(600);
    const paths = files.map(({ path }) => path);
    expect(paths.indexOf(`${REPO}/issues/11.md`)).toBeGreaterThan(
      paths.indexOf(`${REPO}/issues/1.md`),
    );
  });

  it('can be followed by an index', async () => {
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(REPO);
    expect([...mount.documents()]).toHaveLength(800);
    const feed = mount.feed(0);
    expect(feed.every(({ op }) => op === 'upsert')).toBe(true);
    expect(mount.document(`${REPO}/issues/12.md`)?.text).toContain('Body of 12');
  });

  it('show an issue that is named at the price of one request, and one that is not for as much', async () => {
    await using alone = await Bench.start({ issues: 6, commentsEach: 2, pullEvery: 5 });
    const mount = alone.mount();
    expect(await text(mount, `${REPO}/issues/3.md`)).toContain('Number 3 is broken');
    await text(mount, `${REPO}/issues/3.md`);
    expect(await alone.asked()).toEqual(['GET /repos/octo/hello/issues/3 200']);
    expect(await failure(mount.read(`${REPO}/issues/77.md`))).toMatchObject({ code: 'ENOENT' });
    expect(await alone.asked()).toEqual(['GET /repos/octo/hello/issues/77 404']);
    expect(await text(mount, `${REPO}/pulls/5.md`)).toContain('head: fix-5');
    expect(await failure(mount.read(`${REPO}/issues/5.md`))).toMatchObject({ code: 'ENOENT' });
    expect(await alone.asked()).toEqual(['GET /repos/octo/hello/pulls/5 200']);
    expect(await mount.readdir(`${REPO}/issues/3/comments`)).toHaveLength(2);
    expect(await alone.asked()).toEqual([
      'GET /repos/octo/hello/issues/3/comments?per_page=100&page=1 200',
    ]);
    expect(await text(mount, `${REPO}/pulls/5/files.tsv`)).toBe(
      'path\tstatus\tadditions\tdeletions\tprevious\nsrc/a.ts\tmodified\t1\t1\t\n',
    );
  });

  it('say a true size once read, and one above 0 before', async () => {
    const mount = bench.mount({ freshMs: 60_000 });
    const path = `${REPO}/issues/33.md`;
    expect((await mount.lstat(path)).size).toBeGreaterThan(0);
    const bytes = await mount.read(path);
    const stat = await mount.lstat(path);
    expect(stat.size).toBe(bytes.length);
    expect(stat.mtime).toEqual(new Date('2025-01-01T00:33:00Z'));
  });
});

describe('what somebody else does on GitHub', () => {
  it('arrives as a delta: an edit, a new issue, a comment', async () => {
    await using bench = await Bench.start({ issues: 150, commentsEach: 1 });
    const mount = bench.mount();
    await mount.prefetch(`${REPO}/issues`);
    const repo = { owner: 'octo', repo: 'hello' };
    await bench.github.edit({ op: 'edit-issue', ...repo, number: 7, fields: { title: 'Seven' } });
    const { number } = await bench.github.edit({ op: 'create-issue', ...repo, title: 'Brand new' });
    await bench.asked();
    bench.move(60_000);
    const names = (await mount.readdir(`${REPO}/issues`)).map(({ name }) => name);
    expect(names).toContain(`${number}.md`);
    expect(await text(mount, `${REPO}/issues/7.md`)).toContain('title: Seven');
    expect(await bench.asked()).toHaveLength(1);
  });

  it('takes a deleted issue away with its comments, on a later page at the next complete listing', async () => {
    await using bench = await Bench.start({ issues: 150, commentsEach: 1 });
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.prefetch(REPO);
    const seq = mount.feed(0).at(-1)?.seq ?? 0;
    const repo = { owner: 'octo', repo: 'hello' };
    await bench.github.edit({ op: 'delete-issue', ...repo, number: 149 });
    await bench.github.edit({ op: 'delete-issue', ...repo, number: 2 });
    bench.move(120_000);
    const soon = (await mount.readdir(`${REPO}/issues`)).map(({ name }) => name);
    expect(soon).not.toContain('149.md');
    bench.move(700_000);
    const later = (await mount.readdir(`${REPO}/issues`)).map(({ name }) => name);
    expect(later).not.toContain('2.md');
    expect(later).toContain('3.md');
    const gone = mount.feed(seq).filter(({ op }) => op === 'delete');
    expect(gone.map(({ path }) => path).sort()).toEqual([
      `${REPO}/issues/149.md`,
      `${REPO}/issues/149/comments/24900.md`,
      `${REPO}/issues/2.md`,
      `${REPO}/issues/2/comments/10200.md`,
    ]);
  });

  it('is no "no such file" for a name that was not there before', async () => {
    await using bench = await Bench.start({ issues: 3, commentsEach: 0 });
    const mount = bench.mount();
    await mount.readdir(`${REPO}/issues`);
    const { number } = await bench.github.edit({
      op: 'create-issue',
      owner: 'octo',
      repo: 'hello',
      title: 'Unlisted',
    });
    expect(await text(mount, `${REPO}/issues/${number}.md`)).toContain('Unlisted');
  });
});

describe('two mounts on one replica', () => {
  it('share what either fetched, and either sees what the other wrote', async () => {
    await using bench = await Bench.start({ issues: 5, commentsEach: 1 });
    const one = bench.mount();
    const two = bench.mount();
    await one.prefetch(REPO);
    await bench.asked();
    const before = await text(two, `${REPO}/issues/2.md`);
    expect(await bench.asked()).toEqual([]);
    await one.write?.(`${REPO}/issues/2.md`, Buffer.from(before.replace('Number 2', 'Second')));
    expect(await text(two, `${REPO}/issues/2.md`)).toContain('title: Second is broken');
  });

  it('without a narrowing list the repositories of the token', async () => {
    await using bench = await Bench.start({ issues: 1, commentsEach: 0 });
    const mount = bench.mount({ repository: undefined });
    expect((await mount.readdir('/')).map(({ name }) => name)).toEqual([
      '@me',
      'README.md',
      'octo',
      'search',
    ]);
    expect((await mount.readdir('/octo')).map(({ name }) => name)).toEqual(['hello']);
    expect(await failure(mount.lstat('/octo/nothing'))).toMatchObject({ code: 'ENOENT' });
  });

  it('narrowed to a repository that is not there says so', async () => {
    await using bench = await Bench.start({ issues: 1, commentsEach: 0 });
    const mount = bench.mount({ repository: 'octo/nothing' });
    expect(await failure(mount.readdir('/octo/nothing'))).toMatchObject({ code: 'ENOENT' });
    expect(await failure(mount.readdir('/octo/hello'))).toMatchObject({ code: 'ENOENT' });
  });
});
