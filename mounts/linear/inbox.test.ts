/** The inbox, the issues of whose key it is, and Linear's own search. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { NEWEST } from './account.ts';
import { LinearClient } from './client.ts';
import {
  type Bench,
  failure,
  IDS,
  ISSUES,
  Server,
  seed,
  TEAM,
  TOKEN,
  text,
  uuid,
  write,
} from './testing.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

const names = async (mount: ServiceMount, path: string) =>
  (await mount.readdir(path)).map(({ name }) => name);

/** A notification of whose key it is, about an issue. */
function notify(bench: Bench, n: number, fields: object = {}): Promise<string> {
  return bench.linear.edit({
    op: 'add',
    table: 'notifications',
    fields: {
      id: uuid(700 + n),
      userId: uuid(IDS.user),
      actorId: uuid(IDS.user + 1),
      type: 'issueAssignedToYou',
      title: `Notice ${n}`,
      createdAt: `2025-02-0${n}T00:00:00.000Z`,
      issueId: uuid(IDS.issue + n),
      ...fields,
    },
  });
}

const at = (n: number) => `/inbox/${uuid(700 + n)}.md`;

describe('the inbox', () => {
  it('has the notifications of whose key it is, one request for all of them', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 1 });
    await notify(bench, 1, { readAt: '2025-03-01T00:00:00.000Z' });
    await notify(bench, 2, { type: 'issueCommentMention', commentId: uuid(100_200) });
    await notify(bench, 3, { issueId: null, projectId: uuid(IDS.project), category: 'feed' });
    await notify(bench, 4, { userId: uuid(IDS.user + 1), issueId: uuid(IDS.issue + 1) });
    const mount = bench.mount({ freshMs: 600_000 });
    expect(await names(mount, '/inbox')).toHaveLength(4);
    expect((await text(mount, '/inbox/index.tsv')).split('\n')).toEqual([
      'file\tread\ttype\tissue\ttitle\tactor\tcreated',
      `${uuid(703)}.md\tunread\tissueAssignedToYou\t\tNotice 3\tocto\t2025-02-03T00:00:00.000Z`,
      `${uuid(702)}.md\tunread\tissueCommentMention\tENG-2\tNotice 2\tocto\t2025-02-02T00:00:00.000Z`,
      `${uuid(701)}.md\tread\tissueAssignedToYou\tENG-1\tNotice 1\tocto\t2025-02-01T00:00:00.000Z`,
      '',
    ]);
    expect(await text(mount, at(2))).toMatch(
      /^---\nread: false\n[\s\S]*issue: ENG-2\n[\s\S]*\n\nComment 0 on 2: the frobnicator squeaks\n$/,
    );
    expect(await text(mount, at(3))).toContain('project: Launch\n');
    expect(await failure(mount.read(at(4)))).toMatchObject({ code: 'ENOENT' });
    expect(await bench.asked()).toEqual(['notifications']);
  });

  it('is marked read, unread and snoozed by writing, two requests each, once where the answer is lost', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    await notify(bench, 1);
    const mount = bench.mount({ freshMs: 600_000 });
    const unread = await text(mount, at(1));
    await bench.asked();
    await write(mount, at(1), unread.replace('read: false', 'read: true'));
    expect(await bench.asked()).toEqual(['notification', 'notificationUpdate']);
    const rows = async () => (await bench.linear.dump()).notifications ?? [];
    expect((await rows())[0]?.readAt).toMatch(/^20/);
    expect(await text(mount, '/inbox/index.tsv')).toContain('\tread\t');
    const read = await text(mount, at(1));
    expect(read).toMatch(/^read_at: 20/m);
    await bench.linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
    const snoozed = read
      .replace('read: true', 'read: false')
      .replace('snoozed_until: null', 'snoozed_until: 2030-01-01T09:00:00.000Z');
    await write(mount, at(1), snoozed);
    expect((await rows())[0]).toMatchObject({
      readAt: null,
      snoozedUntilAt: '2030-01-01T09:00:00.000Z',
    });
    expect(mount.journal.list().every(({ state }) => state === 'applied')).toBe(true);
    for (const [field, value] of [
      ['read', 'yes'],
      ['snoozed_until', 'tomorrow'],
      ['title', 'Mine'],
    ] as const) {
      const now = await text(mount, at(1));
      const line = new RegExp(`^${field}: .*$`, 'm');
      const refused = await failure(write(mount, at(1), now.replace(line, `${field}: ${value}`)));
      expect(refused.code, field).toBe('EINVAL');
      expect(refused.reason, field).toContain(`${field}: `);
    }
    expect((await failure((async () => mount.unlink?.(at(1)))())).code).toBe('EPERM');
  });

  it('of a mount of one team has what is about that team', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    await notify(bench, 1);
    await notify(bench, 2, { issueId: null, projectId: uuid(IDS.project) });
    await bench.mount().readdir('/inbox');
    expect(await names(bench.mount({ team: 'ENG' }), '/inbox')).toHaveLength(3);
    const other = bench.mount({ team: 'OPS' });
    expect(await names(other, '/inbox')).toEqual(['index.tsv']);
    expect(await failure(other.read(at(1)))).toMatchObject({ code: 'ENOENT' });
  });

  it('is staged like anything else, and then nothing is sent', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    await notify(bench, 1);
    const mount = bench.mount({ stage: true, freshMs: 600_000 });
    const unread = await text(mount, at(1));
    await write(mount, at(1), unread.replace('read: false', 'read: true'));
    expect(await text(mount, at(1))).toContain('read: true\n');
    const sent = (await bench.log()).filter(({ operation }) => operation === 'mutation');
    expect(sent).toEqual([]);
  });
});

