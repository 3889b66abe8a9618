/** What is new among the files of one mount, by the size, the time and the names of its files. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FsError } from '../../errors.ts';
import type { Mount } from '../../mount/contract/contract.ts';
import type { Identity } from '../../mount/contract/walked-file.ts';
import { WalkedFile } from '../../mount/contract/walked-file.ts';
import { FileDocuments } from './file-documents.ts';
import type { FollowedSource, Pending } from './source.ts';
import { type SearchedWorld, searchedWorld, serviceOf } from './testing.ts';

let world: SearchedWorld;

beforeEach(() => {
  world = searchedWorld({ '/mnt/docs': true, '/mnt/docs/inner': true });
});

/** Its files are settled: their time stamps are old. */
async function write(path: string, text: string | Uint8Array, at = 1_000): Promise<void> {
  await world.fs.writeFile(path, text);
  await world.fs.utimes(path, new Date(at), new Date(at));
}

function openFiles(
  more: { source?: FollowedSource; seen?: [string, string][]; mount?: Partial<Mount> } = {},
): FileDocuments {
  const attached = world.table.at('/mnt/docs');
  if (attached === undefined) throw new Error('nothing is attached at /mnt/docs');
  // In the place of some of the mount's methods.
  const mount = new Proxy(attached.mount, {
    get: (target, key) => {
      if (more.mount !== undefined && key in more.mount) return Reflect.get(more.mount, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const attachment = attached;
  Object.assign(attachment, { mount });
  const { source, seen = [] } = more;
  return new FileDocuments({ ...world, attachment, ...(source && { source }) }, seen);
}

/** What is handed out, as `path: text`; a path alone where nothing is to be searched. */
async function met(files: FileDocuments, paths = ['/mnt/docs'], asks = true): Promise<string[]> {
  const { pending } = await files.pending(paths, asks);
  return pending.map(shown);
}
const shown = ({ path, text }: Pending): string => {
  const content = text();
  return content === null ? path : `${path}: ${content}`;
};

describe.each<[string, Partial<Mount>]>([
  ['that shows its listings', {}],
  ['that is listed', { walk: undefined } as unknown as Partial<Mount>],
])('a mount %s', (_, mount) => {
  it('hands out what is there, each file once, with its time; and again what is another', async () => {
    await world.fs.mkdir('/mnt/docs/deep');
    await write('/mnt/docs/a.md', 'one');
    await write('/mnt/docs/deep/b.md', 'two');
    await write('/mnt/docs/inner/c.md', 'of another mount');
    const files = openFiles({ mount });
    const { pending, literal, trouble } = await files.pending(['/mnt/docs'], true);
    expect(pending.map(shown).toSorted()).toEqual([
      '/mnt/docs/a.md: one',
      '/mnt/docs/deep/b.md: two',
    ]);
    expect(pending.map(({ changed }) => changed)).toEqual(
      Array(2).fill('1970-01-01T00:00:01.000Z'),
    );
    expect([literal, trouble]).toEqual([[], []]);
    expect(await met(files)).toEqual([]);
    await write('/mnt/docs/a.md', 'another', 2_000);
    expect(await met(files)).toEqual(['/mnt/docs/a.md: another']);
    expect(await met(files)).toEqual([]);
  });

  it('says what went away: a file, and all that was in a directory', async () => {
    await world.fs.mkdir('/mnt/docs/deep/er', { recursive: true });
    for (const name of ['a.md', 'deep/b.md', 'deep/er/c.md']) await write(`/mnt/docs/${name}`, 'x');
    const files = openFiles({ mount });
    expect(await met(files)).toHaveLength(3);
    await world.fs.rm('/mnt/docs/a.md');
    expect(await met(files)).toEqual(['/mnt/docs/a.md']);
    await world.fs.rm('/mnt/docs/deep', { recursive: true });
    expect((await met(files)).toSorted()).toEqual([
      '/mnt/docs/deep/b.md',
      '/mnt/docs/deep/er/c.md',
    ]);
    expect(await met(files)).toEqual([]);
  });

  it('looks where it is asked to, at a directory or at one file', async () => {
    await world.fs.mkdir('/mnt/docs/deep');
    for (const name of ['a.md', 'b.md', 'deep/c.md']) await write(`/mnt/docs/${name}`, 'x');
    const files = openFiles({ mount });
    const deep = await met(files, ['/mnt/docs/deep']);
    expect(deep).toEqual(['/mnt/docs/deep/c.md: x']);
    const one = await met(files, ['/mnt/docs/b.md']);
    expect(one).toContain('/mnt/docs/b.md: x');
    expect(await met(files, ['/mnt/elsewhere'])).toEqual([]);
    // Of another mount.
    expect(await met(files, ['/mnt/docs/inner'])).toEqual([]);
    const all = await met(files, ['/mnt', '/mnt/docs/deep']);
    expect([...deep, ...one, ...all].toSorted()).toEqual([
      '/mnt/docs/a.md: x',
      '/mnt/docs/b.md: x',
      '/mnt/docs/deep/c.md: x',
    ]);
  });

  it('a text that the index has is not handed out while it looks the same; where it is gone, that is', async () => {
    await write('/mnt/docs/a.md', 'one');
    const [first] = (await openFiles({ mount }).pending(['/mnt/docs'], true)).pending;
    const seen: [string, string][] = [
      ['/mnt/docs/a.md', first?.seen ?? ''],
      ['/mnt/docs/b.md', '3 1000 7'],
      // Of another mount, which has its own account.
      ['/mnt/docs/inner/c.md', '3 1000 7'],
    ];
    const files = openFiles({ mount, seen });
    expect(await met(files)).toEqual(['/mnt/docs/b.md']);
    await write('/mnt/docs/a.md', 'one', 2_000);
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
    // What the index does not know the looks of, is read.
    const unknown = openFiles({ mount, seen: [['/mnt/docs/a.md', '']] });
    expect(await met(unknown)).toEqual(['/mnt/docs/a.md: one']);
  });

  it('what tools keep is named, and searched only where it is asked for, as it stands', async () => {
    await world.fs.mkdir('/mnt/docs/.git/objects', { recursive: true });
    await write('/mnt/docs/.git/objects/a', 'x');
    await write('/mnt/docs/.DS_Store', 'x');
    const files = openFiles({ mount });
    expect(await met(files)).toEqual([]);
    const names = (paths: string[]) =>
      files.unsearched(paths).map(({ example, what }) => [example, what]);
    expect(names(['/mnt/docs']).toSorted()).toEqual([
      ['/mnt/docs/.DS_Store', 'names'],
      ['/mnt/docs/.git', 'names'],
    ]);
    const { pending, literal } = await files.pending(['/mnt/docs/.git'], true);
    expect([pending, literal.map(shown)]).toEqual([[], ['/mnt/docs/.git/objects/a: x']]);
    // It is known no better afterwards.
    expect((await files.pending(['/mnt/docs/.git'], true)).literal).toHaveLength(1);
    expect(await met(files)).toEqual([]);
  });

  it.each([
    ['a text of a million bytes is indexed', 'x'.repeat(1_000_000), [1, 0, 0]],
    ['a longer one is searched as it stands', 'x'.repeat(1_000_001), [0, 1, 0]],
    ['what has a zero byte is no text', 'a\0b', [0, 0, 1]],
  ])('%s', async (__, content, [texts, large, binary]) => {
    await write('/mnt/docs/a.txt', content);
    const files = openFiles({ mount });
    const { pending } = await files.pending(['/mnt/docs'], true);
    expect(pending.filter(({ text }) => text() !== null)).toHaveLength(texts ?? -1);
    expect(files.large(['/mnt/docs'])).toHaveLength(large ?? -1);
    expect(files.large(['/mnt/docs/inner'])).toEqual([]);
    expect(files.unsearched(['/mnt/docs'])).toHaveLength(binary ?? -1);
    // What was named is not said to be left out.
    expect(files.unsearched(['/mnt/docs/a.txt'])).toEqual([]);
    // Another text may be one that is indexed.
    await write('/mnt/docs/a.txt', 'short', 2_000);
    expect(await met(files)).toEqual(['/mnt/docs/a.txt: short']);
    expect(files.large(['/mnt/docs'])).toEqual([]);
    expect(files.unsearched(['/mnt/docs'])).toEqual([]);
  });

  it('a document is never too large: its text is another one', async () => {
    await write('/mnt/docs/a.pdf', 'x'.repeat(1_000_001));
    const files = openFiles({ mount });
    expect((await files.pending(['/mnt/docs'], true)).pending.map(({ path }) => path)).toEqual([
      '/mnt/docs/a.pdf',
    ]);
    expect(files.large(['/mnt/docs'])).toEqual([]);
  });

  it('what has gone leaves no account behind', async () => {
    await write('/mnt/docs/a.txt', 'x'.repeat(1_000_001));
    const files = openFiles({ mount });
    await met(files);
    expect(files.large(['/mnt/docs'])).toEqual(['/mnt/docs/a.txt']);
    await world.fs.rm('/mnt/docs/a.txt');
    await met(files);
    expect(files.large(['/mnt/docs'])).toEqual([]);
  });
});

describe('a mount that is listed', () => {
  const mount = { walk: undefined } as unknown as Partial<Mount>;

  it('what may change again within its time stamp is looked at again', async () => {
    await write('/mnt/docs/a.md', 'one', Date.now());
    const files = openFiles({ mount });
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
    await write('/mnt/docs/a.md', 'one', Date.now() - 3_000);
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
    expect(await met(files)).toEqual([]);
  });

  it('is not asked for the content of its files where nobody asked for that', async () => {
    await write('/mnt/docs/a.md', 'one');
    const files = openFiles({ mount });
    const read = vi.spyOn(world.fs, 'readFileBuffer');
    expect(await met(files, ['/mnt/docs'], false)).toEqual([]);
    expect(read).not.toHaveBeenCalled();
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
  });

  it('tells which file could not be read, and tries it again', async () => {
    await write('/mnt/docs/a.md', 'one');
    await write('/mnt/docs/b.md', 'two');
    const files = openFiles({ mount });
    const path = '/mnt/docs/a.md';
    vi.spyOn(world.fs, 'readFileBuffer').mockRejectedValueOnce(
      new FsError('EACCES', { path, op: 'open' }),
    );
    const { pending, trouble } = await files.pending(['/mnt/docs'], true);
    expect(pending.map(shown)).toEqual(['/mnt/docs/b.md: two']);
    expect(trouble).toMatchObject([{ code: 'EACCES', path }]);
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
  });

  it('has what went away since it was listed looked at once more', async () => {
    await write('/mnt/docs/a.md', 'one');
    const files = openFiles({ mount });
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
    const path = '/mnt/docs/a.md';
    vi.spyOn(world.fs, 'lstat').mockImplementation(async () => {
      throw new FsError('ENOENT', { path, op: 'lstat' });
    });
    expect(await met(files)).toEqual(['/mnt/docs/a.md: one']);
  });

  it('forgets nothing while a directory cannot be listed', async () => {
    await world.fs.mkdir('/mnt/docs/deep');
    await write('/mnt/docs/deep/a.md', 'one');
    const files = openFiles({ mount });
    await met(files);
    const path = '/mnt/docs/deep';
    const list = world.fs.readdirWithFileTypes.bind(world.fs);
    const spy = vi.spyOn(world.fs, 'readdirWithFileTypes').mockImplementation(async (asked) => {
      if (asked === path) throw new FsError('EACCES', { path, op: 'scandir' });
      return list(asked);
    });
    const { pending, trouble } = await files.pending(['/mnt/docs'], true);
    expect([pending, trouble]).toMatchObject([[], [{ code: 'EACCES', path }]]);
    spy.mockRestore();
    expect(await met(files)).toEqual([]);
  });

  it('no failure of another kind is hidden', async () => {
    const files = openFiles({ mount });
    vi.spyOn(world.fs, 'readdirWithFileTypes').mockRejectedValue(new Error('a bug'));
    await expect(files.pending(['/mnt/docs'], true)).rejects.toThrow('a bug');
  });
});

describe('a file whose text is wanted later', () => {
  const failing = (error: unknown): Partial<Mount> => ({
    walk: () => [
      new WalkedFile('/', 'a.md', {
        bytes: () => {
          throw error;
        },
      }),
    ],
  });

  it('and cannot be read then, is told by its path in the world; where it is gone, nothing is', async () => {
    const files = openFiles({
      mount: failing(new FsError('EACCES', { path: '/a.md', op: 'open' })),
    });
    expect(await met(files)).toEqual(['/mnt/docs/a.md']);
    expect(files.unreadable(['/mnt/docs'])).toMatchObject([
      { code: 'EACCES', path: '/mnt/docs/a.md' },
    ]);
    expect(files.unreadable(['/mnt/other'])).toEqual([]);
    const gone = openFiles({
      mount: failing(new FsError('ENOENT', { path: '/a.md', op: 'open' })),
    });
    await met(gone);
    expect(gone.unreadable(['/mnt/docs'])).toEqual([]);
  });

  it('and can be read again, is told no more', async () => {
    let error: FsError | null = new FsError('EACCES', { path: '/a.md', op: 'open' });
    const bytes = (): Uint8Array => {
      if (error !== null) throw error;
      return new Uint8Array([120]);
    };
    const files = openFiles({ mount: { walk: () => [new WalkedFile('/', 'a.md', { bytes })] } });
    await met(files);
    expect(files.unreadable(['/mnt/docs'])).toHaveLength(1);
    error = null;
    expect(await met(files)).toEqual(['/mnt/docs/a.md: x']);
    expect(files.unreadable(['/mnt/docs'])).toEqual([]);
  });

  it('no failure of another kind is hidden', async () => {
    const files = openFiles({ mount: failing(new Error('a bug')) });
    const { pending } = await files.pending(['/mnt/docs'], true);
    expect(() => pending[0]?.text()).toThrow('a bug');
  });
});

describe('a service', () => {
  /** A file of a service, whose bytes are made when they are asked for. */
  const made = (
    path: string,
    text: string,
    more: { identity?: Identity; momentary?: true; costly?: true } = {},
  ) => {
    const { identity = null, momentary, costly = false } = more;
    const bytes = new TextEncoder().encode(text);
    const content = {
      bytes: () => bytes,
      identity: () => identity,
      identified: () => ({ bytes, identity }),
      ...(momentary && { momentary }),
    };
    const at = path.lastIndexOf('/');
    return new WalkedFile(path.slice(0, at) || '/', path.slice(at + 1), content, costly);
  };

  it('has its other files handed out by their content, which a later process knows again', async () => {
    let text = 'one';
    const source = serviceOf('s', [], { otherFiles: () => [made('/list.tsv', text)] });
    const files = openFiles({ source });
    const [first] = (await files.pending(['/mnt/docs'], true)).pending;
    expect(first && shown(first)).toBe('/mnt/docs/list.tsv: one');
    expect(first).not.toHaveProperty('changed');
    expect(first?.seen).toMatch(/^sha256 \S{44}$/);
    expect(await met(files)).toEqual([]);
    text = 'two';
    expect(await met(files)).toEqual(['/mnt/docs/list.tsv: two']);
    const later = openFiles({ source, seen: [['/mnt/docs/list.tsv', first?.seen ?? '']] });
    expect(await met(later)).toEqual(['/mnt/docs/list.tsv: two']);
    text = 'one';
    const same = openFiles({ source, seen: [['/mnt/docs/list.tsv', first?.seen ?? '']] });
    expect(await met(same)).toEqual([]);
  });

  it('of whose documents the feed tells, is not taken to have lost them', async () => {
    const source = serviceOf('s', [], {
      otherFiles: () => [],
      isDocument: (path) => path === '/issue.md',
    });
    const seen: [string, string][] = [
      ['/mnt/docs/issue.md', ''],
      ['/mnt/docs/list.tsv', ''],
    ];
    expect(await met(openFiles({ source, seen }))).toEqual(['/mnt/docs/list.tsv']);
  });

  it('has what is another text each time searched as it stands, and nothing kept of it', async () => {
    const source = serviceOf('s', [], {
      otherFiles: () => [made('/now', 'noon', { momentary: true })],
    });
    const files = openFiles({ source });
    for (let turn = 0; turn < 2; turn++) {
      const { pending, literal } = await files.pending(['/mnt/docs'], true);
      expect(pending).toEqual([]);
      expect(literal.map((each) => [shown(each), each.momentary])).toEqual([
        ['/mnt/docs/now: noon', true],
      ]);
    }
  });

  it('is looked through again only after a change of what is at hand', async () => {
    let revision: number | null = 1;
    const otherFiles = vi.fn(() => [
      made('/list.tsv', 'one'),
      made('/now', 'noon', { momentary: true }),
    ]);
    const source = serviceOf('s', [], { otherFiles, revision: () => revision });
    const files = openFiles({ source });
    const look = async () => {
      const { pending, literal } = await files.pending(['/mnt/docs'], true);
      return [pending.length, literal.length, otherFiles.mock.calls.length];
    };
    expect(await look()).toEqual([1, 1, 1]);
    // What is another each time is not passed over.
    expect(await look()).toEqual([0, 1, 1]);
    revision = 2;
    expect(await look()).toEqual([0, 1, 2]);
    revision = null;
    expect(await look()).toEqual([0, 1, 3]);
    expect(await look()).toEqual([0, 1, 4]);
  });

  it('is asked for no file that costs a request: that is told, and no more once it is at hand', async () => {
    let costly: { costly?: true } = { costly: true };
    const source = serviceOf('s', [], { otherFiles: () => [made('/a/list.tsv', 'one', costly)] });
    const files = openFiles({ source });
    expect(await met(files)).toEqual([]);
    expect(files.unsearched(['/mnt/docs'])).toMatchObject([
      { count: 1, example: '/mnt/docs/a/list.tsv', fails: true },
    ]);
    costly = {};
    expect(await met(files)).toEqual(['/mnt/docs/a/list.tsv: one']);
    expect(files.unsearched(['/mnt/docs'])).toEqual([]);
  });
});
