/** What reading costs, and that what is read is true. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { names } from '../../test/services/testing.ts';
import { commentPath, failure, ISSUES, Server, TEAM, text, uuid, write } from './testing.ts';
import { describeCosts } from './testing-requests.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

describeCosts({ issues: 200, requests: [8, 11] }, () => server);

describe('the files', () => {
  it('of a team are what Linear has of it, by name', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 1 });
    const mount = bench.mount();
    expect((await mount.readdir('/')).map(({ name }) => name)).toEqual([
      'README.md',
      'documents',
      'inbox',
      'initiatives',
      'me',
      'search',
      'teams',
      'users.tsv',
    ]);
    expect((await mount.readdir('/teams')).map(({ name }) => name)).toEqual(['ENG', 'OPS']);
    expect((await mount.readdir(TEAM)).map(({ name }) => name)).toEqual([
      'cycles',
      'issues',
      'labels.tsv',
      'projects',
      'states.tsv',
      'team.json',
    ]);
    expect(await text(mount, `${TEAM}/states.tsv`)).toContain('In Progress\tstarted');
    expect(await text(mount, `${TEAM}/labels.tsv`)).toBe(
      'name\tcolor\tdescription\nArea/api\t#5e6ad2\t\nbug\t#5e6ad2\t\ndocs\t#5e6ad2\t\nhelp wanted\t#5e6ad2\t\n',
    );
    expect(await text(mount, '/users.tsv')).toContain(
      'mara\tmara Surname\tmara@example.com\tactive\n',
    );
    expect(JSON.parse(await text(mount, `${TEAM}/team.json`))).toMatchObject({ key: 'ENG' });
    expect(await text(mount, `${TEAM}/projects/index.tsv`)).toContain(
      'abc0def.md\tLaunch\tstarted\tmara',
    );
    expect(await text(mount, `${TEAM}/projects/abc0def.md`)).toContain('name: Launch');
    expect(await text(mount, `${TEAM}/cycles/2.md`)).toContain('name: Polish');
    expect(await text(mount, `${ISSUES}/ENG-2.md`)).toBe(
      [
        '---',
        'identifier: ENG-2',
        'title: Number 2 is broken',
        'state: Todo',
        'priority: none',
        'labels: [bug]',
        'assignee: null',
        'project: null',
        'cycle: null',
        'parent: null',
        'estimate: null',
        'due_date: null',
        'team: ENG',
        'blocks: []',
        'blocked_by: []',
        'related: []',
        'duplicate_of: []',
        'archived: false',
        'creator: octo',
        'created_at: 2025-01-01T00:02:00.000Z',
        'updated_at: 2025-01-01T00:02:00.000Z',
        'url: https://linear.app/octo/issue/ENG-2',
        '---',
        '',
        'Body of 2',
        '',
        'with two paragraphs',
        '',
      ].join('\n'),
    );
    expect(await text(mount, `${ISSUES}/ENG-2/thread.md`)).toMatch(/## octo, .*\n\nComment 0 on 2/);
    expect(await text(mount, '/README.md')).toContain('teams/TEAM/issues/ISSUE.md');
  });

  it('an issue that is named costs one request with its comments, and so does one that is not there', async () => {
    using bench = await server.bench({ issues: 6, commentsEach: 2 });
    const mount = bench.mount();
    await text(mount, `${TEAM}/team.json`);
    await bench.asked();
    await text(mount, `${ISSUES}/ENG-3/thread.md`);
    await text(mount, `${ISSUES}/ENG-3.md`);
    await text(mount, commentPath(3, 1));
    expect(await bench.asked()).toEqual(['issue']);
    expect(await failure(mount.read(`${ISSUES}/ENG-77.md`))).toMatchObject({ code: 'ENOENT' });
    expect(await bench.asked()).toEqual(['issue']);
    expect(await failure(mount.read(`${ISSUES}/OPS-1.md`))).toMatchObject({ code: 'ENOENT' });
    expect(await failure(mount.read('/teams/NOPE/team.json'))).toMatchObject({ code: 'ENOENT' });
    expect(await failure(mount.lstat('/teams/NOPE'))).toMatchObject({ code: 'ENOENT' });
  });

  it('say a true size once read, and the time of the update', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const mount = bench.mount();
    const path = `${ISSUES}/ENG-3.md`;
    expect((await mount.lstat(path)).size).toBeGreaterThan(0);
    const bytes = await mount.read(path);
    expect(await mount.lstat(path)).toMatchObject({
      size: bytes.length,
      mtime: new Date('2025-01-01T00:03:00Z'),
    });
  });
});

describe('what somebody else does on Linear', () => {
  it('arrives: an edit, a new issue, a comment, a deleted comment, an archived and a deleted issue', async () => {
    using bench = await server.bench({ issues: 5, commentsEach: 1 });
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.prefetch(TEAM);
    const seq = mount.feed(0).at(-1)?.seq ?? 0;
    const { linear } = bench;
    const at = new Date().toISOString();
    await linear.edit({ op: 'set', table: 'issues', id: 'ENG-1', fields: { archivedAt: at } });
    await linear.edit({
      op: 'set',
      table: 'issues',
      id: 'ENG-2',
      fields: { archivedAt: at, trashed: true },
    });
    await linear.edit({ op: 'set', table: 'issues', id: 'ENG-3', fields: { title: 'Three' } });
    await linear.edit({ op: 'remove', table: 'issues', id: 'ENG-4' });
    await linear.edit({ op: 'remove', table: 'comments', id: uuid(100_500) });
    await linear.edit({
      op: 'add',
      table: 'issues',
      fields: { teamId: uuid(1), number: 6, title: 'Brand new', stateId: uuid(100) },
    });
    bench.move(120_000);
    const soon = (await mount.readdir(ISSUES)).map(({ name }) => name);
    expect(soon).toEqual([
      'ENG-3',
      'ENG-3.md',
      'ENG-4',
      'ENG-4.md',
      'ENG-5',
      'ENG-5.md',
      'ENG-6',
      'ENG-6.md',
      'index.tsv',
    ]);
    expect(await text(mount, `${ISSUES}/ENG-3.md`)).toContain('title: Three');
    expect(await text(mount, `${ISSUES}/ENG-1.md`)).toContain('archived: true');
    bench.move(700_000);
    const later = (await mount.readdir(ISSUES)).map(({ name }) => name);
    expect(later).toEqual([
      'ENG-3',
      'ENG-3.md',
      'ENG-5',
      'ENG-5.md',
      'ENG-6',
      'ENG-6.md',
      'index.tsv',
    ]);
    const gone = mount
      .feed(seq)
      .filter(({ op }) => op === 'delete')
      .map(({ path }) => path);
    expect(gone.sort()).toEqual(
      [1, 2, 4]
        .flatMap((n) => [`${ISSUES}/ENG-${n}.md`, commentPath(n, 0)])
        .concat(commentPath(5, 0))
        .sort(),
    );
    expect(await mount.readdir(`${ISSUES}/ENG-5/comments`)).toEqual([]);
  });

  it('is seen in names, too: a state that is renamed', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const mount = bench.mount();
    expect(await text(mount, `${ISSUES}/ENG-1.md`)).toContain('state: Todo');
    await bench.linear.edit({
      op: 'set',
      table: 'states',
      id: uuid(101),
      fields: { name: 'Ready' },
    });
    bench.move(60_000);
    await mount.prefetch(TEAM);
    expect(await text(mount, `${ISSUES}/ENG-1.md`)).toContain('state: Ready');
  });

  it('of an issue that moves to another team leaves nothing behind', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 1 });
    const mount = bench.mount({ reconcileMs: 0 });
    await mount.prefetch(TEAM);
    await bench.linear.edit({
      op: 'set',
      table: 'issues',
      id: 'ENG-1',
      fields: { teamId: uuid(2), number: 1, stateId: uuid(200) },
    });
    bench.move(120_000);
    expect((await mount.readdir(ISSUES)).map(({ name }) => name)).toEqual([
      'ENG-2',
      'ENG-2.md',
      'index.tsv',
    ]);
    expect(await text(mount, '/teams/OPS/issues/OPS-1.md')).toContain('identifier: OPS-1');
    expect(await mount.readdir('/teams/OPS/issues/OPS-1/comments')).toHaveLength(1);
  });

  it('and a team that is gone is gone here with all that was held of it', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 1 });
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    await bench.linear.edit({ op: 'remove', table: 'teams', id: uuid(1) });
    bench.move(60_000);
    expect((await mount.readdir('/teams')).map(({ name }) => name)).toEqual(['OPS']);
    expect(await failure(mount.lstat(TEAM))).toMatchObject({ code: 'ENOENT' });
    expect([...mount.documents()]).toEqual([]);
  });

  it('shows only one team where the mount is narrowed to it', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const mount = bench.mount({ team: 'ENG' });
    expect((await mount.readdir('/teams')).map(({ name }) => name)).toEqual(['ENG']);
    expect(await mount.readdir(ISSUES)).toHaveLength(5);
    expect(await failure(mount.lstat('/teams/OPS'))).toMatchObject({ code: 'ENOENT' });
  });

  it('shows nothing of another team by its name either, though the replica holds it', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 1 });
    const all = bench.mount();
    await all.prefetch(TEAM);
    const before = await text(all, `${ISSUES}/ENG-1.md`);
    const mount = bench.mount({ team: 'OPS' });
    await bench.asked();
    for (const path of [
      ...['states.tsv', 'labels.tsv', 'team.json', 'issues/index.tsv', 'issues/ENG-1.md'],
      ...['issues/new.md', 'issues/ENG-1/thread.md', 'issues/ENG-1/comments/new.md'],
      ...['projects/index.tsv', 'projects/abc0def.md', 'cycles/2.md'],
    ]) {
      const refused = await failure(mount.read(`${TEAM}/${path}`));
      expect(refused, path).toMatchObject({ code: 'ENOENT' });
    }
    for (const path of ['', '/issues', '/issues/ENG-1', '/issues/ENG-1/comments', '/projects']) {
      expect(await failure(mount.readdir(`${TEAM}${path}`)), path).toMatchObject({
        code: 'ENOENT',
      });
    }
    for (const path of ['issues/ENG-1.md', 'issues/new.md', 'issues/ENG-1/comments/new.md']) {
      const refused = await failure(write(mount, `${TEAM}/${path}`, before));
      expect(refused, path).toMatchObject({ code: 'ENOENT' });
    }
    expect(await failure((async () => mount.unlink?.(commentPath(1, 0)))())).toMatchObject({
      code: 'ENOENT',
    });
    expect([...mount.documents()]).toEqual([]);
    expect(mount.walk(TEAM)).toBeNull();
    expect(await bench.asked()).toEqual([]);
  });
});

describe('what an earlier version kept under other names', () => {
  it('is dropped at opening, and an issue that has its new place stays in the feed', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 1 });
    const options = bench.memory();
    await bench.mount(options).prefetch(TEAM);
    const staging = bench.mount({ ...options, stage: true });
    const before = await text(staging, `${ISSUES}/ENG-1.md`);
    await write(staging, `${ISSUES}/ENG-1.md`, before.replace('priority: none', 'priority: high'));
    const { replica } = options;
    const [{ mount: name = '' } = {}] = replica.held();
    for (const kind of ['issues', 'comments', 'comments-of', 'states', 'labels', 'team'])
      for (const key of ['ENG-1', 'ENG-9'])
        replica.upsert(name, `${kind}:ENG`, {
          key,
          updatedAt: '',
          size: 1,
          path: kind === 'issues' ? `${ISSUES}/${key}.md` : null,
          value: {},
        });
    // As the version before held them: by the names of issues, with cursors that are read no more.
    for (const old of [
      'issues/ENG',
      'comments/ENG',
      'relations',
      'attachments',
      'moved',
      'names',
    ]) {
      const record = { updatedAt: '', size: 1, path: null, value: 'OPS-9' };
      replica.upsert(name, old, { ...record, key: old === 'names' ? 'ENG' : 'ENG-9' });
      const state = { complete: true, syncedAt: 1, reconciledAt: 1, cursor: '2025-01-01' };
      replica.setListing(name, old, state);
    }
    for (const now of replica.collections(name, ''))
      if (/issue|comments$|related|attached/.test(now) && !/^(issues|comments)[:/]/.test(now))
        replica.removeCollection(name, now);
    const after = bench.mount(options);
    expect(await names(after, ISSUES)).toContain('ENG-1.md');
    expect(replica.collections(name, '').filter((one) => one.includes(':'))).toEqual([]);
    const told = new Map(after.feed(0).map(({ path, op }) => [path, op]));
    expect(told.get(`${ISSUES}/ENG-1.md`)).toBe('upsert');
    expect(told.get(`${ISSUES}/ENG-9.md`)).toBe('delete');
    expect(replica.collections(name, '').filter((one) => one.startsWith('issues/'))).toEqual([]);
    expect(['relations', 'moved', 'names'].flatMap((one) => replica.heads(name, one))).toEqual([]);
    // What was not sent yet is there.
    const staged = bench.mount({ ...options, stage: true });
    expect(await text(staged, `${ISSUES}/ENG-1.md`)).toContain('priority: high');
  });
});
