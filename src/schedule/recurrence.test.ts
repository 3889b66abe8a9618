/** Prompts that come again: when they do, and that each time is carried out once. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/world/harness.ts';
import { type ScheduleEntry, ScheduleJournal } from './journal.ts';
import { fallDue, isRecurring, parseScheduled, readSchedule } from './prompt.ts';
import { parseRecurrence, type Recurrence } from './recurrence.ts';

const HOUR = 3_600_000;

function recurrence(every: string, zone = 'UTC'): Recurrence {
  const parsed = parseRecurrence(every, zone);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

/** The first times after one. */
function times(every: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at: Date | null = new Date(after); found.length < count; ) {
    at = recurrence(every, zone).after(at);
    if (at === null) break;
    found.push(at.toISOString().slice(0, 16));
  }
  return found;
}

describe('an expression', () => {
  test.each([
    ['0 25 * * 1', 'UTC', 'every: "0 25 * * 1": Invalid value for hour: 25'],
    ['0 9 * *', 'UTC', 'has 4 fields, and five are wanted: minute, hour'],
    ['0 0 9 * * 1', 'UTC', 'has 6 fields'],
    ['', 'UTC', 'has 0 fields'],
    ['0 9 * * MONX', 'UTC', 'a month or day name has to stand alone'],
    ['*/0 * * * *', 'UTC', 'illegal stepping: 0'],
    ['@reboot', 'UTC', 'has 1 field'],
    ['0 0 31 2 *', 'UTC', 'is a time that never comes'],
    [
      '0 9 * * *',
      'Europe/Berlim',
      'zone: there is no time zone "Europe/Berlim"; nearest: Europe/Berlin',
    ],
  ])('%j in %s is refused, and says why', (every, zone, fault) => {
    expect(parseRecurrence(every, zone)).toContain(fault);
  });

  test.each([
    ['at: 2026-12-01\nevery: "@daily"', 'at: it stands beside "every"'],
    ['at: 2026-12-01\nzone: UTC', 'zone: it belongs to "every"'],
    ['zone: UTC', 'a date is missing, or "every"'],
    ['every: [0]', 'every:'],
  ])('frontmatter of %j is refused, and says why', (fields, fault) => {
    expect(parseScheduled(`---\n${fields}\n---\nDo it.`)).toContain(fault);
  });

  test('a time that summer time leaves out comes when it has begun, and one that comes twice comes once', () => {
    for (const every of ['30 2 * * *', '30 2,3 * * 0-6'])
      expect(times(every, 'Europe/Berlin', '2026-03-28T03:00Z', 1)).toEqual(['2026-03-29T01:00']);
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    // What comes by the hour comes each hour that there is.
    expect(times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 3)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
    ]);
  });

  test('its times are those of the clock on the wall of its zone', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        // Between 1 and 3 clocks are set: what is wanted there is said above.
        fc.integer({ min: 4, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        fc.integer({ min: 0, max: 6 }),
        fc.date({ min: new Date('2024-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        (zone, hour, minute, day, after) => {
          const at = recurrence(`${minute} ${hour} * * ${day}`, zone).after(after);
          const wall = new Intl.DateTimeFormat('en-GB', {
            timeZone: zone,
            weekday: 'short',
            hour: '2-digit',
            minute: '2-digit',
          });
          const two = (value: number): string => String(value).padStart(2, '0');
          const name = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][day];
          expect(wall.format(at ?? 0)).toBe(`${name} ${two(hour)}:${two(minute)}`);
          const wait = (at?.getTime() ?? 0) - after.getTime();
          expect(wait).toBeGreaterThan(0);
          expect(wait).toBeLessThanOrEqual(7 * 24 * HOUR + HOUR);
        },
      ),
    );
  });
});

/** A journal with a clock of its own, and as many processes as are asked for. */
function journals(text: string) {
  const file = join(temporaryDirectory(), 'changes.sqlite');
  const clock = { now: Date.parse('2026-01-01T00:30:00Z') };
  const open = (): ScheduleJournal => new ScheduleJournal(file, () => clock.now);
  const journal = open();
  journal.write('p.md', text);
  return { clock, open, journal };
}

const HOURLY = '---\nevery: "@hourly"\n---\nlook\n';

const due = (journal: ScheduleJournal, now: number): ScheduleEntry[] => {
  fallDue(journal, now);
  return readSchedule(journal).entries.flatMap((scheduled) =>
    isRecurring(scheduled) || scheduled.at.getTime() > now ? [] : [scheduled.entry],
  );
};

describe('what comes again', () => {
  test('times that were missed are one, and the next one is later than now', () => {
    const { clock, journal } = journals(HOURLY);
    expect(due(journal, clock.now)).toEqual([]);
    clock.now += 100 * HOUR;
    const [entry, ...others] = due(journal, clock.now);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ name: 'p.md', dueAt: Date.parse('2026-01-01T01:00:00Z') });
    expect(entry !== undefined && journal.take(entry)).toBe(true);
    expect(due(journal, clock.now).filter(({ state }) => state !== 'running')).toEqual([]);
    journal.close();
  });

  test('whatever processes do, and wherever they end, each time is taken by one of them, once', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('tick'), who: fc.nat(2) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('take'), who: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('kill'), who: fc.nat(2) }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('wait'), who: fc.integer({ min: 1, max: 150 }) }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { clock, open, journal } = journals(HOURLY);
        const processes = [open(), open(), open()];
        // What each has read, and goes by: it may be old by the time that it acts.
        const seen: ScheduleEntry[][] = [[], [], []];
        const taken: number[] = [];
        let waited = 0;
        for (const { do: act, who } of steps) {
          const process = processes[who];
          if (act === 'wait') {
            clock.now += who * 60_000;
            waited += who;
          } else if (process === undefined) continue;
          else if (act === 'tick') seen[who] = due(process, clock.now);
          else if (act === 'kill') {
            process.close();
            processes[who] = open();
            seen[who] = [];
          } else
            for (const entry of seen[who] ?? [])
              if (process.take(entry)) taken.push(entry.dueAt ?? 0);
        }
        expect(new Set(taken).size).toBe(taken.length);
        expect(taken.length).toBeLessThanOrEqual(Math.floor((waited + 30) / 60));
        // None is lost: one that has come is there to be taken.
        const last = due(journal, clock.now);
        const first = waited >= 30 && taken.length === 0;
        expect(first ? last.length : 1).toBe(1);
        for (const each of [journal, ...processes]) each.close();
      }),
      { numRuns: 60 },
    );
  });

  test('written anew it begins anew, and removed it ends, with a time that nobody has taken', () => {
    const { clock, journal } = journals(HOURLY);
    clock.now += HOUR;
    const [stale] = due(journal, clock.now);
    journal.write('p.md', '---\nevery: "0 12 * * *"\n---\nlook\n');
    const series = journal.find('waiting', 'p.md');
    expect(series).not.toBeNull();
    expect(readSchedule(journal).entries.map(({ at }) => at.toISOString())).toEqual([
      '2026-01-01T01:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
    ]);
    if (series !== null) journal.remove(series);
    expect(journal.list()).toEqual([]);
    expect(stale !== undefined && journal.take(stale)).toBe(false);
    journal.close();
  });

  test('of the times that were carried out the last hundred are kept', () => {
    const { clock, journal } = journals(HOURLY);
    for (let hour = 0; hour < 103; hour++) {
      clock.now += HOUR;
      for (const entry of due(journal, clock.now))
        if (journal.take(entry)) journal.end(entry, 'done');
    }
    expect(journal.list().filter(({ state }) => state === 'done')).toHaveLength(100);
    journal.close();
  });
});
