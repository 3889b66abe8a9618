/** A day of a server, by a clock that is turned: nothing that is open grows. */
import { expect, onTestFinished, test } from 'vitest';
import { hoursOf } from '../../bench/serve/day.ts';
import { says, startModel } from '../stand-ins/model/index.ts';

/** As many as show a growth; `npm run bench:serve` has all 24. */
const HOURS = Number(process.env['HOURS'] ?? 6);

/** Whether there is more at the end of each than at the end of the one before. */
const grows = (counts: readonly number[]): boolean =>
  counts.every((count, index) => index === 0 || count > (counts[index - 1] ?? 0));

test(`in ${HOURS} hours of messages, prompts of the schedule, files and streams, no handle, timer, file, stream or world is left`, async () => {
  const model = await startModel(() => says('an answer'));
  onTestFinished(() => model.close());
  const hours = await hoursOf({ model, hours: HOURS, messages: 2 });
  for (const hour of hours) expect(hour).toMatchObject({ streams: 0, running: 0 });
  // What is loaded once is loaded in the first hour. As many descriptors are kept as were in use at
  // once (SQLite closes none while another connection has a lock), and some hour is the busiest: what
  // each hour leaves behind is more at the end of each.
  const [, ...warm] = hours.map(({ descriptors, resources }) => ({ descriptors, ...resources }));
  const names = new Set(warm.flatMap((hour) => Object.keys(hour)));
  for (const name of names) {
    const counts = warm.map((hour) => (hour as Record<string, number>)[name] ?? 0);
    expect(grows(counts), `${name}: ${counts}`).toBe(false);
  }
  // One for each message, and for each prompt.
  expect(hours.map(({ rows }) => rows)).toEqual(hours.map((_, index) => (index + 1) * 3));
});
