/** Staged changes on their way: what came of each, alone, together, or not at all. */
import { expect, onTestFinished, test } from 'vitest';
import type { Change } from './change.ts';
import { type ChangeExecutor, ChangeJournal } from './journal.ts';

function open() {
  const journal = new ChangeJournal(':memory:');
  onTestFinished(() => journal.close());
  const asked: string[] = [];
  const stage = (path: string, mount = 'm', op: Change['op'] = 'update'): Change => {
    const { id } = journal.begin({ mount, path, op, base: 'one\n', mine: 'two\n' });
    return journal.update(id, { state: 'pending' });
  };
  const end = ({ id, path }: Change): void => {
    if (path.startsWith('/bad')) throw new Error(`${path} is refused`);
    journal.update(id, { state: 'applied' });
  };
  /** What a mount hands in that notes what it was asked. */
  const executor = (more: Partial<ChangeExecutor> = {}): ChangeExecutor => ({
    apply: async (change) => {
      asked.push(`apply ${change.path}`);
      end(change);
    },
    settle: async (change) => {
      asked.push(`settle ${change.path}`);
      end(change);
    },
    ...more,
  });
  const together = (): Partial<ChangeExecutor> => ({
    applyTogether: async (changes) => {
      asked.push(`together ${changes.map(({ path }) => path).join(' ')}`);
      for (const change of changes) end(change);
    },
  });
  return { journal, asked, stage, executor, together };
}

test('changes are sent in the order given, and each says what came of it', async () => {
  const { journal, asked, stage, executor } = open();
  journal.attach('m', executor());
  const [one, bad, two] = [stage('/one'), stage('/bad'), stage('/two')];
  const results = await journal.apply([two.id, bad.id, one.id]);
  expect(asked).toEqual(['apply /two', 'apply /bad', 'apply /one']);
  expect(results).toEqual([
    { id: two.id, state: 'applied' },
    { id: bad.id, state: 'pending', error: '/bad is refused' },
    { id: one.id, state: 'applied' },
  ]);
  expect(journal.existing(bad.id).error).toBe('/bad is refused');
  expect(await journal.apply([one.id])).toEqual([
    { id: one.id, state: 'applied', error: 'the change is applied, not pending' },
  ]);
  await expect(journal.apply(['none'])).rejects.toMatchObject({ code: 'ENOENT' });
});

test('what was shown is sent, and nothing else', async () => {
  const { journal, asked, stage, executor } = open();
  journal.attach('m', executor());
  const { id, digest } = stage('/one');
  const other = 'it is not what was shown any more; look at it again';
  expect(await journal.apply([{ id, digest: 'other' }])).toEqual([
    { id, state: 'pending', error: other },
  ]);
  expect(asked).toEqual([]);
  expect(await journal.apply([{ id, digest }])).toEqual([{ id, state: 'applied' }]);
});

test('changes of a mount that can have them go through as one do so, in the place of the first of them', async () => {
  const { journal, asked, stage, executor, together } = open();
  journal.attach('m', executor(together()));
  journal.attach('n', executor());
  const [a, n, b, call] = [stage('/a'), stage('/n', 'n'), stage('/b'), stage('/c', 'm', 'call')];
  const results = await journal.apply([a.id, n.id, call.id, b.id]);
  expect(asked).toEqual(['together /a /b', 'apply /n', 'apply /c']);
  expect(results.map(({ id }) => id)).toEqual([a.id, b.id, n.id, call.id]);
  const alone = stage('/alone');
  await journal.apply([alone.id]);
  expect(asked.at(-1)).toBe('apply /alone');
});

