/** What a file of the schedule says, and in which order prompts come. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { ScheduleJournal } from './journal.ts';
import { fallDue, isRecurring, parseScheduled, readSchedule } from './prompt.ts';

const file = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}`;

describe('a file', () => {
  test('says when, what, by which agent and with which model', () => {
    expect(
      parseScheduled(file('at: 2026-12-01T09:00:00+02:00\nagent: a\nmodel: m/x', '\n Do it.\n\n')),
    ).toEqual({
      ...{ when: { at: new Date('2026-12-01T07:00:00Z') }, prompt: 'Do it.', agent: 'a' },
      model: 'm/x',
    });
    expect(parseScheduled(file('at: 2026-12-01').replaceAll('\n', '\r\n'))).toMatchObject({
      ...{ when: { at: new Date('2026-12-01') }, agent: undefined, model: undefined },
    });
  });

  test('says how it comes again, in UTC if it names no zone', () => {
    expect(parseScheduled(file('every: "0 9 * * 1"'))).toMatchObject({
      when: { every: '0 9 * * 1', zone: 'UTC' },
    });
    const berlin = parseScheduled(file('every: "@daily"\nzone: Europe/Berlin'));
    if (typeof berlin === 'string' || 'at' in berlin.when) return expect.fail(String(berlin));
    expect(berlin.when.zone).toBe('Europe/Berlin');
    expect(berlin.when.recurrence.after(new Date('2026-01-01T12:00Z'))).toEqual(
      new Date('2026-01-01T23:00Z'),
    );
  });

  const MISSING = 'at: a date is missing, or "every"';
  test.each([
    ['agent: a', [MISSING], []],
    ['agnt: a', ['agnt', MISSING], []],
    ['at: tomorrow', ['at: '], [MISSING]],
    ['every:\n  - 0', ['every: '], [MISSING]],
    ['at: 2026-12-01\nagent: ""', ['agent: '], [MISSING]],
    [`every: "${'* '.repeat(101)}"`, ['every: '], [MISSING]],
    [`every: "@daily"\nzone: ${'z'.repeat(101)}`, ['zone: '], ['there is no time zone']],
    [`every: "@daily"\nzone: ${'z'.repeat(100)}`, ['there is no time zone'], []],
    [`every: "${'9,'.repeat(95)}9 9 * * 1"`, [], ['every']],
    ['- x', ['frontmatter: ', MISSING], []],
    ['zone: UTC\nat: 2026-12-01', ['zone: it belongs to "every"'], []],
  ])('with %j is refused with %j', (fields, said, unsaid) => {
    const parsed = parseScheduled(file(fields));
    if (said.length > 0) expect(typeof parsed).toBe('string');
    for (const each of said) expect(parsed).toContain(each);
    for (const each of unsaid) expect(String(parsed)).not.toContain(each);
  });

  test.each([
    ['Do it.', 'should begin with frontmatter'],
    ['---\nat: 2026-12-01\nDo it.', 'should begin with frontmatter'],
    ['---\nat: 2026-12-01\n---', 'has no prompt'],
    [file('at: 2026-12-01', ' \n'), 'has no prompt'],
    [file('at: ['), 'is no YAML'],
  ])('%j is refused: it %s', (text, fault) => {
    expect(parseScheduled(text)).toContain(fault);
  });
});

describe('the schedule', () => {
  function open(files: Record<string, string>) {
    const clock = { now: Date.parse('2026-01-01T00:30:00Z') };
    const journal = new ScheduleJournal(':memory:', () => clock.now);
    onTestFinished(() => journal.close());
    for (const [name, text] of Object.entries(files)) journal.write(name, text);
    const read = () =>
      readSchedule(journal).entries.map(
        ({ entry: { name, state }, at }) => `${name} ${state} ${at.toISOString().slice(0, 16)}`,
      );
    return { clock, journal, read };
  }
  const HOURLY = file('every: "@hourly"');

  test('has the earliest first, of one time by name; what is no prompt is not of it', () => {
    const { journal, read } = open({
      'c.md': file('at: 2026-01-03'),
      'b.md': file('at: 2026-01-02'),
      'd.md': file('at: 2026-01-02'),
      'a.md': file('at: 2026-01-02'),
      'a.md.swp': 'x',
      '.a.md': 'x',
      'broken.md': 'x',
      'h.md': HOURLY,
    });
    expect(read()).toEqual([
      'h.md waiting 2026-01-01T01:00',
      'a.md waiting 2026-01-02T00:00',
      'b.md waiting 2026-01-02T00:00',
      'd.md waiting 2026-01-02T00:00',
      'c.md waiting 2026-01-03T00:00',
    ]);
    expect(readSchedule(journal).broken).toEqual([
      { name: 'broken.md', fault: expect.stringContaining('frontmatter') },
    ]);
  });

  test('has what was begun, and not what was carried out', () => {
    const { journal, read } = open({ 'a.md': file('at: 2026-01-02'), 'b.md': 'x' });
    const entry = journal.find('waiting', 'a.md') ?? expect.fail();
    journal.take(entry);
    expect(read()).toEqual(['a.md running 2026-01-02T00:00']);
    journal.end(entry, 'done');
    const broken = journal.find('waiting', 'b.md') ?? expect.fail();
    journal.take(broken);
    journal.end(broken, 'done');
    expect([read(), readSchedule(journal).broken]).toEqual([[], []]);
  });

  test('what comes again falls due at its time, as an entry beside it; a date does not', () => {
    const { clock, journal, read } = open({ 'h.md': HOURLY, 'o.md': file('at: 2026-01-01') });
    const at = Date.parse('2026-01-01T01:00:00Z');
    fallDue(journal, at - 1);
    expect(read()).toEqual(['o.md waiting 2026-01-01T00:00', 'h.md waiting 2026-01-01T01:00']);
    clock.now = at;
    fallDue(journal, at);
    expect(read()).toEqual([
      'o.md waiting 2026-01-01T00:00',
      'h.md due 2026-01-01T01:00',
      'h.md waiting 2026-01-01T02:00',
    ]);
    expect(readSchedule(journal).entries.map(isRecurring)).toEqual([false, false, true]);
  });
});
