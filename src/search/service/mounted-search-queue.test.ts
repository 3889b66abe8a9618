/** What the index is given: in batches of one source, each once, and what becomes of its failures. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FeedEntry } from '../../replica/replica.ts';
import { MountedSearch } from './mounted-search.ts';
import {
  type NotingEngine,
  notingEngine,
  type SearchedWorld,
  searchedWorld,
  serviceOf,
} from './testing.ts';

let world: SearchedWorld;
let engine: NotingEngine;
let search: MountedSearch;

beforeEach(() => {
  world = searchedWorld({ '/mnt/docs': true, '/mnt/thing': true });
  engine = notingEngine();
  search = new MountedSearch({ ...world, engine: () => engine });
});
afterEach(() => search.close());

const pathsOf = () => engine.updates.map(({ texts }) => texts.map(({ path }) => path));
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `/${String(at).padStart(3, '0')}.md`);

describe('what is new', () => {
  it('is given in batches of 64, each of one source, with how far that is followed by then', async () => {
    for (const name of ['a', 'b']) await world.fs.writeFile(`/mnt/docs/${name}.md`, name);
    const feed = names(65);
    search.follow('/mnt/thing', serviceOf('s', feed));
    await search.state(['/mnt'], true);
    expect(engine.updates.map(({ texts, followed }) => [texts.length, followed])).toEqual([
      [2, undefined],
      [64, { name: 's', point: '/mnt/thing', seq: 64 }],
      [1, { name: 's', point: '/mnt/thing', seq: 65 }],
    ]);
    expect(pathsOf()[1]).toEqual(feed.slice(0, 64).map((path) => `/mnt/thing${path}`));
    expect(engine.updates[1]?.texts[0]).toMatchObject({ text: 'the text of /000.md' });
    await search.state(['/mnt'], true);
    expect(engine.updates).toHaveLength(3);
  });

  it('is put in order when all of it is taken in, and once', async () => {
    await world.fs.writeFile('/mnt/docs/a.md', 'a');
    await search.state(['/mnt'], true);
    await search.state(['/mnt'], true);
    expect(engine.done.filter((each) => each === 'settle')).toHaveLength(1);
  });

  it('is in order before whoever waits for it goes on, and nobody else waits', async () => {
    const ordered = Promise.withResolvers<void>();
    vi.spyOn(engine, 'settle').mockReturnValue(ordered.promise);
    await world.fs.writeFile('/mnt/docs/a.md', 'a');
    const done: string[] = [];
    const waiting = search.state(['/mnt'], true).then(() => done.push('waited'));
    await vi.waitFor(() => expect(engine.settle).toHaveBeenCalled());
    await search.state(['/mnt'], false);
    done.push('looked');
    ordered.resolve();
    await waiting;
    expect(done).toEqual(['looked', 'waited']);
  });

  it('is forgotten where it has no text any more', async () => {
    const feed = [
      { seq: 1, path: '/a.md', op: 'upsert' },
      { seq: 2, path: '/b.md', op: 'delete' },
      { seq: 3, path: '/c.md', op: 'upsert' },
    ] as FeedEntry[];
    search.follow('/mnt/thing', {
      name: 's',
      feed: (after) => feed.filter(({ seq }) => seq > after),
      document: (path) => (path === '/c.md' ? null : { text: path }),
    });
    await search.state(['/mnt'], true);
    expect(engine.updates).toMatchObject([
      { texts: [{ path: '/mnt/thing/a.md' }], gone: ['/mnt/thing/b.md', '/mnt/thing/c.md'] },
    ]);
  });

  it('is told what belongs to it: a comment has the title of its issue, without its quotes', async () => {
    const texts = new Map([
      ['/issues/1.md', '---\ntitle: "Squeaky: wheel"\n---\n'],
      ['/issues/1/comments/2.md', 'So it is.'],
      ['/issues/3/comments/4.md', 'Nothing above.'],
    ]);
    const document = (path: string) => {
      const text = texts.get(path);
      return text === undefined ? null : { text };
    };
    search.follow('/mnt/thing', serviceOf('s', [...texts.keys()], { document }));
    await search.state(['/mnt'], true);
    expect(engine.updates[0]?.texts.map(({ context }) => context)).toEqual([
      '',
      'Squeaky: wheel',
      '',
    ]);
  });

  it('of a feed is read again where it comes again, in its later place', async () => {
    const feed = [
      { seq: 1, path: '/a.md', op: 'upsert' },
      { seq: 2, path: '/b.md', op: 'upsert' },
      { seq: 3, path: '/a.md', op: 'upsert' },
    ] as FeedEntry[];
    search.follow('/mnt/thing', {
      ...serviceOf('s', []),
      feed: (after) => feed.filter(({ seq }) => seq > after),
    });
    await search.state(['/mnt'], true);
    expect(pathsOf()).toEqual([['/mnt/thing/b.md', '/mnt/thing/a.md']]);
    expect(engine.updates[0]?.followed?.seq).toBe(3);
  });

  it('of a feed that is no document only counts, and does not hide the file of its name', async () => {
    await world.fs.writeFile('/mnt/thing/list.tsv', 'the file');
    const isDocument = (path: string): boolean => !path.endsWith('.tsv');
    const otherFiles = () => world.table.at('/mnt/thing')?.mount.walk?.('/') ?? [];
    search.follow('/mnt/thing', serviceOf('s', ['/a.md', '/list.tsv'], { isDocument, otherFiles }));
    await search.state(['/mnt'], true);
    expect(engine.updates).toMatchObject([
      {
        texts: [
          { path: '/mnt/thing/a.md', text: 'the text of /a.md' },
          { path: '/mnt/thing/list.tsv', text: 'the file' },
        ],
        gone: [],
        followed: { seq: 2 },
      },
    ]);
  });

  it('of a service that is in no feed is of that service all the same', async () => {
    await world.fs.writeFile('/mnt/thing/list.tsv', 'the file');
    const otherFiles = () => world.table.at('/mnt/thing')?.mount.walk?.('/') ?? [];
    search.follow('/mnt/thing', serviceOf('s', [], { isDocument: () => false, otherFiles }));
    await search.state(['/mnt'], true);
    expect(engine.updates.map(({ followed }) => followed)).toEqual([
      { name: 's', point: '/mnt/thing', seq: null },
    ]);
  });

  it('is not known as passed while a question counts what it lacks', async () => {
    const held = Promise.withResolvers<void>();
    engine.onUpdate = () => held.promise;
    search.follow(
      '/mnt/thing',
      serviceOf('s', ['/a.md', '/b.tsv'], {
        isDocument: (path) => path === '/a.md',
      }),
    );
    expect(await search.state(['/mnt/thing'], false)).toMatchObject({ pending: 1 });
    held.resolve();
    await search.state(['/mnt'], true);
  });
});

describe('a service', () => {
  it('is followed from where the index is, by whichever name it has now', async () => {
    search.follow('/mnt/thing', serviceOf('one', ['/a.md']));
    await search.state(['/mnt'], true);
    search.follow('/mnt/thing', serviceOf('two', ['/b.md']));
    await search.state(['/mnt'], true);
    expect(pathsOf()).toEqual([['/mnt/thing/a.md'], ['/mnt/thing/b.md']]);
  });

  it('is taken in anew where another process has put it back', async () => {
    search.follow('/mnt/thing', serviceOf('s', ['/a.md', '/b.md']));
    await search.state(['/mnt'], true);
    vi.spyOn(engine, 'followed').mockResolvedValueOnce(1);
    await search.state(['/mnt'], true);
    expect(pathsOf()).toEqual([['/mnt/thing/a.md', '/mnt/thing/b.md'], ['/mnt/thing/b.md']]);
  });

  it('has the files that it tells of, and no others that its mount may show', async () => {
    await world.fs.writeFile('/mnt/thing/shown.md', 'x');
    search.follow('/mnt/thing', serviceOf('s', ['/a.md'], { otherFiles: () => [] }));
    await search.state(['/mnt'], true);
    expect(pathsOf()).toEqual([['/mnt/thing/a.md']]);
  });

  it('is asked for nothing that is not below what was asked', async () => {
    const feed = vi.fn(() => []);
    search.follow('/mnt/thing', { ...serviceOf('s', []), feed });
    await search.state(['/mnt/docs'], true);
    expect(feed).not.toHaveBeenCalled();
    await world.fs.mkdir('/mnt/thing/deep');
    await search.state(['/mnt/thing/deep'], true);
    expect(feed).toHaveBeenCalledOnce();
  });
});

describe('an index that fails', () => {
  it('fails the question that waits for it, and goes on with the next', async () => {
    await world.fs.writeFile('/mnt/docs/a.md', 'a');
    let fails = true;
    engine.onUpdate = () => {
      if (fails) throw new Error('the disk is full');
    };
    await expect(search.state(['/mnt'], true)).rejects.toThrow('the disk is full');
    fails = false;
    expect(await search.state(['/mnt'], true)).toMatchObject({ documents: 1, pending: 0 });
  });

  it('while it is put in order says so, once', async () => {
    await world.fs.writeFile('/mnt/docs/a.md', 'a');
    vi.spyOn(engine, 'settle').mockRejectedValueOnce(new Error('the disk is full'));
    await expect(search.state(['/mnt'], true)).rejects.toThrow('the disk is full');
    expect(await search.state(['/mnt'], true)).toMatchObject({ documents: 1 });
  });

  it('whose mount cannot be planned fails that question alone', async () => {
    vi.spyOn(world.fs, 'prefetch').mockRejectedValueOnce(new Error('a bug'));
    await expect(search.state(['/mnt'], true)).rejects.toThrow('a bug');
    expect(await search.state(['/mnt'], true)).toMatchObject({ documents: 0 });
  });
});

describe('building', () => {
  it('takes in what is there, and asks no service for more', async () => {
    await world.fs.writeFile('/mnt/docs/a.md', 'a');
    const prefetch = vi.spyOn(world.fs, 'prefetch');
    await search.build();
    await vi.waitFor(() => expect(engine.done).toContain('settle'));
    expect(pathsOf()).toEqual([['/mnt/docs/a.md']]);
    expect(prefetch).not.toHaveBeenCalled();
    await search.state(['/mnt'], true);
    expect(prefetch.mock.calls).toEqual([['/mnt']]);
  });
});

describe('the end', () => {
  it('starts no engine for that alone, and ends one that was started', async () => {
    let started = 0;
    const unused = new MountedSearch({
      ...world,
      engine: () => {
        started += 1;
        return engine;
      },
    });
    await unused.close();
    expect(started).toBe(0);
    await search.state(['/mnt'], false);
    await search.close();
    expect(engine.done.at(-1)).toBe('close');
  });

  it('gives the index nothing more of what waits, nor puts it in order', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    engine.onUpdate = () => {
      begun.resolve();
      return held.promise;
    };
    search.follow('/mnt/thing', serviceOf('s', names(100)));
    await search.build();
    await begun.promise;
    await search.close();
    held.resolve();
    await vi.waitFor(() => expect(engine.updates).toHaveLength(1));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(engine.updates).toHaveLength(1);
    expect(engine.done).not.toContain('settle');
  });
});
