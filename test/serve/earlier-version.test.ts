/** The journal of a state directory, as an earlier version has left it, is brought forward by whoever opens it first. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ApprovalJournal } from '../../src/policy/approvals.ts';
import { ScheduleJournal } from '../../src/schedule/journal.ts';
import { ChannelLedger } from '../../src/serve/channels/ledger.ts';
import { TurnJournal } from '../../src/serve/queue/journal.ts';
import { temporaryDirectory } from '../world/harness.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

type Journals =
  | typeof ApprovalJournal
  | typeof ChannelLedger
  | typeof ScheduleJournal
  | typeof TurnJournal;

const TABLES: readonly [string, Journals, readonly string[]][] = [
  ['approvals', ApprovalJournal, ['people']],
  ['channel_buttons', ChannelLedger, ['answer']],
  ['schedule', ScheduleJournal, ['author', 'since', 'due_at', 'series']],
  ['turns', TurnJournal, ['questions', 'plan']],
];

const newFile = (): string => join(temporaryDirectory(), 'changes.sqlite');

function inFile<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Takes columns away that came later. */
const asBefore = (file: string, table: string, columns: readonly string[]): void =>
  inFile(file, (database) => {
    for (const column of columns) database.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  });

const columnsIn = (file: string, table: string): unknown[] =>
  inFile(file, (database) =>
    database
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name),
  );

test.each(TABLES)(
  'two that open %s of an earlier version at once both have it, whichever was first to bring it forward',
  (table, Journal, columns) => {
    const file = newFile();
    const open = (): void => new Journal(file).close();
    open();
    asBefore(file, table, columns);
    expect(columnsIn(file, table)).not.toEqual(expect.arrayContaining([...columns]));
    // Between the look of the one and its first step the other one does all of it.
    const exec = DatabaseSync.prototype.exec;
    let others = 0;
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (others === 0 && /^(BEGIN|ALTER)/.test(sql)) {
        others += 1;
        open();
      }
      exec.call(this, sql);
    });
    open();
    expect(others).toBe(1);
    expect(columnsIn(file, table)).toEqual(expect.arrayContaining([...columns]));
  },
);

const REQUEST = {
  session: 'S',
  actor: 'assistant',
  people: [] as string[],
  origin: 'tool',
  operations: [{ op: 'write', path: '/workspace/asked', mount: '/workspace' }],
  rule: 'policy asked',
  reason: 'policy asked: it asks',
  change: null,
} as const;

const opened = (file: string): ApprovalJournal => {
  const journal = new ApprovalJournal(file);
  onTestFinished(() => journal.close());
  return journal;
};

test('what an earlier version has asked has ended, whatever was answered: it grants nothing, and takes no answer', () => {
  const file = newFile();
  const before = new ApprovalJournal(file);
  const [waits, allowed, denied] = ['waits', 'allowed', 'denied'].map((digest) =>
    before.request({ ...REQUEST, digest }),
  );
  before.answer(allowed?.id ?? '', { decision: 'allow', scope: 'path' });
  before.answer(denied?.id ?? '', { decision: 'deny' });
  before.close();
  asBefore(file, 'approvals', ['people']);

  const journal = opened(file);
  expect(journal.list().map(({ state }) => state)).toEqual(['expired', 'expired', 'expired']);
  expect(journal.answer(waits?.id ?? '', { decision: 'allow' })?.state).toBe('expired');
  const [operation] = REQUEST.operations;
  expect(journal.granted(REQUEST, operation)).toBeNull();
  expect(journal.same(REQUEST, 'denied')).toBeNull();

  // What is asked from now on is as it should be, also for whoever opens the file next.
  const asked = journal.request({ ...REQUEST, digest: 'anew' });
  journal.answer(asked.id, { decision: 'allow', scope: 'path' });
  expect(opened(file).granted(REQUEST, operation)?.id).toBe(asked.id);
});

test('what was allowed to the agents of several people is theirs in whatever order they are named, and nobody’s who is one of them', () => {
  const journal = opened(':memory:');
  const asked = journal.request({ ...REQUEST, people: ['ben', 'ana', 'ben'], digest: 'both' });
  journal.answer(asked.id, { decision: 'allow', scope: 'path' });
  const [operation] = REQUEST.operations;
  const grantedTo = (...people: string[]) =>
    journal.granted({ actor: 'assistant', people }, operation)?.id;
  expect(grantedTo('ana', 'ben')).toBe(asked.id);
  expect(grantedTo('ben', 'ana', 'ana')).toBe(asked.id);
  for (const others of [[], ['ana'], ['ben'], ['ana', 'ben', 'carl'], ['ana,ben']])
    expect(grantedTo(...others), others.join(' ')).toBeUndefined();
});
