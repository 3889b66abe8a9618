/** Documents, initiatives and updates of projects: what they cost, what they say, how they are written. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, failure, IDS, ISSUES, Server, TEAM, text, uuid, write } from './testing.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

const initiative = (bench: Bench, name = 'Grow') =>
  bench.linear.edit({
    op: 'add',
    table: 'initiatives',
    fields: { slugId: 'feed0001', name, content: 'Why we grow', ownerId: uuid(IDS.user) },
  });

function document(bench: Bench, slugId: string, fields: object): Promise<string> {
  const own = { slugId, title: `About ${slugId}`, content: `Text of ${slugId}` };
  return bench.linear.edit({ op: 'add', table: 'documents', fields: { ...own, ...fields } });
}

describe('documents', () => {
  it('and initiatives cost one request together, none before they are entered', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const goal = await initiative(bench);
    await document(bench, 'aaaa0001', { projectId: uuid(IDS.project), creatorId: uuid(IDS.user) });
    await document(bench, 'aaaa0002', { issueId: uuid(IDS.issue + 1) });
    await document(bench, 'aaaa0003', { initiativeId: goal, trashed: true });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.readdir('/');
    expect(await bench.asked()).toEqual([]);
    const names = (await mount.readdir('/documents')).map(({ name }) => name);
    expect(names).toEqual(['aaaa0001.md', 'aaaa0002.md', 'index.tsv']);
    expect(await text(mount, '/documents/index.tsv')).toContain(
      'aaaa0002.md\tAbout aaaa0002\tENG-1\t',
    );
    expect(await text(mount, '/documents/aaaa0001.md')).toMatch(
      /^---\ntitle: About aaaa0001\nproject: Launch\n[\s\S]*creator: mara\n[\s\S]*\n\nText of aaaa0001\n$/,
    );
    expect(await text(mount, '/initiatives/feed0001.md')).toMatch(
      /^---\nname: Grow\n[\s\S]*status: Active\n[\s\S]*owner: mara\n[\s\S]*Why we grow\n$/,
    );
    expect(await text(mount, '/initiatives/index.tsv')).toContain('feed0001.md\tGrow\tActive');
    expect(await bench.asked()).toEqual(['documents initiatives']);
    expect([...mount.documents()].map(({ path }) => path)).toEqual([
      '/documents/aaaa0001.md',
      '/documents/aaaa0002.md',
      '/initiatives/feed0001.md',
    ]);
  });

  it('that somebody else changes, deletes and puts in the trash are followed', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const ids = [];
    for (const slug of ['aaaa0001', 'aaaa0002', 'aaaa0003']) {
      ids.push(await document(bench, slug, { teamId: uuid(1) }));
    }
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.readdir('/documents');
    const [one = '', two = '', three = ''] = ids;
    const set = (id: string, fields: object) =>
      bench.linear.edit({ op: 'set', table: 'documents', id, fields: { ...fields } });
    await set(one, { content: 'New text' });
    await set(two, { trashed: true, archivedAt: new Date().toISOString() });
    await bench.linear.edit({ op: 'remove', table: 'documents', id: three });
    const names = async () => (await mount.readdir('/documents')).map(({ name }) => name);
    bench.move(120_000);
    expect(await text(mount, '/documents/aaaa0001.md')).toContain('New text');
    bench.move(700_000);
    expect(await names()).toEqual(['aaaa0001.md', 'index.tsv']);
  });

  it('are changed with two requests, only by what differs, and merged with what others wrote', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const id = await document(bench, 'aaaa0001', { teamId: uuid(1) });
    const mount = bench.mount({ freshMs: 600_000 });
    const path = '/documents/aaaa0001.md';
    const before = await text(mount, path);
    await bench.asked();
    await bench.linear.edit({ op: 'set', table: 'documents', id, fields: { title: 'Theirs' } });
    await write(mount, path, before.replace('Text of aaaa0001', 'Mine'));
    expect(await bench.asked()).toEqual(['document', 'documentUpdate']);
    const [row] = (await bench.linear.dump()).documents ?? [];
    expect(row).toMatchObject({ title: 'Theirs', content: 'Mine', updatedById: uuid(IDS.user) });
    const again = await text(mount, path);
    await bench.linear.edit({ op: 'set', table: 'documents', id, fields: { content: 'Others' } });
    const conflict = await failure(write(mount, path, again.replace('Mine', 'Mine again')));
    expect(conflict.code).toBe('ESTALE');
  });

  it('are made with what they belong to, found again after a lost answer, and never made twice', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    await initiative(bench);
    const mount = bench.mount({ freshMs: 600_000 });
    const make = (fields: string, title = 'Made') =>
      write(mount, '/documents/new.md', `---\ntitle: ${title}\n${fields}---\n\nNew text\n`);
    expect(await text(mount, '/documents/new.md')).toContain('any of: Grow');
    const tries: [string, string][] = [
      ['', 'project: a document belongs to one of project, initiative, issue, team'],
      ['project: Lunch\n', 'project: there is no project "Lunch"'],
      ['issue: ENG-99\n', 'issue: there is no issue ENG-99'],
      ['team: NOPE\n', 'team: there is no team "NOPE"'],
      ['initiative: Grov\n', 'initiative: there is no initiative "Grov"'],
    ];
    for (const [fields, reason] of tries) {
      const refused = await failure(make(fields));
      expect(refused.code, fields).toBe('EINVAL');
      expect(refused.reason, fields).toContain(reason);
    }
    await bench.linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
    await make('project: launch\n');
    await bench.linear.fault({ kind: 'cut', operation: 'mutation', times: 1 });
    await make('issue: ENG-2\n', 'Of an issue');
    await make('initiative: grow\n', 'Of an initiative');
    const rows = (await bench.linear.dump()).documents ?? [];
    expect(rows.map(({ title, projectId, issueId }) => [title, projectId, issueId])).toEqual([
      ['Made', uuid(IDS.project), null],
      ['Of an issue', null, uuid(IDS.issue + 2)],
      ['Of an initiative', null, null],
    ]);
    const states = mount.journal.list().map(({ state }) => state);
    expect(states.filter((state) => state === 'applied')).toHaveLength(3);
    expect(states).not.toContain('unknown');
    const last = (await text(mount, '/documents/.last')).trim();
    expect(await text(mount, `/documents/${last}`)).toContain('initiative: Grow');
  });

  it('belong to what they name, by a name or by the id in an address, and to something at all times', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const { linear } = bench;
    const twin = { slugId: 'abc9def', name: 'Launch', teamIds: [uuid(1)] };
    const other = await linear.edit({ op: 'add', table: 'projects', fields: twin });
    await document(bench, 'aaaa0001', { teamId: uuid(1) });
    const mount = bench.mount({ freshMs: 600_000 });
    const path = '/documents/aaaa0001.md';
    const change = async (...changes: [string, string][]) => {
      const before = await text(mount, path);
      await write(
        mount,
        path,
        changes.reduce((all, [from, to]) => all.replace(from, to), before),
      );
    };
    const home = async () => {
      const [row] = (await linear.dump()).documents ?? [];
      return [row?.projectId, row?.issueId, row?.teamId];
    };
    const none = await failure(change(['team: ENG', 'team: null']));
    expect(none).toMatchObject({ code: 'EINVAL' });
    expect(none.reason).toContain('project: a document belongs to one of project, initiative');
    const two = await failure(
      change(['team: ENG', 'team: null'], ['project: null', 'project: launch']),
    );
    expect(two.reason).toMatch(
      /there are 2 projects with the name "launch": give one of abc\ddef, abc\ddef;/,
    );
    const odd = await failure(change(['issue: null', 'issue: ENG']));
    expect(odd.reason).toContain('issue: must be an issue such as ENG-12, or null');
    await change(['team: ENG', 'team: null'], ['project: null', 'project: abc9def']);
    expect(await home()).toEqual([other, null, null]);
    await change(['project: Launch', 'project: null'], ['issue: null', 'issue: ENG-1']);
    expect(await home()).toEqual([null, uuid(IDS.issue + 1), null]);
    await change(['issue: ENG-1', 'issue: null'], ['team: null', 'team: OPS']);
    expect(await home()).toEqual([null, null, uuid(2)]);
    const former = { teamId: uuid(2), number: 7, previousIdentifiers: ['ENG-1'] };
    await linear.edit({ op: 'set', table: 'issues', id: 'ENG-1', fields: former });
    const moved = await failure(change(['issue: null', 'issue: ENG-1']));
    expect(moved.reason).toContain('issue: there is no issue ENG-1 on Linear');
  });

  it('in a mount of one team belong to what is shown there, and to nothing else', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const { linear } = bench;
    for (const [slugId, team] of [
      ['abc8def', 2],
      ['abc9def', 1],
    ] as const) {
      const fields = {
        slugId,
        name: slugId === 'abc8def' ? 'Theirs' : 'Cleanup',
        teamIds: [uuid(team)],
      };
      await linear.edit({ op: 'add', table: 'projects', fields });
    }
    const theirs = { slugId: 'abc7def', name: 'Launch', teamIds: [uuid(2)] };
    await linear.edit({ op: 'add', table: 'projects', fields: theirs });
    const mount = bench.mount({ team: 'ENG', freshMs: 600_000 });
    const make = (fields: string) =>
      write(mount, '/documents/new.md', `---\ntitle: Made\n${fields}\n---\n`);
    const tries: [string, string][] = [
      ['project: Theirs', 'project: there is no project "Theirs" that is shown here'],
      ['project: abc8def', 'project: there is no project "abc8def" that is shown here'],
      ['project: Cleanup', 'there are 2 projects with the name "Cleanup"'],
      ['issue: OPS-1', 'issue: this mount shows one team, which OPS is not'],
      ['team: OPS', 'team: this mount shows one team, which OPS is not'],
    ];
    for (const [fields, reason] of tries)
      expect((await failure(make(fields))).reason, fields).toContain(reason);
    // Of two with that name it is the one that is shown.
    for (const fields of ['project: Launch', 'issue: ENG-1', 'team: ENG']) await make(fields);
    const rows = (await linear.dump()).documents ?? [];
    expect(rows.map((row) => [row.projectId, row.issueId, row.teamId])).toEqual([
      [uuid(IDS.project), null, null],
      [null, uuid(IDS.issue + 1), null],
      [null, null, uuid(1)],
    ]);
  });

  it('without a text, and with a text without uploads, have no directory beside them', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    await document(bench, 'aaaa0001', { teamId: uuid(1), content: null });
    await document(bench, 'aaaa0002', { teamId: uuid(1) });
    const content = `See ${new URL(bench.linear.url).origin}/org/aaaabbbbcccc`;
    await document(bench, 'aaaa0003', { teamId: uuid(1), content });
    await document(bench, 'aaaa0004', { teamId: uuid(2), content });
    const names = async (mount: ReturnType<Bench['mount']>) =>
      (await mount.readdir('/documents')).map(({ name }) => name);
    const all = ['aaaa0001.md', 'aaaa0002.md', 'aaaa0003', 'aaaa0003.md'];
    expect(await names(bench.mount({ team: 'ENG' }))).toEqual([...all, 'index.tsv']);
    expect(await names(bench.mount())).toEqual([...all, 'aaaa0004', 'aaaa0004.md', 'index.tsv']);
  });

  it('of other teams, and initiatives, are not in a mount of one team', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const goal = await initiative(bench);
    await document(bench, 'aaaa0001', { projectId: uuid(IDS.project) });
    await document(bench, 'aaaa0002', { issueId: uuid(IDS.issue + 1) });
    await document(bench, 'aaaa0003', { teamId: uuid(2) });
    await document(bench, 'aaaa0004', { initiativeId: goal });
    const all = bench.mount({ freshMs: 600_000 });
    expect(await all.readdir('/documents')).toHaveLength(5);
    const mount = bench.mount({ team: 'ENG', freshMs: 1_000 });
    bench.move(60_000);
    const names = (await mount.readdir('/documents')).map(({ name }) => name);
    expect(names).toEqual(['aaaa0001.md', 'aaaa0002.md', 'index.tsv']);
    for (const path of ['/documents/aaaa0003.md', '/initiatives/feed0001.md']) {
      expect(await failure(mount.read(path)), path).toMatchObject({ code: 'ENOENT' });
    }
    const before = await text(all, '/documents/aaaa0003.md');
    const refused = await failure(write(mount, '/documents/aaaa0003.md', before.replace('T', 't')));
    expect(refused.code).toBe('ENOENT');
    expect([...mount.documents()].map(({ path }) => path)).toEqual([
      '/documents/aaaa0001.md',
      '/documents/aaaa0002.md',
      `${TEAM}/projects/abc0def.md`,
      `${TEAM}/projects/abc1def.md`,
    ]);
  });
});

describe('updates of a project', () => {
  const updates = `${TEAM}/projects/abc0def/updates`;
  const add = (bench: Bench, n: number, body: string) =>
    bench.linear.edit({
      op: 'add',
      table: 'updates',
      fields: { id: uuid(900 + n), projectId: uuid(IDS.project), userId: uuid(IDS.user), body },
    });

  it('come with the team, and cost no request of their own', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    await add(bench, 1, 'All is well');
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.prefetch(TEAM);
    expect(await bench.asked()).toHaveLength(2);
    expect((await mount.readdir(updates)).map(({ name }) => name)).toEqual([
      `${uuid(901)}.md`,
      'index.tsv',
    ]);
    expect(await text(mount, `${updates}/${uuid(901)}.md`)).toMatch(
      /^---\nhealth: on track\nauthor: mara\n[\s\S]*\n\nAll is well\n$/,
    );
    expect(await mount.readdir(`${TEAM}/projects/abc1def/updates`)).toHaveLength(1);
    expect(await bench.asked()).toEqual([]);
    await add(bench, 2, 'It is not');
    bench.move(60_000);
    expect(await text(mount, `${updates}/${uuid(902)}.md`)).toContain('It is not');
    await bench.linear.edit({ op: 'remove', table: 'updates', id: uuid(901) });
    bench.move(700_000);
    expect(await mount.readdir(updates)).toHaveLength(2);
    expect(await failure(mount.readdir(`${TEAM}/projects/nope0000/updates`))).toMatchObject({
      code: 'ENOENT',
    });
  });

  it('are made once under faults, and changed', async () => {
    using bench = await server.bench({ issues: 1, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    await bench.linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
    await write(mount, `${updates}/new.md`, '---\nhealth: at risk\n---\n\nSlower\n');
    const last = (await text(mount, `${updates}/.last`)).trim();
    const path = `${updates}/${last}`;
    const before = await text(mount, path);
    expect(before).toContain('health: at risk\n');
    await write(mount, path, before.replace('at risk', 'off track').replace('Slower', 'Stopped'));
    expect((await bench.linear.dump()).updates).toMatchObject([
      { projectId: uuid(IDS.project), health: 'offTrack', body: 'Stopped' },
    ]);
    const refused = await failure(write(mount, path, before.replace('at risk', 'fine')));
    expect(refused.reason).toContain('health: must be one of on track, at risk, off track');
    expect(await mount.readdir(ISSUES)).toHaveLength(3);
  });
});
