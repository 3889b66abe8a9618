/** Writing issues and comments: what is sent, what is refused, and what is kept. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Bench,
  commentPath,
  failure,
  IDS,
  ISSUES,
  Server,
  TEAM,
  text,
  uuid,
  write,
} from './testing.ts';

const ISSUE = `${ISSUES}/ENG-2.md`;
const NEW = `${ISSUES}/new.md`;
const SMALL = { issues: 4, commentsEach: 1 };

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

const edited = (content: string, changes: Record<string, string>): string =>
  Object.entries(changes).reduce(
    (all, [field, value]) => all.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: ${value}`),
    content,
  );

async function issue(bench: Bench, identifier: string) {
  const { issues } = await bench.linear.dump();
  return issues.find(({ number }) => `ENG-${number}` === identifier);
}

const mutations = async (bench: Bench): Promise<string[]> =>
  (await bench.log())
    .filter(({ operation }) => operation === 'mutation')
    .map(({ fields }) => fields.join(' '));

describe('an edit', () => {
  it('of every field is sent by name, in one mutation, with only what differs', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await write(
      mount,
      ISSUE,
      edited(before, {
        title: '"It is: changed"',
        state: 'In Progress',
        priority: 'high',
        labels: '[docs, help wanted, Area/api]',
        assignee: 'mara',
        project: 'Launch',
        cycle: 'Polish',
        parent: 'ENG-1',
        estimate: '3',
        due_date: '2026-03-31',
      }).replace('Body of 2', 'New body'),
    );
    expect(await mutations(bench)).toEqual(['issueUpdate']);
    expect(await issue(bench, 'ENG-2')).toMatchObject({
      title: 'It is: changed',
      stateId: uuid(102),
      priority: 2,
      labelIds: [uuid(21), uuid(22), uuid(24)],
      assigneeId: uuid(IDS.user),
      projectId: uuid(IDS.project),
      cycleId: uuid(IDS.cycle + 2),
      parentId: uuid(IDS.issue + 1),
      estimate: 3,
      dueDate: '2026-03-31',
      description: 'New body\n\nwith two paragraphs',
    });
    const after = await text(mount, ISSUE);
    expect(after).toContain('state: In Progress\npriority: high\n');
    expect(after).toMatch(/labels: \[(docs|help wanted|Area\/api|, )+\]/);
    await write(mount, ISSUE, edited(after, { project: 'null', due_date: 'null', labels: '' }));
    expect(await issue(bench, 'ENG-2')).toMatchObject({
      projectId: null,
      dueDate: null,
      labelIds: [],
    });
  });

  it('sends what differs and no more, and leaves a field that is left out alone', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await text(mount, ISSUE);
    await write(mount, ISSUE, '---\npriority: urgent\n---\n\nBody of 2\n\nwith two paragraphs\n');
    const body = mount.journal.list()[0]?.request?.body;
    expect(body).toMatchObject({ variables: { id: uuid(IDS.issue + 2), input: { priority: 1 } } });
    expect(await text(mount, ISSUE)).toContain('labels: [bug]');
  });

  it('closes, reopens, archives and brings back', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { state: 'Done' }));
    expect(await text(mount, ISSUE)).toContain('completed_at: ');
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { state: 'Todo' }));
    expect(await text(mount, ISSUE)).not.toContain('completed_at: ');
    await mutations(bench);
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { archived: 'true', title: 'Old' }));
    expect(await mutations(bench)).toEqual(['issueUpdate issueArchive']);
    expect((await mount.readdir(ISSUES)).map(({ name }) => name)).not.toContain('ENG-2.md');
    expect(await text(mount, ISSUE)).toContain('archived: true');
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { archived: 'false' }));
    expect((await mount.readdir(ISSUES)).map(({ name }) => name)).toContain('ENG-2.md');
    expect(await issue(bench, 'ENG-2')).toMatchObject({ title: 'Old', archivedAt: null });
  });

  it('sends what it asks for and no more: archiving alone, bringing back before a change', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { archived: 'true' }));
    expect(await mutations(bench)).toEqual(['issueArchive']);
    const back = { archived: 'false', title: 'Back' };
    await write(mount, ISSUE, edited(await text(mount, ISSUE), back));
    expect(await mutations(bench)).toEqual(['issueUnarchive issueUpdate']);
    expect(await issue(bench, 'ENG-2')).toMatchObject({ title: 'Back', archivedAt: null });
  });

  it('names an issue of another team as its parent, and by its former name says where it is', async () => {
    using bench = await server.bench(SMALL);
    const fields = {
      teamId: uuid(2),
      number: 7,
      stateId: uuid(200),
      previousIdentifiers: ['ENG-4'],
    };
    await bench.linear.edit({ op: 'set', table: 'issues', id: 'ENG-4', fields });
    const mount = bench.mount();
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { parent: 'OPS-7' }));
    expect((await issue(bench, 'ENG-2'))?.parentId).toBe(uuid(IDS.issue + 4));
    expect(await text(mount, ISSUE)).toContain('parent: OPS-7\n');
    const before = await text(mount, ISSUE);
    const moved = await failure(write(mount, ISSUE, edited(before, { parent: 'ENG-4' })));
    expect(moved.reason).toMatch(/parent: ENG-4 is none any more: .*OPS-7/);
    const both = { parent: 'ENG-99', blocks: '[ENG-98]' };
    const refused = await failure(write(mount, ISSUE, edited(before, both)));
    expect(refused.reason).toContain('parent: there is no issue ENG-99 on Linear');
    expect(refused.reason).toContain('blocks: there is no issue ENG-98 on Linear');
    await write(mount, ISSUE, edited(before, { parent: 'null' }));
    expect((await issue(bench, 'ENG-2'))?.parentId).toBeNull();
  });

  it('that changes nothing sends nothing and leaves no change', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.asked();
    await write(mount, ISSUE, before);
    expect(await bench.asked()).toEqual([]);
    expect(mount.journal.list()).toEqual([]);
  });

  it('with wrong fields names each of them and the nearest right names, and sends nothing', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.asked();
    const schema = await failure(
      write(
        mount,
        ISSUE,
        edited(before, { priority: '7', title: '""', due_date: '2026-02-30', estimate: '1.5' }),
      ),
    );
    expect(schema.code).toBe('EINVAL');
    expect(schema.reason).toContain('priority: must be one of none, urgent, high, medium, low');
    expect(schema.reason).toContain('title: must not be empty');
    expect(schema.reason).toContain('due_date: must be a date');
    expect(schema.reason).toContain('estimate: must be a whole number');
    expect(await bench.asked()).toEqual([]);
    const names = await failure(
      write(
        mount,
        ISSUE,
        edited(before, {
          state: 'Dun',
          labels: '[bugs, Area]',
          assignee: 'gone',
          project: 'Lunch',
          cycle: 'Cycle 9',
          parent: 'ENG-99',
        }),
      ),
    );
    expect(names).toMatchObject({ code: 'EINVAL' });
    expect(names.reason).toContain('state: there is no state "Dun" here (nearest: Done;');
    expect(names.reason).toContain('labels: there is no label "bugs" here (nearest: bug;');
    expect(names.reason).toContain('labels: there is no label "Area" here');
    expect(names.reason).toContain('assignee: there is no person "gone" here');
    expect(names.reason).toContain('project: there is no project "Lunch" here (nearest: Launch;');
    expect(names.reason).toContain('cycle: there is no cycle "Cycle 9" here (nearest: Cycle 1;');
    expect(names.reason).toContain('parent: there is no issue ENG-99 on Linear');
    expect(await mutations(bench)).toEqual([]);
    expect(await text(mount, `${ISSUES}/.error`)).toBe(`${names.reason}\n`);
    const self = await failure(write(mount, ISSUE, edited(before, { parent: 'ENG-2' })));
    expect(self.reason).toContain('an issue cannot be part of itself');
  });

  it('merges with what somebody else changed, field by field; the same field is ESTALE', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.linear.edit({
      op: 'set',
      table: 'issues',
      id: 'ENG-2',
      fields: { title: 'Theirs' },
    });
    await write(mount, ISSUE, before.replace('Body of 2', 'My body'));
    expect(await issue(bench, 'ENG-2')).toMatchObject({
      title: 'Theirs',
      description: 'My body\n\nwith two paragraphs',
    });
    const read = await text(mount, ISSUE);
    await bench.linear.edit({
      op: 'set',
      table: 'issues',
      id: 'ENG-2',
      fields: { title: 'Other' },
    });
    await mutations(bench);
    const refused = await failure(write(mount, ISSUE, edited(read, { title: 'Mine' })));
    expect(refused.code).toBe('ESTALE');
    expect(await mutations(bench)).toEqual([]);
    const change = mount.journal.list().at(-1);
    expect(change).toMatchObject({ state: 'conflict', base: read });
    expect(change?.theirs).toContain('title: Other');
  });

  it('by two processes at once on one record loses neither without an ESTALE', async () => {
    using bench = await server.bench(SMALL);
    const [one, two] = [bench.mount(), bench.mount()];
    const [a, b] = [await text(one, ISSUE), await text(two, ISSUE)];
    const outcomes = await Promise.allSettled([
      write(one, ISSUE, edited(a, { title: 'One' })),
      write(two, ISSUE, edited(b, { title: 'Two' })),
    ]);
    const kept = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    expect(kept).toHaveLength(1);
    expect((await issue(bench, 'ENG-2'))?.title).toBe(kept[0] === 0 ? 'One' : 'Two');
  });

  it('of a comment changes its text; rm deletes it; an issue can be neither removed nor renamed', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const path = commentPath(2, 0);
    await write(mount, path, (await text(mount, path)).replace('Comment 0', 'My word'));
    expect(await text(mount, path)).toContain('My word on 2');
    await mount.unlink?.(path);
    expect(await failure(mount.read(path))).toMatchObject({ code: 'ENOENT' });
    await bench.linear.fault({ kind: 'lag', ms: 60_000 });
    bench.move(20_000);
    expect(await mount.readdir(`${ISSUES}/ENG-2/comments`)).toEqual([]);
    const refused = await failure(mount.unlink?.(ISSUE));
    expect(refused).toMatchObject({ code: 'EPERM' });
    expect(refused.reason).toContain('archived: true');
    expect(await failure(mount.rename?.(ISSUE, `${ISSUES}/ENG-9.md`))).toMatchObject({
      code: 'EPERM',
    });
    expect(await failure(write(mount, `${TEAM}/states.tsv`, 'x'))).toMatchObject({ code: 'EPERM' });
    expect(await failure(write(mount, `${TEAM}/projects/abc0def.md`, 'x'))).toMatchObject({
      code: 'EPERM',
    });
  });
});

describe('new.md', () => {
  it('makes one issue with the id of the change, and .last names it', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount({ point: '/mnt/linear' });
    const template = await text(mount, NEW);
    expect(template).toContain('any of: Backlog, Todo, In Progress, Done, Canceled');
    expect(template).toContain('any of: Area/api, bug, docs, help wanted');
    expect(template).toContain('any of: mara, octo');
    await write(
      mount,
      NEW,
      `${edited(template, { title: '"It is: broken"', labels: '[bug]', state: 'Todo' })}\nSteps\n`,
    );
    expect(await text(mount, `${ISSUES}/.last`)).toBe(`/mnt/linear${ISSUES}/ENG-5.md\n`);
    const made = await text(mount, `${ISSUES}/ENG-5.md`);
    expect(made).toContain('title: "It is: broken"\nstate: Todo');
    expect(made).toMatch(/\n\nSteps\n$/);
    expect((await issue(bench, 'ENG-5'))?.id).toBe(mount.journal.list()[0]?.idempotencyKey);
  });

  it('takes its own template back, once the title is filled in', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await write(mount, NEW, (await text(mount, NEW)).replace('title: ""', 'title: "Filled in"'));
    expect((await issue(bench, 'ENG-5'))?.title).toBe('Filled in');
  });

  it('names what has the wrong form and whom it does not know in one refusal', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const wrong = '---\ntitle: x\nassignee: mra\npriority: critical\nstate: Tdo\nestimat: 1\n---\n';
    const refused = await failure(write(mount, NEW, wrong));
    for (const part of [
      'assignee: there is no person "mra" here (nearest: mara;',
      'priority: must be one of none, urgent',
      'state: there is no state "Tdo" here (nearest: Todo;',
      'estimat: no such field (nearest: estimate;',
    ]) {
      expect(refused.reason).toContain(part);
    }
    expect(await mutations(bench)).toEqual([]);
  });

  it('finds people as one would type them', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    const [user] = (await bench.linear.dump()).users.filter(
      ({ displayName }) => displayName === 'mara',
    );
    for (const typed of ['"@mara"', user?.email, JSON.stringify(user?.name)]) {
      await write(mount, ISSUE, edited(await text(mount, ISSUE), { assignee: 'null' }));
      await write(mount, ISSUE, edited(await text(mount, ISSUE), { assignee: String(typed) }));
      expect((await issue(bench, 'ENG-2'))?.assigneeId).toBe(user?.id);
      expect(await text(mount, ISSUE)).toContain('\nassignee: mara\n');
    }
  });

  it('makes a comment from a bare text', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await write(mount, `${ISSUES}/ENG-1/comments/new.md`, 'Me too\n');
    const last = (await text(mount, `${ISSUES}/ENG-1/comments/.last`)).trim();
    expect(await text(mount, `${ISSUES}/ENG-1/comments/${last}`)).toMatch(/\n\nMe too\n$/);
    expect(await mount.readdir(`${ISSUES}/ENG-1/comments`)).toHaveLength(2);
  });

  it('refuses an empty title, an empty comment, a name of its own, an issue that is not there', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    expect(await failure(write(mount, NEW, ''))).toMatchObject({ code: 'EINVAL' });
    expect((await failure(write(mount, NEW, '---\nlabels: [bug]\n---\n'))).reason).toContain(
      'title: is required',
    );
    expect(await failure(write(mount, `${ISSUES}/ENG-1/comments/new.md`, ' \n'))).toMatchObject({
      code: 'EINVAL',
    });
    expect(await failure(write(mount, `${ISSUES}/mine.md`, 'x'))).toMatchObject({ code: 'EPERM' });
    expect(
      await failure(write(mount, `${ISSUES}/ENG-99.md`, '---\ntitle: x\n---\n')),
    ).toMatchObject({ code: 'ENOENT' });
    expect(await mutations(bench)).toEqual([]);
  });
});

describe('a title', () => {
  const HOSTILE = [
    '../../etc/passwd',
    'a/b\\c',
    '.',
    '..',
    '---',
    'x'.repeat(300),
    '🚢 déjà vu ‮txt.exe',
    'bell\u0007 and \u001b[31mred',
    'key: value # no comment',
    '- [ ] `rm -rf /` $(id)',
    'null',
    'the same title',
    'the same title',
  ];

  it('never makes a name: the path is the identifier, and the text comes back as it was', async () => {
    using bench = await server.bench({ issues: HOSTILE.length, commentsEach: 0 });
    for (const [index, title] of HOSTILE.entries()) {
      await bench.linear.edit({
        op: 'set',
        table: 'issues',
        id: `ENG-${index + 1}`,
        fields: { title },
      });
    }
    const mount = bench.mount();
    const names = (await mount.readdir(ISSUES)).map(({ name }) => name);
    expect(names.filter((name) => name.endsWith('.md')).sort()).toEqual(
      HOSTILE.map((_, index) => `ENG-${index + 1}.md`).sort(),
    );
    expect((await text(mount, `${ISSUES}/index.tsv`)).trim().split('\n')).toHaveLength(
      HOSTILE.length + 1,
    );
    for (const [index, title] of HOSTILE.entries()) {
      const path = `${ISSUES}/ENG-${index + 1}.md`;
      const before = await text(mount, path);
      await write(mount, path, edited(before, { priority: 'low' }));
      expect((await issue(bench, `ENG-${index + 1}`))?.title).toBe(title);
    }
  });
});

describe('a stage mount', () => {
  it('shows the staged text, sends nothing, and applies it on demand', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount({ stage: true });
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { title: 'Staged' }));
    await write(mount, ISSUE, edited(await text(mount, ISSUE), { assignee: 'mara' }));
    await write(mount, NEW, '---\ntitle: Staged issue\n---\n');
    await write(mount, `${ISSUES}/ENG-1/comments/new.md`, 'Staged comment\n');
    expect(await text(mount, ISSUE)).toContain('title: Staged');
    expect(await mutations(bench)).toEqual([]);
    const pending = mount.journal.list({ state: 'pending' });
    expect(pending.map(({ op }) => op)).toEqual(['update', 'create', 'create']);
    await bench.linear.edit({ op: 'set', table: 'issues', id: 'ENG-2', fields: { priority: 1 } });
    const applied = await mount.journal.apply(pending.map(({ id }) => id));
    expect(applied.map(({ state }) => state)).toEqual(['applied', 'applied', 'applied']);
    expect(await issue(bench, 'ENG-2')).toMatchObject({
      title: 'Staged',
      priority: 1,
      assigneeId: uuid(30),
    });
    expect(await issue(bench, 'ENG-5')).toMatchObject({ title: 'Staged issue' });
    expect(await mount.readdir(`${ISSUES}/ENG-1/comments`)).toHaveLength(2);
  });
});
