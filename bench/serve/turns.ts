/** A message to its end, and what is measured of it. */
import type { Served } from './served.ts';
import { person } from './served.ts';

/** Times in ms. */
export interface Timed {
  actor: string;
  /** From when the message was sent to the first word of the answer. */
  first: number;
  /** From when its turn began. */
  begun: number;
  /** When it ended, by the clock of the process. */
  ended: number;
}

/** Says something in a session, and follows it until its turn has ended. */
export async function say(
  { service }: Served,
  actor: string,
  session: string,
  text: string,
): Promise<Timed> {
  const caller = person(actor);
  const ended = new AbortController();
  const feed = service.conversations.follow(caller, session, null, ended.signal);
  const following = feed.next();
  const sent = performance.now();
  const { turn } = service.conversations.submit(caller, session, {
    text,
    key: `${session} ${text}`,
  });
  const timed = { actor, first: Number.NaN, begun: Number.NaN, ended: Number.NaN };
  let took = sent;
  for (let next = await following; next.done !== true; next = await feed.next()) {
    const event = next.value;
    const now = performance.now();
    if (
      event.kind === 'passing' &&
      event.event.type === 'text-delta' &&
      Number.isNaN(timed.first)
    ) {
      timed.first = now - sent;
      timed.begun = now - took;
    }
    if (event.kind !== 'turn' || event.turn.id !== turn?.id) continue;
    if (event.turn.state === 'running') took = now;
    if (event.turn.endedAt === null) continue;
    if (event.turn.state !== 'done') throw new Error(JSON.stringify(event.turn.outcome));
    timed.ended = now;
    ended.abort();
  }
  return timed;
}
