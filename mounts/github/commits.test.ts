/** Editing files: one commit each, only onto what was read, byte for byte, sent so that it counts once. */
import { describe, expect, it } from 'vitest';
import type { Params } from '../../src/mount/index.ts';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { parseCommits } from './branches.ts';
import { type CommitParts, fileReplace } from './commits.ts';
import { Bench, failure, REPO, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const FILES = `${REPO}/files`;
const README = `${FILES}/docs/read me.md`;

async function filled(): Promise<Bench> {
  const bench = await Bench.start({ issues: 1, commentsEach: 0 });
  await bench.github.edit({ op: 'put-file', ...OCTO, path: 'docs/read me.md', content: 'one\n' });
  await bench.github.edit({ op: 'put-file', ...OCTO, path: 'docs/other', content: 'two\n' });
  return bench;
}

/** What was asked to change something, since the last call. */
async function sent(bench: Bench): Promise<string[]> {
  return (await bench.asked()).filter((row) => !row.startsWith('GET '));
}

/** The default branch's files, as another mount that holds nothing sees them. */
async function upstream(bench: Bench, path: string): Promise<Buffer> {
  return Buffer.from(await bench.mount(bench.memory()).read(path));
}

const names = async (mount: ServiceMount, path: string) =>
  (await mount.readdir(path)).map(({ name }) => name);

describe('writing a file', () => {
  it('is one commit, seen at once here and upstream; the same bytes again send nothing', async () => {
    await using bench = await filled();
    const mount = bench.mount();
    expect(await text(mount, README)).toBe('one\n');
    await bench.asked();
    await write(mount, README, 'changed\n');
    expect(await sent(bench)).toEqual(['PUT /repos/octo/hello/contents/docs/read%20me.md 200']);
    expect(await text(mount, README)).toBe('changed\n');
    expect((await upstream(bench, README)).toString()).toBe('changed\n');
    bench.move(3_600_000);
    expect(await text(mount, README)).toBe('changed\n');
    await write(mount, README, 'changed\n');
    await mount.append?.(README, Buffer.from('more\n'));
    expect(await sent(bench)).toHaveLength(1);
    expect((await upstream(bench, README)).toString()).toBe('changed\nmore\n');
    const change = mount.journal.list().at(-1);
    expect(change).toMatchObject({ state: 'applied', op: 'update', path: README });
    expect(change?.diff).toContain('+more');
  });

  it('makes new files in new directories, and removes them, byte for byte', async () => {
    await using bench = await filled();
    const mount = bench.mount();
    const path = `${FILES}/new/deep er/bytes:1.bin`;
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7) % 256));
    await mount.write?.(path, bytes);
    expect(Buffer.from(await mount.read(path)).equals(bytes)).toBe(true);
    expect((await upstream(bench, path)).equals(bytes)).toBe(true);
    expect(await names(mount, `${FILES}/new/deep er`)).toEqual(['bytes:1.bin']);
    expect((await mount.lstat(`${FILES}/new`)).type).toBe('directory');
    await mount.unlink?.(path);
    expect(await names(mount, FILES)).toEqual(['docs']);
    expect((await failure(mount.lstat(path))).code).toBe('ENOENT');
    expect((await failure(upstream(bench, path))).code).toBe('ENOENT');
  });

  it('onto what somebody else changed, made or removed is ESTALE, and nothing is sent', async () => {
    await using bench = await filled();
    const mount = bench.mount({ freshMs: 3_600_000 });
    const other = `${FILES}/docs/other`;
    const fresh = `${FILES}/fresh`;
    await text(mount, README);
    await text(mount, other);
    await names(mount, FILES);
    await bench.github.edit({
      op: 'put-file',
      ...OCTO,
      path: 'docs/read me.md',
      content: 'their\n',
    });
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'docs/other', content: null });
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'fresh', content: 'their\n' });
    await bench.asked();
    for (const path of [README, other, fresh]) {
      expect(await failure(write(mount, path, 'mine\n'))).toMatchObject({ code: 'ESTALE' });
      expect(mount.journal.list().at(-1)).toMatchObject({ state: 'conflict', mine: 'mine\n' });
    }
    expect((await failure(mount.unlink?.(README) ?? Promise.resolve())).code).toBe('ESTALE');
    expect(await sent(bench)).toEqual([]);
    bench.move(7_200_000);
    expect(await text(mount, README)).toBe('their\n');
    await write(mount, README, 'mine\n');
    expect((await upstream(bench, README)).toString()).toBe('mine\n');
  });

  it.each(['lost-answer', 'cut', 'cut-body'] as const)(
    'whose answer is met by %s counts once, and is known to be made',
    async (kind) => {
      await using bench = await filled();
      const mount = bench.mount();
      await text(mount, README);
      await bench.github.fault({ kind, method: 'PUT', times: 1 });
      await write(mount, README, `${kind}\n`);
      await write(mount, `${FILES}/made`, 'made\n');
      expect(mount.journal.list().map(({ state }) => state)).toEqual(['applied', 'applied']);
      expect((await upstream(bench, README)).toString()).toBe(`${kind}\n`);
      await bench.github.fault({ kind, method: 'DELETE', times: 1 });
      await mount.unlink?.(README);
      expect(mount.journal.list().at(-1)).toMatchObject({ state: 'applied', op: 'delete' });
      expect((await failure(upstream(bench, README))).code).toBe('ENOENT');
    },
  );

  it('is refused where Git has no place for it', async () => {
    await using bench = await filled();
    const mount = bench.mount();
    await bench.asked();
    expect((await failure(write(mount, `${FILES}/docs`, 'x'))).code).toBe('EISDIR');
    expect((await failure(write(mount, `${FILES}/.git/config`, 'x'))).reason).toContain('.git');
    expect(await sent(bench)).toEqual([]);
  });
});

