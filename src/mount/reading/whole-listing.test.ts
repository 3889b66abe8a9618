import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { beforeEach, describe, expect, it } from 'vitest';
import { Replica } from '../../replica/replica.ts';
import { ServiceFailure } from '../client/failure.ts';
import {
  isUnderWay,
  type Kept,
  progressOf,
  type Round,
  readWhole,
  type Step,
} from './whole-listing.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;

let clock: number;
let kept: Kept;

beforeEach(() => {
  clock = START;
  const now = () => new Date(clock);
  kept = { replica: new Replica(':memory:', now), mount: 'm', now };
});

/** Five pages of two records each; `fails` before a page is stored. */
function pages({ fails = () => false }: { fails?: (page: number) => boolean } = {}) {
  const read: number[] = [];
  const rounds: Round[] = [];
  const listing = {
    collection: 'things',
    what: 'things',
    read: async (from: string | null, stored: (step: Step) => void) => {
      for (let page = from === null ? 1 : Number(from); page <= 5; page++) {
        if (fails(page)) throw new ServiceFailure('server', `page ${page}`);
        read.push(page);
        for (const key of [`${page}a`, `${page}b`]) put(key);
        clock += 10;
        if (page < 5) stored({ cursor: String(page + 1), records: 2, total: 5 });
      }
    },
    finish: (round: Round) => {
      rounds.push(round);
      const state = { complete: true, syncedAt: clock, reconciledAt: clock, cursor: null };
      kept.replica.setListing('m', 'things', state);
    },
  };
  return { listing, read, rounds };
}

function put(key: string): void {
  const record = { key, updatedAt: '', size: 1, path: null, value: key };
  kept.replica.upsert('m', 'things', record);
}