test('of changes that go through together none does where one is not what it was said to be, or the mount refuses', async () => {
  const { journal, asked, stage, executor, together } = open();
  journal.attach('m', executor(together()));
  const [a, b, bad] = [stage('/a'), stage('/b'), stage('/bad')];
  expect(await journal.apply([a.id, { id: b.id, digest: 'other' }])).toEqual([
    {
      id: a.id,
      state: 'pending',
      error: `nothing was changed: it is applied together with ${b.id}, which does not go`,
    },
    { id: b.id, state: 'pending', error: 'it is not what was shown any more; look at it again' },
  ]);
  expect(asked).toEqual([]);
  await journal.drop([b.id]);
  expect((await journal.apply([b.id, a.id])).map(({ error }) => error)).toEqual([
    'the change is dropped, not pending',
    `nothing was changed: it is applied together with ${b.id}, which does not go`,
  ]);
  const refused = await journal.apply([bad.id, a.id]);
  expect(refused.map(({ state, error }) => [state, error])).toEqual([
    ['pending', '/bad is refused'],
    ['pending', '/bad is refused'],
  ]);
});

test('where no mount is there for a change it is looked for once more, and then said', async () => {
  const { journal, stage, executor } = open();
  const { id } = stage('/one');
  const missing = 'no mount here is that of the account it was written with (m)';
  expect(await journal.apply([id])).toEqual([{ id, state: 'pending', error: missing }]);
  let sought = 0;
  const stop = journal.onUnattached(async () => {
    sought += 1;
  });
  expect((await journal.apply([id]))[0]?.error).toBe(missing);
  expect(sought).toBeGreaterThan(0);
  stop();
  journal.onUnattached(async () => journal.attach('m', executor()));
  expect(await journal.apply([id])).toEqual([{ id, state: 'applied' }]);
});

test('of what has no known outcome the service is asked, and of nothing else', async () => {
  const { journal, asked, stage, executor } = open();
  journal.attach('m', executor());
  const [one, two] = [stage('/one'), stage('/two')];
  journal.update(one.id, { state: 'unknown' });
  expect(await journal.settle([one.id, two.id])).toEqual([
    { id: one.id, state: 'applied' },
    { id: two.id, state: 'pending', error: 'the change is pending, not unknown' },
  ]);
  expect(asked).toEqual(['settle /one']);
});

test('what is pending can be taken back, and why another cannot is said, with what stands in its place', async () => {
  const { journal, stage } = open();
  const [one, two] = [stage('/one'), stage('/one')];
  journal.replace([one], two.id);
  expect(await journal.drop([one.id, two.id])).toEqual([
    {
      id: one.id,
      state: 'dropped',
      error: `the change is dropped, not pending: it was staged again, with another content, as ${two.id}`,
    },
    { id: two.id, state: 'dropped' },
  ]);
});

test('a failure that another hand has ended meanwhile is no word of the change', async () => {
  const { journal, stage, executor } = open();
  const ends = (state: Change['state'], error: string | null): ChangeExecutor =>
    executor({
      apply: async ({ id }) => {
        journal.update(id, { state, error });
        throw new Error('late');
      },
    });
  const after = async (state: Change['state'], error: string | null = null) => {
    journal.attach('m', ends(state, error));
    const { id } = stage('/one');
    expect((await journal.apply([id]))[0]).toEqual({ id, state, error: 'late' });
    return journal.existing(id).error;
  };
  expect(await after('applied')).toBeNull();
  expect(await after('dropped')).toBeNull();
  expect(await after('failed', 'first')).toBe('first');
  expect(await after('unknown')).toBe('late');
});

test('a change is another’s where its service is here with another account alone', () => {
  const { journal, executor } = open();
  for (const mount of ['tracker @ana', 'desk/host @bob']) journal.attach(mount, executor());
  const isAnothers = (mount: string): boolean => journal.isAnothers({ mount });
  expect(isAnothers('tracker @ana')).toBe(false);
  expect(isAnothers('tracker @bob')).toBe(true);
  expect(isAnothers('desk/host @ana')).toBe(true);
  expect(isAnothers('desk @ana')).toBe(false);
});

test('what a mount has noted of a change that did not go through is what came of it', async () => {
  const { journal, stage, executor } = open();
  const apply = async ({ id }: Change): Promise<void> => {
    journal.update(id, { state: 'failed', error: 'no such field' });
  };
  journal.attach('m', executor({ apply }));
  const { id } = stage('/one');
  expect(await journal.apply([id])).toEqual([{ id, state: 'failed', error: 'no such field' }]);
});
