import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FsError } from '../../errors.ts';
import { MemoryMount } from '../../memory-tree/mount.ts';
import { Namespace } from '../../namespace/namespace.ts';
import { MountTable } from '../../namespace/table.ts';
import { openReplica, type Replica } from '../../replica/index.ts';
import { readWordTable } from '../static/table.ts';
import { type EngineClient, localEngine } from './client.ts';
import { SearchEngine } from './engine.ts';
import { MountedSearch } from './mounted-search.ts';

const words = readFileSync(join(import.meta.dirname, '../../../data/words.bin'));
let replica: Replica;
let search: MountedSearch;
let fs: Namespace;
let table: MountTable;
let engine: EngineClient;

beforeEach(() => {
  replica = openReplica(':memory:');
  table = new MountTable();
  const attach = (point: string, searchable: boolean): void =>
    table.attach({
      point,
      mount: new MemoryMount({ searchable, initial: [], onChange: () => undefined }),
      access: { mode: 'rw' },
      searchable,
    });
  attach('/', false);
  attach('/mnt/docs', true);
  attach('/mnt/thing', true);
  attach('/plain', false);
  const stepwise = new MemoryMount({ searchable: true });
  const mount = new Proxy(stepwise, {
    get: (target, key) => {
      const value: unknown = key === 'walk' ? undefined : Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  table.attach({ point: '/mnt/stepwise', mount, access: { mode: 'rw' }, searchable: true });
  const gate = () => ({ decision: 'allow' as const, rule: 'test', reason: '' });
  fs = new Namespace({ table, gate, timeoutMs: 5_000, origin: 'shell' });
  engine = localEngine(new SearchEngine(':memory:', readWordTable(words)));
  search = new MountedSearch({ table, fs, engine: () => engine });
});
afterEach(async () => {
  await search.close();
  replica.close();
});

const ask = async (query: string, path = '/mnt') => {
  const { answers, note } = await search.ask({ query, paths: [path], limit: 10 });
  return { paths: answers.map((answer) => answer.path), note };
};

describe('files of a mount', () => {
  it('that cannot be walked at once are found by listing it, and what cannot be read is told', async () => {
    await fs.mkdir('/mnt/stepwise/deep/er', { recursive: true });
    await fs.writeFile('/mnt/stepwise/deep/er/a.md', 'squeaky wheel');
    await fs.writeFile('/mnt/stepwise/b.md', 'gone soon');
    expect((await ask('squeaky wheel')).paths[0]).toBe('/mnt/stepwise/deep/er/a.md');
    expect((await ask('gone soon')).paths[0]).toBe('/mnt/stepwise/b.md');
    await fs.rm('/mnt/stepwise/b.md');
    expect((await ask('gone soon')).paths).not.toContain('/mnt/stepwise/b.md');
    const read = fs.readFileBuffer.bind(fs);
    fs.readFileBuffer = async (path) => {
      if (path.endsWith('/c.md')) throw new FsError('EACCES', { path, op: 'open' });
      return read(path);
    };
    await fs.writeFile('/mnt/stepwise/c.md', 'squeaky');
    const { answers, trouble } = await search.ask({ query: 'squeaky', paths: ['/mnt'], limit: 10 });
    expect(answers.map(({ path }) => path)).toEqual(['/mnt/stepwise/deep/er/a.md']);
    expect(trouble).toMatchObject([{ code: 'EACCES', path: '/mnt/stepwise/c.md' }]);
  });

  it('are found as they are now: written, changed within a moment, moved, removed', async () => {
    await fs.writeFile('/mnt/docs/a.md', 'squeaky wheel');
    await fs.writeFile('/plain/a.md', 'squeaky wheel');
    expect((await ask('squeaky wheel')).paths).toEqual(['/mnt/docs/a.md']);
    await fs.writeFile('/mnt/docs/a.md', 'quieter wheel');
    expect((await ask('squeaky')).paths).toEqual([]);
    await fs.mv('/mnt/docs/a.md', '/mnt/docs/b.md');
    expect((await ask('quieter wheel')).paths).toEqual(['/mnt/docs/b.md']);
    await fs.rm('/mnt/docs/b.md');
    const { paths, note } = await ask('quieter wheel');
    expect(paths).toEqual([]);
    expect(note).toMatch(/^searched 0 documents by meaning, index \d+ s old$/);
  });

  it('are texts that somebody wrote: no binary, nothing of tools', async () => {
    await fs.mkdir('/mnt/docs/node_modules');
    await fs.writeFile('/mnt/docs/node_modules/x.md', 'squeaky wheel');
    await fs.writeFile('/mnt/docs/.git', 'squeaky wheel');
    await fs.writeFile('/mnt/docs/data.bin', 'squeaky\0wheel');
    expect((await ask('squeaky wheel')).paths).toEqual([]);
    expect(await search.state(['/mnt'], true)).toMatchObject({ documents: 0, pending: 0 });
  });
});

describe('in the background', () => {
  const slow = (engine: EngineClient, held: Promise<void>): EngineClient => ({
    ...engine,
    update: async (...batch) => {
      await held;
      await engine.update(...batch);
    },
  });

  it('the index is built before anything is asked, and no service is', async () => {
    await fs.writeFile('/mnt/docs/a.md', 'squeaky wheel');
    const prefetched = vi.spyOn(fs, 'prefetch');
    await search.build();
    expect(prefetched).not.toHaveBeenCalled();
    await vi.waitFor(async () => expect((await engine.status(['/'])).documents).toBe(1), 50_000);
  });

  it('a file was changed when its time says so, unless its front matter says otherwise', async () => {
    await fs.writeFile('/mnt/docs/old.md', 'squeaky wheel');
    await fs.utimes('/mnt/docs/old.md', new Date(1_000), new Date(1_000));
    await fs.writeFile('/mnt/docs/new.md', 'squeaky wheel');
    await fs.writeFile('/mnt/docs/dated.md', '---\nupdated: 2001-01-01\n---\nsqueaky wheel');
    const { answers } = await search.ask({
      query: 'squeaky wheel',
      paths: ['/mnt'],
      limit: 10,
      since: '2010-01-01T00:00:00.000Z',
    });
    expect(answers.map(({ path }) => path)).toEqual(['/mnt/docs/new.md']);
  });

  it('what is not indexed in time is searched literally, and counted', {
    timeout: 20_000,
  }, async () => {
    const held = Promise.withResolvers<void>();
    const waiting = new MountedSearch({ table, fs, engine: () => slow(engine, held.promise) });
    await fs.writeFile('/mnt/docs/a.md', 'squeaky wheel');
    await fs.writeFile('/mnt/docs/b.md', 'silent door');
    const { answers, note } = await waiting.ask({ query: 'squeaky', paths: ['/mnt'], limit: 10 });
    expect(answers.map(({ path }) => path)).toEqual(['/mnt/docs/a.md']);
    expect(note).toMatch(
      /^searched 0 documents by meaning, index \d+ s old; 2 not yet indexed were searched literally$/,
    );
    held.resolve();
    await waiting.state(['/mnt'], true);
  });

  it('a file that the index has read is not read again, unless it looks otherwise', async () => {
    await fs.writeFile('/mnt/docs/a.md', 'squeaky wheel');
    await fs.utimes('/mnt/docs/a.md', new Date(1_000), new Date(1_000));
    await search.state(['/mnt'], true);
    const updates = vi.spyOn(engine, 'update');
    const later = new MountedSearch({ table, fs, engine: () => engine });
    await later.state(['/mnt'], true);
    expect(updates).not.toHaveBeenCalled();
    await fs.writeFile('/mnt/docs/a.md', 'silent door');
    await later.state(['/mnt'], true);
    expect(updates).toHaveBeenCalledTimes(1);
  });
});

describe('a service', () => {
  const record = (key: string, value: string, path = `/${key}.md`) => ({
    key,
    updatedAt: '',
    size: 1,
    path,
    value,
  });

  it('is followed by its feed, deletions too, and a comment has the title of its issue', async () => {
    search.follow('/mnt/thing', {
      name: 'm',
      feed: (after) => replica.feed('m', after),
      document: (path) => {
        const found = replica.all('m', 'c').find((each) => each.path === path);
        return found === undefined ? null : { text: String(found.value) };
      },
      coverage: () => 'thing as of noon, 2 of 3 directories',
      heldSince: () => Date.now() - 12_000,
    });
    replica.upsert('m', 'c', record('1', '---\ntitle: Squeaky wheel\n---\n', '/issues/1.md'));
    replica.upsert('m', 'c', record('2', 'I have that, too.', '/issues/1/comments/2.md'));
    const first = await ask('squeaky wheel');
    expect(first.paths).toEqual(['/mnt/thing/issues/1.md']);
    const said = await ask('squeaky wheel', '/mnt/thing/issues/1/comments');
    expect(said.paths).toEqual(['/mnt/thing/issues/1/comments/2.md']);
    expect(first.note).toMatch(
      /^searched 2 documents by meaning, index [1-9]\d s old; thing as of noon, 2 of 3 directories$/,
    );
    replica.upsert('m', 'c', record('1', '---\ntitle: Silent door\n---\n', '/issues/1.md'));
    replica.remove('m', 'c', '2');
    expect((await ask('squeaky wheel')).paths).toEqual([]);
    expect((await ask('silent door')).paths).toEqual(['/mnt/thing/issues/1.md']);
  });

  it('of another account at the same place finds nothing of the first one’s, in either order', async () => {
    const source = (name: string) => ({
      name,
      feed: (after: number) => replica.feed(name, after),
      document: (path: string) => {
        const found = replica.all(name, 'c').find((each) => each.path === path);
        return found === undefined ? null : { text: String(found.value) };
      },
    });
    replica.upsert('m @1', 'c', record('1', 'squeaky secret wheel'));
    replica.upsert('m @2', 'c', record('2', 'squeaky public wheel'));
    // As two processes that share an index have them.
    const other = new MountedSearch({ table, fs, engine: () => engine });
    search.follow('/mnt/thing', source('m @1'));
    other.follow('/mnt/thing', source('m @2'));
    const question = { query: 'squeaky wheel', paths: ['/mnt'], limit: 10 };
    for (let turn = 0; turn < 2; turn++) {
      expect((await ask('squeaky wheel')).paths).toEqual(['/mnt/thing/1.md']);
      const { answers } = await other.ask(question);
      expect(answers.map(({ path }) => path)).toEqual(['/mnt/thing/2.md']);
    }
  });
});
