/**
 * People of very different loads beside each other: one with hundreds of messages in many sessions,
 * some with a few dozen, one who says something when the last was answered. More people than turns.
 */
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import { median } from '../measure.ts';
import { served, sessionOf } from './served.ts';

const TURNS = 3;
const LOUD = { name: 'loud', sessions: 6, messages: 150 };
const STEADY = ['steady-1', 'steady-2', 'steady-3', 'steady-4'];
const STEADY_MESSAGES = 25;
const QUIET = 'quiet';
const QUIET_MESSAGES = 15;

/** A turn of the run. Times in ms, by the clock of the process. */
interface Taken {
  actor: string;
  session: string;
  sent: number;
  begun: number;
  ended: number;
}

/** 1 where all have the same; one in so many of them where one has all. */
const jain = (shares: readonly number[]): number =>
  shares.reduce((sum, each) => sum + each) ** 2 /
  (shares.length * shares.reduce((sum, each) => sum + each ** 2, 0));

const quantile = (all: readonly number[], q: number): number =>
  [...all].sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * q))] ??
  Number.NaN;

/** Lives through it. @returns its turns, in the order in which they began */
async function lived(model: string): Promise<Taken[]> {
  const kept = { ms: 600_000, most: LOUD.sessions + STEADY.length + 1 };
  const desk = served(model, { turns: TURNS }, kept);
  const { journal } = desk.service;
  const taken: Taken[] = [];
  const open = new Map<string, Taken & { done: () => void }>();
  let isMeasured = false;
  const step = ({ id, state, actor, session, outcome }: QueuedTurn): void => {
    const now = performance.now();
    if (state === 'queued') return;
    const turn = open.get(id);
    if (turn === undefined) return;
    if (state === 'running') {
      turn.begun = now;
      if (isMeasured) taken.push(turn);
      return;
    }
    if (state !== 'done') throw new Error(`${actor} in ${session}: ${JSON.stringify(outcome)}`);
    turn.ended = now;
    turn.done();
  };
  const forget = journal.onStep(step);
  const say = (actor: string, session: string, text: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const sent = performance.now();
    // Held until it is known here: its turn may begin within the call.
    const draft = { session, source: 'bench', sourceId: `${session} ${text}`, actor, text };
    const { turn } = journal.add(draft, 'bench');
    const none = Number.NaN;
    open.set(turn.id, { actor, session, sent, begun: none, ended: none, done: resolve });
    desk.service.queue.release(turn.id);
    return promise;
  };
  const loud = Array.from({ length: LOUD.sessions }, () => sessionOf(desk, LOUD.name));
  const steady = STEADY.map((actor) => ({ actor, session: sessionOf(desk, actor) }));
  const quiet = sessionOf(desk, QUIET);
  // What is measured is the queue: all worlds are open.
  const all = [...loud.map((session) => ({ actor: LOUD.name, session })), ...steady];
  for (const { actor, session } of [...all, { actor: QUIET, session: quiet }])
    await say(actor, session, 'the first');
  isMeasured = true;
  const said = Array.from({ length: LOUD.messages }, (_, index) =>
    say(LOUD.name, loud[index % loud.length] ?? '', `message ${index}`),
  );
  for (let index = 0; index < STEADY_MESSAGES; index++)
    for (const { actor, session } of steady) said.push(say(actor, session, `message ${index}`));
  for (let index = 0; index < QUIET_MESSAGES; index++) await say(QUIET, quiet, `message ${index}`);
  await Promise.all(said);
  forget();
  await desk.close();
  return taken;
}

/** As lines to print. */
export async function fairness(model: string): Promise<{ name: string; text: string }[]> {
  const taken = await lived(model);
  const of = (actor: string): Taken[] => taken.filter((each) => each.actor === actor);
  const turnMs = median(taken.map(({ begun, ended }) => ended - begun));
  const waits = (actors: readonly string[]): string => {
    const all = actors.flatMap((actor) => of(actor).map(({ sent, begun }) => begun - sent));
    const [half, most] = [quantile(all, 0.5), quantile(all, 0.95)];
    return `median ${half.toFixed(0)} ms, p95 ${most.toFixed(0)} ms (${(most / turnMs).toFixed(1)} turns)`;
  };
  const passed = ({ sent, begun }: Taken): number =>
    taken.filter((other) => other.begun > sent && other.begun < begun).length;
  // While each of them has something that waits.
  const backlogged = [LOUD.name, ...STEADY];
  const until = Math.min(...backlogged.map((actor) => of(actor).at(-1)?.begun ?? 0));
  const shares = backlogged.map((actor) => of(actor).filter(({ begun }) => begun <= until).length);
  const gaps = [...new Set(of(LOUD.name).map(({ session }) => session))].flatMap((session) => {
    const at = of(LOUD.name).flatMap((each, index) => (each.session === session ? [index] : []));
    return at.map((place, index) => place - (at[index - 1] ?? -1));
  });
  return [
    {
      name: `${backlogged.length + 1} people, ${TURNS} turns at once: a turn takes`,
      text: `${turnMs.toFixed(0)} ms (${taken.length} turns)`,
    },
    { name: `the quiet one waits (${QUIET_MESSAGES} messages, one by one)`, text: waits([QUIET]) },
    { name: `the steady ones (${STEADY_MESSAGES} each)`, text: waits(STEADY) },
    {
      name: `the loud one (${LOUD.messages} in ${LOUD.sessions} sessions)`,
      text: waits([LOUD.name]),
    },
    {
      name: 'turns that began while the quiet one waited, at most',
      text: String(Math.max(...of(QUIET).map(passed))),
    },
    {
      name: "Jain's index of turns, while all but the quiet one wait",
      text: `${jain(shares).toFixed(3)} (${shares.join(', ')})`,
    },
    {
      name: "from one turn of a session of the loud one's to its next",
      text: `${Math.max(...gaps)} of that one's turns at most`,
    },
  ];
}
