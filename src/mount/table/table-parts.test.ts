/** What stands beside a table of routes: tables of contents, files that texts link to, what is kept of listings. */
import { describe, expect, it } from 'vitest';
import { Replica } from '../../replica/replica.ts';
import type { Route } from './route.ts';
import { RECENT_MS, ServiceStore } from './service-store.ts';
import { isCostly, isNamedBy, namesOf, RouteTable, typeOf } from './table.ts';
import { dateOf, latestOf, recordEntry, tsvContent, tsvEntry } from './tsv.ts';
import { type UploadParts, uploadRoutes, uploadsIn } from './uploads.ts';

const START = Date.parse('2026-01-31T10:00:00Z');

describe('a table of contents', () => {
  const record = (version: string, updatedAt = '') => ({ version, updatedAt });

  it('is a line a record, and no cell holds a tab or a line break', () => {
    const { text, mtime } = tsvContent(
      ['a', 'b'],
      [
        ['1', 'x\ty'],
        ['2', 'x\r\n\ny'],
      ],
      [record('v', '2026-01-01T00:00:00Z'), record('w', '2026-01-02T00:00:00Z')],
    );
    expect(text).toBe('a\tb\n1\tx y\n2\tx y\n');
    expect(mtime).toEqual(new Date('2026-01-02T00:00:00Z'));
    expect(tsvContent(['a'], [], []).text).toBe('a\n');
  });

  it('has another version with any of its records, whatever their order', () => {
    const version = (...of: string[]) =>
      tsvContent(
        [],
        [],
        of.map((one) => record(one)),
      ).version;
    const [one, two] = ['time~aaaaaaaaaa', 'time~bbbbbbbbbb'];
    expect(version(one, two)).toBe(version(two, one));
    expect(new Set([version(one, two), version(one), version(one, one), version()]).size).toBe(4);
    expect(version(one)).toBe('1 aaaaaaaaaa');
  });

  it('is known before it is made, and so is a record', () => {
    expect(tsvEntry([record('v', '2026-01-01')])).toEqual({
      size: 144,
      mtime: new Date('2026-01-01'),
    });
    expect(tsvEntry([])).toEqual({ size: 64, mtime: new Date(0) });
    const head = {
      key: 'k',
      tag: '',
      version: '',
      updatedAt: '',
      size: 7,
      path: null,
      checkedAt: 0,
    };
    expect(recordEntry(head)).toEqual({ name: 'k', size: 7, mtime: new Date(0) });
    expect(dateOf('2026-01-01')).toEqual(new Date('2026-01-01'));
    expect([latestOf([]), latestOf(['b', 'c', 'a', ''])]).toEqual(['', 'c']);
  });
});

describe('what is kept of listings', () => {
  function kept() {
    let time = START;
    const replica = new Replica(':memory:', () => new Date(time));
    const store = new ServiceStore(replica, 'm', () => new Date(time));
    const move = (ms: number) => {
      time += ms;
    };
    return { replica, store, move };
  }

  it('is when it was whole last, and from where it is followed', () => {
    const { replica, store, move } = kept();
    expect([store.heldSince('c'), store.deltaFrom('c', 1_000)]).toEqual([null, null]);
    store.listed('c', { cursor: 'one' });
    expect([store.heldSince('c'), store.deltaFrom('c', 1_000)]).toEqual([START, 'one']);
    move(600);
    store.listed('c', { cursor: 'two', whole: false });
    expect(replica.listing('m', 'c')).toEqual({
      complete: true,
      syncedAt: START + 600,
      reconciledAt: START,
      cursor: 'two',
    });
    move(399);
    expect(store.deltaFrom('c', 1_000)).toBe('two');
    move(1);
    expect(store.deltaFrom('c', 1_000)).toBeNull();
    store.listed('c');
    expect(replica.listing('m', 'c')).toMatchObject({ reconciledAt: START + 1_000, cursor: null });
    store.listed('new', { whole: false });
    expect(replica.listing('m', 'new')?.reconciledAt).toBe(START + 1_000);
    const part = { complete: false, syncedAt: 5, reconciledAt: START + 1_000, cursor: 'x' };
    replica.setListing('m', 'part', part);
    expect([store.heldSince('part'), store.deltaFrom('part', 1_000)]).toEqual([null, null]);
  });

  it('is doubted for a minute after a write of our own, or a confirmation', () => {
    const { store, move } = kept();
    expect([store.wroteAt, store.isOwnWrite('a')]).toEqual([null, false]);
    store.noteOwnWrite('a');
    expect([store.wroteAt, store.isOwnWrite('a'), store.isOwnWrite('b')]).toEqual([
      START,
      true,
      false,
    ]);
    move(60_000);
    expect(store.isOwnWrite('a')).toBe(true);
    move(1);
    expect([store.isOwnWrite('a'), store.wroteAt]).toEqual([false, START]);
    const now = START + 60_001;
    expect(store.isRecent({ checkedAt: now - RECENT_MS + 1 })).toBe(true);
    expect(store.isRecent({ checkedAt: now - RECENT_MS })).toBe(false);
    expect(RECENT_MS).toBe(60_000);
  });
});

