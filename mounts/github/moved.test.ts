/** Issues that were transferred, repositories that have another name: what is one's own, and what is not. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from '../../test/stand-ins/github/index.ts';
import { Bench, failure, REPO, seed, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const OTHER = { owner: 'octo', repo: 'other' };

let github: GithubStandIn;
let bench: Bench;

beforeEach(async () => {
  const world = seed({ issues: 6, commentsEach: 1, pullEvery: 5 });
  const [hello] = world.repositories;
  if (hello === undefined) throw new Error('the seed has no repository');
  const issues = hello.issues.slice(0, 2).map((issue) => ({ ...issue, id: issue.id + 500 }));
  const repository = { ...hello.repository, id: 11, name: 'other' };
  world.repositories.push({ ...hello, repository, issues, comments: [], labels: [] });
  github = await startGithubStandIn({ seed: world });
  bench = new Bench(github);
});

afterEach(() => bench[Symbol.asyncDispose]());

/** Titles and texts of a repository's issues, past the mount. */
async function issuesOf(name: string): Promise<string[]> {
  const { repositories } = await github.dump();
  const found = repositories.find(({ repository }) => repository.name === name);
  return (found?.issues ?? []).map(({ title, body }) => `${title}: ${body}`);
}

async function commentsOf(name: string): Promise<string[]> {
  const { repositories } = await github.dump();
  const found = repositories.find(({ repository }) => repository.name === name);
  return (found?.comments ?? []).map(({ body }) => body);
}

const transfer = () => github.edit({ op: 'transfer-issue', ...OCTO, number: 3, to: OTHER });

describe('an issue that was transferred', () => {
  it.each([false, true])(
    'is not there, and where it is instead is said; listed before: %s',
    async (listed) => {
      const mount = bench.mount();
      if (listed) await mount.prefetch(REPO);
      await transfer();
      bench.move(120_000);
      if (listed) {
        bench.move(4_000_000);
        expect((await mount.readdir(`${REPO}/issues`)).map(({ name }) => name)).not.toContain(
          '3.md',
        );
      }
      const error = await failure(mount.read(`${REPO}/issues/3.md`));
      expect(error.code).toBe('ENOENT');
      expect(error.reason).toContain('octo/hello#3 was transferred to octo/other#3');
      expect([...mount.documents()].map(({ path }) => path)).not.toContain(`${REPO}/issues/3.md`);
      // Told again without another question, and by another process, too.
      await bench.asked();
      expect((await failure(mount.read(`${REPO}/issues/3.md`))).reason).toContain('octo/other#3');
      expect(await bench.asked()).toEqual([]);
    },
  );

  it('is not written where it is now, and that is said', async () => {
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(REPO);
    const before = await text(mount, `${REPO}/issues/3.md`);
    await transfer();
    const [here, there] = [await issuesOf('hello'), await issuesOf('other')];
    const error = await failure(
      write(mount, `${REPO}/issues/3.md`, before.replace('Number 3', 'Third')),
    );
    expect(error.code).toBe('ENOENT');
    expect(error.reason).toContain('octo/hello#3 was transferred to octo/other#3');
    expect(await issuesOf('hello')).toEqual(here);
    expect(await issuesOf('other')).toEqual(there);
    expect((await bench.asked()).filter((line) => /^(PATCH|POST|PUT|DELETE)/.test(line))).toEqual(
      [],
    );
    expect(mount.journal.list({ state: 'unknown' })).toEqual([]);
  });

  it('is not written after it was transferred between the last look and the request', async () => {
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(REPO);
    const before = await text(mount, `${REPO}/issues/3.md`);
    // The look goes through; the transfer comes while the request is on its way.
    await github.fault({ kind: 'slow', ms: 400, method: 'PATCH', times: 1 });
    const writing = failure(
      write(mount, `${REPO}/issues/3.md`, before.replace('Number 3', 'Third')),
    );
    await vi.waitFor(async () => {
      const rows = await github.requests();
      if (!rows.some(({ method }) => method === 'PATCH')) throw new Error('not yet');
    }, 50_000);
    await transfer();
    const there = await issuesOf('other');
    const error = await writing;
    expect(error.code).toBe('ENOENT');
    expect(error.reason).toContain('octo/hello#3 was transferred to octo/other#3');
    expect(await issuesOf('other')).toEqual(there);
    expect(mount.journal.list({ state: 'unknown' })).toEqual([]);
  });

  it('gets no comment, and shows none of those that it has now', async () => {
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(REPO);
    await transfer();
    const there = await commentsOf('other');
    const error = await failure(
      write(mount, `${REPO}/issues/3/comments/new.md`, 'Said to nobody\n'),
    );
    expect(error.reason).toContain('octo/hello#3 was transferred to octo/other#3');
    expect(await commentsOf('other')).toEqual(there);
    const alone = bench.mount(bench.memory());
    const listing = await failure(alone.readdir(`${REPO}/issues/3/comments`));
    expect(listing).toMatchObject({ code: 'ENOENT' });
    expect(listing.reason).toContain('octo/other#3');
  });

  it('to where the token may not see it says what is known', async () => {
    const mount = bench.mount();
    await github.edit({ op: 'delete-issue', ...OCTO, number: 4 });
    const error = await failure(mount.read(`${REPO}/issues/4.md`));
    expect(error).toMatchObject({ code: 'ENOENT' });
    expect(error.reason).toMatch(/deleted/);
  });
});