describe('a whole listing', () => {
  it('is gone on with where it failed, and knows what it saw before', async () => {
    put('gone');
    clock += 1_000;
    const first = pages({ fails: (page) => page === 4 });
    await expect(readWhole(kept, first.listing)).rejects.toThrow('page 4');
    expect(kept.replica.underWay.all('m')).toMatchObject([
      { what: 'things', owner: null, records: 6, pages: 3, total: 5, cursor: '4' },
    ]);
    clock += 1_000;
    const second = pages();
    await readWhole(kept, second.listing);
    expect([first.read, second.read]).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(first.rounds).toEqual([]);
    const [round] = second.rounds;
    const earlier = kept.replica.heads('m', 'things').filter((head) => round?.sawEarlier(head));
    expect(earlier.map(({ key }) => key).sort()).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
    expect(kept.replica.underWay.all('m')).toEqual([]);
  });

  it('is begun anew where it was left for an hour, or where its cursor is refused', async () => {
    const left = pages({ fails: (page) => page === 3 });
    await expect(readWhole(kept, left.listing)).rejects.toThrow();
    clock += HOUR + 1;
    const late = pages({ fails: (page) => page === 3 });
    await expect(readWhole(kept, late.listing)).rejects.toThrow();
    expect(late.read).toEqual([1, 2]);
    const { listing, read } = pages();
    await readWhole(kept, {
      ...listing,
      read: async (from, stored) => {
        if (from !== null) throw new ServiceFailure('invalid', 'no such cursor');
        await listing.read(from, stored);
      },
    });
    expect(read).toEqual([1, 2, 3, 4, 5]);
  });

  it('is refused where the beginning is refused', async () => {
    const { listing } = pages();
    const refused = async () => {
      throw new ServiceFailure('invalid', 'no such thing');
    };
    await expect(readWhole(kept, { ...listing, read: refused })).rejects.toThrow('no such thing');
  });

  it('is taken from a process that is gone, and waited for where another is at it', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const row = {
      what: 'things',
      beganAt: clock,
      touchedAt: clock,
      records: 2,
      pages: 1,
      total: 5,
    };
    const of = (id: number) => `${hostname()} ${id} x`;
    kept.replica.underWay.takeUp('m', 'things', () => ({ ...row, owner: of(pid), cursor: '2' }));
    const { listing, read } = pages();
    await readWhole(kept, listing);
    expect(read).toEqual([2, 3, 4, 5]);

    kept.replica.underWay.takeUp('m', 'things', () => ({
      ...row,
      owner: of(process.ppid),
      touchedAt: clock,
      cursor: '2',
    }));
    const other = pages();
    const waiting = readWhole(kept, other.listing);
    clock += 5;
    const state = { complete: true, syncedAt: clock, reconciledAt: clock, cursor: null };
    kept.replica.setListing('m', 'things', state);
    kept.replica.underWay.end('m', 'things');
    await waiting;
    expect(other.read).toEqual([]);
  });

  it('stops where another took it up meanwhile, or it has another name', async () => {
    const { listing, read } = pages();
    const taken = readWhole(kept, {
      ...listing,
      read: (from, stored) =>
        listing.read(from, (step) => {
          if (step.cursor === '3') kept.replica.adopt('m', 'other');
          stored(step);
        }),
    });
    await expect(taken).rejects.toMatchObject({ kind: 'unfinished' });
    expect(read).toEqual([1, 2]);
    expect(kept.replica.underWay.all('other')).toMatchObject([{ owner: null, cursor: '2' }]);
  });

  it('is read once by all who ask at the same time', async () => {
    const { listing, read, rounds } = pages();
    await Promise.all([readWhole(kept, listing), readWhole(kept, listing)]);
    expect(read).toEqual([1, 2, 3, 4, 5]);
    expect(rounds).toHaveLength(1);
  });

  it('that fails where it was taken up otherwise than by a refusal is gone on with there', async () => {
    const left = pages({ fails: (page) => page === 3 });
    await expect(readWhole(kept, left.listing)).rejects.toThrow('page 3');
    await expect(readWhole(kept, left.listing)).rejects.toThrow('page 3');
    // A cursor that led on before it was refused is no cursor that leads nowhere.
    const { listing } = pages();
    const refusedLater = async (from: string | null, stored: (step: Step) => void) => {
      stored({ cursor: '4', records: 2 });
      expect(from).toBe('3');
      throw new ServiceFailure('invalid', 'no such page');
    };
    await expect(readWhole(kept, { ...listing, read: refusedLater })).rejects.toThrow(
      'no such page',
    );
    expect(kept.replica.underWay.all('m')).toMatchObject([
      { owner: null, cursor: '4', records: 6, pages: 3, total: 5 },
    ]);
  });

  it('says whether it can be gone on with, and how far it is', async () => {
    expect(isUnderWay(kept, 'things')).toBe(false);
    const left = pages({ fails: (page) => page === 3 });
    await expect(readWhole(kept, left.listing)).rejects.toThrow();
    expect(isUnderWay(kept, 'things')).toBe(true);
    clock += HOUR;
    expect(isUnderWay(kept, 'things')).toBe(true);
    clock += 1;
    expect(isUnderWay(kept, 'things')).toBe(false);
    const [state] = kept.replica.underWay.all('m');
    if (state === undefined) throw new Error('nothing is under way');
    expect(progressOf(state)).toBe('4 records so far, page 2 of 5');
    expect(progressOf({ ...state, records: 3400, total: null })).toBe(
      '3,400 records so far, 2 pages',
    );
  });

  it('that took long, from its beginning on, is to be looked after', async () => {
    for (const [took, long] of [
      [5_000, false],
      [5_001, true],
    ] as const) {
      const { listing, rounds } = pages();
      const began = clock;
      const read = async () => {
        clock += took;
      };
      await readWhole(kept, { ...listing, read });
      expect(rounds).toMatchObject([{ beganAt: began, long }]);
      const [round] = rounds;
      expect(
        [began - 1, began, clock].map((checkedAt) => round?.sawEarlier({ checkedAt })),
      ).toEqual([false, false, false]);
    }
  });
});
