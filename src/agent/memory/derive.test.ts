/** The few facts of a text, as they are quoted without a model. */
import { expect, test } from 'vitest';
import { NO_REMINDER, promisesReminder, reminderNote } from '../reminder.ts';
import { quotation } from './derive.ts';

const { signal } = new AbortController();
const facts = (text: string) => quotation('/mnt/a/x.md', text, signal);

test('a text is quoted by its title and the first sentence of each part, five at most, each once', async () => {
  expect(
    await facts(
      '# The  door\n\nIt is red. It is old.\n\n## More\nIt opens\nto the left! Mostly.\n\nIt is red. Again.\n\nno end',
    ),
  ).toEqual(['“The door”', '“It is red.”', '“It opens to the left!”', '“no end”']);
  const many = Array.from({ length: 9 }, (_, at) => `Part ${at}.`).join('\n\n');
  expect(await facts(many)).toHaveLength(5);
  expect(await facts('Version 1.2 is out. Yes.')).toEqual(['“Version 1.2 is out.”']);
});

test('fields give the title alone; tables, code and marks give nothing', async () => {
  expect(await facts('---\nid: 1\ntitle: From the fields\n---\n\n# Heading\n\nText.\n')).toEqual([
    '“From the fields”',
    '“Text.”',
  ]);
  expect(await facts('| a | b |\n\n```js\n\n<div>\n\n---\n')).toEqual([]);
  expect(await facts('')).toEqual([]);
});

test('a fact has 300 characters at most, and no secret', async () => {
  expect(await facts('x'.repeat(300))).toEqual([`“${'x'.repeat(300)}”`]);
  expect(await facts('x'.repeat(301))).toEqual([`“${'x'.repeat(300)}…”`]);
  expect((await facts('The key is ghp_0123456789abcdefghij.'))[0]).not.toContain('ghp_');
});

test('a reply that promises a reminder says that there is none, unless something is scheduled or it says so', () => {
  const promises = [
    'I’ll remind you tomorrow.',
    'I will then ping you.',
    "I'm going to notify you",
    'I will check back later',
    "I've set up a reminder",
    'A reminder has been set.',
  ];
  for (const text of promises) expect(reminderNote(text, [])).toBe(NO_REMINDER);
  expect(reminderNote(promises[0] ?? '', ['a.md'])).toBeNull();
  expect(reminderNote(`${promises[0]} ${NO_REMINDER}`, [])).toBeNull();
  for (const text of ['You will be reminded.', 'I remind people.', 'Set an alarm.'])
    expect(promisesReminder(text)).toBe(false);
});
