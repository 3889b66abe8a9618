/** What waits to be written, and what becomes of it, as the command line says so. */
import { describe, expect, test } from 'vitest';
import type { Applied } from '../changes/index.ts';
import type { VisibleText } from '../visible.ts';
import type { PlacedChange, WorldChanges } from '../world/world.ts';
import { actOnChanges } from './changes.ts';
import type { Confirm } from './confirm.ts';
import type { ChangesArguments } from './options.ts';
import { isCalledDirigent, keptOutput, parsed } from './testing.ts';
import { whatWaits, writeLines } from './writes.ts';

const NOON = Date.UTC(2026, 1, 3, 12);

const changeOf = (id: string, more: Partial<PlacedChange> = {}): PlacedChange =>
  ({
    id,
    state: 'pending',
    op: 'update',
    path: `/${id}.md`,
    mount: 'tracker',
    point: '/mnt/tracker',
    createdAt: NOON,
    digest: `digest-${id}`,
    replacedBy: null,
    sentAt: null,
    endedAt: null,
    result: null,
    error: null,
    request: null,
    diff: '',
    ...more,
  }) as unknown as PlacedChange;

/** Runs `changes` on a journal with these, the oldest first; each verb says the same of each. */
async function changes(
  line: string,
  journal: readonly PlacedChange[],
  { confirm, result = {} }: { confirm?: Confirm; result?: Partial<Applied> } = {},
) {
  isCalledDirigent();
  const { output, out, err } = keptOutput();
  const calls: [string, unknown][] = [];
  const act =
    (verb: string, state: string) => async (given: readonly (string | { id: string })[]) => {
      calls.push([verb, given]);
      return given.map((each) => ({
        id: typeof each === 'string' ? each : each.id,
        state,
        ...result,
      }));
    };
  const world = {
    list: async () => journal,
    get: async (id: string) => journal.find((each) => each.id === id) ?? null,
    apply: act('apply', 'applied'),
    drop: act('drop', 'dropped'),
    settle: act('settle', 'applied'),
  } as unknown as WorldChanges;
  const options = parsed(`changes ${line}`) as ChangesArguments;
  const status = await actOnChanges(world, options, output, confirm ?? null);
  return { status, out: out(), err: err(), calls };
}

const journal = [
  changeOf('01a'),
  changeOf('01b', {
    state: 'applied',
    op: 'create',
    result: { path: '/12.md', url: 'https://t/12' },
  }),
  changeOf('01c', { point: null }),
  changeOf('01d', { state: 'unknown', point: '/' }),
];

