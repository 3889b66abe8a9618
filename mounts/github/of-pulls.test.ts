/** What costs a request for each pull request; milestones and releases. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Bench, failure, REPO, text } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 9, commentsEach: 0, pullEvery: 3 });
});
afterAll(() => bench[Symbol.asyncDispose]());

it.each([
  ['3.diff', 'diff --git a/src/a.ts b/src/a.ts', 1],
  ['6/files.tsv', 'path\tstatus\tadditions', 1],
])(
  'pulls/%s is asked for once, and again only when the pull request was updated',
  async (name, start, cost) => {
    const path = `${REPO}/pulls/${name}`;
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.readdir(`${REPO}/pulls`);
    await bench.asked();
    expect(mount.costly(path)).toBe(true);
    expect(await text(mount, path)).toContain(start);
    expect(await bench.asked()).toHaveLength(cost);
    expect(mount.costly(path)).toBe(false);
    await text(mount, path);
    expect(await bench.asked()).toEqual([]);
    await bench.github.edit({
      op: 'edit-issue',
      ...OCTO,
      number: Number.parseInt(name, 10),
      fields: { title: `By ${name}` },
    });
    bench.move(120_000);
    await mount.readdir(`${REPO}/pulls`);
    expect(mount.costly(path)).toBe(true);
  },
);

it('an issue has no diff, and a pull request that is not there none either', async () => {
  const mount = bench.mount({ freshMs: 60_000 });
  for (const number of [1, 99]) {
    expect((await failure(mount.read(`${REPO}/pulls/${number}.diff`))).code).toBe('ENOENT');
  }
});

it('milestones are files by number', async () => {
  const mount = bench.mount({ freshMs: 60_000 });
  expect((await mount.readdir(`${REPO}/milestones`)).map(({ name }) => name)).toEqual([
    '1.md',
    'index.tsv',
  ]);
  expect(await text(mount, `${REPO}/milestones/1.md`)).toContain('title: v1.0\n');
  expect(
    (await failure(mount.write?.(`${REPO}/milestones/1.md`, Buffer.from('x')) ?? Promise.resolve()))
      .code,
  ).toBe('EPERM');
});

it('releases are files by tag, a slash in it escaped', async () => {
  const release = {
    tag_name: 'v1/rc 1',
    name: 'One',
    body: 'What is new',
    author: { login: 'mara' },
    created_at: '2025-01-01T00:00:00Z',
    published_at: '2025-01-02T00:00:00Z',
    assets: [{ name: 'a.zip' }],
  };
  const mount = bench.mount({
    freshMs: 60_000,
    ...bench.memory(),
    fetch: async (input, init) =>
      String(input).includes('/releases') ? Response.json([release]) : fetch(input as string, init),
  });
  const listed = (await mount.readdir(`${REPO}/releases`)).map(({ name }) => name);
  expect(listed).toEqual(['index.tsv', 'v1%2Frc%201.md']);
  const shown = await text(mount, `${REPO}/releases/v1%2Frc%201.md`);
  expect(shown).toContain('tag: v1/rc 1\n');
  expect(shown).toContain('assets: [a.zip]\n');
  expect(shown).toMatch(/\n\nWhat is new\n$/);
  expect((await mount.lstat(`${REPO}/releases/v1%2Frc%201.md`)).mtime.toISOString()).toBe(
    '2025-01-02T00:00:00.000Z',
  );
});
