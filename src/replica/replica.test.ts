import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReplica, type Replica } from './index.ts';
import { REPLICA_MIGRATIONS } from './schema.ts';

let directory: string;
const open: Replica[] = [];

function replica(): Replica {
  const made = openReplica(join(directory, 'replica.sqlite'));
  open.push(made);
  return made;
}

function record(key: string, value: unknown, updatedAt = '2025-01-01T00:00:00Z') {
  return { key, updatedAt, size: 10, path: `/${key}.md`, value };
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-replica-'));
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
  rmSync(directory, { recursive: true });
});

describe('the replica', () => {
  it('keeps everything over a restart, and shows it to another process', () => {
    const one = replica();
    one.upsert('m', 'c', record('a', { title: 'x', unknown: [1] }));
    one.setListing('m', 'c', { complete: true, syncedAt: 5, reconciledAt: 4, cursor: 'z' });
    one.setValidator('m', '/u', '"etag"');
    const two = replica();
    expect(two.get('m', 'c', 'a')?.value).toEqual({ title: 'x', unknown: [1] });
    expect(two.listing('m', 'c')).toEqual({
      complete: true,
      syncedAt: 5,
      reconciledAt: 4,
      cursor: 'z',
    });
    expect(two.validator('m', '/u')).toBe('"etag"');
    two.upsert('m', 'c', record('b', 1));
    expect(one.heads('m', 'c').map(({ key }) => key)).toEqual(['a', 'b']);
    expect(one.get('other', 'c', 'a')).toBeNull();
  });

  it('gives a version that differs when the content does, within one second too', () => {
    const one = replica();
    expect(one.upsert('m', 'c', record('a', 1))).toBe(true);
    const before = one.get('m', 'c', 'a')?.version;
    expect(one.upsert('m', 'c', record('a', 1))).toBe(false);
    expect(one.upsert('m', 'c', record('a', 2))).toBe(true);
    expect(one.get('m', 'c', 'a')?.version).not.toBe(before);
  });

  it('takes a record that nobody confirmed for as old as it was', () => {
    const one = replica();
    one.upsert('m', 'c', { ...record('a', 1), checkedAt: 5 });
    expect(one.head('m', 'c', 'a')?.checkedAt).toBe(5);
    one.upsert('m', 'c', { ...record('a', 2), checkedAt: 5 });
    expect(one.get('m', 'c', 'a')).toMatchObject({ value: 2, checkedAt: 5 });
    one.upsert('m', 'c', record('a', 2));
    expect(one.head('m', 'c', 'a')?.checkedAt).toBeGreaterThan(5);
  });

  it('tells of no path as gone that another record has by now', () => {
    const one = replica();
    one.upsert('m', 'before', record('a', 1));
    one.upsert('m', 'after', record('a', 2));
    one.removeCollection('m', 'before');
    expect(one.feed('m', 0)).toMatchObject([{ path: '/a.md', op: 'upsert' }]);
    one.removeCollection('m', 'after');
    expect(one.feed('m', 0)).toMatchObject([{ path: '/a.md', op: 'delete' }]);
  });

  it('feeds the latest step of each path, in order, to whoever asks from where', () => {
    const one = replica();
    one.upsert('m', 'c', record('a', 1));
    one.upsert('m', 'c', record('b', 1));
    one.upsert('m', 'c', record('a', 2));
    expect(one.feed('m', 0).map(({ path, op }) => `${op} ${path}`)).toEqual([
      'upsert /b.md',
      'upsert /a.md',
    ]);
    const seq = one.feed('m', 0).at(-1)?.seq ?? 0;
    one.upsert('m', 'c', record('a', 2));
    expect(one.feed('m', seq)).toEqual([]);
    one.upsert('m', 'c', { ...record('a', 2), path: '/moved.md' });
    one.remove('m', 'c', 'b');
    expect(one.feed('m', seq).map(({ path, op }) => `${op} ${path}`)).toEqual([
      'delete /a.md',
      'upsert /moved.md',
      'delete /b.md',
    ]);
  });

  it('does all of a transaction or none of it', () => {
    const one = replica();
    expect(() =>
      one.transaction(() => {
        one.upsert('m', 'c', record('a', 1));
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(one.heads('m', 'c')).toEqual([]);
    expect(one.feed('m', 0)).toEqual([]);
  });

  it('refuses a file of a newer program, and leaves it as it is', () => {
    const file = join(directory, 'newer.sqlite');
    const database = new DatabaseSync(file);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => openReplica(file)).toThrow('schema version 99');
  });

  it('names a file that is broken, or of another schema, and what to do about it', () => {
    const garbage = join(directory, 'garbage.sqlite');
    writeFileSync(garbage, 'no database, and longer than the header of one: '.repeat(20));
    expect(() => openReplica(garbage)).toThrow(/garbage\.sqlite cannot be used .*remove it/);
    const other = join(directory, 'other.sqlite');
    const database = new DatabaseSync(other);
    database.exec('CREATE TABLE records (x)');
    database.close();
    expect(() => openReplica(other)).toThrow(/other\.sqlite cannot be used .*remove it/);
  });
});

describe('what was read of the replica', () => {
  /** What a piece of work read, and a question whether it would be the same now. */
  const watched = (one: Replica, work: () => unknown) => {
    const since = one.revision() ?? -1;
    const { reads } = one.watch(work);
    return () => reads !== null && one.revision() !== null && one.holds(reads, since);
  };

  it('holds until a record changes that it is of, whichever process changes it', () => {
    const [one, two] = [replica(), replica()];
    const put = (by: Replica, key: string, value: unknown, tag: string) =>
      by.upsert('m', 'c', { ...record(key, value), tag });
    put(one, 'a', 1, 'x');
    put(one, 'b', 1, 'y');
    const all = () => ({
      a: watched(one, () => one.get('m', 'c', 'a')),
      b: watched(one, () => one.head('m', 'c', 'b')),
      missing: watched(one, () => one.get('m', 'c', 'z')),
      x: watched(one, () => one.heads('m', 'c', 'x')),
      y: watched(one, () => one.all('m', 'c', 'y')),
      whole: watched(one, () => one.heads('m', 'c')),
      other: watched(one, () => one.heads('m', 'd')),
    });
    const changed = (before: ReturnType<typeof all>) =>
      Object.entries(before).flatMap(([name, holds]) => (holds() ? [] : [name]));
    for (const by of [one, two]) {
      let before = all();
      put(by, 'a', 1, 'x');
      by.touch('m', 'c', 'b');
      by.setListing('m', 'c', { complete: true, syncedAt: 5, reconciledAt: 4, cursor: 'z' });
      expect(changed(before)).toEqual([]);
      put(by, 'a', 2, 'x');
      expect(changed(before)).toEqual(['a', 'x', 'whole']);
      before = all();
      put(by, 'a', 3, 'y');
      expect(changed(before)).toEqual(['a', 'x', 'y', 'whole']);
      before = all();
      put(by, 'z', 1, 'x');
      expect(changed(before)).toEqual(['missing', 'x', 'whole']);
      before = all();
      by.remove('m', 'c', 'z');
      expect(changed(before)).toEqual(['missing', 'x', 'whole']);
      put(by, 'a', 1, 'x');
    }
  });

  it('is not known within a transaction, or of more than records', () => {
    const one = replica();
    one.upsert('m', 'c', record('a', 1));
    const holds = watched(one, () => one.get('m', 'c', 'a'));
    expect(() =>
      one.transaction(() => {
        one.upsert('m', 'c', record('a', 2));
        expect(one.revision()).toBeNull();
        throw new Error('taken back');
      }),
    ).toThrow('taken back');
    expect(holds()).toBe(true);
    expect(one.watch(() => one.listing('m', 'c')).reads).toBeNull();
    expect(one.watch(() => one.noteMore()).reads).toBeNull();
  });

  it('of a file that an earlier program made is followed from then on', () => {
    const file = join(directory, 'replica.sqlite');
    const database = new DatabaseSync(file);
    database.exec(`${REPLICA_MIGRATIONS[0]}; PRAGMA user_version = 1`);
    database.exec("INSERT INTO records VALUES ('m', 'c', 'a', '', 'v', '', 1, NULL, 1, '1')");
    const one = replica();
    const holds = watched(one, () => one.get('m', 'c', 'a'));
    expect(holds()).toBe(true);
    // It is still running.
    database.exec(
      "INSERT OR REPLACE INTO records VALUES ('m', 'c', 'a', '', 'w', '', 1, NULL, 1, '2')",
    );
    expect(holds()).toBe(false);
    database.close();
  });
});
