import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TurnJournal } from './journal.ts';
import type { QueuedTurn } from './turn.ts';

/** Who says how much, in which of their sessions, at which time; and how long turns take. */
const crowd = fc.record({
  turns: fc.integer({ min: 1, max: 4 }),
  said: fc.array(
    fc.record({
      actor: fc.constantFrom('ana', 'ben', 'cem', 'dora', 'eve', 'fay'),
      session: fc.integer({ min: 0, max: 2 }),
      messages: fc.integer({ min: 1, max: 12 }),
      at: fc.integer({ min: 0, max: 40 }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  lengths: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 }),
});

interface Step {
  taken: QueuedTurn;
  /** Those who could have been taken instead, and of whom no turn ran. */
  passedOver: { actors: Set<string>; sessions: Map<string, string> };
}

/** Lives through a crowd's day, in which a turn takes so many ticks. */
function lived({ turns, said, lengths }: typeof crowd extends fc.Arbitrary<infer T> ? T : never) {
  const journal = new TurnJournal(':memory:', () => 1);
  const steps: Step[] = [];
  const running = new Map<string, { turn: QueuedTurn; until: number }>();
  const queued = (): QueuedTurn[] => journal.list({ states: ['queued'] });
  for (let tick = 0; tick <= 40 || running.size > 0 || queued().length > 0; tick++) {
    for (const [index, { actor, session, messages, at }] of said.entries())
      if (at === tick)
        for (let each = 0; each < messages; each++)
          journal.add({
            session: `${actor} ${session}`,
            actor,
            source: 'test',
            sourceId: `${index} ${each}`,
            text: '',
          });
    for (const [session, { turn, until }] of running) {
      if (until > tick) continue;
      journal.end(turn.id, { status: 'done' });
      running.delete(session);
    }
    while (running.size < turns) {
      const heads = queued().filter(({ session }) => !running.has(session));
      const isRunning = (actor: string): boolean =>
        [...running.values()].some(({ turn }) => turn.actor === actor);
      const taken = journal.take();
      if (taken === null) {
        expect(heads).toEqual([]);
        break;
      }
      const passed = heads.filter(({ session }) => session !== taken.session);
      steps.push({
        taken,
        passedOver: {
          actors: new Set(
            passed
              .map(({ actor }) => actor)
              .filter((actor) => !isRunning(actor) && actor !== taken.actor),
          ),
          sessions: new Map(passed.map(({ session, actor }) => [session, actor])),
        },
      });
      const length = lengths[steps.length % lengths.length] ?? 1;
      running.set(taken.session, { turn: taken, until: tick + length });
    }
  }
  const all = journal.list();
  journal.close();
  return { steps, all };
}

test('whoever has no turn waits for one turn of each other at most, and each of their sessions for one of each other of theirs', () => {
  fc.assert(
    fc.property(crowd, (how) => {
      const { steps, all } = lived(how);
      // Since when somebody waits, and who was taken meanwhile.
      const actors = new Map<string, string[]>();
      const sessions = new Map<string, string[]>();
      for (const { taken, passedOver } of steps) {
        actors.delete(taken.actor);
        sessions.delete(taken.session);
        for (const actor of actors.keys()) if (!passedOver.actors.has(actor)) actors.delete(actor);
        for (const actor of passedOver.actors) {
          const meanwhile = [...(actors.get(actor) ?? []), taken.actor];
          expect(new Set(meanwhile).size).toBe(meanwhile.length);
          actors.set(actor, meanwhile);
        }
        for (const [session, actor] of passedOver.sessions) {
          if (actor !== taken.actor) continue;
          const meanwhile = [...(sessions.get(session) ?? []), taken.session];
          expect(new Set(meanwhile).size).toBe(meanwhile.length);
          sessions.set(session, meanwhile);
        }
      }
      expect(all.every(({ state }) => state === 'done')).toBe(true);
      // Within a session they are taken as they came.
      for (const session of new Set(all.map((turn) => turn.session))) {
        const inOrder = steps.filter(({ taken }) => taken.session === session);
        const came = all.filter((turn) => turn.session === session);
        expect(inOrder.map(({ taken }) => taken.id)).toEqual(came.map(({ id }) => id));
      }
    }),
    { numRuns: 50 },
  );
});

test('one message of somebody is next but one, behind 500 of somebody else, though one turn runs at a time', () => {
  const journal = new TurnJournal(':memory:', () => 1);
  const add = (actor: string, session: string, id: number): QueuedTurn =>
    journal.add({ session, actor, source: 'test', sourceId: `${actor} ${id}`, text: '' }).turn;
  for (let id = 0; id < 500; id++) add('loud', `loud ${id % 50}`, id);
  const first = journal.take();
  const quiet = add('quiet', 'quiet', 0);
  journal.end(first?.id ?? '', { status: 'done' });
  expect(journal.take()?.id).toBe(quiet.id);
  journal.close();
});