describe('a commit', () => {
  const LARGEST = 25 * 1024 * 1024;
  const POINTER = Buffer.from(
    `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`,
  );

  /** How files are written, where one of them is a submodule and one a pointer. */
  const replace = (pull: boolean) =>
    fileReplace({
      files: {
        isSubmodule: ({ path }: Params) => path === 'sub',
        pointedSize: ({ path }: Params) => (path === 'large.bin' ? 12 : null),
      },
      branches: {
        target: () => 'main',
        pullRequest: () => (pull ? { method: 'POST', url: '/pulls' } : null),
      },
    } as unknown as CommitParts);
  const at = (path: string) => ({ owner: 'octo', repo: 'hello', path });

  it.each<[string, Uint8Array | null, RegExp | null]>([
    ['a', Buffer.alloc(LARGEST), null],
    [
      'a',
      Buffer.alloc(LARGEST + 1),
      /^26214401 bytes are more than the 26214400 that GitHub takes/,
    ],
    ['a', null, null],
    ['.git', Buffer.from('x'), /directory named \.git$/],
    ['a/.git/b', Buffer.from('x'), /directory named \.git$/],
    ['a/.gitignore', Buffer.from('x'), null],
    ['sub', null, /submodule/],
    ['large.bin', Buffer.from('x'), /pointer of Git LFS/],
    ['large.bin', POINTER, null],
    ['large.bin', null, null],
  ])('to %s is made, or refused with a reason', (path, bytes, reason) => {
    const said = replace(false).check?.(at(path), bytes);
    if (reason === null) expect(said).toBeNull();
    else expect(said).toMatch(reason);
  });

  it.each<[string | null, string | null, object]>([
    [null, 'new', { message: 'Create a b', branch: 'main', content: 'bmV3' }],
    ['s1', 'new', { message: 'Update a b', branch: 'main', content: 'bmV3', sha: 's1' }],
    ['s1', null, { message: 'Delete a b', branch: 'main', sha: 's1' }],
  ])('onto %j of %j is one request', (base, content, body) => {
    const bytes = content === null ? null : Buffer.from(content);
    const request = replace(false).request(at('a b'), bytes, base);
    expect(request).toEqual({
      method: content === null ? 'DELETE' : 'PUT',
      url: '/repos/octo/hello/contents/a%20b',
      body,
    });
    expect(replace(true).request(at('a b'), bytes, base)).toMatchObject({
      next: { method: 'POST', url: '/pulls' },
    });
    expect(replace(false).contentOf?.(request)).toEqual(bytes);
  });
});

