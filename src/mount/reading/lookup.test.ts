/** What stands at a path: the row, what is there for us alone, and what it is not. */
import { describe, expect, it } from 'vitest';
import type { Change } from '../../changes/change.ts';
import type { FsError } from '../../errors.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Collection, Route } from '../table/route.ts';
import { RouteTable } from '../table/table.ts';
import { Freshness } from './freshness.ts';
import { Lookup, missing } from './lookup.ts';
import { OwnDirectories } from './own-directories.ts';

const BORN = new Date(7);
const LATER = new Date(9);

/** `/teams/ID/`, its records, and `/files/PATH`, which can be written anew. */
function lookedUp(
  held: readonly string[] = [],
  changes: readonly Partial<Change>[] = [],
  more: Partial<Route> = {},
) {
  const prepared: string[] = [];
  const asked: string[] = [];
  const stat = (path: string) => (held.includes(path) ? { size: 3, mtime: LATER } : null);
  const route = (pattern: string, own: Partial<Route> = {}): Route => ({
    pattern,
    type: 'directory',
    about: '',
    ...own,
  });
  const table = new RouteTable(
    [
      route('/teams'),
      route('/teams/:id', { stat: ({ id }) => stat(`/teams/${id}`), needs: ['teams'] }),
      route('/teams/:id/about.md', { type: 'file' }),
      route('/teams/:id/:key.md', {
        type: 'file',
        needs: ['teams', 'issues'],
        stat: ({ id, key }) => stat(`/teams/${id}/${key}.md`),
        ...more,
      }),
      route('/files'),
      route('/files/:path+', {
        type: 'file',
        typeOf: ({ path }) => (held.includes(`/files/${path}/`) ? 'directory' : 'file'),
        stat: ({ path }) => stat(`/files/${path}`) ?? stat(`/files/${path}/`),
        replace: {} as never,
      }),
    ],
    {
      id: { matches: /^[a-z]+$/, example: 'a' },
      key: { matches: /^\d+$/, example: '1' },
      path: { matches: /^\w+$/, example: 'x' },
    },
  );
  const collection = (
    name: string,
    scope: string[],
    own: Partial<Collection> = {},
  ): Collection => ({
    scope,
    heldSince: () => null,
    sync: async () => void asked.push(name),
    ...own,
  });
  const collections = {
    teams: collection('teams', []),
    issues: collection('issues', ['id'], { narrowedBy: 'key' }),
  };
  const all = changes.map((change, index) => ({
    id: `c${index}`,
    createdAt: 5,
    ...change,
  })) as Change[];
  const staged = { all, byPath: new Map(all.map((change) => [change.path, change])) };
  const lookup = new Lookup({
    service: { collections } as never,
    table,
    freshness: new Freshness({ freshMs: 10_000, now: () => LATER, onNotice: () => undefined }),
    staged: { now: () => staged } as never,
    extras: { read: (path: string) => (path === '/README.md' ? new Uint8Array() : null) } as never,
    born: BORN,
    directories: new OwnDirectories(),
  });
  const at = (path: string) => {
    const match = table.match(path);
    if (match === null) throw new Error(`${path} is in no row`);
    return match;
  };
  return { lookup, at, asked, prepared };
}

const failure = async (work: Promise<unknown>): Promise<FsError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error as FsError;
};

describe('a path', () => {
  it('stands for a row, or for nothing, which a file above it says otherwise', async () => {
    const { lookup } = lookedUp(['/teams/a', '/teams/a/1.md', '/files/x']);
    expect((await lookup.match('/teams/a', 'stat')).params).toEqual({ id: 'a' });
    for (const [path, code] of [
      ['/none', 'ENOENT'],
      ['/README.md/x', 'ENOTDIR'],
      ['/teams/a/1.md/x/y', 'ENOTDIR'],
      ['/teams/a/2.md/x', 'ENOENT'],
      ['/teams/a/about.md/x', 'ENOTDIR'],
      ['/teams/A/x', 'ENOENT'],
    ] as const)
      expect(await failure(lookup.match(path, 'stat'))).toMatchObject({ code, path, op: 'stat' });
  });

  it('that is not there says where it is in its place', async () => {
    const elsewhere = () => 'it is in /teams/b';
    const { lookup, at } = lookedUp(['/teams/a'], [], { elsewhere });
    const path = '/teams/a/1.md';
    expect(await failure(lookup.entry(path, at(path), 'open'))).toMatchObject({
      code: 'ENOENT',
      reason: 'it is in /teams/b',
    });
    expect((await failure(lookup.match(`${path}/x`, 'open'))).reason).toBe('it is in /teams/b');
    expect(missing(path, at(path), 'open').reason).toBe('it is in /teams/b');
    expect(missing('/teams/a', at('/teams/a'), 'open').reason).toBeUndefined();
  });

  it('is there as its row says, or as the directory above it is', async () => {
    const { lookup, at, asked } = lookedUp(['/teams/a', '/teams/a/1.md']);
    const entry = (path: string) => lookup.entry(path, at(path), 'stat');
    expect(await entry('/teams/a/1.md')).toEqual({ size: 3, mtime: LATER });
    expect(asked).toEqual(['teams', 'issues']);
    expect(await entry('/teams')).toEqual({ size: 256, mtime: BORN });
    expect(await entry('/teams/a/about.md')).toEqual({ size: 256, mtime: LATER });
    expect((await failure(entry('/teams/b/about.md'))).code).toBe('ENOENT');
    expect(await lookup.above('/x', 'open')).toEqual({ size: 1, mtime: BORN });
    expect(await lookup.above('/teams/a/9.md', 'open')).toEqual({ size: 3, mtime: LATER });
    expect((await failure(lookup.above('/none/x', 'open'))).code).toBe('ENOENT');
  });

  it('that is to be removed is there no more, with all that is below it', async () => {
    const removal = { op: 'delete', path: '/files/d' } as const;
    const { lookup, at } = lookedUp(['/files/d/', '/files/d/x', '/files/dx'], [removal]);
    const entry = (path: string) => lookup.entry(path, at(path), 'stat');
    for (const path of ['/files/d', '/files/d/x'])
      expect((await failure(entry(path))).code).toBe('ENOENT');
    expect(await entry('/files/dx')).toMatchObject({ size: 3 });
    expect(lookup.stagedRemoval('/files/d/x')?.id).toBe('c0');
    expect(lookup.stagedRemoval('/files/dx')).toBeNull();
    expect(() => lookup.refuseBelowRemoved('/files/d/x', 'open')).toThrow(
      expect.objectContaining({
        code: 'EPERM',
        reason: expect.stringContaining(
          'the removal of /files/d is staged in /session/changes/c0/',
        ),
      }),
    );
    lookup.refuseBelowRemoved('/files/dx', 'open');
    lookup.refuseBelowRemoved('/files/d', 'open');
    expect(() => lookup.refuseBelowRemoved('/files/d', 'mkdir')).toThrow();
  });
});

