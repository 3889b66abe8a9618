/** What a replica tells of what it holds, and what processes leave there for each other. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from './database.ts';
import { type RecordInput, Replica } from './replica.ts';
import type { UnderWay } from './underway.ts';

const START = Date.parse('2026-01-31T10:00:00Z');

function open() {
  let time = START;
  const replica = new Replica(':memory:', () => new Date(time));
  onTestFinished(() => replica.close());
  const put = (key: string, more: Partial<RecordInput> = {}, collection = 'c', mount = 'm') =>
    replica.upsert(mount, collection, {
      key,
      updatedAt: '2025-01-01T00:00:00Z',
      size: 10,
      path: `/${key}.md`,
      value: { key },
      ...more,
    });
  const list = (collection: string, mount = 'm') =>
    replica.setListing(mount, collection, {
      complete: false,
      syncedAt: 1,
      reconciledAt: 2,
      cursor: null,
    });
  const move = (ms: number) => {
    time += ms;
  };
  const steps = (after = 0) => replica.feed('m', after).map(({ op, path }) => `${op} ${path}`);
  return { replica, put, list, move, steps };
}

describe('a record', () => {
  it('is told whole, or without its value; what is not held is nothing', () => {
    const { replica, put } = open();
    put('a', { tag: 't', size: 0, value: { n: 2n ** 60n, list: [1] } });
    const head = {
      key: 'a',
      tag: 't',
      version: expect.stringMatching(/^2025-01-01T00:00:00Z~[0-9a-f]{10}$/),
      updatedAt: '2025-01-01T00:00:00Z',
      size: 1,
      path: '/a.md',
      checkedAt: START,
    };
    const whole = { ...head, value: { n: String(2n ** 60n), list: [1] } };
    expect(replica.head('m', 'c', 'a')).toEqual(head);
    expect(replica.get('m', 'c', 'a')).toEqual(whole);
    expect(replica.heads('m', 'c')).toEqual([head]);
    expect(replica.all('m', 'c', 't')).toEqual([whole]);
    expect(replica.all('m', 'c', 'other')).toEqual([]);
    for (const [mount, collection, key] of [
      ['n', 'c', 'a'],
      ['m', 'd', 'a'],
      ['m', 'c', 'b'],
    ] as const) {
      expect(replica.head(mount, collection, key)).toBeNull();
      expect(replica.get(mount, collection, key)).toBeNull();
    }
    put('plain', { path: null });
    expect(replica.head('m', 'c', 'plain')).toMatchObject({ tag: '', path: null });
  });

  it('that is confirmed unchanged is younger, and no step of the feed', () => {
    const { replica, put, move, steps } = open();
    expect(put('a')).toBe(true);
    move(5);
    expect(put('a')).toBe(false);
    expect(replica.head('m', 'c', 'a')?.checkedAt).toBe(START + 5);
    move(5);
    replica.touch('m', 'c', 'a');
    expect(replica.head('m', 'c', 'a')?.checkedAt).toBe(START + 10);
    put('a', { checkedAt: 7 });
    expect(replica.head('m', 'c', 'a')?.checkedAt).toBe(7);
    expect(steps()).toEqual(['upsert /a.md']);
  });

  it('that changed, moved or went is told so once, at its latest step', () => {
    const { replica, put, steps } = open();
    put('a');
    put('b');
    expect(put('a', { value: 1 })).toBe(true);
    expect(steps()).toEqual(['upsert /b.md', 'upsert /a.md']);
    put('a', { value: 1, path: '/moved.md' });
    expect(steps(3)).toEqual(['delete /a.md', 'upsert /moved.md']);
    put('a', { value: 1, path: null });
    expect(steps(5)).toEqual(['delete /moved.md']);
    expect(replica.remove('m', 'c', 'b')).toBe(true);
    expect(replica.remove('m', 'c', 'b')).toBe(false);
    expect(replica.remove('m', 'c', 'a')).toBe(true);
    expect(steps(6)).toEqual(['delete /b.md']);
    const [first] = replica.feed('m', 0, 1);
    expect(replica.feed('m', 0, 1)).toEqual([first]);
    expect(first?.version).toMatch(/~/);
  });

  it('is found by what is newer, by its path, and forgotten at it', () => {
    const { replica, put, steps } = open();
    put('old', { updatedAt: '2025-01-01' });
    put('new', { updatedAt: '2025-01-02' });
    put('new', { path: null }, 'other');
    expect(replica.newerThan('m', 'c', '2025-01-01').map(({ key }) => key)).toEqual(['new']);
    expect(replica.paths('m').map(({ path }) => path)).toEqual(['/new.md', '/old.md']);
    replica.removeAt('m', '/old.md');
    replica.removeAt('m', '/none.md');
    expect(replica.heads('m', 'c').map(({ key }) => key)).toEqual(['new']);
    expect(steps(2)).toEqual(['delete /old.md']);
  });

  it('whose text changed with what it refers to is announced, alone or with its collection', () => {
    const { replica, put, steps } = open();
    for (const key of ['a', 'b']) put(key);
    put('bare', { path: null });
    replica.announce('m', 'c', 'a');
    replica.announce('m', 'c', 'none');
    expect(steps(2)).toEqual(['upsert /a.md']);
    replica.announce('m', 'c');
    expect(steps(3).sort()).toEqual(['upsert /a.md', 'upsert /b.md']);
  });
});

describe('a collection', () => {
  it('is told by its beginning where it was listed, or holds something', () => {
    const { replica, put, list } = open();
    for (const name of ['issues/a', 'issues/b', 'pulls/a']) list(name);
    list('issues/z', 'other');
    put('x', {}, 'issues/c');
    expect(replica.listed('m', 'issues/').sort()).toEqual(['issues/a', 'issues/b']);
    expect(replica.collections('m', 'issues/')).toEqual(['issues/a', 'issues/b', 'issues/c']);
    expect(replica.collections('m', '')).toHaveLength(4);
    expect(replica.listing('m', 'issues/a')).toEqual({
      complete: false,
      syncedAt: 1,
      reconciledAt: 2,
      cursor: null,
    });
    expect(replica.listing('m', 'issues/c')).toBeNull();
  });

  it('is forgotten with its listing, and with what is under way of it', () => {
    const { replica, put, list, steps } = open();
    put('a');
    put('b', {}, 'd');
    list('c');
    replica.underWay.takeUp('m', 'c', () => way());
    replica.removeCollection('m', 'c');
    expect(replica.collections('m', '')).toEqual(['d']);
    expect(replica.underWay.get('m', 'c')).toBeNull();
    expect(steps(2)).toEqual(['delete /a.md']);
  });

  it('has validators by address', () => {
    const { replica } = open();
    replica.setValidator('m', '/u', 'one');
    replica.setValidator('m', '/u', 'two');
    expect([replica.validator('m', '/u'), replica.validator('n', '/u')]).toEqual(['two', null]);
    replica.setValidator('m', '/u', null);
    expect(replica.validator('m', '/u')).toBeNull();
  });
});

describe('what is held of a mount', () => {
  it('is told with its number and when it was confirmed last', () => {
    const { replica, put, list, move } = open();
    expect([replica.holdsAny('m'), replica.held()]).toEqual([false, []]);
    list('c', 'listed');
    put('a');
    move(1_000);
    put('b');
    put('x', {}, 'c', 'other');
    expect(replica.held()).toEqual([
      { mount: 'm', records: 2, confirmedAt: '2026-01-31T10:00:01.000Z' },
      { mount: 'other', records: 1, confirmedAt: '2026-01-31T10:00:01.000Z' },
    ]);
    expect(['m', 'listed', 'none'].map((mount) => replica.holdsAny(mount))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('goes to another name as a whole, or not at all where that holds something', () => {
    const { replica, put, list } = open();
    const fill = () => {
      put('a');
      list('c');
      replica.setValidator('m', '/u', 'etag');
      replica.underWay.takeUp('m', 'c', () => way({ owner: 'me' }));
    };
    fill();
    replica.adopt('m', 'n');
    expect(replica.holdsAny('m')).toBe(false);
    expect(replica.get('n', 'c', 'a')?.value).toEqual({ key: 'a' });
    expect(replica.feed('n', 0)).toHaveLength(1);
    expect(replica.validator('n', '/u')).toBe('etag');
    expect(replica.listing('n', 'c')).not.toBeNull();
    expect(replica.underWay.get('n', 'c')?.owner).toBeNull();
    fill();
    put('b');
    replica.adopt('m', 'n');
    expect([replica.holdsAny('m'), replica.feed('m', 0)]).toEqual([false, []]);
    expect(replica.heads('n', 'c').map(({ key }) => key)).toEqual(['a']);
    expect([replica.underWay.all('m'), replica.validator('m', '/u')]).toEqual([[], null]);
  });

  it('has a stamp that changes with every change but that of a look, and none in a transaction', () => {
    const { replica, put, list } = open();
    const stamps = [replica.stamp()];
    const afterwards = (change: () => unknown) => {
      change();
      stamps.push(replica.stamp());
    };
    afterwards(() => put('a'));
    afterwards(() => list('c'));
    expect(new Set(stamps).size).toBe(3);
    const [last] = stamps.slice(-1);
    replica.probes.read('m', new Map([['s', 1]]), 10);
    replica.probes.take('m', 100);
    expect(replica.stamp()).toBe(last);
    expect(replica.transaction(() => replica.stamp())).toBeNull();
    expect(replica.transaction(() => replica.revision())).toBeNull();
  });

  it('was read by a piece of work that is watched, and by the one around it', () => {
    const { replica, put } = open();
    put('a');
    const { result, reads } = replica.watch(() => {
      replica.head('m', 'c', 'a');
      replica.heads('m', 'c', 't');
      return replica.newerThan('m', 'd', '').length;
    });
    expect([result, reads]).toEqual([0, ['m\0c\0ka', 'm\0c\0tt', 'm\0d']]);
    const looks: (() => unknown)[] = [
      () => replica.listed('m', ''),
      () => replica.collections('m', ''),
      () => replica.paths('m'),
      () => replica.listing('m', 'c'),
      () => replica.validator('m', '/u'),
      () => replica.feed('m', 0),
      () => replica.underWay.all('m'),
      () => replica.underWay.get('m', 'c'),
      () => replica.watch(() => undefined),
    ];
    for (const look of looks) expect(replica.watch(look).reads).toBeNull();
    const failing = () =>
      replica.watch(() => {
        throw new Error('x');
      });
    expect(failing).toThrow('x');
    replica.noteMore();
    expect(replica.watch(() => 1).reads).toEqual([]);
  });
});

function way(more: Partial<UnderWay> = {}): UnderWay {
  const what = 'issues a';
  const nothing = { cursor: null, records: 0, pages: 0, total: null, owner: null };
  return { what, beganAt: START, touchedAt: START, ...nothing, ...more };
}

describe('a listing that is under way', () => {
  it('is taken up as whoever takes it chooses, kept by its owner alone, and left for others', () => {
    const { underWay } = open().replica;
    expect(underWay.takeUp('m', 'c', (found) => (found === null ? null : way()))).toBeNull();
    expect(underWay.all('m')).toEqual([]);
    const mine = way({ owner: 'me' });
    expect(underWay.takeUp('m', 'c', () => mine)).toEqual(mine);
    const on = { ...mine, cursor: '2', records: 3, pages: 4, total: 5, touchedAt: START + 1 };
    expect(underWay.keep('m', 'c', { ...on, owner: 'you' })).toBe(false);
    expect(underWay.get('m', 'c')).toEqual(mine);
    expect(underWay.keep('m', 'c', on)).toBe(true);
    expect(underWay.takeUp('m', 'c', (found) => found)).toEqual(on);
    underWay.leave('m', 'c', 'you');
    expect(underWay.get('m', 'c')?.owner).toBe('me');
    underWay.leave('m', 'c', 'me');
    expect(underWay.get('m', 'c')).toEqual({ ...on, owner: null });
    underWay.takeUp('m', 'b', () => mine);
    underWay.takeUp('n', 'b', () => mine);
    expect(underWay.all('m').map(({ owner }) => owner)).toEqual(['me', null]);
    underWay.leaveAll('m');
    expect(underWay.all('m').map(({ owner }) => owner)).toEqual([null, null]);
    underWay.end('m', 'b');
    expect([underWay.all('m').length, underWay.all('n')]).toEqual([1, [mine]]);
  });
});

describe('accounts', () => {
  it('are remembered of credentials that have entered, in the order in which they came', () => {
    const { accounts } = open().replica;
    expect(accounts.enter('tracker', 'two')).toEqual(['two']);
    expect(accounts.enter('tracker', 'one')).toEqual(['two', 'one']);
    expect(accounts.enter('tracker', 'two')).toEqual(['two', 'one']);
    expect(accounts.enter('other', 'two')).toEqual(['two']);
    expect(accounts.of('tracker', 'one')).toBeNull();
    expect(accounts.sameAs('tracker', 'one')).toEqual([]);
    for (const one of ['one', 'two']) accounts.remember('tracker', one, 'ada');
    accounts.remember('tracker', 'never came', 'ada');
    expect(accounts.of('tracker', 'one')).toBe('ada');
    expect([accounts.of('other', 'two'), accounts.of('tracker', 'never came')]).toEqual([
      null,
      null,
    ]);
    expect(accounts.sameAs('tracker', 'one').sort()).toEqual(['one', 'two']);
  });
});

describe('looking for changes', () => {
  const read = (...subjects: [string, number][]) => new Map(subjects);

  it('is somebody’s turn once it is time, and one process’s alone', () => {
    const { probes } = open().replica;
    expect([probes.turn('m'), probes.take('m', 5)]).toEqual([null, false]);
    probes.read('m', read(['a', 120], ['b', 100]), 50);
    expect(probes.turn('m')).toEqual({
      nextAt: 150,
      interval: 50,
      readAt: 100,
      spent: 0,
      windowAt: 100,
    });
    expect([149, 150, 151, 60_149].map((now) => probes.take('m', now))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    // Whoever had it and ended in it holds up nobody any longer.
    expect(probes.take('m', 60_150)).toBe(true);
    probes.done('m', { nextAt: 70_000, interval: 9, spent: 2, windowAt: 3 });
    expect(probes.turn('m')).toEqual({
      nextAt: 70_000,
      interval: 9,
      readAt: 100,
      spent: 2,
      windowAt: 3,
    });
    expect([69_999, 70_000].map((now) => probes.take('m', now))).toEqual([false, true]);
  });

  it('comes sooner where something was read, and never before the round that was', () => {
    const { probes } = open().replica;
    probes.read('m', read(['a', 100]), 50);
    probes.read('m', read(['a', 90]), 80);
    expect(probes.turn('m')).toMatchObject({ nextAt: 150, interval: 50, readAt: 100 });
    probes.read('m', read(['a', 110]), 20);
    expect(probes.turn('m')).toMatchObject({ nextAt: 130, interval: 20, readAt: 110 });
    probes.take('m', 200);
    probes.done('m', { nextAt: 1_000, interval: 500, spent: 0, windowAt: 0 });
    probes.read('m', read(['a', 150]), 30);
    expect(probes.turn('m')).toMatchObject({ nextAt: 230, interval: 30, readAt: 150 });
  });

  it('is for what was read within a day, the latest first, and tells what changed since', () => {
    const day = 86_400_000;
    const { probes } = open().replica;
    probes.read('m', read(['old', 1], ['a', 2], ['b', 3]), 10);
    const names = (now: number, most = 9) => probes.subjects('m', now, most).map((s) => s.subject);
    expect(names(day)).toEqual(['b', 'a', 'old']);
    expect(names(day + 1)).toEqual(['b', 'a']);
    expect(names(day, 1)).toEqual(['b']);
    probes.told('m', { subject: 'a', mark: 'x', changedAt: 5 });
    probes.read('m', read(['a', 9]), 10);
    expect(probes.subjects('m', day, 1)).toEqual([{ subject: 'a', mark: 'x', changedAt: 5 }]);
    expect(probes.changed('m', 4).map(({ subject }) => subject)).toEqual(['a']);
    expect([probes.changed('m', 5), probes.changed('n', 0)]).toEqual([[], []]);
    expect(probes.subjects('m', day, 9).at(-1)).toEqual({
      subject: 'old',
      mark: null,
      changedAt: 0,
    });
    expect(probes.changes).toBeGreaterThan(0);
  });
});

describe('a database', () => {
  const database = (schema: string | string[] = 'CREATE TABLE t (a TEXT)') => {
    const one = new Database(':memory:', schema, 'remove it');
    onTestFinished(() => one.close());
    return one;
  };

  it('does all of a transaction or none, also of one within another', () => {
    const one = database();
    const add = (text: string) => one.prepare('INSERT INTO t VALUES (?)').run(text);
    expect(
      one.transaction(() => {
        add('a');
        one.transaction(() => add('b'));
        return one.inTransaction;
      }),
    ).toBe(true);
    expect(one.inTransaction).toBe(false);
    expect(() =>
      one.transaction(() => {
        add('c');
        one.transaction(() => {
          throw new Error('no');
        });
      }),
    ).toThrow('no');
    expect(one.inTransaction).toBe(false);
    expect([...one.prepare('SELECT a FROM t').iterate()].map(({ a }) => a)).toEqual(['a', 'b']);
    expect(one.one('SELECT a FROM t WHERE a = ?', 'c')).toBeUndefined();
    expect(one.prepare('SELECT a FROM t')).toBe(one.prepare('SELECT a FROM t'));
  });

  it('is brought forward by the steps that it lacks, and its tables by the columns', () => {
    const one = database(['CREATE TABLE t (a TEXT)', 'ALTER TABLE t ADD COLUMN b TEXT']);
    expect(one.one('PRAGMA user_version')).toEqual({ user_version: 2 });
    one.exec("INSERT INTO t VALUES ('x', 'y')");
    one.addColumns('t', ['b TEXT', 'c TEXT', 'd INT DEFAULT 4'], "UPDATE t SET c = 'set'");
    one.addColumns('t', ['c TEXT', 'd INT DEFAULT 4'], "UPDATE t SET c = 'again'");
    expect(one.all('SELECT * FROM t')).toEqual([{ a: 'x', b: 'y', c: 'set', d: 4 }]);
  });

  it('has another generation after a change, unless that does not count', () => {
    const one = database();
    const before = one.generation();
    expect(one.generation()).toBe(before);
    one.exec("INSERT INTO t VALUES ('x')");
    expect(one.generation()).not.toBe(before);
    expect(one.generation(1)).toBe(before);
  });

  it('fails by itself where a statement is wrong, and not as a file that is broken', () => {
    expect(() => database().exec('SELECT a FROM nowhere')).toThrow(/no such table/);
  });
});