describe('staged', () => {
  it('edits, new files and removals are shown and nothing is sent, until they are applied', async () => {
    await using bench = await filled();
    const mount = bench.mount({ stage: true });
    const path = `${FILES}/a/b/c.bin`;
    const bytes = Buffer.from([0, 255, 128, 10]);
    await text(mount, README);
    await bench.asked();
    await write(mount, README, 'staged\n');
    await mount.write?.(path, bytes);
    await mount.unlink?.(`${FILES}/docs/other`);
    expect(await sent(bench)).toEqual([]);
    expect(await text(mount, README)).toBe('staged\n');
    expect(Buffer.from(await mount.read(path)).equals(bytes)).toBe(true);
    expect(await names(mount, FILES)).toEqual(['a', 'docs']);
    expect(await names(mount, `${FILES}/a`)).toEqual(['b']);
    expect(await names(mount, `${FILES}/a/b`)).toEqual(['c.bin']);
    expect(await names(mount, `${FILES}/docs`)).toEqual(['read me.md']);
    await mount.prefetch(FILES);
    expect([...(mount.walk(FILES) ?? [])].map(({ name }) => name)).toEqual(['c.bin', 'read me.md']);
    const pending = mount.journal.list({ state: 'pending' });
    expect(pending.map(({ op }) => op)).toEqual(['update', 'create', 'delete']);
    const applied = await mount.journal.apply(pending.map(({ id }) => id));
    expect(applied.map(({ state }) => state)).toEqual(['applied', 'applied', 'applied']);
    expect((await upstream(bench, README)).toString()).toBe('staged\n');
    expect((await upstream(bench, path)).equals(bytes)).toBe(true);
  });

  it('twice over is one change onto the first base; a new file that is removed again leaves none', async () => {
    await using bench = await filled();
    const mount = bench.mount({ stage: true });
    await text(mount, README);
    await write(mount, README, 'first\n');
    const [first] = mount.journal.list();
    await write(mount, README, 'second\n');
    const [second] = mount.journal.list({ state: 'pending' });
    expect(mount.journal.get(first?.id ?? '')).toMatchObject({
      state: 'dropped',
      mine: 'first\n',
      replacedBy: second?.id,
    });
    await write(mount, `${FILES}/new`, 'x');
    await mount.unlink?.(`${FILES}/new`);
    const pending = mount.journal.list({ state: 'pending' });
    expect(pending).toMatchObject([{ path: README, base: 'one\n', mine: 'second\n' }]);
    await bench.github.edit({
      op: 'put-file',
      ...OCTO,
      path: 'docs/read me.md',
      content: 'their\n',
    });
    const outcome = await mount.journal.apply(pending.map(({ id }) => id));
    expect(outcome).toMatchObject([{ state: 'conflict' }]);
    expect((await upstream(bench, README)).toString()).toBe('their\n');
  });
});

describe('on a branch', () => {
  it('of the deployer: made with the first commit, shown from then on, the default one untouched', async () => {
    await using bench = await filled();
    const mount = bench.mount({ commits: 'branch:edits/of-mine' });
    expect(await text(mount, README)).toBe('one\n');
    await write(mount, README, 'mine\n');
    await write(mount, `${FILES}/more`, 'more\n');
    expect(await sent(bench)).toEqual([
      'POST /repos/octo/hello/git/refs 201',
      'PUT /repos/octo/hello/contents/docs/read%20me.md 200',
      'PUT /repos/octo/hello/contents/more 201',
    ]);
    bench.move(3_600_000);
    expect(await text(mount, README)).toBe('mine\n');
    expect(await names(mount, FILES)).toEqual(['docs', 'more']);
    expect((await upstream(bench, README)).toString()).toBe('one\n');
  });

  it('with a pull request: one, however many commits, and its address is what came of each', async () => {
    await using bench = await filled();
    const mount = bench.mount({ commits: 'branch-and-pull' });
    await text(mount, README);
    await write(mount, README, 'mine\n');
    await write(mount, `${FILES}/more`, 'more\n');
    expect((await sent(bench)).filter((row) => row.includes('/pulls'))).toEqual([
      'POST /repos/octo/hello/pulls 201',
    ]);
    const [first, second] = mount.journal.list();
    expect(first?.result?.url).toMatch(/\/octo\/hello\/pull\/2$/);
    expect(second?.result?.url).toBe(first?.result?.url);
    expect(first?.request?.next).toMatchObject({ body: { head: 'dirigent', base: 'main' } });
    expect(await names(mount, `${REPO}/pulls`)).toContain('2.md');
  });

  it('whose pull request fails: the commit counts, and what is missing is said', async () => {
    await using bench = await filled();
    const mount = bench.mount({ commits: 'branch-and-pull' });
    await text(mount, README);
    await bench.github.fault({ kind: 'server-error', method: 'POST', path: '/pulls$', times: 1 });
    await write(mount, README, 'mine\n');
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'applied' });
    expect(bench.notices.at(-1)).toContain('its pull request was not opened: GitHub answered 502');
  });

  it('has a name that Git takes, or the config is refused', () => {
    expect(parseCommits('branch:a/b')).toEqual({ branch: 'a/b', pull: false });
    for (const wrong of [
      'main',
      'branch:',
      'branch:a b',
      'branch:a..b',
      'branch:x.lock',
      'branch:-x',
    ]) {
      expect(() => parseCommits(wrong), wrong).toThrow('commits');
    }
  });
});

