import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import type { Doorway, Visit } from '../../doors/door.ts';
import { FsError } from '../../errors.ts';
import { ApprovalJournal } from '../../policy/approvals.ts';
import { QuestionJournal } from '../../policy/questions.ts';
import { sessionPlace } from '../../session/place.ts';
import { TurnJournal } from './journal.ts';
import { TurnQueue } from './queue.ts';

const visitOf = (close: () => Promise<void>, events: unknown): Visit =>
  ({
    session: 'S',
    events,
    agent: async () => ({ run: async () => ({ status: 'done', text: 'the answer' }) }),
    close,
    end: close,
  }) as unknown as Visit;

const failing = (): Promise<never> => Promise.reject(new Error('no events'));
const silent = (): Promise<object> => Promise.resolve({ done: true });
const eventsOf = (next: () => Promise<unknown>) => () => ({
  [Symbol.asyncIterator]: () => ({ next }),
});

test.each([
  ['whose world cannot be closed', () => Promise.reject(new Error('stuck')), silent, 'stuck'],
  [
    'whose world is busy when it is closed',
    () => Promise.reject(new FsError('EBUSY', { path: '/', op: 'close', reason: 'busy' })),
    silent,
    'busy',
  ],
  ['whose events cannot be followed', () => Promise.resolve(), failing, 'no events'],
] as const)(
  'a turn %s is done once, and whoever runs the server is told',
  async (_, close, events, fault) => {
    const faults: unknown[] = [];
    const place = temporaryDirectory();
    const journal = new TurnJournal(':memory:');
    const approvals = new ApprovalJournal(':memory:');
    const questions = new QuestionJournal(':memory:');
    let entered = 0;
    const enter = async (): Promise<Visit> => {
      entered += 1;
      return visitOf(close, eventsOf(events));
    };
    const queue = new TurnQueue({
      journal,
      approvals,
      questions,
      doorway: { enter } as Pick<Doorway, 'enter'>,
      place: sessionPlace(place),
      turns: 1,
      standing: { refusal: () => null, agentOf: () => null },
      onFault: (error) => void faults.push(error),
    });
    onTestFinished(async () => {
      await queue.close();
      journal.close();
      approvals.close();
      questions.close();
    });
    queue.start();
    const draft = { session: 'S', source: 'api', actor: 'ana', text: 'hello' };
    const { turn } = queue.submit({ ...draft, sourceId: '1' });
    await expect
      .poll(() => journal.get(turn.id))
      .toMatchObject({ state: 'done', outcome: { text: 'the answer' } });
    expect(entered).toBe(1);
    expect(String(faults[0])).toContain(fault);
  },
);