describe('me/', () => {
  it('links to the open issues that are assigned, made and followed, one request for all', async () => {
    using bench = await server.bench({ issues: 6, commentsEach: 0 });
    const set = (n: number, fields: object) =>
      bench.linear.edit({ op: 'set', table: 'issues', id: `ENG-${n}`, fields: { ...fields } });
    const me = uuid(IDS.user);
    await set(1, { assigneeId: me });
    await set(2, { assigneeId: me, stateId: uuid(103) });
    await set(3, { creatorId: me });
    await set(4, { subscriberIds: [uuid(IDS.user + 1), me] });
    const mount = bench.mount({ freshMs: 600_000 });
    expect(await names(mount, '/me')).toEqual(['assigned', 'created', 'subscribed']);
    expect(await bench.asked()).toEqual([]);
    expect(await mount.readdir('/me/assigned')).toEqual([
      { name: 'ENG-1.md', type: 'symlink' },
      { name: 'index.tsv', type: 'file' },
    ]);
    expect(await mount.readlink?.('/me/assigned/ENG-1.md')).toBe('../../teams/ENG/issues/ENG-1.md');
    expect(await text(mount, '/me/assigned/index.tsv')).toMatch(
      /^file\ttitle\tstate\t.*\nENG-1.md\tNumber 1 is broken\tTodo\tNo priority\t/,
    );
    expect(await names(mount, '/me/created')).toEqual(['ENG-3.md', 'index.tsv']);
    expect(await names(mount, '/me/subscribed')).toEqual(['ENG-4.md', 'index.tsv']);
    expect(await bench.asked()).toEqual(['issues issues issues']);
    expect(await names(bench.mount({ team: 'OPS' }), '/me/assigned')).toEqual(['index.tsv']);
    // What is written here is seen at once.
    const before = await text(mount, `${ISSUES}/ENG-5.md`);
    await write(mount, `${ISSUES}/ENG-5.md`, before.replace('assignee: null', 'assignee: mara'));
    expect(await names(mount, '/me/assigned')).toEqual(['ENG-1.md', 'ENG-5.md', 'index.tsv']);
  });
});