describe('removing a directory of files', () => {
  const DOCS = `${FILES}/docs`;

  it('is one commit, seen at once here and upstream; what was beside it stays', async () => {
    await using bench = await filled();
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'docs/deep/x', content: 'x' });
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'docs.txt', content: 'y' });
    const mount = bench.mount();
    await names(mount, DOCS);
    await bench.asked();
    await mount.removeTree?.(DOCS);
    expect(await sent(bench)).toEqual([
      'POST /repos/octo/hello/git/trees 201',
      'POST /repos/octo/hello/git/commits 201',
      'PATCH /repos/octo/hello/git/refs/heads/main 200',
    ]);
    expect(await names(mount, FILES)).toEqual(['docs.txt']);
    expect((await failure(mount.read(README))).code).toBe('ENOENT');
    expect(await names(bench.mount(bench.memory()), FILES)).toEqual(['docs.txt']);
    const change = mount.journal.list().at(-1);
    expect(change).toMatchObject({ state: 'applied', op: 'delete', path: DOCS });
    expect(change?.diff).toMatch(/^-docs\/deep\/x\t[0-9a-f]{40}$/m);
    await write(mount, README, 'again\n');
    expect((await upstream(bench, README)).toString()).toBe('again\n');
  });

  it('is ESTALE where somebody else made or changed a file in it, and removes nothing', async () => {
    await using bench = await filled();
    const mount = bench.mount({ freshMs: 3_600_000 });
    await names(mount, DOCS);
    await bench.github.edit({ op: 'put-file', ...OCTO, path: 'docs/fresh', content: 'their\n' });
    await bench.asked();
    const error = await failure(mount.removeTree?.(DOCS));
    expect(error).toMatchObject({ code: 'ESTALE', reason: expect.stringContaining('docs/fresh') });
    expect(await sent(bench)).toEqual([]);
    bench.move(7_200_000);
    expect(await names(mount, DOCS)).toEqual(['fresh', 'other', 'read me.md']);
    await mount.removeTree?.(DOCS);
    expect(await names(mount, FILES)).toEqual([]);
  });

  it('goes onto a commit that came just before it, with files beside it', async () => {
    await using bench = await filled();
    const beside = { op: 'put-file', ...OCTO, path: 'beside', content: 'x' } as const;
    let met = 0;
    const mount = bench.mount({
      fetch: async (input, init) => {
        const answer = await fetch(input as string, init);
        if (init?.method === 'POST' && met++ === 0) await bench.github.edit(beside);
        return answer;
      },
    });
    await names(mount, DOCS);
    await mount.removeTree?.(DOCS);
    expect(await names(bench.mount(bench.memory()), FILES)).toEqual(['beside']);
    expect(await sent(bench)).toContain('PATCH /repos/octo/hello/git/refs/heads/main 422');
  });

  it('staged, hides what is below it and refuses writes there, until it is applied or dropped', async () => {
    await using bench = await filled();
    const mount = bench.mount({ stage: true });
    await text(mount, README);
    await write(mount, `${DOCS}/new`, 'staged\n');
    await mount.removeTree?.(DOCS);
    expect(await names(mount, FILES)).toEqual([]);
    for (const path of [DOCS, README, `${DOCS}/new`]) {
      expect((await failure(mount.lstat(path))).code).toBe('ENOENT');
      expect((await failure(mount.read(path))).code).toBe('ENOENT');
    }
    const error = await failure(write(mount, README, 'x'));
    expect(error).toMatchObject({ code: 'EPERM', reason: expect.stringContaining('is staged') });
    expect(await sent(bench)).toEqual([]);
    const staged = mount.journal.list({ state: 'pending' });
    expect(staged.map(({ path, request }) => [path, request?.url])).toEqual([
      [DOCS, '/repos/octo/hello/git/trees'],
    ]);
    expect(await mount.journal.apply(staged.map(({ id }) => id))).toHaveLength(1);
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'applied' });
    expect((await failure(upstream(bench, README))).code).toBe('ENOENT');
  });

  it('takes what was only made here without a request, and never all of files/', async () => {
    await using bench = await filled();
    const mount = bench.mount();
    await mount.mkdir?.(`${FILES}/empty`);
    expect(mount.removesTree?.(`${FILES}/empty`)).toBe(true);
    await bench.asked();
    await mount.removeTree?.(`${FILES}/empty`);
    expect((await failure(mount.lstat(`${FILES}/empty`))).code).toBe('ENOENT');
    for (const path of [FILES, `${REPO}/issues`, `${REPO}/issues/1`, README]) {
      expect(mount.removesTree?.(path)).toBe(false);
      expect((await failure(mount.removeTree?.(path))).code).toBe('EPERM');
    }
    expect(await sent(bench)).toEqual([]);
    expect(mount.journal.list()).toEqual([]);
  });
});
