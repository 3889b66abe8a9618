/** A day of a server, by a clock that is turned: nothing that is open grows. */
import { expect, onTestFinished, test } from 'vitest';
import { hoursOf } from '../../bench/serve/day.ts';
import { says, startModel } from '../stand-ins/model/index.ts';

/** As many as show a growth; `npm run bench:serve` has all 24. */
const HOURS = Number(process.env['HOURS'] ?? 6);

test(`in ${HOURS} hours of messages, prompts of the schedule, files and streams, no handle, timer, file, stream or world is left`, async () => {
  const model = await startModel(() => says('an answer'));
  onTestFinished(() => model.close());
  const hours = await hoursOf({ model: model.url, hours: HOURS, messages: 2 });
  // What is loaded once is loaded in the first hour.
  const [, second, ...later] = hours.map(({ rows: _, heapBytes: __, ...open }) => open);
  for (const hour of later) expect(hour).toEqual(second);
  expect(second).toMatchObject({ streams: 0, running: 0 });
  // One for each message, and for each prompt.
  expect(hours.map(({ rows }) => rows)).toEqual(hours.map((_, index) => (index + 1) * 3));
});
