/** The schedule as callers see it, and as they may change it. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { isFsError } from '../errors.ts';
import { PERSON, personAuthor } from '../policy/author.ts';
import { ScheduleJournal } from '../schedule/journal.ts';
import type { Caller } from './rights.ts';
import { dueAt, type PromptDraft, promptKey, ServedSchedule } from './schedule.ts';
import type { Standing } from './standing.ts';

const caller = (actor: string, role: Caller['role'] = 'user', agent: string | null = null) => ({
  ...{ actor, role, agent },
});
const OWNER = caller('boss', 'owner');
const AT = '2026-03-01T09:00:00Z';

function open(refused: string | null = null) {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const journal = new ScheduleJournal(':memory:', () => clock.now);
  onTestFinished(() => journal.close());
  const standing: Standing = { refusal: () => refused, agentOf: () => null };
  const schedule = new ServedSchedule(journal, standing);
  const add = (name: string, more: Partial<PromptDraft> = {}, by = caller('ann')) =>
    schedule.add(by, { name, at: AT, prompt: 'Do it.', ...more });
  return { clock, journal, schedule, add };
}
function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isFsError(error)) return `${error.code}: ${error.reason}`;
    throw error;
  }
  return 'done';
}

test('a prompt is a file that says all that was asked for', () => {
  const { journal, add } = open();
  expect(add('a.md', { agent: 'reader', model: 'm/x', prompt: 'Say "hi".' })).toEqual({
    ...{ name: 'a.md', state: 'waiting', at: '2026-03-01T09:00:00.000Z', every: null, zone: null },
    ...{ prompt: 'Say "hi".', agent: 'reader', model: 'm/x', authors: ['ann'], fault: null },
    outcome: null,
  });
  expect(journal.find('waiting', 'a.md')?.text).toBe(
    `---\nat: "${AT}"\nagent: "reader"\nmodel: "m/x"\n---\n\nSay "hi".\n`,
  );
  expect(add('b.md', { at: undefined, every: '0 9 * * *', zone: 'Europe/Berlin' })).toMatchObject({
    ...{ every: '0 9 * * *', zone: 'Europe/Berlin', at: '2026-01-01T08:00:00.000Z' },
    ...{ agent: null, model: null },
  });
});

test.each<[Partial<PromptDraft>, string]>([
  [{ name: 'a.txt' }, 'EINVAL: a name is letters'],
  [{ name: '.a.md' }, 'EINVAL: a name is letters'],
  [{ name: 'a/b.md' }, 'EINVAL: a name is letters'],
  [{ name: `${'a'.repeat(101)}.md` }, 'EINVAL: a name is letters'],
  [{ at: 'tomorrow' }, 'EINVAL: at: '],
  [{ every: '@daily' }, 'EINVAL: at: it stands beside'],
  [{ prompt: ' ' }, 'EINVAL: it has no prompt'],
  [{ name: 'there.md' }, 'EEXIST: there.md waits already'],
])('%j is refused, and nothing waits for it', (draft, said) => {
  const { journal, add } = open();
  add('there.md');
  expect(refusal(() => add('a.md', draft))).toContain(said);
  expect(journal.list()).toHaveLength(1);
});

test('who has no turns, or acts with an agent’s rights, schedules nothing', () => {
  const { journal, add } = open();
  expect(refusal(() => add('a.md', {}, caller('ann', 'viewer')))).toMatch(/^EACCES/);
  expect(refusal(() => add('a.md', {}, caller('ann', 'user', 'reader')))).toContain(
    'ask it to schedule this',
  );
  expect(journal.list()).toEqual([]);
  add(`${'a'.repeat(100)}.md`);
});

test('each sees their own, and who sees everything sees all; others’ are removed by an owner', () => {
  const { schedule, add, journal } = open();
  add('a.md');
  journal.write('u.md', `---\nat: ${AT}\n---\nx`, PERSON);
  const names = (who: Caller) => schedule.list(who).map(({ name }) => name);
  expect([names(caller('ann')), names(caller('bob')), names(caller('bob', 'viewer'))]).toEqual([
    ...[['a.md'], [], ['a.md', 'u.md']],
  ]);
  const remove = (who: Caller, name: string) => refusal(() => schedule.remove(who, name));
  expect(remove(caller('bob'), 'a.md')).toMatch(/^ENOENT: nothing of the name a\.md waits/);
  expect(remove(caller('bob', 'approver'), 'a.md')).toMatch(/^EACCES/);
  expect(remove(caller('ann', 'viewer'), 'a.md')).toMatch(/^EACCES/);
  expect(remove(caller('ann'), 'none.md')).toMatch(/^ENOENT/);
  expect([remove(caller('ann'), 'a.md'), remove(OWNER, 'u.md')]).toEqual(['done', 'done']);
  expect(journal.list()).toEqual([]);
});

describe('what is shown', () => {
  test('of what waits and would not be carried out, why; of what was, that it was', () => {
    const { schedule, add, journal } = open('ann is let in no more');
    add('a.md');
    expect(schedule.list(OWNER)).toMatchObject([
      { state: 'waiting', fault: 'ann is let in no more' },
    ]);
    const entry = journal.find('waiting', 'a.md') ?? expect.fail();
    journal.take(entry);
    expect(schedule.list(OWNER)).toMatchObject([{ state: 'running' }]);
    journal.end(entry, 'ok');
    expect(schedule.list(OWNER)).toMatchObject([{ state: 'done', outcome: 'ok', fault: null }]);
  });

  test('of a file that says no date, what is wrong with it', () => {
    const { schedule, journal } = open('refused');
    journal.write('x.md', 'no date', personAuthor('ann'));
    expect(schedule.list(caller('ann'))).toEqual([
      {
        ...{ name: 'x.md', state: 'waiting', at: null, every: null, zone: null, prompt: 'no date' },
        ...{ agent: null, model: null, authors: ['ann'], outcome: null },
        fault: expect.stringContaining('frontmatter'),
      },
    ]);
  });

  test('of what a process has taken that is gone, that it was interrupted; of a time that has come, that it waits', () => {
    const { schedule, journal } = open();
    journal.write('h.md', '---\nevery: "@hourly"\n---\nx', personAuthor('ann'));
    const series = journal.find('waiting', 'h.md') ?? expect.fail();
    const due = journal.fall(series, Date.parse('2026-01-01T01:00:00Z')) ?? expect.fail();
    const states = () =>
      schedule.list(OWNER).map(({ state, at }) => `${state} ${at?.slice(0, 16)}`);
    expect(states()).toEqual(['waiting 2026-01-01T02:00', 'waiting 2026-01-01T01:00']);
    Object.defineProperty(journal, 'owner', { value: 'localhost 1' });
    journal.take(due);
    expect(states()[1]).toMatch(/^(running|interrupted)/);
  });
});

test('due is what has come, earliest first, and of what comes again the times that have', () => {
  const { journal, clock } = open();
  const write = (name: string, at: string) => journal.write(name, `---\nat: ${at}\n---\nx`);
  write('late.md', '2026-01-01T00:00:02Z');
  write('next.md', '2026-01-01T00:00:01Z');
  write('begun.md', '2026-01-01T00:00:01Z');
  journal.write('h.md', '---\nevery: "* * * * *"\n---\nx');
  journal.take(journal.find('waiting', 'begun.md') ?? expect.fail());
  const names = (ms: number) => dueAt(journal, clock.now + ms).map(({ entry }) => entry.name);
  expect([names(999), names(1_000), names(2_000), names(3_600_000)]).toEqual([
    ...[[], ['next.md'], ['next.md', 'late.md'], ['next.md', 'late.md']],
  ]);
});

test('a file is told from another one of its row by its text', () => {
  const { journal } = open();
  journal.write('a.md', 'one');
  const key = () => promptKey(journal.find('waiting', 'a.md') ?? expect.fail());
  const before = key();
  expect(before).toMatch(/^\d+ [0-9a-f]{32}$/);
  journal.write('a.md', 'two');
  expect(key()).not.toBe(before);
  journal.write('a.md', 'one');
  expect(key()).toBe(before);
});
