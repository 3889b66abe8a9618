/** A day of a server, by a clock that is turned: nothing that is open grows. */
import { expect, onTestFinished, test } from 'vitest';
import { hoursOf } from '../../bench/serve/day.ts';
import { says, startModel } from '../stand-ins/model/index.ts';

/** As many as show a growth; `npm run bench:serve` has all 24. */
const HOURS = Number(process.env['HOURS'] ?? 6);

/** Of each count the smallest that there was. */
function least(hours: readonly Record<string, number>[]): Record<string, number> {
  const names = new Set(hours.flatMap((hour) => Object.keys(hour)));
  return Object.fromEntries(
    [...names].map((name) => [name, Math.min(...hours.map((hour) => hour[name] ?? 0))]),
  );
}

test(`in ${HOURS} hours of messages, prompts of the schedule, files and streams, no handle, timer, file, stream or world is left`, async () => {
  const model = await startModel(() => says('an answer'));
  onTestFinished(() => model.close());
  const hours = await hoursOf({ model: model.url, hours: HOURS, messages: 2 });
  for (const hour of hours) expect(hour).toMatchObject({ streams: 0, running: 0 });
  // What is loaded once is loaded in the first hour. A connection may be kept for a moment at the end
  // of one hour and not of another: what is left behind is there at the end of all later ones.
  const [, ...warm] = hours.map(({ descriptors, resources }) => ({ descriptors, ...resources }));
  const early = least(warm.slice(0, 2));
  const late = least(warm.slice(2));
  for (const [what, count] of Object.entries(late))
    expect(count, what).toBeLessThanOrEqual(early[what] ?? 0);
  // One for each message, and for each prompt.
  expect(hours.map(({ rows }) => rows)).toEqual(hours.map((_, index) => (index + 1) * 3));
});