describe('search/', () => {
  it('has what Linear finds, comments included, as links, and says what is not listed', async () => {
    using bench = await server.bench({ issues: 130, commentsEach: 1 });
    await bench.linear.edit({
      op: 'add',
      table: 'documents',
      fields: { slugId: 'aaaa0001', title: 'On squeaks', teamId: uuid(1) },
    });
    const notices: string[] = [];
    const mount = bench.mount({ freshMs: 600_000, onNotice: (said) => notices.push(said) });
    expect(await names(mount, '/search')).toEqual([]);
    const found = await names(mount, '/search/on 77: the');
    expect(found).toEqual(['ENG-77.md', 'index.tsv']);
    expect(await mount.readlink?.('/search/on 77: the/ENG-77.md')).toBe(
      '../../teams/ENG/issues/ENG-77.md',
    );
    expect(notices).toEqual([]);
    expect(await names(mount, '/search/Launch')).toEqual(['index.tsv', 'project abc0def.md']);
    expect(await mount.readlink?.('/search/Launch/project abc0def.md')).toBe(
      '../../teams/ENG/projects/abc0def.md',
    );
    expect(await names(mount, '/search')).toEqual(['Launch', 'on 77: the']);
    const many = await names(mount, '/search/squeaks');
    expect(many).toHaveLength(102);
    expect(many).toContain('aaaa0001.md');
    expect(notices.join()).toContain('more than is listed: 100 of 130 issues');
    const log = await bench.log();
    expect(log).toHaveLength(3);
    expect(Math.max(...log.map(({ complexity }) => complexity))).toBeLessThan(10_000);
    const narrow = bench.mount({ team: 'OPS', freshMs: 600_000 });
    expect(await names(narrow, '/search/squeaks')).toEqual(['index.tsv']);
    expect(await names(narrow, '/search/Launch')).toEqual(['index.tsv']);
    expect(await names(mount, TEAM)).toContain('issues');
  });

  it('sends no more than 30 searches a minute', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    for (let n = 0; n < 30; n++) await mount.readdir(`/search/word ${n}`);
    const refused = await failure(mount.readdir('/search/one more'));
    expect(refused).toMatchObject({ code: 'EAGAIN' });
    expect(refused.reason).toContain("Linear's search allows 30 requests a minute");
    expect(await text(mount, `${ISSUES}/ENG-1.md`)).toContain('identifier: ENG-1');
    expect((await bench.log()).filter(({ fields }) => fields[0] === 'searchIssues')).toHaveLength(
      30,
    );
    // The stand-in counts the same, and its clock has not moved.
    bench.move(61_000);
    const limited = await failure(mount.readdir('/search/one more'));
    expect(limited.reason).toContain('RATELIMITED');
    expect((await failure(mount.readdir('/search/and more'))).reason).toContain(
      "Linear's search asked us to wait",
    );
    // What is no search goes on.
    expect(await names(mount, '/documents')).toEqual(['index.tsv']);
    await bench.linear.reseed(seed({ issues: 1, commentsEach: 0 }));
    bench.move(61_000);
    expect(await names(mount, '/search/one more')).toEqual(['index.tsv']);
  });
});

describe('the one question of what changed last', () => {
  it('is answered otherwise after a change of any kind of record', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 1 });
    const { linear } = bench;
    const now = () => new Date();
    const client = new LinearClient({ token: TOKEN, baseUrl: linear.url, now });
    const newest = async () => JSON.stringify((await client.ask(NEWEST.query, {})).data);
    const [one, two] = [uuid(IDS.issue + 1), uuid(IDS.issue + 2)];
    const added = {
      comments: { issueId: one, body: 'Said' },
      relations: { issueId: one, relatedIssueId: two, type: 'blocks' },
      attachments: { issueId: one, title: 'Fix', url: 'https://x.example' },
      documents: { slugId: 'aaaa0001', title: 'Plan', teamId: uuid(1) },
      updates: { projectId: uuid(IDS.project), userId: uuid(IDS.user), body: 'Well' },
      initiatives: { slugId: 'feed0001', name: 'Grow' },
      notifications: { userId: uuid(IDS.user), type: 'issueMention', title: 'N', issueId: one },
    } as const;
    const seen = new Set([await newest()]);
    for (const [table, fields] of Object.entries(added)) {
      await linear.edit({ op: 'add', table: table as keyof typeof added, fields: { ...fields } });
      seen.add(await newest());
    }
    await linear.edit({ op: 'set', table: 'issues', id: 'ENG-2', fields: { title: 'Two' } });
    seen.add(await newest());
    expect(seen.size).toBe(Object.keys(added).length + 2);
    const cost = (await bench.log()).map(({ complexity }) => complexity);
    expect(Math.max(...cost)).toBeLessThan(20);
  });
});
