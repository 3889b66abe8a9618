/** Generated edits of issues, half of them invalid: for the tests of this folder. */
import { expect } from 'vitest';
import type { Issue } from '../../test/stand-ins/linear/index.ts';
import { type Bench, failure, IDS, ISSUES, TEAM, text, uuid, write } from './testing.ts';

/** The same numbers for the same seed: Mulberry32. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

interface Change {
  field: string;
  /** As written behind `field: `. */
  value: string;
  /** What the store must hold afterwards; absent where the value is refused. */
  stored?: Partial<Issue>;
}

const right = (field: string, value: string, stored: Partial<Issue>): Change => ({
  field,
  value,
  stored,
});

/** Every value is another than the seed's. */
const VALID: ((n: number) => Change)[] = [
  (n) => right('title', `"Title: ${n}"`, { title: `Title: ${n}` }),
  (n) => {
    const names = ['Backlog', 'in progress', 'Done', 'Canceled'];
    const ids = [100, 102, 103, 104];
    return right('state', names[n % 4] ?? '', { stateId: uuid(ids[n % 4] ?? 0) });
  },
  (n) => {
    const names = ['urgent', 'high', 'medium', 'low'];
    return right('priority', names[n % 4] ?? '', { priority: (n % 4) + 1 });
  },
  (n) =>
    n % 2 === 0
      ? right('labels', '[docs, Area/api]', {
          labelIds: [uuid(IDS.label + 1), uuid(IDS.label + 4)],
        })
      : right('labels', '[help wanted]', { labelIds: [uuid(IDS.label + 2)] }),
  (n) => right('assignee', n % 2 === 0 ? 'mara' : 'octo', { assigneeId: uuid(IDS.user + (n % 2)) }),
  (n) =>
    right('project', n % 2 === 0 ? 'Launch' : 'Cleanup', {
      projectId: uuid(IDS.project + (n % 2)),
    }),
  (n) =>
    right('cycle', n % 2 === 0 ? 'Cycle 1' : 'Polish', { cycleId: uuid(IDS.cycle + 1 + (n % 2)) }),
  (n) => right('estimate', String(n % 9), { estimate: n % 9 }),
  (n) => {
    const day = `2026-0${(n % 9) + 1}-15`;
    return right('due_date', day, { dueDate: day });
  },
  () => right('parent', 'ENG-1', { parentId: uuid(IDS.issue + 1) }),
];

const wrong = (field: string, ...values: string[]): ((n: number) => Change)[] =>
  values.map((value) => () => ({ field, value }));

const INVALID: ((n: number) => Change)[] = [
  ...wrong('title', '""', '"  "', '7', 'null', '[a]', '"two\\nlines"'),
  ...wrong('state', 'Doen', 'null', '3', '""'),
  ...wrong('priority', '2', 'highest', 'null', '5'),
  ...wrong('labels', '[bugg]', 'bug', '[Area]', '[1]', '{a: b}'),
  ...wrong('assignee', 'nobody', 'gone', '[mara]', '"mara Nobody"'),
  ...wrong('project', 'Lunch', '7'),
  ...wrong('cycle', 'Cycle 7', '1'),
  ...wrong('estimate', '-1', '1.5', 'many', '3000000000'),
  ...wrong('due_date', 'tomorrow', '2026-02-30', '20260131', '7'),
  ...wrong('parent', 'ENG-9999', 'nothing', '7'),
  ...wrong('archived', 'yes', 'null', '1'),
  ...wrong('team', 'eng', 'OPX', 'null', '7', '[ENG]'),
  ...wrong('blocks', '[ENG-9999]', 'ENG-1', '[7]', '[nothing]', '{a: b}'),
  ...wrong('blocked_by', '[ENG-9999]', '[eng-1]'),
  ...wrong('duplicates', '[1]', '"ENG-1"'),
  ...wrong('pull_requests', '[https://example.com/pull/1]'),
  ...wrong('identifier', 'ENG-77'),
  ...wrong('created_at', '2020-01-01T00:00:00Z'),
  ...wrong('url', 'https://example.com'),
  ...wrong('status', 'Done'),
];

/**
 * Makes so many edits, one after the other. Every invalid one must name its field and send no
 * mutation; every valid one must change in the store what it says, and nothing else.
 */
export async function runGeneratedEdits(bench: Bench, count: number, seed: number): Promise<void> {
  const below = random(seed);
  const mount = bench.mount({ freshMs: 3_600_000 });
  await mount.prefetch(TEAM);
  await mount.prefetch('/');
  const { issues } = await bench.linear.dump();
  const held = new Map(issues.map((issue) => [issue.number, issue]));
  for (let n = 0; n < count; n++) {
    const number = 2 + below(held.size - 1);
    const path = `${ISSUES}/ENG-${number}.md`;
    const before = held.get(number);
    const pool = n % 2 === 0 ? VALID : INVALID;
    const changes = [
      pool[below(pool.length)]?.(below(1_000)),
      n % 3 === 0 ? VALID[0]?.(n) : undefined,
    ]
      .filter((change) => change !== undefined)
      .filter(
        (change, index, all) => all.findIndex(({ field }) => field === change.field) === index,
      );
    const content = changes.reduce(replaced, await text(mount, path));
    await bench.linear.resetRequests();
    const what = `edit ${n} of ENG-${number}: ${JSON.stringify(changes)}`;
    const [first] = changes;
    if (first?.stored === undefined) {
      const refused = await failure(write(mount, path, content)).catch((cause) => {
        throw new Error(what, { cause });
      });
      expect(refused.code, what).toBe('EINVAL');
      expect(refused.reason, what).toContain(`${first?.field}: `);
      const sent = await bench.log();
      expect(
        sent.filter(({ operation }) => operation === 'mutation'),
        what,
      ).toEqual([]);
    } else {
      await write(mount, path, content);
      const expected = Object.assign({}, before, ...changes.map(({ stored }) => stored));
      held.set(number, await compare(bench, number, expected, what));
    }
  }
  const after = (await bench.linear.dump()).issues;
  expect(after.sort((a, b) => a.number - b.number)).toEqual(
    [...held.values()].sort((a, b) => a.number - b.number),
  );
}

/** The record in the store is as expected, but for the times that follow from the edit. */
async function compare(
  bench: Bench,
  number: number,
  expected: Issue,
  what: string,
): Promise<Issue> {
  const found = (await bench.linear.dump()).issues.find((issue) => issue.number === number);
  if (found === undefined) throw new Error(`${what}: the issue is gone`);
  const { updatedAt, completedAt, canceledAt } = found;
  expect(found, what).toEqual({
    ...expected,
    updatedAt,
    completedAt,
    canceledAt,
    // A set of labels has no order.
    labelIds: expect.toSatisfy(
      (ids: string[]) =>
        JSON.stringify([...ids].sort()) === JSON.stringify([...expected.labelIds].sort()),
    ),
  });
  return found;
}

/** The file with one field written otherwise, or added. */
function replaced(content: string, { field, value }: Change): string {
  const line = new RegExp(`^${field}: .*$`, 'm');
  const written = `${field}: ${value}`;
  if (line.test(content)) return content.replace(line, () => written);
  return content.replace('---\n', () => `---\n${written}\n`);
}