describe('what is there for us alone', () => {
  const creation = (path: string) => ({ op: 'create', path }) as const;

  it('is what was made, and what is staged, and their directories', async () => {
    const { lookup, at } = lookedUp(
      ['/files/old'],
      [creation('/files/new'), creation('/files/d/deep/x'), creation('/teams/a/1.md')],
    );
    const entry = (path: string) => lookup.entry(path, at(path), 'stat');
    const typeOf = (path: string) => lookup.typeOf(path, at(path));
    lookup.make('/files/own');
    expect(await entry('/files/new')).toEqual({ size: 1, mtime: new Date(5) });
    expect(await entry('/files/d')).toEqual({ size: 1, mtime: BORN });
    expect(await entry('/files/own')).toEqual({ size: 1, mtime: BORN });
    expect(
      ['/files/new', '/files/d', '/files/d/deep', '/files/own', '/files/old'].map(typeOf),
    ).toEqual(['file', 'directory', 'directory', 'directory', 'file']);
    expect(lookup.ownEntries('/files', at('/files'))).toEqual([
      { name: 'own', type: 'directory' },
      { name: 'new', type: 'file' },
      { name: 'd', type: 'directory' },
    ]);
    expect(lookup.ownBelow('/files/d', at('/files/d'))).toEqual([{ path: 'deep/x', type: 'file' }]);
    expect(lookup.ownEntries('/teams/a', at('/teams/a'))).toEqual([]);
    expect((await failure(entry('/teams/a/1.md'))).code).toBe('ENOENT');
    lookup.unmake('/files/own');
    expect((await failure(entry('/files/own'))).code).toBe('ENOENT');
  });
});

describe('a question', () => {
  it('of a row is that of each collection, open where the path does not say which', () => {
    const { lookup, at } = lookedUp();
    const keys = (path: string) => lookup.questions(at(path)).map((one) => one?.key ?? null);
    expect(keys('/teams')).toEqual([]);
    expect(keys('/teams/a')).toEqual(['teams']);
    // One that is named is better asked for alone.
    expect(keys('/teams/a/1.md')).toEqual(['teams']);
    expect(lookup.question('issues', {})).toBeNull();
    expect(lookup.question('issues', { id: 'A' })?.key).toBe('issues a');
    expect(() => lookup.question('none', {})).toThrow('no collection named none');
  });

  it('that fails is a failure of the path; a fault of ours is none', async () => {
    for (const [thrown, code] of [
      [new ServiceFailure('forbidden', 'no'), 'EACCES'],
      [new TypeError('a bug'), undefined],
    ] as const) {
      const { lookup, at } = lookedUp([], [], { prepare: () => Promise.reject(thrown) });
      const failed = await failure(
        lookup.prepare('/teams/a/1.md', at('/teams/a/1.md'), 'read', 'open'),
      );
      expect(failed.code).toBe(code);
      if (code === undefined) expect(failed).toBe(thrown);
    }
  });
});

describe('a content', () => {
  const text = { text: 'x', version: 'v', mtime: LATER };
  const path = '/teams/a/1.md';
  const content = (more: Partial<Route>, held = [path]) => {
    const { lookup, at } = lookedUp(held, [], { prepare: async () => undefined, ...more });
    return lookup.content(path, at(path), 'open');
  };

  it('is read, or there is none', async () => {
    expect(await content({ read: () => text })).toBe(text);
    expect(await content({ read: () => null }, [])).toBeNull();
    const { lookup, at } = lookedUp(['/files/d/']);
    expect((await failure(lookup.content('/files/d', at('/files/d'), 'open'))).code).toBe('EISDIR');
  });

  it('that is gone again once it was fetched is fetched eight times, and then said', async () => {
    let read = 0;
    const once = (times: number) => () => (++read < times ? null : text);
    expect(await content({ read: once(8) })).toBe(text);
    read = 0;
    expect(await failure(content({ read: once(9) }))).toMatchObject({
      code: 'EAGAIN',
      op: 'open',
    });
    expect(read).toBe(8);
  });
});
