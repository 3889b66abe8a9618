/** What is held of a service's resources is brought in step by listings, and by name where these do not reach. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ServiceFailure } from '../client/failure.ts';
import { RECENT_MS } from '../table/service-store.ts';
import { type ResourceSpec, resource } from './definition.ts';
import { FRESH_MS, opened, RECONCILE_MS } from './testing.ts';

const schema = z.object({ id: z.string(), title: z.string().default('') });
type Note = z.infer<typeof schema>;

/** A service of notes by their ids, and what it was asked. */
function made(more: Partial<ResourceSpec<Note, never>> = {}) {
  const there = new Map<string, Note>();
  const asked: string[] = [];
  const client = { usage: () => ({ requests: 0, bytes: 0 }), send: async () => null };
  const notes = resource<Note, never>('notes', {
    about: 'a note',
    path: '/notes/:id.md',
    schema,
    key: ({ id }) => id,
    text: ({ title }) => `${title}\n`,
    list: async () => {
      asked.push('all');
      return [...there.values()];
    },
    get: async (id) => {
      asked.push(id);
      const data = there.get(id);
      return data === undefined ? null : { data };
    },
    table: { about: 'all notes', columns: [['id', ({ id }) => id]] },
    ...more,
  });
  const put = (...ids: string[]): void => {
    for (const id of ids) there.set(id, { id, title: id });
  };
  const params = { id: { matches: /^\w+$/, example: 'a' } };
  const at = opened(client, { params, resources: [notes] });
  const files = async (): Promise<string[]> =>
    (await at.names('/notes')).filter((name) => name.endsWith('.md'));
  return { ...at, there, asked, put, files };
}

describe('a whole listing', () => {
  test('is asked once while it is fresh, and tells of each record whether it is there', async () => {
    const { asked, files, mount, move, put, text } = made();
    put('a', 'b');
    expect(await files()).toEqual(['a.md', 'b.md']);
    expect(await text('/notes/a.md')).toBe('a\n');
    expect(await text('/notes/index.tsv')).toBe('id\na\nb\n');
    await expect(mount.read('/notes/none.md')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked).toEqual(['all']);
    move(FRESH_MS - 1);
    await files();
    expect(asked).toEqual(['all']);
    move(FRESH_MS);
    put('c');
    expect(await files()).toEqual(['a.md', 'b.md', 'c.md']);
    expect(asked).toEqual(['all', 'all']);
  });

  test('lacks what is gone: what was confirmed lately is asked for by itself, since a listing may lag', async () => {
    const { asked, files, move, put, there } = made();
    put('a', 'b');
    await files();
    there.delete('b');
    move(FRESH_MS + 1);
    expect(await files()).toEqual(['a.md']);
    expect(asked).toEqual(['all', 'all', 'b']);
    there.delete('a');
    move(RECENT_MS + 1);
    expect(await files()).toEqual([]);
    expect(asked).toEqual(['all', 'all', 'b', 'all']);
  });

  test('that lacks too many to ask for each leaves the others to the next one', async () => {
    const { asked, files, move, put, there } = made();
    put(...Array.from({ length: 27 }, (_, at) => `n${at}`));
    await files();
    there.clear();
    move(FRESH_MS + 1);
    expect(await files()).toHaveLength(2);
    expect(asked).toHaveLength(2 + 25);
    move(FRESH_MS + 1);
    expect(await files()).toEqual([]);
    expect(asked).toHaveLength(2 + 25 + 1 + 2);
  });
});

describe('a listing of what came since', () => {
  test('goes on from its cursor, and tells of what is gone once it is asked for all', async () => {
    const since: (string | null)[] = [];
    const at = made({
      list: async (_, cursor) => {
        since.push(cursor);
        return {
          rows: cursor === null ? [...at.there.values()] : [],
          cursor: `c${since.length}`,
        };
      },
    });
    at.put('a', 'b');
    expect(await at.files()).toEqual(['a.md', 'b.md']);
    at.there.delete('b');
    at.move(FRESH_MS + 1);
    expect(await at.files()).toEqual(['a.md', 'b.md']);
    at.move(FRESH_MS + 1);
    await at.files();
    expect(since).toEqual([null, 'c1', 'c2']);
    at.move(RECONCILE_MS);
    expect(await at.files()).toEqual(['a.md']);
    expect(since).toEqual([null, 'c1', 'c2', null]);
  });
});

describe('a listing of a part', () => {
  const part: Partial<ResourceSpec<Note, never>> = {
    list: async () => ({
      rows: [{ id: 'new', title: 'listed' }],
      lacking: 'only the newest',
      covers: () => false,
    }),
  };

  test('says what it lacks where all are read, and asks for what is named by itself', async () => {
    const { asked, files, mount, notices, put, text } = made(part);
    put('new', 'old');
    expect(await files()).toEqual(['new.md']);
    expect(await text('/notes/old.md')).toBe('old\n');
    expect(await text('/notes/new.md')).toBe('listed\n');
    expect(asked).toEqual(['old']);
    await expect(mount.read('/notes/none.md')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked).toEqual(['old', 'none']);
    notices.length = 0;
    expect(await text('/notes/index.tsv')).toBe('id\nnew\nold\n');
    expect(notices).toEqual(['notes: incomplete, only the newest']);
  });

  test('leaves what was asked for by itself, until that is gone', async () => {
    const { asked, mount, move, put, text, there } = made(part);
    put('old');
    await text('/notes/old.md');
    move(FRESH_MS + 1);
    there.set('old', { id: 'old', title: 'changed' });
    expect(await text('/notes/old.md')).toBe('changed\n');
    there.delete('old');
    move(FRESH_MS + 1);
    await expect(mount.read('/notes/old.md')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked).toEqual(['old', 'old', 'old']);
  });
});

test('a record that is asked for by itself is asked for by its ETag, and is as it was where it is unchanged', async () => {
  const etags: (string | null)[] = [];
  const { move, text } = made({
    list: undefined,
    get: async (id, _scope, etag) => {
      etags.push(etag);
      return etag === '"1"'
        ? { data: undefined, unchanged: true }
        : { data: { id, title: 'one' }, etag: '"1"' };
    },
  });
  expect(await text('/notes/a.md')).toBe('one\n');
  move(FRESH_MS + 1);
  expect(await text('/notes/a.md')).toBe('one\n');
  await text('/notes/a.md');
  expect(etags).toEqual([null, '"1"']);
});

test('where the service is down, what is held is served and that is said; what is not held fails', async () => {
  let down = false;
  const { mount, move, notices, text } = made({
    list: undefined,
    get: async (id) => {
      if (down) throw new ServiceFailure('server', 'the service is down');
      return { data: { id, title: 'held' } };
    },
  });
  await text('/notes/a.md');
  down = true;
  move(FRESH_MS + 1);
  expect(await text('/notes/a.md')).toBe('held\n');
  expect(notices.join()).toContain('the service is down');
  await expect(mount.read('/notes/b.md')).rejects.toMatchObject({ code: 'EIO' });
});