describe('a row', () => {
  const route = (pattern: string, more: Partial<Route> = {}): Route => ({
    pattern,
    type: 'file',
    about: '',
    ...more,
  });
  const params = { a: { matches: /^[a-z]+$/, example: 'x' } };

  it('is named by a walk that begins at it, or in its directory', () => {
    const of = route('/x/:a/y.md');
    expect(['/', '/x', '/x/a', '/x/a/y.md'].map((path) => isNamedBy(path, of))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('tells its type and its cost, which may depend on where it is', () => {
    const at = (more: Partial<Route>) => ({ route: route('/:a', more), params: { a: 'b' } });
    expect([typeOf(at({})), typeOf(at({ typeOf: () => 'directory' }))]).toEqual([
      'file',
      'directory',
    ]);
    const costs = [{}, { costly: true }, { costly: false }, { costly: () => true }] as const;
    expect(costs.map((more) => isCostly(at(more)))).toEqual([false, true, false, true]);
    const asked: unknown[] = [];
    isCostly(at({ costly: (given) => asked.push(given) > 9 }));
    expect(asked).toEqual([{ a: 'b' }]);
  });

  it('gives names as they stand in a listing', () => {
    const entries = () => [
      { name: '1', size: 1, mtime: new Date(0) },
      { name: '2', size: 1, mtime: new Date(0), type: 'directory' as const },
    ];
    const child = (more: Partial<Route>) => ({
      route: route('/:a', more),
      literal: null,
      before: 'v',
      after: '.md',
    });
    expect(namesOf(child({ entries }), {})).toEqual([
      { name: 'v1.md', type: 'file' },
      { name: 'v2.md', type: 'directory' },
    ]);
    expect(namesOf(child({ entries, target: () => null }), {})[1]?.type).toBe('symlink');
    expect(namesOf(child({}), {})).toEqual([]);
  });

  it('that makes records is found by its directory', () => {
    const table = new RouteTable(
      [
        route('/new.md', { create: {} as never }),
        route('/:a', { type: 'directory' }),
        route('/:a/:a.md'),
        route('/:a/new.json', { create: {} as never }),
      ],
      params,
    );
    expect(['', '/b', '/b/c', '/B'].map((path) => table.newIn(path))).toEqual([
      'new.md',
      'new.json',
      null,
      null,
    ]);
  });

  it('of links is known for the paths at and below it', () => {
    const rows = [
      route('/mine', { type: 'directory' }),
      route('/mine/:a', { target: () => null }),
      route('/all', { type: 'directory' }),
    ];
    const table = new RouteTable(rows, params);
    const paths = ['/mine', '/mine/b', '/mine/b/c', '/all', '/'];
    expect(paths.map((path) => table.hasLinks(path))).toEqual([false, true, true, false, false]);
    expect(new RouteTable(rows.slice(2), params).hasLinks('/all')).toBe(false);
  });

  it('that is hidden is shown below a path only where that names it', () => {
    const table = new RouteTable(
      [
        route('/a', { type: 'directory' }),
        route('/a/secret', { type: 'directory', hidden: true }),
        route('/a/secret/:a.md'),
        route('/a/:a.md'),
      ],
      params,
    );
    const shown = (path: string) => table.shownUnder(path).map((match) => match.route.pattern);
    expect(shown('/a')).toEqual(['/a', '/a/:a.md']);
    expect(shown('/a/secret')).toEqual(['/a/secret/:a.md']);
    expect(table.under('/a')).toHaveLength(4);
  });
});

describe('files that texts link to', () => {
  const parts = {
    isUpload: ({ hostname }: URL) => hostname === 'up.example',
  };
  const found = (...texts: string[]) => uploadsIn(texts, parts).map(({ name, url }) => [name, url]);

  it.each([
    ['[a.png](https://up.example/f/1234567890)', '12345678-a.png', '/f/1234567890'],
    ['![a b](<https://up.example/f/12>)', '12-a b', '/f/12'],
    ['see https://up.example/f/12.', '12.', '/f/12.'],
    ['(https://up.example/f/12)', '12', '/f/12'],
    ['[](https://up.example/f/12/)', '12', '/f/12/'],
    ['[a/b\\c](https://up.example/f/12)', '12-a b c', '/f/12'],
    ['[x](https://up.example/f/.hidden)', 'hidden-x', '/f/.hidden'],
    ['[x](https://up.example/)', 'file-x', '/'],
    [`[${'x'.repeat(90)}](https://up.example/1)`, `1-${'x'.repeat(80)}`, '/1'],
  ])('%s is a file', (text, name, path) => {
    expect(found(text)).toEqual([[name, `https://up.example${path}`]]);
  });

  it.each([
    'https://other.example/f/1',
    '[x](https://user@up.example/f/1)',
    '[x](https://:pass@up.example/f/1)',
    '[x](http://[)',
    '[x](/f/1)',
    'no link',
  ])('%s is none', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('are each once, and of two with one name the first', () => {
    const one = '[a](https://up.example/1/same)';
    expect(
      found(one, `${one} [a](https://up.example/2/same) [b](https://up.example/2/same)`),
    ).toEqual([['same-a', 'https://up.example/1/same']]);
  });

  function rows(text: string | null, more: object = {}) {
    const replica = new Replica(':memory:', () => new Date(START));
    const fetched: string[] = [];
    const prepared: string[] = [];
    const given: UploadParts = {
      ...parts,
      title: 'Tracker',
      store: new ServiceStore(replica, 'm', () => new Date(START)),
      fetch: async (url) => {
        fetched.push(url);
        return new Uint8Array([0, 255, 7]);
      },
    };
    const [directory, file] = uploadRoutes(given, {
      record: '/:key',
      needs: ['issues'],
      texts: () => (text === null ? [] : [text]),
      prepare: async (_params, purpose) => void prepared.push(purpose),
      ...more,
    }) as [Route, Route];
    return { directory, file, fetched, prepared };
  }
  const link = '[a](https://up.example/12)';

  it('are a directory beside a record that links to one', () => {
    const where = (text: string | null, more?: object) => {
      const { directory } = rows(text, more);
      return [directory.where?.({}), directory.stat?.({}) !== null];
    };
    expect(rows(link).directory).toMatchObject({ pattern: '/:key/attachments', needs: ['issues'] });
    expect(where(link)).toEqual([true, true]);
    expect(where('none')).toEqual([false, false]);
    expect(where(link, { mayLink: () => false })).toEqual([false, true]);
    expect(where(link, { mayLink: () => true })).toEqual([true, true]);
    expect(where('none', { isRecord: () => true })).toEqual([false, true]);
    expect(where(link, { isRecord: () => false })).toEqual([true, false]);
  });

  it('are fetched once, when one is read, and then have their size', async () => {
    const { file, fetched, prepared } = rows(link);
    const params = { file: '12-a' };
    expect([file.costly].flat().map((one) => (one as (of: object) => boolean)(params))).toEqual([
      true,
    ]);
    expect([...(file.entries?.(params) ?? [])]).toEqual([
      { name: '12-a', size: 1, mtime: new Date(0) },
    ]);
    expect(file.read?.(params)).toBeNull();
    await file.prepare?.(params, 'list', 'list');
    await file.prepare?.({ file: 'none' }, 'read', 'list');
    expect(fetched).toEqual([]);
    await file.prepare?.(params, 'read', 'list');
    await file.prepare?.(params, 'read', 'list');
    expect(fetched).toEqual(['https://up.example/12']);
    expect(prepared).toEqual(['list', 'read', 'read', 'read']);
    const content = file.read?.(params);
    expect([content?.text, [...(content?.bytes ?? [])]]).toEqual(['', [0, 255, 7]]);
    expect(file.stat?.(params)).toEqual({ size: 3, mtime: new Date(0) });
    expect([file.stat?.({ file: 'none' }), file.read?.({ file: 'none' })]).toEqual([null, null]);
    const costly = file.costly as (of: object) => boolean;
    expect([costly(params), costly({ file: 'none' })]).toEqual([false, false]);
  });
});
