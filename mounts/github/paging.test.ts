/** Listings of GitHub that are brought in step: what is asked, what is kept, and what goes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceFailure } from '../../src/mount/index.ts';
import { openReplica } from '../../src/replica/index.ts';
import type { Answer, GithubClient } from './client.ts';
import { heldAsOf, isCut, type Listing, syncByTime, syncSmall } from './paging.ts';

const HOUR = 3_600_000;
const START = Date.parse('2025-01-01T00:00:00Z');
/** ISO 8601, so many minutes after the start of 2025. */
const minute = (n: number): string => new Date(START + n * 60_000).toISOString();

interface Row {
  id: number;
  updated: string;
}

/** A listing of GitHub's in pages of two, newest first, whose pages have ETags. */
class Service {
  rows: Row[] = [];
  asked: string[] = [];
  /** Do its pages have numbers, so that the last one is known? */
  numbered = false;
  /** From this page on it refuses. */
  end = Number.POSITIVE_INFINITY;
  /** Told before each answer. */
  before: (page: number) => void = () => undefined;

  readonly client = {
    get: async (url: string, etag: string | null = null): Promise<Answer> => {
      const page = Number(/page=(\d+)$/.exec(url)?.[1]);
      this.before(page);
      const sorted = this.rows.toSorted((a, b) =>
        a.updated < b.updated ? 1 : a.updated > b.updated ? -1 : b.id - a.id,
      );
      const data = sorted.slice(2 * (page - 1), 2 * page);
      const own = JSON.stringify(data);
      const isSame = etag === own;
      this.asked.push(`${page}${etag === null ? '' : isSame ? ' same' : ' changed'}`);
      if (page >= this.end) throw new ServiceFailure('invalid', 'no further', { status: 422 });
      const pages = Math.max(1, Math.ceil(sorted.length / 2));
      return {
        status: isSame ? 304 : 200,
        data: isSame ? null : data,
        etag: own,
        next: page < pages ? `${URL}&page=${page + 1}` : null,
        last: this.numbered && page < pages ? pages : null,
        scopes: null,
      };
    },
  } as unknown as GithubClient;
}

const URL = 'https://api.github.example/x?per_page=2';
let replica: ReturnType<typeof openReplica>;
let service: Service;
let now: number;
let verified: string[];
let steps: (number | null)[];

beforeEach(() => {
  now = START + HOUR;
  replica = openReplica(':memory:', () => new Date(now));
  service = new Service();
  verified = [];
  steps = [];
});
afterEach(() => replica.close());

const listing = (more: Partial<Listing> = {}): Listing => ({
  replica,
  mount: 'm',
  collection: 'things',
  what: 'things',
  url: URL,
  client: service.client,
  now: () => new Date(now),
  onPage: (pages) => steps.push(pages),
  items: (data) =>
    (data as Row[]).map(({ id, updated }) => ({ key: String(id), updatedAt: updated })),
  put: ({ key, updatedAt }) =>
    replica.upsert('m', 'things', { key, updatedAt, size: 1, path: null, value: key }),
  drop: (key) => replica.remove('m', 'things', key),
  ...more,
});
const held = () =>
  replica
    .heads('m', 'things')
    .map(({ key }) => Number(key))
    .sort((a, b) => a - b);
const state = () => replica.listing('m', 'things');
const row = (id: number, at = id): Row => ({ id, updated: minute(at) });
const rows = (...ids: number[]) => ids.map((id) => row(id));
/** What a sync asked. */
async function asked(work: () => Promise<void>): Promise<string[]> {
  service.asked = [];
  await work();
  return service.asked;
}
const byTime = (more?: Partial<Listing>, reconcileMs = HOUR) =>
  asked(() => syncByTime(listing(more), reconcileMs));