describe('a repository that has another name now', () => {
  it.each([
    ['name', { owner: 'octo', repo: 'renamed' }],
    ['owner', { owner: 'mara', repo: 'hello' }],
  ])('%s: is the same one, read and written under the name that was asked for', async (_, to) => {
    const mount = bench.mount();
    await mount.prefetch(REPO);
    await github.edit({ op: 'rename-repository', ...OCTO, to });
    await github.edit({ op: 'create-issue', ...to, title: 'Made after' });
    bench.move(4_000_000);
    const index = await text(mount, `${REPO}/issues/index.tsv`);
    expect(index).toContain('Made after');
    const paths = [...mount.documents()].map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !path.startsWith(`${REPO}/`))).toEqual([]);
    const before = await text(mount, `${REPO}/issues/3.md`);
    await write(mount, `${REPO}/issues/3.md`, before.replace('Number 3', 'Third'));
    await write(mount, `${REPO}/issues/3/comments/new.md`, 'Said here\n');
    const { repositories } = await github.dump();
    const found = repositories.find(({ repository }) => repository.id === 10);
    expect(found?.issues.map(({ title }) => title)).toContain('Third is broken');
    expect(found?.comments.map(({ body }) => body.trim())).toContain('Said here');
  });

  it.each([
    ['the answer', 1],
    ['the redirect', 0],
  ])('is written once where %s is lost', async (_, skip) => {
    await github.edit({ op: 'rename-repository', ...OCTO, to: { owner: 'octo', repo: 'renamed' } });
    const mount = bench.mount();
    await mount.prefetch(`${REPO}/issues`);
    await github.fault({ kind: 'lost-answer', method: 'POST', skip, times: 1 });
    const path = `${REPO}/issues/3/comments/new.md`;
    const told = await write(mount, path, 'Said once\n').then(
      () => 'applied',
      () => 'unknown',
    );
    const { repositories } = await github.dump();
    const found = repositories.find(({ repository }) => repository.id === 10);
    const said = found?.comments.filter(({ body }) => body.trim() === 'Said once') ?? [];
    expect(said).toHaveLength(skip);
    expect(told).toBe(skip === 1 ? 'applied' : 'unknown');
    expect(mount.journal.list().at(-1)).toMatchObject({ state: told });
  });

  it('is found by the one that it had by who knows nothing of it yet', async () => {
    await github.edit({ op: 'rename-repository', ...OCTO, to: { owner: 'octo', repo: 'renamed' } });
    const mount = bench.mount();
    expect(await text(mount, `${REPO}/issues/2.md`)).toContain('Number 2 is broken');
    expect((await mount.readdir(`${REPO}/issues`)).length).toBeGreaterThan(4);
    expect(await text(mount, `${REPO}/repo.json`)).toContain('octo/renamed');
  });

  it('and whose name is another one’s now gives nothing of what it was', async () => {
    const mount = bench.mount();
    await mount.prefetch(REPO);
    await text(mount, `${REPO}/repo.json`);
    await github.edit({ op: 'rename-repository', ...OCTO, to: { owner: 'octo', repo: 'renamed' } });
    await github.edit({ op: 'rename-repository', ...OTHER, to: OCTO });
    bench.move(4_000_000);
    await text(mount, `${REPO}/repo.json`);
    expect(
      (await mount.readdir(`${REPO}/issues`)).filter(({ name }) => name.endsWith('.md')),
    ).toHaveLength(2);
  });
});
