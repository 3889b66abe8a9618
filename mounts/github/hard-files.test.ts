/** Files that cannot be had as usual: no archive, a tree that is cut off, what Git keeps elsewhere. */
import { describe, expect, it } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { Bench, failure, REPO, seed, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const FILES = `${REPO}/files`;

type Files = Record<string, string>;

async function filled(files: Files): Promise<Bench> {
  const bench = await Bench.start({ issues: 1, commentsEach: 0 });
  const data = seed({ issues: 1, commentsEach: 0 });
  for (const { files: into } of data.repositories) {
    for (const [path, content] of Object.entries(files)) into.push({ path, content });
  }
  await bench.github.reseed(data);
  await bench.asked();
  return bench;
}

function many(count: number, directory = 'src'): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`${directory}/file-${n}.txt`, `line ${n}\n`]),
  );
}

/** What a walk reads, and what it passes over because it would cost a request. */
function walked(mount: ServiceMount, path = FILES) {
  const all = [...(mount.walk(path) ?? [])];
  return {
    read: all.filter(({ costly }) => costly === false).map((file) => file.path),
    texts: all.filter(({ costly }) => costly === false).map((file) => String(file.bytes())),
    passedOver: all.filter(({ costly }) => costly !== false).map((file) => file.path),
  };
}

const count = (rows: readonly string[], what: string) =>
  rows.filter((row) => row.includes(what)).length;

describe.each(['unreachable', 'missing', 'cut', 'of-another-commit'] as const)(
  'where the archive is %s',
  (archives) => {
    it('a walk asks for the blobs, one each, and every file has its own bytes', async () => {
      await using bench = await filled(many(12));
      await bench.github.setFiles({ archives });
      const mount = bench.mount({ freshMs: 60_000 });
      await mount.prefetch(FILES);
      const { read, texts, passedOver } = walked(mount);
      expect(read).toHaveLength(12);
      expect([...texts].sort()).toEqual(Object.values(many(12)).sort());
      expect(passedOver).toEqual([]);
      const asked = await bench.asked();
      expect(count(asked, '/tarball/')).toBe(1);
      expect(count(asked, '/git/blobs/')).toBe(12);
    });
  },
);

