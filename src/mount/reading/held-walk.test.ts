/** What a walk over what is held remembers, and what it does not. */
import { afterEach, describe, expect, it } from 'vitest';
import { openChangeJournal } from '../../changes/index.ts';
import { openReplica } from '../../replica/index.ts';
import type { Identity, WalkedFile } from '../contract/walked-file.ts';
import type { ServiceDefinition } from '../service/opening.ts';
import { openServiceMount } from '../service/opening.ts';
import type { ServiceMount } from '../service/service-mount.ts';
import type { Params, Route } from '../table/route.ts';
import { ServiceStore } from '../table/service-store.ts';

const replica = openReplica(':memory:');
const changes = openChangeJournal(':memory:');
let time = Date.parse('2025-01-01T00:00:00Z');
/** How often a text was rendered since the last look. */
let rendered: string[] = [];
let fetched: string[] = [];
let listedNow = true;

afterEach(() => {
  rendered = [];
  fetched = [];
  listedNow = true;
});

type Table = ReturnType<ServiceDefinition<{ usage(): never }, ServiceStore>['table']>;

/** Shelves with notes: `/NAME/NUMBER.md`; `when.md` tells the time, and `out/` is in no listing. */
function tableOf(store: ServiceStore, now: () => Date, ofRecords: boolean): Table {
  const { replica: held, mount } = store;
  const shelf = (params: Params) => `notes:${params['shelf']}`;
  const row = (pattern: string, more: Partial<Route> = {}): Route => ({
    pattern,
    type: 'directory',
    about: '',
    ...more,
  });
  const text = (params: Params, content: string) => {
    rendered.push(Object.values(params).join('/'));
    return { text: content, version: '', mtime: new Date(0) };
  };
  return {
    about: '',
    hints: [],
    ofRecords,
    params: {
      shelf: { matches: /^[a-z]+$/, example: 'shelf' },
      number: { matches: /^\d+$/, example: '12' },
    },
    collections: {
      notes: {
        scope: ['shelf'],
        heldSince: (params) => store.heldSince(shelf(params)),
        sync: async (params) => {
          fetched.push(shelf(params));
          store.listed(shelf(params));
        },
      },
    },
    routes: [
      row('/:shelf', {
        prepare: async () => undefined,
        listed: () => listedNow,
        entries: () =>
          held
            .heads(mount, 'shelves')
            .map(({ key: name }) => ({ name, size: 1, mtime: new Date(0) })),
        stat: ({ shelf: name = '' }) =>
          held.head(mount, 'shelves', name) === null ? null : { size: 1, mtime: new Date(0) },
      }),
      row('/:shelf/:number.md', {
        type: 'file',
        needs: ['notes'],
        entries: (params) =>
          held
            .heads(mount, shelf(params))
            .map(({ key: name }) => ({ name, size: 1, mtime: new Date(0) })),
        read: (params) => {
          const found = held.get(mount, shelf(params), params['number'] ?? '');
          return found === null ? null : text(params, String(found.value));
        },
      }),
      row('/:shelf/when.md', {
        type: 'file',
        needs: ['notes'],
        read: (params) => text(params, now().toISOString()),
      }),
      row('/:shelf/out', { hidden: true }),
      row('/:shelf/out/:number.md', {
        type: 'file',
        prepare: async () => undefined,
        entries: () => [],
      }),
    ],
  };
}

function mountOf(ofRecords = true): ServiceMount {
  const usage = () => ({ requests: 0, bytes: 0 });
  return openServiceMount(
    { replica, changes, stage: false, now: () => new Date(time), onNotice: () => undefined },
    {
      kind: 'notes',
      title: 'Notes',
      client: () => ({ usage }),
      store: (...given) => new ServiceStore(...given),
      table: ({ store, now }) => tableOf(store, now, ofRecords),
    },
  );
}

function put(collection: string, key: string, value: unknown): void {
  replica.upsert('notes', collection, { key, updatedAt: '', size: 1, path: null, value });
}

const filesOf = (mount: ServiceMount, path: string): WalkedFile[] => [...(mount.walk(path) ?? [])];

/** What each file has for an identity without being read, by its path. */
function identities(mount: ServiceMount): Map<string, Identity | null> {
  return new Map(filesOf(mount, '/').map((file) => [file.path, file.identity()]));
}

function readAll(mount: ServiceMount): void {
  for (const file of filesOf(mount, '/')) file.identified();
  rendered = [];
}

describe('a walk over what is held', () => {
  it('begins at the root once every directory that says what is meant is held', async () => {
    const mount = mountOf();
    put('shelves', 'a', 1);
    put('shelves', 'b', 1);
    put('notes:a', '1', 'first');
    expect(mount.walk('/')).toBeNull();
    await mount.prefetch('/a');
    expect(mount.walk('/')).toBeNull();
    await mount.prefetch('/');
    expect(fetched).toEqual(['notes:a', 'notes:b']);
    const paths = ['/README.md', '/a/1.md', '/a/when.md', '/b/when.md'];
    expect(filesOf(mount, '/').map(({ path }) => path)).toEqual(paths);
    listedNow = false;
    expect(mount.walk('/')).toBeNull();
    expect(filesOf(mount, '/a').map(({ path }) => path)).toEqual(['/a/1.md', '/a/when.md']);
  });

  it('knows a text until its record changes; what tells the time, and the mount itself, never', async () => {
    const mount = mountOf();
    put('notes:a', '2', 'second');
    await mount.prefetch('/');
    readAll(mount);
    const before = identities(mount);
    const known = [...before].filter(([, identity]) => identity !== null).map(([path]) => path);
    expect(known).toEqual(['/a/1.md', '/a/2.md']);
    expect(identities(mount)).toEqual(before);
    expect(rendered).toEqual([]);
    put('notes:a', '2', 'another');
    put('notes:b', '3', 'third');
    const after = identities(mount);
    expect([...after.keys()]).toEqual([...before.keys(), '/b/3.md'].sort());
    expect(after.get('/a/1.md')).toBe(before.get('/a/1.md'));
    expect(after.get('/a/2.md')).toBeNull();
    put('notes:a', '2', 'second');
    readAll(mount);
    // The same text as once before: nothing says so.
    expect(identities(mount).get('/a/2.md')).not.toEqual(before.get('/a/2.md'));
  });

  it('has no identities where the service does not say that all it shows is of records', async () => {
    const mount = mountOf(false);
    await mount.prefetch('/');
    readAll(mount);
    expect([...identities(mount).values()].filter((identity) => identity !== null)).toEqual([]);
    expect(filesOf(mount, '/').some(({ identifiable }) => identifiable)).toBe(false);
  });

  it('knows nothing of a text over which a change is staged', async () => {
    const mount = mountOf();
    await mount.prefetch('/');
    readAll(mount);
    expect(identities(mount).get('/a/1.md')).not.toBeNull();
    const { id } = changes.begin({ mount: 'notes', path: '/a/1.md', op: 'update', mine: 'mine' });
    changes.update(id, { state: 'pending' });
    expect(identities(mount).get('/a/1.md')).toBeNull();
    const [staged] = filesOf(mount, '/a');
    expect(Buffer.from(staged?.bytes() ?? []).toString()).toBe('mine');
    changes.update(id, { state: 'dropped' });
    expect(identities(mount).get('/a/1.md')).not.toBeNull();
    time += 1;
  });
});