describe('changes', () => {
  test('are a table, the newest first, each where it is in the world', async () => {
    expect(await changes('list', journal)).toMatchObject({
      status: 0,
      out: `ID   STATE    OP      TIME                 PATH
01d  unknown  update  2026-02-03 12:00:00  /01d.md
01c  pending  update  2026-02-03 12:00:00  tracker:/01c.md
01b  applied  create  2026-02-03 12:00:00  /mnt/tracker/12.md
01a  pending  update  2026-02-03 12:00:00  /mnt/tracker/01a.md
`,
    });
    expect((await changes('list', [])).out).toBe('no changes\n');
    const { out } = await changes('list --json', journal);
    expect((JSON.parse(out) as PlacedChange[]).map(({ id }) => id)).toEqual([
      '01d',
      '01c',
      '01b',
      '01a',
    ]);
  });

  test('one is shown with what is known of it, and nothing else', async () => {
    expect((await changes('show 01a', journal)).out).toBe(`id:      01a
state:   pending
op:      update
path:    /mnt/tracker/01a.md
created: 2026-02-03 12:00:00
digest:  digest-01a
`);
    const whole = changeOf('01e', {
      state: 'failed',
      replacedBy: '01f',
      sentAt: NOON + 1_000,
      endedAt: NOON + 2_000,
      result: { path: '/e.md', url: 'https://t/e' },
      error: 'refused\nbecause',
      request: { method: 'PATCH', url: 'https://t/e', body: { a: 1 } },
      diff: '@@ -1 +1 @@\n-x\n+y\n\n',
    } as unknown as Partial<PlacedChange>);
    expect((await changes('show 01e', [whole])).out).toBe(`id:      01e
state:   failed
op:      update
path:    /mnt/tracker/01e.md
created: 2026-02-03 12:00:00
digest:  digest-01e
replaced: by 01f
sent:    2026-02-03 12:00:01
ended:   2026-02-03 12:00:02
result:  /mnt/tracker/e.md  https://t/e
error:   refused
         because
request: PATCH https://t/e
{
  "a": 1
}

@@ -1 +1 @@
-x
+y
`);
    expect((await changes('show --last', journal)).out).toContain('id:      01d\n');
  });

  test('are applied as they were shown, those that wait in the order in which they were made', async () => {
    expect((await changes('apply --all', journal)).calls).toEqual([
      [
        'apply',
        [
          { id: '01a', digest: 'digest-01a' },
          { id: '01c', digest: 'digest-01c' },
        ],
      ],
    ]);
    expect((await changes('apply --last', journal)).calls).toEqual([
      ['apply', [{ id: '01c', digest: 'digest-01c' }]],
    ]);
    expect((await changes('drop 01a 01a', journal)).calls).toEqual([['drop', ['01a']]]);
    expect((await changes('drop --all', journal)).calls).toEqual([['drop', ['01a', '01c']]]);
    expect((await changes('settle --all', journal)).calls).toEqual([['settle', ['01d']]]);
    for (const [verb, state] of [
      ['apply', 'pending'],
      ['drop', 'pending'],
      ['settle', 'unknown'],
    ])
      expect(await changes(`${verb} --all`, [])).toEqual({
        status: 0,
        out: `no change is ${state}\n`,
        err: '',
        calls: [],
      });
  });

  test('what became of each is a line; the status is 1 where any did not go through', async () => {
    expect(await changes('apply 01b', journal)).toMatchObject({
      status: 0,
      out: '01b applied: /mnt/tracker/12.md  https://t/12\n',
    });
    expect(await changes('drop 01a', journal)).toMatchObject({
      status: 0,
      out: '01a dropped: /mnt/tracker/01a.md\n',
    });
    expect(await changes('settle 01d', journal)).toMatchObject({
      status: 0,
      out: '01d applied: /01d.md\n',
    });
    expect(await changes('settle 01d', journal, { result: { state: 'dropped' } })).toMatchObject({
      status: 1,
    });
    expect(await changes('apply 01a', journal, { result: { error: 'no\nway' } })).toMatchObject({
      status: 1,
      out: '01a applied: no\n  way\n',
    });
    expect(await changes('apply 01a', journal, { result: { id: 'gone' } })).toMatchObject({
      out: 'gone applied\n',
    });
  });

  test('at a terminal, those that wait are shown, and nothing is sent unless it is wanted', async () => {
    const asked: string[] = [];
    const confirm =
      (yes: boolean): Confirm =>
      async (shown: VisibleText, question: VisibleText) => {
        asked.push(`${shown}`, `${question}`);
        return yes;
      };
    expect(await changes('apply 01a', journal, { confirm: confirm(false) })).toEqual({
      status: 1,
      out: '',
      err: 'dirigent: nothing was sent\n',
      calls: [],
    });
    expect(asked).toEqual([expect.stringMatching(/^id: {6}01a\n/), 'send it?']);
    const both = await changes('apply --all', journal, { confirm: confirm(true) });
    expect([both.status, both.calls.length]).toEqual([0, 1]);
    expect(asked.slice(2)).toEqual([
      expect.stringMatching(/^id: {6}01a\n[\s\S]*\n\nid: {6}01c\n/),
      'send these 2 changes?',
    ]);
    // Of what does not wait nothing is sent, and applying says so; dropping asks nothing.
    await changes('apply 01b', journal, { confirm: confirm(false) });
    await changes('drop 01a', journal, { confirm: confirm(false) });
    expect(asked).toHaveLength(4);
  });

  test('one that is not meant by one id alone is told with its state and path', async () => {
    await expect(changes('drop 01', journal)).rejects.toMatchObject({
      reason: expect.stringContaining(
        '\n  01c  pending  tracker:/01c.md\n  01b  applied  /mnt/tracker/01b.md\n',
      ),
    });
    await expect(changes('drop zz', journal)).rejects.toMatchObject({
      reason: 'there is no change "zz"; "dirigent changes list" names them',
    });
  });
});

const suggest = (command: string): string => `dirigent ${command}`;

test.each<[string[], string | null]>([
  [[], null],
  [['applied', 'dropped'], null],
  [
    ['pending', 'applied'],
    '1 change waits to be sent: "dirigent changes" lists what is staged, "dirigent changes apply ID…" sends it',
  ],
  [
    ['pending', 'pending'],
    '2 changes wait to be sent: "dirigent changes" lists what is staged, "dirigent changes apply ID…" sends it',
  ],
])('of changes that are %j what waits is said', (states, said) => {
  expect(whatWaits(states.map((state) => ({ state })) as never, suggest)).toBe(said);
});

describe('what a command wrote to services is said:', () => {
  const lines = (writes: object[], cwd = '/') => writeLines(writes as never, cwd, suggest);
  const write = { id: '01', path: '/mnt/t/1.md', summary: 'close #12', url: undefined };
  test.each<[object, string[]]>([
    [
      { op: 'update', state: 'pending' },
      ['staged: close #12; "dirigent changes apply 01" sends it'],
    ],
    [{ op: 'create', state: 'applied' }, ['made mnt/t/1.md']],
    [{ op: 'create', state: 'applied', url: 'u' }, ['made mnt/t/1.md  u']],
    [{ op: 'update', state: 'applied', url: 'u' }, ['closed #12  u']],
    [{ op: 'update', state: 'applied', summary: 'reopen #12' }, ['reopened #12']],
    [{ op: 'update', state: 'applied', summary: 'edit #12' }, ['edited #12']],
    [{ op: 'delete', state: 'applied', summary: 'delete #12' }, ['removed #12']],
    [{ op: 'call', state: 'applied', summary: 'call merge of #12' }, ['called merge of #12']],
    [
      { op: 'update', state: 'unknown' },
      ['unknown: close #12; "dirigent changes settle 01" asks what came of it'],
    ],
    [{ op: 'update', state: 'failed' }, []],
  ])('%j', (more, said) => expect(lines([{ ...write, ...more }])).toEqual(said));

  test('ten lines, and how many more there are', () => {
    const many = (count: number) =>
      Array.from({ length: count }, () => ({ ...write, op: 'update', state: 'applied' }));
    expect(lines(many(10))).toHaveLength(10);
    expect(lines(many(12)).slice(10)).toEqual(['… and 2 more; "dirigent changes" lists them']);
  });
});
