/**
 * Appends to a session until it is killed, and prints the id of each entry once
 * it is durable. It loads what writes a log and nothing else, since it is
 * started some hundred times.
 */
import fs from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createSession, resumeSession } from '../../src/session/open.ts';
import { sessionPlace } from '../../src/session/place.ts';

const [state = '', id = '', part = 'null'] = process.argv.slice(2);
const place = sessionPlace(state, JSON.parse(part) ?? undefined);
const log = id === '' ? createSession(place) : resumeSession(place, id);
const acknowledge = (entry: { id: string }): unknown => fs.writeSync(1, `${entry.id}\n`);
// The header is on the disk before anybody hears of the session.
log.begin();
fs.writeSync(1, `${log.id}\n`);
// A process that is killed keeps no cache by itself.
if (id === '') flushCompileCache();
for (let round = 0; ; round++) {
  acknowledge(log.message({ role: 'user', content: `message ${round}` }));
  // Killed between an entry and its signature, or between the two places of a head, it is as good.
  log.sign();
  const output = 'x'.repeat(round % 7 === 0 ? 40_000 : 200);
  await Promise.all(
    Array.from({ length: 8 }, async (_, index) =>
      acknowledge(await log.appendGrouped({ type: 'custom', name: 'test/load', index, output })),
    ),
  );
}
