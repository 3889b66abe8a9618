/** Looking for changes: how often, by whom, and what comes of it. The clock is moved by hand. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openReplica, type Replica } from '../../replica/index.ts';
import { ServiceFailure } from '../client/failure.ts';
import { type Later, Prober, type ProberOptions } from './prober.ts';

const HOUR_MS = 3_600_000;

let directory: string;
let open: Replica[];
let time: number;
let waiting: { at: number; work: () => Promise<void> }[];
/** When each probe was made, in seconds since the start. */
let probed: number[];
let refreshed: string[][];
/** What the service says of each subject. */
let marks: Map<string, string>;

const START = Date.parse('2025-01-01T00:00:00Z');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-prober-'));
  [open, waiting, probed, refreshed] = [[], [], [], []];
  time = START;
  marks = new Map([['a', '1']]);
});
afterEach(() => {
  for (const one of open) one.close();
  rmSync(directory, { recursive: true });
});

const later: Later = (work, ms) => {
  const one = { at: time + ms, work };
  waiting.push(one);
  return () => {
    waiting = waiting.filter((each) => each !== one);
  };
};

/** Lets so much time pass. */
async function pass(ms: number): Promise<void> {
  const end = time + ms;
  for (;;) {
    const [next] = waiting.sort((one, other) => one.at - other.at);
    if (next === undefined || next.at > end) break;
    waiting.shift();
    time = Math.max(time, next.at);
    await next.work();
  }
  time = end;
}

/** As a process of its own would have it. */
function prober(more: Partial<ProberOptions> = {}): Prober {
  const replica = openReplica(join(directory, 'replica.sqlite'));
  open.push(replica);
  return new Prober({
    mount: 'm',
    probes: replica.probes,
    probe: {
      subjectOf: (question) => question.split(' ')[1] ?? null,
      marks: async () => {
        probed.push((time - START) / 1_000);
        return marks;
      },
    },
    freshMs: 10_000,
    now: () => new Date(time),
    may: () => true,
    spent: () => 0,
    settle: async () => undefined,
    runBehind: (work) => work(),
    refresh: async (subjects) => void refreshed.push([...subjects]),
    later,
    ...more,
  });
}

describe('looking for changes', () => {
  it('waits for a first read, and goes on at intervals that grow to ten minutes', async () => {
    const one = prober();
    await pass(HOUR_MS);
    expect(probed).toEqual([]);
    one.note('issues a');
    await pass(2 * HOUR_MS);
    const gaps = probed.slice(1).map((at, index) => at - (probed[index] ?? 0));
    expect(probed[0]).toBeLessThanOrEqual(HOUR_MS / 1_000 + 15);
    expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps);
    expect(gaps[0]).toBe(15);
    expect(gaps.at(-1)).toBe(600);
  });

  it('sees a change within 15 s while somebody reads, and asks again for what it is about alone', async () => {
    marks.set('b', '1');
    const one = prober();
    const read = async (seconds: number) => {
      for (let n = 0; n < seconds; n++) {
        one.note('issues a');
        one.note('issues b');
        await pass(1_000);
      }
    };
    await read(120);
    refreshed = [];
    marks.set('b', '2');
    await read(15);
    expect(refreshed).toEqual([['b']]);
  });

  it('comes back to 15 s once somebody reads after a rest', async () => {
    const one = prober();
    one.note('issues a');
    await pass(5 * HOUR_MS);
    probed = [];
    marks.set('a', '2');
    refreshed = [];
    one.note('issues a');
    await pass(15_000);
    expect(probed).toHaveLength(1);
    expect(refreshed).toEqual([['a']]);
  });

  it('is done by one process of a state directory, and what it finds reaches all that read', async () => {
    const alone = prober();
    const read = async (probers: Prober[]) => {
      for (let n = 0; n < 300; n++) {
        for (const each of probers) each.note('issues a');
        await pass(1_000);
      }
    };
    await read([alone]);
    const rounds = probed.length;
    probed = [];
    const others = [prober(), prober()];
    await read([alone, ...others]);
    expect(probed.length).toBeLessThanOrEqual(rounds + 1);
    refreshed = [];
    marks.set('a', '2');
    await read([alone, ...others]);
    expect(refreshed).toEqual([['a'], ['a'], ['a']]);
  });

  it('goes on with another process where the one whose turn it was ended in it', async () => {
    const dying = prober({
      probe: { subjectOf: () => 'a', marks: () => new Promise(() => undefined) },
    });
    dying.note('issues a');
    void dying.look();
    time += 15_000;
    void dying.look();
    await new Promise(setImmediate);
    dying.stop();
    const other = prober();
    other.note('issues a');
    await pass(90_000);
    expect(probed.length).toBeGreaterThan(0);
  });

  it('uses no more than a twentieth of the limit an hour, and nothing while little is left', async () => {
    let used = 0;
    const costly = prober({
      probe: {
        subjectOf: () => 'a',
        marks: async () => {
          used += 1 / 100;
          return new Map([['a', String(used)]]);
        },
      },
      spent: () => used,
    });
    for (let n = 0; n < 3_599; n++) {
      costly.note('issues a');
      await pass(1_000);
    }
    expect(used).toBeCloseTo(0.05);
    const saving = prober({ mount: 'other', may: () => false });
    saving.note('issues a');
    await pass(HOUR_MS);
    expect(probed).toEqual([]);
  });

  it('keeps a failure to itself, and looks again later', async () => {
    let fails = true;
    const one = prober({
      probe: {
        subjectOf: () => 'a',
        marks: async () => {
          probed.push(time);
          if (fails) throw new ServiceFailure('server', 'Service answered 500');
          return marks;
        },
      },
    });
    one.note('issues a');
    await pass(60_000);
    expect(probed.length).toBeGreaterThan(1);
    refreshed = [];
    fails = false;
    await pass(600_000);
    expect(refreshed.length).toBeGreaterThan(0);
  });
});
