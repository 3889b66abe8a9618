/** The files of the default branch: one tree, one archive, byte for byte. */
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { filesOfArchive } from './tar.ts';
import { Bench, failure, REPO, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };

async function filled(count: number): Promise<Bench> {
  const bench = await Bench.start({ issues: 1, commentsEach: 0 });
  for (let n = 0; n < count; n++) {
    const path = `src/deep er/file-${n}.txt`;
    await bench.github.edit({ op: 'put-file', ...OCTO, path, content: `line ${n} é\n` });
  }
  await bench.github.edit({ op: 'put-file', ...OCTO, path: '.hidden', content: 'nul \0 inside\n' });
  await bench.asked();
  return bench;
}

/** Lets something happen once, after a blob was answered and before the mount has the answer. */
function afterBlob(happen: () => Promise<unknown>): void {
  const send = globalThis.fetch;
  let happened = false;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...given) => {
    const answer = await send(...given);
    if (happened || !String(given[0]).includes('/git/blobs/')) return answer;
    happened = true;
    await happen();
    return answer;
  });
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the files of a repository', () => {
  it('are listed by one request for the tree, and fetched for a walk by one archive', async () => {
    await using bench = await filled(20);
    const mount = bench.mount({ freshMs: 60_000 });
    expect((await mount.readdir(`${REPO}/files`)).map(({ name, type }) => [name, type])).toEqual([
      ['.hidden', 'file'],
      ['src', 'directory'],
    ]);
    expect(await mount.readdir(`${REPO}/files/src/deep er`)).toHaveLength(20);
    expect((await bench.asked()).map((row) => row.split('?')[0])).toEqual([
      'GET /repos/octo/hello 200',
      'GET /repos/octo/hello/git/trees/main',
    ]);
    await mount.prefetch(`${REPO}/files`);
    const files = [...(mount.walk(`${REPO}/files`) ?? [])];
    expect(files).toHaveLength(21);
    expect(files.every((file) => file.bytes() !== null && file.costly !== true)).toBe(true);
    const asked = await bench.asked();
    expect(asked.filter((row) => row.includes('/tarball/'))).toHaveLength(1);
    expect(asked.filter((row) => row.includes('/blobs/'))).toEqual([]);
    expect(await text(mount, `${REPO}/files/src/deep er/file-7.txt`)).toBe('line 7 é\n');
    expect(await bench.asked()).toEqual([]);
  });

  it('come one by one at first, and all at once when many are asked for', async () => {
    await using bench = await filled(8);
    const mount = bench.mount({ freshMs: 60_000 });
    for (let n = 0; n < 8; n++) {
      expect(await text(mount, `${REPO}/files/src/deep er/file-${n}.txt`)).toBe(`line ${n} é\n`);
    }
    expect(await text(mount, `${REPO}/files/.hidden`)).toBe('nul \0 inside\n');
    const asked = await bench.asked();
    expect(asked.filter((row) => row.includes('/blobs/'))).toHaveLength(3);
    expect(asked.filter((row) => row.includes('/tarball/'))).toHaveLength(1);
  });

  it('follow what is pushed: what changed is fetched again, and only that', async () => {
    await using bench = await filled(5);
    const mount = bench.mount();
    await mount.prefetch(`${REPO}/files`);
    const path = 'src/deep er/file-1.txt';
    await bench.github.edit({ op: 'put-file', ...OCTO, path, content: 'new\n' });
    bench.move(3_600_000);
    await bench.asked();
    expect(await text(mount, `${REPO}/files/${path}`)).toBe('new\n');
    expect((await bench.asked()).filter((row) => /blobs|tarball/.test(row))).toHaveLength(1);
    expect(await text(mount, `${REPO}/files/src/deep er/file-2.txt`)).toBe('line 2 é\n');
    expect(await bench.asked()).toEqual([]);
  });

  it('are read in the newest version when another process learns of one meanwhile', async () => {
    await using bench = await filled(1);
    const [mount, other] = [bench.mount({ freshMs: 60_000 }), bench.mount({ freshMs: 0 })];
    const path = 'src/deep er/file-0.txt';
    await mount.readdir(`${REPO}/files`);
    afterBlob(async () => {
      await bench.github.edit({ op: 'put-file', ...OCTO, path, content: 'pushed\n' });
      await other.readdir(`${REPO}/files`);
    });
    expect(await text(mount, `${REPO}/files/${path}`)).toBe('pushed\n');
  });

  it('are read as another process has just written them, with no further request', async () => {
    await using bench = await filled(1);
    const [mount, other] = [bench.mount({ freshMs: 60_000 }), bench.mount({ freshMs: 60_000 })];
    const path = `${REPO}/files/src/deep er/file-0.txt`;
    await mount.readdir(`${REPO}/files`);
    afterBlob(async () => {
      await write(other, path, 'written\n');
      await bench.asked();
    });
    expect(await text(mount, path)).toBe('written\n');
    expect(await bench.asked()).toEqual([]);
  });

  it('are files and directories to every question', async () => {
    await using bench = await filled(1);
    const mount = bench.mount({ freshMs: 60_000 });
    const file = `${REPO}/files/src/deep er/file-0.txt`;
    expect((await mount.lstat(`${REPO}/files/src`)).type).toBe('directory');
    expect((await mount.lstat(file)).type).toBe('file');
    expect((await failure(mount.read(`${REPO}/files/src`))).code).toBe('EISDIR');
    expect((await failure(mount.readdir(file))).code).toBe('ENOTDIR');
    expect((await failure(mount.lstat(`${file}/x`))).code).toBe('ENOTDIR');
    expect((await failure(mount.read(`${REPO}/files/none`))).code).toBe('ENOENT');
  });
});

describe('an archive', () => {
  it('that is cut off or too large is refused, never half read in silence', () => {
    const header = Buffer.alloc(512);
    header.write('top/file.txt', 0);
    header.write('00000001000', 124);
    header.write('0', 156);
    const read = (bytes: Buffer, limit: number) => [...filesOfArchive(gzipSync(bytes), limit)];
    expect(() => read(header, 10_000)).toThrow('cut off');
    expect(() => read(Buffer.concat([header, Buffer.alloc(1024)]), 600)).toThrow();
    const whole = Buffer.concat([header, Buffer.alloc(512, 'x'), Buffer.alloc(1024)]);
    expect(read(whole, 10_000)).toEqual([{ path: 'file.txt', data: Buffer.alloc(512, 'x') }]);
  });
});