describe('a listing by time', () => {
  it('is read whole at first, and then only as far as something is new', async () => {
    service.rows = rows(1, 2, 3, 4, 5);
    expect(await byTime()).toEqual(['1', '2', '3']);
    expect(held()).toEqual([1, 2, 3, 4, 5]);
    expect(state()).toMatchObject({ complete: true, syncedAt: now, reconciledAt: now });
    expect(heldAsOf(state())).toBe(minute(5));
    now += 1_000;
    expect(await byTime()).toEqual(['1 same']);
    expect(state()).toMatchObject({ syncedAt: now, reconciledAt: now - 1_000 });
    service.rows = [...service.rows, row(6)];
    expect(await byTime()).toEqual(['1 changed', '2']);
    expect([held(), heldAsOf(state())]).toEqual([[1, 2, 3, 4, 5, 6], minute(6)]);
  });

  it('of one page is never read further, and what is missing on it is gone at once', async () => {
    service.rows = rows(1, 2);
    expect(await byTime()).toEqual(['1']);
    now += HOUR;
    service.rows = rows(2);
    expect(await byTime()).toEqual(['1 changed']);
    expect(held()).toEqual([2]);
    expect(state()).toMatchObject({ syncedAt: now, reconciledAt: now });
    now += 2 * HOUR;
    expect(await byTime()).toEqual(['1 same']);
    expect(state()?.reconciledAt).toBe(now);
  });

  it('is read whole once in a while, since nothing else tells what went', async () => {
    service.rows = rows(1, 2, 3, 4, 5);
    await byTime();
    now += HOUR - 1;
    service.rows = rows(2, 3, 4, 5);
    expect(await byTime()).toEqual(['1 same']);
    expect(held()).toContain(1);
    now += 1;
    expect(await byTime()).toEqual(['1', '2', '1 same']);
    expect([held(), state()?.reconciledAt]).toEqual([[2, 3, 4, 5], now]);
  });

  it('tells at once what went from among the newest', async () => {
    service.rows = rows(1, 2, 3, 4, 5);
    await byTime();
    now += HOUR - 1;
    service.rows = rows(1, 2, 3, 4);
    // 5 was newer than all that page 1 shows by now.
    await byTime();
    expect(held()).toEqual([1, 2, 3, 4]);
  });

  it('asks for what was confirmed just now before it goes', async () => {
    service.rows = rows(1, 2);
    await byTime();
    service.rows = rows(1);
    const verify = async (key: string) => void verified.push(key);
    now += 59_999;
    await byTime({ verify });
    expect([verified, held()]).toEqual([['2'], [1, 2]]);
    service.rows = [row(1, 9)];
    now += 1;
    await byTime({ verify });
    expect([verified, held()]).toEqual([['2'], [1]]);
  });

  it('reads as many pages again as have changed, and says how many there are', async () => {
    service.numbered = true;
    service.rows = rows(1, 2, 3, 4, 5, 6);
    await byTime();
    expect(steps).toEqual([3, 3, null]);
    service.rows = service.rows.map(({ id }) =>
      id === 1 ? row(1, 50) : id === 2 ? row(2, 51) : id === 3 ? row(3, 52) : row(id),
    );
    // What is as old as the newest that is known may be new, too.
    expect(await byTime()).toEqual(['1 changed', '2', '3']);
    expect(held()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('a listing whose rows move while it is read', () => {
  it('is read again where its pages have numbers: what a deleted row drew forward is not lost', async () => {
    service.numbered = true;
    service.rows = rows(1, 2, 3, 4, 5, 6);
    await byTime();
    now += HOUR;
    let isDeleted = false;
    service.before = (page) => {
      // Once page 1 was read its first row goes, and each page begins one row later.
      if (page === 2 && !isDeleted) {
        isDeleted = true;
        service.rows = rows(1, 2, 3, 4, 5);
      }
    };
    await byTime();
    expect(held()).toEqual([1, 2, 3, 4, 5]);
    expect(state()?.reconciledAt).toBe(now);
  });

  it('that never stands still drops nothing, and is read whole again the next time', async () => {
    service.numbered = true;
    service.rows = rows(1, 2, 3, 4, 5, 6);
    await byTime();
    now += HOUR;
    service.rows = rows(2, 3, 4, 5, 6);
    let next = 100;
    service.before = (page) => {
      if (page === 1) service.rows = [...rows(2, 3, 4, 5, 6), row(next++)];
    };
    await byTime();
    expect(held()).toContain(1);
    expect(state()).toMatchObject({ complete: true, reconciledAt: 0 });
  });

  it('without numbers has its first page read again to where it was', async () => {
    service.rows = rows(1, 2, 3, 4, 5);
    await byTime();
    now += HOUR;
    let isMoved = false;
    service.before = (page) => {
      // What was on the last page is on the first by the time that is read.
      if (page === 2 && !isMoved) {
        isMoved = true;
        service.rows = [...rows(2, 3, 4, 5), row(1, 60)];
      }
    };
    expect(await byTime()).toEqual(['1', '2', '3', '1 changed', '2']);
    expect([held(), heldAsOf(state())]).toEqual([[1, 2, 3, 4, 5], minute(60)]);
  });
});

describe('a listing that GitHub ends before its end', () => {
  const said = () => 6;
  it('is known to lack something, drops nothing, and is read on from its top', async () => {
    service.rows = rows(1, 2, 3, 4, 5, 6);
    service.end = 3;
    await byTime({ said });
    expect(held()).toEqual([3, 4, 5, 6]);
    expect([isCut(state()), state()?.complete, heldAsOf(state())]).toEqual([true, false, null]);
    service.rows = [...service.rows, row(7)];
    expect(await byTime({ said })).toEqual(['1 changed', '2']);
    expect([held(), isCut(state())]).toEqual([[3, 4, 5, 6, 7], true]);
  });

  it('is whole where others say that there are no more', async () => {
    service.rows = rows(1, 2, 3, 4);
    service.end = 3;
    await byTime({ said: () => 4 });
    expect([held(), isCut(state()), state()?.complete]).toEqual([[1, 2, 3, 4], false, true]);
  });

  it('with a page that is not full has come to its end, whatever others say', async () => {
    service.rows = rows(1, 2, 3);
    await byTime({ said });
    expect(state()?.complete).toBe(true);
  });

  it('is an error where that is not expected, or where nothing came', async () => {
    service.rows = rows(1, 2, 3, 4, 5, 6);
    service.end = 3;
    await expect(byTime()).rejects.toThrow('no further');
    service.end = 1;
    await expect(byTime({ said })).rejects.toThrow('no further');
  });
});

describe('a small listing', () => {
  const small = (more?: Partial<Listing>) => asked(() => syncSmall(listing(more)));

  it('of one page is asked whether it has changed, and else is read whole', async () => {
    service.rows = rows(1, 2);
    expect(await small({ asOf: 'v1' })).toEqual(['1']);
    expect(heldAsOf(state())).toBe('v1');
    now += 5;
    expect(await small({ asOf: 'v2' })).toEqual(['1 same']);
    expect([heldAsOf(state()), state()?.syncedAt, state()?.reconciledAt]).toEqual(['v2', now, now]);
    expect(await small()).toEqual(['1 same']);
    expect(heldAsOf(state())).toBe('v2');
    service.rows = rows(2, 3);
    expect(await small({ asOf: 'v3' })).toEqual(['1 changed']);
    expect([held(), heldAsOf(state())]).toEqual([[2, 3], 'v3']);
  });

  it('of several pages is read whole each time', async () => {
    service.rows = rows(1, 2, 3);
    await small();
    expect(await small()).toEqual(['1', '2']);
    service.rows = rows(1, 3);
    expect(await small()).toEqual(['1']);
    expect(held()).toEqual([1, 3]);
  });

  it('that is no list is an error', async () => {
    service.client.get = (async () => ({
      status: 200,
      data: {},
      etag: null,
      next: null,
      last: null,
      scopes: null,
    })) as never;
    await expect(small()).rejects.toThrow("GitHub's answer for things is no list");
  });
});

it('a listing that was broken off goes on where it was left', async () => {
  service.rows = rows(1, 2, 3, 4, 5, 6);
  service.before = (page) => {
    if (page === 3) throw new ServiceFailure('network', 'broken');
  };
  await expect(byTime()).rejects.toThrow('broken');
  expect([held(), state()]).toEqual([[3, 4, 5, 6], null]);
  service.before = () => undefined;
  now += 1_000;
  expect((await byTime())[0]).toBe('3');
  expect([held(), state()?.complete, heldAsOf(state())]).toEqual([
    [1, 2, 3, 4, 5, 6],
    true,
    minute(6),
  ]);
});

it('of a listing that was never read nothing is known', () => {
  expect([heldAsOf(null), isCut(null)]).toEqual([null, false]);
  const other = { complete: true, syncedAt: 0, reconciledAt: 0 };
  expect([heldAsOf({ ...other, cursor: '{"x":1}' }), isCut({ ...other, cursor: null })]).toEqual([
    null,
    false,
  ]);
});
