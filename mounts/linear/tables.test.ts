/** The tables of a team and of the workspace, each to its last cell, and the notes that stand beside an issue. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, failure, IDS, ISSUES, Server, TEAM, text, uuid, write } from './testing.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

const AT = '2025-03-01T00:00:00.000Z';
type Table = Parameters<Bench['linear']['edit']>[0] extends infer Edit
  ? Extract<Edit, { op: 'add' }> extends { table: infer Name }
    ? Name
    : never
  : never;
const add = (bench: Bench, table: Table, fields: object): Promise<string> =>
  bench.linear.edit({
    op: 'add',
    table,
    fields: { createdAt: AT, updatedAt: AT, ...fields },
  });
const rows = async (mount: ReturnType<Bench['mount']>, path: string): Promise<string[][]> =>
  (await text(mount, path))
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));

describe('the table', () => {
  it('of people says who has left', async () => {
    using bench = await server.bench({ issues: 0, commentsEach: 0 });
    expect(await rows(bench.mount(), '/users.tsv')).toEqual([
      ['display_name', 'name', 'email', 'status'],
      ['gone', 'gone Surname', 'gone@example.com', 'left'],
      ['mara', 'mara Surname', 'mara@example.com', 'active'],
      ['octo', 'octo Surname', 'octo@example.com', 'active'],
    ]);
  });

  it('of states has them in the order of the boards, with their types', async () => {
    using bench = await server.bench({ issues: 0, commentsEach: 0 });
    await bench.linear.edit({
      ...{ op: 'set', table: 'states', id: uuid(100) },
      fields: { description: 'Not yet' },
    });
    expect(await rows(bench.mount(), `${TEAM}/states.tsv`)).toEqual([
      ['name', 'type', 'description'],
      ['Backlog', 'backlog', 'Not yet'],
      ['Todo', 'unstarted', ''],
      ['In Progress', 'started', ''],
      ['Done', 'completed', ''],
      ['Canceled', 'canceled', ''],
    ]);
  });

  it('of labels has the colors and what they are for, of groups only what is in them', async () => {
    using bench = await server.bench({ issues: 0, commentsEach: 0 });
    await bench.linear.edit({
      ...{ op: 'set', table: 'labels', id: uuid(IDS.label) },
      fields: { color: '#ff0000', description: 'It is broken' },
    });
    await add(bench, 'labels', { name: 'ours', teamId: uuid(2) });
    expect(await rows(bench.mount(), `${TEAM}/labels.tsv`)).toEqual([
      ['name', 'color', 'description'],
      ['Area/api', '#5e6ad2', ''],
      ['bug', '#ff0000', 'It is broken'],
      ['docs', '#5e6ad2', ''],
      ['help wanted', '#5e6ad2', ''],
    ]);
  });

  it('of projects has those that the team takes part in, by name, and whose they are', async () => {
    using bench = await server.bench({ issues: 0, commentsEach: 0 });
    const fields = { targetDate: '2026-03-31', state: 'planned', statusName: 'Next up' };
    await bench.linear.edit({ op: 'set', table: 'projects', id: uuid(IDS.project), fields });
    await add(bench, 'projects', { slugId: 'abc9def', name: 'Others', teamIds: [uuid(2)] });
    const mount = bench.mount();
    expect(await rows(mount, `${TEAM}/projects/index.tsv`)).toEqual([
      ['file', 'name', 'state', 'lead', 'target'],
      ['abc1def.md', 'Cleanup', 'started', 'mara', ''],
      ['abc0def.md', 'Launch', 'planned', 'mara', '2026-03-31'],
    ]);
    expect(await text(mount, `${TEAM}/projects/abc0def.md`)).toContain('status: Next up\n');
  });

  it('of cycles has the last first, when each begins and ends, and when it was completed', async () => {
    using bench = await server.bench({ issues: 0, commentsEach: 0 });
    await bench.linear.edit({
      ...{ op: 'set', table: 'cycles', id: uuid(IDS.cycle + 1) },
      fields: { completedAt: AT },
    });
    const times = (n: number) => [`2025-01-01T00:0${n}:00.000Z`, `2025-01-01T01:4${n}:00.000Z`];
    expect(await rows(bench.mount(), `${TEAM}/cycles/index.tsv`)).toEqual([
      ['number', 'name', 'starts', 'ends', 'completed'],
      ['2', 'Polish', ...times(2), ''],
      ['1', 'Cycle 1', ...times(1), AT],
    ]);
  });

  it('of issues has the highest number first, with what is shown of each', async () => {
    using bench = await server.bench({ issues: 10, commentsEach: 0 });
    await bench.linear.edit({
      ...{ op: 'set', table: 'issues', id: 'ENG-10' },
      fields: {
        ...{ title: 'Ten', stateId: uuid(102), priority: 2, assigneeId: uuid(IDS.user) },
        ...{ labelIds: [uuid(IDS.label + 4), uuid(IDS.label)], updatedAt: AT },
      },
    });
    const [head, first, second] = await rows(bench.mount(), `${ISSUES}/index.tsv`);
    expect(head).toEqual([
      ...['identifier', 'state', 'title', 'labels', 'assignee', 'priority', 'updated'],
    ]);
    expect(first?.slice(0, 3)).toEqual(['ENG-10', 'In Progress', 'Ten']);
    expect(first?.[3]?.split(/, ?/).sort()).toEqual(['Area/api', 'bug']);
    expect(first?.slice(4, 6)).toEqual(['mara', 'high']);
    expect(second).toEqual([
      ...['ENG-9', 'Todo', 'Number 9 is broken', '', '', 'none', '2025-01-01T00:09:00.000Z'],
    ]);
  });

  it('of updates has the newest first, with its health and who wrote it', async () => {
    using bench = await server.bench({ issues: 0, commentsEach: 0 });
    const update = (n: number, createdAt: string, health: string) =>
      add(bench, 'updates', {
        ...{ id: uuid(900 + n), projectId: uuid(IDS.project), userId: uuid(IDS.user + n) },
        ...{ body: `It is ${n}`, createdAt, health },
      });
    await update(0, '2025-03-01T00:00:00.000Z', 'atRisk');
    await update(1, '2025-03-02T00:00:00.000Z', 'onTrack');
    expect(await rows(bench.mount(), `${TEAM}/projects/abc0def/updates/index.tsv`)).toEqual([
      ['file', 'health', 'author', 'created'],
      [`${uuid(901)}.md`, 'on track', 'octo', '2025-03-02T00:00:00.000Z'],
      [`${uuid(900)}.md`, 'at risk', 'mara', '2025-03-01T00:00:00.000Z'],
    ]);
  });

  it('of documents says what each belongs to, and the one updated last is the first', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const goal = await add(bench, 'initiatives', {
      ...{ slugId: 'feed0001', name: 'Grow', ownerId: uuid(IDS.user), targetDate: '2026-12-31' },
      ...{ status: 'Planned', health: 'atRisk' },
    });
    const homes = [
      { projectId: uuid(IDS.project) },
      { initiativeId: goal },
      { issueId: uuid(IDS.issue + 1) },
      { teamId: uuid(2) },
    ];
    for (const [index, home] of homes.entries())
      await add(bench, 'documents', {
        ...{ slugId: `aaaa000${index}`, title: `About ${index}`, updatedById: uuid(IDS.user) },
        ...home,
        updatedAt: `2025-03-0${index + 1}T00:00:00.000Z`,
      });
    const mount = bench.mount();
    const line = (n: number, of: string) => [
      ...[`aaaa000${n}.md`, `About ${n}`, of, 'mara', `2025-03-0${n + 1}T00:00:00.000Z`],
    ];
    expect(await rows(mount, '/documents/index.tsv')).toEqual([
      ['file', 'title', 'of', 'updated_by', 'updated'],
      line(3, 'OPS'),
      line(2, 'ENG-1'),
      line(1, 'Grow'),
      line(0, 'Launch'),
    ]);
    expect(await rows(mount, '/initiatives/index.tsv')).toEqual([
      ['file', 'name', 'status', 'health', 'owner', 'target'],
      ['feed0001.md', 'Grow', 'Planned', 'atRisk', 'mara', '2026-12-31'],
    ]);
  });
});

describe('beside an issue', () => {
  it('its thread is the issue and its comments, the oldest first, each with who said it and where it is', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const comment = (n: number, fields: object) =>
      add(bench, 'comments', {
        ...{ id: uuid(800 + n), issueId: uuid(IDS.issue + 1), body: `Word ${n}` },
        ...{ createdAt: `2025-03-0${n}T00:00:00.000Z`, userId: uuid(IDS.user) },
        ...fields,
      });
    await comment(2, { userId: null });
    await comment(1, {});
    const mount = bench.mount();
    const issue = await text(mount, `${ISSUES}/ENG-1.md`);
    expect(await text(mount, `${ISSUES}/ENG-1/thread.md`)).toBe(
      `${issue}
## mara, 2025-03-01T00:00:00.000Z (comments/${uuid(801)}.md)

Word 1

## somebody, 2025-03-02T00:00:00.000Z (comments/${uuid(802)}.md)

Word 2
`,
    );
  });

  it('a description that there is none of has no uploads, and those of comments are there', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    await bench.linear.edit({
      ...{ op: 'set', table: 'issues', id: 'ENG-1' },
      fields: { description: null },
    });
    const mount = bench.mount({ freshMs: 1_000 });
    const names = async () =>
      (await mount.readdir(`${ISSUES}/ENG-1`)).map(({ name }) => name).sort();
    expect(await names()).toEqual(['comments']);
    const url = `${new URL(bench.linear.url).origin}/org/aaaabbbbcccc`;
    await add(bench, 'comments', {
      ...{ issueId: uuid(IDS.issue + 1), body: `See ${url}` },
      updatedAt: new Date().toISOString(),
    });
    bench.move(60_000);
    await mount.prefetch(TEAM);
    expect(await names()).toEqual(['attachments', 'comments']);
  });
});

describe('triage', () => {
  it('shows what waits and is not archived, and of a team without triage nothing', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const triage = await add(bench, 'states', {
      ...{ teamId: uuid(1), name: 'Triage', type: 'triage', position: -1 },
    });
    for (const id of ['ENG-1', 'ENG-2'])
      await bench.linear.edit({ op: 'set', table: 'issues', id, fields: { stateId: triage } });
    const off = bench.mount();
    await off.prefetch(TEAM);
    expect(await failure(off.readdir(`${TEAM}/triage`))).toMatchObject({ code: 'ENOENT' });
    await bench.linear.edit({
      ...{ op: 'set', table: 'teams', id: uuid(1) },
      fields: { triageEnabled: true },
    });
    const mount = bench.empty();
    await mount.prefetch(TEAM);
    const path = `${ISSUES}/ENG-1.md`;
    const before = await text(mount, path);
    await write(mount, path, before.replace('archived: false', 'archived: true'));
    expect((await mount.readdir(`${TEAM}/triage`)).map(({ name }) => name)).toEqual(['ENG-2.md']);
  });
});