describe('where no archive can be had', () => {
  it('that is said, with what it means, and not tried again for ten minutes', async () => {
    await using bench = await filled(many(6));
    await bench.github.setFiles({ archives: 'missing' });
    const mount = bench.mount({ freshMs: 60_000 });
    for (let n = 0; n < 6; n++) await text(mount, `${FILES}/src/file-${n}.txt`);
    expect(count(await bench.asked(), '/tarball/')).toBe(1);
    expect(bench.notices.join('\n')).toMatch(
      /archive of octo\/hello could not be had \(.*404.*one by one/,
    );
    for (const n of [1, 2, 3, 4, 5]) {
      await bench.github.edit({
        op: 'put-file',
        ...OCTO,
        path: `src/file-${n}.txt`,
        content: 'new\n',
      });
    }
    bench.move(61_000);
    await mount.prefetch(FILES);
    expect(walked(mount).texts.filter((one) => one === 'new\n')).toHaveLength(5);
    expect(count(await bench.asked(), '/tarball/')).toBe(0);
    await bench.github.setFiles({});
    bench.move(600_000);
    for (const n of [0, 1, 2, 3, 4, 5]) {
      await bench.github.edit({
        op: 'put-file',
        ...OCTO,
        path: `src/file-${n}.txt`,
        content: 'x\n',
      });
    }
    await mount.prefetch(FILES);
    expect(count(await bench.asked(), '/tarball/')).toBe(1);
  });

  it('more than a hundred files are not asked for by a walk: they are passed over, and read when named', async () => {
    await using bench = await filled({ ...many(101), ...many(4, 'docs') });
    await bench.github.setFiles({ archives: 'missing' });
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(FILES);
    const { read, passedOver } = walked(mount);
    expect([read.length, passedOver.length]).toEqual([1, 104]);
    expect(count(await bench.asked(), '/git/blobs/')).toBe(1);
    await mount.prefetch(`${FILES}/docs`);
    expect(walked(mount, `${FILES}/docs`).passedOver).toEqual([]);
    expect(await text(mount, `${FILES}/src/file-77.txt`)).toBe('line 77\n');
    expect(mount.costly(`${FILES}/src/file-77.txt`)).toBe(false);
    expect(mount.costly(`${FILES}/src/file-78.txt`)).toBe(true);
  });

  it('a service that cannot be asked at all is no missing archive', async () => {
    await using bench = await filled(many(12));
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.readdir(FILES);
    await bench.github.fault({ kind: 'cut' });
    expect((await failure(mount.prefetch(FILES))).code).toBe('EIO');
    await bench.github.clearFaults();
    await mount.prefetch(FILES);
    expect(walked(mount).read).toHaveLength(12);
    expect(bench.notices).toEqual([]);
  });
});

describe('a tree that GitHub cuts off', () => {
  const tree: Files = {
    'README.md': 'hello\n',
    ...many(9, 'a'),
    ...many(3, 'z/deep'),
    'z/top.txt': 'top\n',
  };

  it('is listed directory by directory, as they are named, and every listing is whole', async () => {
    await using bench = await filled(tree);
    await bench.github.setFiles({ treeEntries: 5 });
    const mount = bench.mount({ freshMs: 60_000 });
    const names = async (path: string) => (await mount.readdir(path)).map(({ name }) => name);
    expect(await names(FILES)).toEqual(['README.md', 'a', 'z']);
    expect(await names(`${FILES}/z`)).toEqual(['deep', 'top.txt']);
    expect(await names(`${FILES}/a`)).toHaveLength(9);
    await bench.asked();
    expect(await text(mount, `${FILES}/z/deep/file-2.txt`)).toBe('line 2\n');
    expect(count(await bench.asked(), '')).toBe(2);
    expect((await failure(mount.lstat(`${FILES}/z/none/x`))).code).toBe('ENOENT');
    expect((await failure(mount.lstat(`${FILES}/z/none`))).code).toBe('ENOENT');
    expect(await bench.asked()).toEqual([]);
  });

  it('finds what lies deep with no listing before', async () => {
    await using bench = await filled(tree);
    await bench.github.setFiles({ treeEntries: 5 });
    const mount = bench.mount({ freshMs: 60_000 });
    expect(await text(mount, `${FILES}/z/deep/file-1.txt`)).toBe('line 1\n');
    expect((await mount.lstat(`${FILES}/a`)).type).toBe('directory');
  });

  it('is followed as it changes: new, changed and removed files, directories that are gone', async () => {
    await using bench = await filled(tree);
    await bench.github.setFiles({ treeEntries: 5 });
    const mount = bench.mount();
    const edit = (path: string, content: string | null) =>
      bench.github.edit({ op: 'put-file', ...OCTO, path, content });
    await text(mount, `${FILES}/z/deep/file-0.txt`);
    await mount.readdir(`${FILES}/a`);
    await edit('z/deep/file-0.txt', 'changed\n');
    await edit('z/deep/new.txt', 'new\n');
    for (let n = 0; n < 9; n++) await edit(`a/file-${n}.txt`, null);
    await bench.asked();
    bench.move(60_000);
    expect(await text(mount, `${FILES}/z/deep/file-0.txt`)).toBe('changed\n');
    expect(await text(mount, `${FILES}/z/deep/new.txt`)).toBe('new\n');
    expect((await failure(mount.readdir(`${FILES}/a`))).code).toBe('ENOENT');
    expect(count(await bench.asked(), 'recursive')).toBe(0);
  });

  it('is walked as far as it is held: other directories are passed over, a named one is fetched', async () => {
    await using bench = await filled(tree);
    await bench.github.setFiles({ treeEntries: 5 });
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(FILES);
    expect(walked(mount).passedOver).toEqual([`${FILES}/a`, `${FILES}/z`]);
    await mount.prefetch(`${FILES}/z`);
    expect(walked(mount, `${FILES}/z`)).toMatchObject({
      passedOver: [],
      texts: ['line 0\n', 'line 1\n', 'line 2\n', 'top\n'],
    });
    expect(count(await bench.asked(), '/tarball/')).toBe(0);
  });

  it('is written: the file that was made, in a new directory too, is there at once', async () => {
    await using bench = await filled(tree);
    await bench.github.setFiles({ treeEntries: 5 });
    const mount = bench.mount();
    await mount.readdir(`${FILES}/z`);
    await mount.mkdir?.(`${FILES}/fresh`);
    await write(mount, `${FILES}/fresh/one.txt`, 'one\n');
    expect((await mount.readdir(`${FILES}/fresh`)).map(({ name }) => name)).toEqual(['one.txt']);
    expect((await mount.readdir(`${FILES}/z`)).map(({ name }) => name)).toEqual([
      'deep',
      'top.txt',
    ]);
    bench.move(60_000);
    expect(await text(mount, `${FILES}/fresh/one.txt`)).toBe('one\n');
    await mount.unlink?.(`${FILES}/z/top.txt`);
    expect((await mount.readdir(`${FILES}/z`)).map(({ name }) => name)).toEqual(['deep']);
  });

  it('says so where one directory is too large for a listing, and finds the rest by name', async () => {
    await using bench = await filled(tree);
    await bench.github.setFiles({ treeEntries: 5, directoryEntries: 4 });
    const mount = bench.mount({ freshMs: 60_000 });
    expect(await mount.readdir(`${FILES}/a`)).toHaveLength(4);
    expect(bench.notices.join('\n')).toContain('lists only some of the entries of files/a');
    expect(await text(mount, `${FILES}/a/file-8.txt`)).toBe('line 8\n');
    expect((await failure(mount.lstat(`${FILES}/a/file-9.txt`))).code).toBe('ENOENT');
  });
});

describe('what Git keeps elsewhere', () => {
  const SHA = '5e1f'.repeat(10);
  const MODULES = '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://example.test/lib.git\n';

  async function withSubmodule(): Promise<Bench> {
    const bench = await filled({ ...many(6, 'vendor'), '.gitmodules': MODULES });
    const path = 'vendor/lib';
    await bench.github.edit({ op: 'put-submodule', ...OCTO, path, sha: SHA });
    return bench;
  }

  it('a submodule is a file that says which commit of which repository it is', async () => {
    await using bench = await withSubmodule();
    const mount = bench.mount({ freshMs: 60_000 });
    expect((await mount.readdir(`${FILES}/vendor`)).map(({ name }) => name)).toContain('lib');
    const said = await text(mount, `${FILES}/vendor/lib`);
    expect(said).toContain(`Subproject commit ${SHA}\nurl: https://example.test/lib.git\n`);
    expect(said).toContain('no file');
    expect((await mount.lstat(`${FILES}/vendor/lib`)).type).toBe('file');
  });

  it('a walk has the text of a submodule, too', async () => {
    await using bench = await withSubmodule();
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.prefetch(FILES);
    expect(walked(mount).texts.filter((one) => one.includes(SHA))).toHaveLength(1);
  });

  it('a submodule is neither written nor removed, alone or with its directory, and nothing is sent', async () => {
    await using bench = await withSubmodule();
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.readdir(`${FILES}/vendor`);
    const lib = `${FILES}/vendor/lib`;
    await text(mount, lib);
    for (const work of [
      () => write(mount, lib, 'mine\n'),
      () => mount.unlink?.(lib),
      () => mount.removeTree?.(`${FILES}/vendor`),
    ]) {
      expect(String((await failure(work())).reason)).toContain('submodule');
    }
    expect((await bench.asked()).filter((row) => !row.startsWith('GET'))).toEqual([]);
  });

  it('a pointer of Git LFS is shown as it is, and reading it says what it stands for', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 73400320\n`;
    await using bench = await filled({ 'movie.mp4': pointer, 'plain.txt': 'plain\n' });
    const mount = bench.mount({ freshMs: 60_000 });
    expect(await text(mount, `${FILES}/plain.txt`)).toBe('plain\n');
    expect(bench.notices).toEqual([]);
    expect(await text(mount, `${FILES}/movie.mp4`)).toBe(pointer);
    expect(bench.notices.join('\n')).toContain('movie.mp4 is a pointer of Git LFS');
    expect(bench.notices.join('\n')).toContain('73400320 bytes');
    const refused = await failure(write(mount, `${FILES}/movie.mp4`, 'bytes'));
    expect(refused.reason).toContain('Git LFS');
    await write(mount, `${FILES}/movie.mp4`, pointer.replace('73400320', '12'));
    expect(await text(mount, `${FILES}/movie.mp4`)).toContain('size 12\n');
  });
});
