/** What belongs to an issue beside its own fields: relations, the team that it is in, attachments. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { type Bench, failure, IDS, ISSUES, Server, TEAM, text, uuid, write } from './testing.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

const issue = (n: number) => `${ISSUES}/ENG-${n}.md`;

/** One line of a record. */
async function line(mount: ServiceMount, path: string, field: string): Promise<string | undefined> {
  return (await text(mount, path)).split('\n').find((one) => one.startsWith(`${field}:`));
}

/** Writes one field, or adds it. */
async function set(mount: ServiceMount, path: string, field: string, value: string) {
  const before = await text(mount, path);
  const written = `${field}: ${value}`;
  const line = new RegExp(`^${field}: .*$`, 'm');
  const after = line.test(before)
    ? before.replace(line, () => written)
    : before.replace('---\n', () => `---\n${written}\n`);
  await write(mount, path, after);
}

/** A relation that somebody else made. @returns its id */
function relate(bench: Bench, from: number, type: string, to: number): Promise<string> {
  const [issueId, relatedIssueId] = [uuid(IDS.issue + from), uuid(IDS.issue + to)];
  return bench.linear.edit({
    op: 'add',
    table: 'relations',
    fields: { issueId, relatedIssueId, type },
  });
}

async function relations(bench: Bench): Promise<string[]> {
  const { relations: rows } = await bench.linear.dump();
  const number = (id: string) => Number(id.slice(-4)) - IDS.issue;
  return rows
    .map((row) => `${number(row.issueId)} ${row.type} ${number(row.relatedIssueId)}`)
    .sort();
}

describe('relations', () => {
  it('are in the files of both issues, and cost no request of their own', async () => {
    using bench = await server.bench({ issues: 5, commentsEach: 1 });
    await relate(bench, 1, 'blocks', 2);
    await relate(bench, 1, 'blocks', 5);
    await relate(bench, 3, 'related', 1);
    await relate(bench, 4, 'duplicate', 1);
    await relate(bench, 1, 'similar', 4);
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    expect(await bench.asked()).toEqual(
      ['team states labels projects cycles', 'issues comments relations attachments'].map(
        (fields) => expect.stringContaining(fields.split(' ')[0] ?? ''),
      ),
    );
    const file = await text(mount, issue(1));
    expect(file).toContain(
      'blocks: [ENG-2, ENG-5]\nblocked_by: []\nrelated: [ENG-3]\nduplicate_of: []\nduplicates: [ENG-4]\nsimilar: [ENG-4]\n',
    );
    expect(await line(mount, issue(2), 'blocked_by')).toBe('blocked_by: [ENG-1]');
    expect(await line(mount, issue(3), 'related')).toBe('related: [ENG-1]');
    expect(await line(mount, issue(4), 'duplicate_of')).toBe('duplicate_of: [ENG-1]');
    expect(await bench.asked()).toEqual([]);
  });

  it('of an issue that is named come with it, in its one request', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    await relate(bench, 1, 'blocks', 2);
    const mount = bench.mount();
    await text(mount, `${TEAM}/team.json`);
    await bench.asked();
    expect(await line(mount, issue(2), 'blocked_by')).toBe('blocked_by: [ENG-1]');
    expect(await bench.asked()).toEqual(['issue']);
  });

  it('that somebody else makes and deletes are seen, in the file, in its size and in the feed', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.prefetch(TEAM);
    await text(mount, issue(2));
    const seq = mount.feed(0).at(-1)?.seq ?? 0;
    const id = await relate(bench, 1, 'blocks', 2);
    bench.move(60_000);
    await mount.prefetch(TEAM);
    expect(await line(mount, issue(2), 'blocked_by')).toBe('blocked_by: [ENG-1]');
    const { size } = await mount.lstat(issue(2));
    expect(size).toBe((await mount.read(issue(2))).length);
    const told = mount.feed(seq).map(({ path }) => path);
    expect(told.sort()).toEqual([issue(1), issue(2)]);
    await bench.linear.edit({ op: 'remove', table: 'relations', id });
    bench.move(700_000);
    await mount.prefetch(TEAM);
    expect(await line(mount, issue(2), 'blocked_by')).toBe('blocked_by: []');
    expect(await line(mount, issue(1), 'blocks')).toBe('blocks: []');
  });

  it('are made and deleted by writing either file, two requests an edit', async () => {
    using bench = await server.bench({ issues: 4, commentsEach: 0 });
    await relate(bench, 1, 'blocks', 2);
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    await text(mount, issue(1));
    await bench.asked();
    await set(mount, issue(1), 'blocks', '[ENG-3, ENG-4]');
    expect(await bench.asked()).toEqual([
      'issue',
      'issueRelationDelete issueRelationCreate issueRelationCreate',
    ]);
    expect(await relations(bench)).toEqual(['1 blocks 3', '1 blocks 4']);
    expect(await line(mount, issue(2), 'blocked_by')).toBe('blocked_by: []');
    await set(mount, issue(3), 'blocked_by', '[]');
    await set(mount, issue(2), 'related', '[ENG-3]');
    await set(mount, issue(4), 'duplicates', '[ENG-3]');
    expect(await relations(bench)).toEqual(['1 blocks 4', '2 related 3', '3 duplicate 4']);
    expect(await line(mount, issue(1), 'blocks')).toBe('blocks: [ENG-4]');
    expect(await line(mount, issue(3), 'related')).toBe('related: [ENG-2]');
    expect(await line(mount, issue(3), 'duplicate_of')).toBe('duplicate_of: [ENG-4]');
    // What was not written again stays as it is, and one write may change both kinds of things.
    const both = (await text(mount, issue(1)))
      .replace('title: Number 1 is broken', 'title: One')
      .replace('blocks: [ENG-4]', 'blocks: []');
    await write(mount, issue(1), both);
    expect(await relations(bench)).toEqual(['2 related 3', '3 duplicate 4']);
    expect(await line(mount, issue(1), 'title')).toBe('title: One');
  });

  it('that cannot be are refused by field, and nothing is sent', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    const tries: [string, string, string][] = [
      ['blocks', '[ENG-1]', 'blocks: an issue cannot be related to itself'],
      ['blocks', '[ENG-99]', 'blocks: there is no issue ENG-99 on Linear'],
      ['related', '[12]', 'related: must be a list of issues such as ENG-12'],
      ['duplicate_of', 'ENG-2', 'duplicate_of: must be a list'],
    ];
    for (const [field, value, reason] of tries) {
      const refused = await failure(set(mount, issue(1), field, value));
      expect(refused, value).toMatchObject({ code: 'EINVAL' });
      expect(refused.reason, value).toContain(reason);
    }
    expect(await relations(bench)).toEqual([]);
  });

  it('that both sides touched are a conflict; on one side they are kept', async () => {
    using bench = await server.bench({ issues: 4, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    const [one, two] = [await text(mount, issue(1)), await text(mount, issue(2))];
    await relate(bench, 1, 'blocks', 3);
    await relate(bench, 2, 'blocks', 3);
    const refused = await failure(
      write(mount, issue(1), one.replace('blocks: []', 'blocks: [ENG-4]')),
    );
    expect(refused).toMatchObject({ code: 'ESTALE' });
    await write(mount, issue(2), two.replace('related: []', 'related: [ENG-4]'));
    expect(await relations(bench)).toEqual(['1 blocks 3', '2 blocks 3', '2 related 4']);
    expect(await line(mount, issue(2), 'blocks')).toBe('blocks: [ENG-3]');
  });

  it('that are written one after the other, whichever they are, are on Linear and in both files as written', async () => {
    const fields = ['blocks', 'blocked_by', 'related', 'duplicate_of', 'duplicates', 'similar'];
    const OTHER: Readonly<Record<string, string>> = {
      ...{ blocks: 'blocked_by', blocked_by: 'blocks', related: 'related', similar: 'similar' },
      ...{ duplicate_of: 'duplicates', duplicates: 'duplicate_of' },
    };
    const stepOf = fc.record({
      of: fc.integer({ min: 1, max: 4 }),
      field: fc.constantFrom(...fields),
      others: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf, { minLength: 4, maxLength: 8 }), async (steps) => {
        using bench = await server.bench({ issues: 4, commentsEach: 0 });
        const mount = bench.mount({ freshMs: 600_000 });
        await mount.prefetch(TEAM);
        // What each file must say, as `1 blocks 2`.
        const told = new Set<string>();
        for (const { of, field, others } of steps) {
          const wanted = others.filter((n) => n !== of);
          const names = wanted.map((n) => `ENG-${n}`).join(', ');
          await set(mount, issue(of), field, `[${names}]`);
          for (let n = 1; n <= 4; n++) {
            for (const row of [`${of} ${field} ${n}`, `${n} ${OTHER[field]} ${of}`]) {
              if (wanted.includes(n)) told.add(row);
              else told.delete(row);
            }
          }
        }
        const read = new Set<string>();
        for (let n = 1; n <= 4; n++) {
          for (const field of fields) {
            const found = (await line(mount, issue(n), field)) ?? '';
            for (const [, other] of found.matchAll(/ENG-(\d)/g)) read.add(`${n} ${field} ${other}`);
          }
        }
        expect([...read].sort()).toEqual([...told].sort());
        expect(await relations(bench)).toHaveLength(told.size / 2);
        const fresh = bench.empty();
        await fresh.prefetch(TEAM);
        for (let n = 1; n <= 4; n++) {
          expect(await text(fresh, issue(n))).toBe(await text(mount, issue(n)));
        }
      }),
      { numRuns: 8 },
    );
  });

  it('of which one is refused are not said to be made or not: the change is unknown', async () => {
    using bench = await server.bench({ issues: 4, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    const before = await text(mount, issue(1));
    // Held here, and gone there.
    await bench.linear.edit({ op: 'remove', table: 'issues', id: 'ENG-4' });
    const both = before.replace('blocks: []', 'blocks: [ENG-2, ENG-4]');
    const failed = await failure(write(mount, issue(1), both));
    expect(failed.reason).toContain('kept as unknown');
    expect(mount.journal.list().map(({ state }) => state)).toEqual(['unknown']);
    expect(await relations(bench)).toEqual(['1 blocks 2']);
    expect(await line(mount, issue(1), 'blocks')).toBe('blocks: [ENG-2]');
  });

  it('made by a request whose answer was lost are found again, and not made twice', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    await bench.linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
    await set(mount, issue(1), 'blocks', '[ENG-2]');
    expect(await relations(bench)).toEqual(['1 blocks 2']);
    expect(mount.journal.list().map(({ state }) => state)).toEqual(['applied']);
  });
});

describe('an issue that is moved to another team', () => {
  it('by its field has another identifier, keeps its comments and its relations, and says where it went', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 2 });
    await relate(bench, 2, 'blocks', 1);
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    await mount.prefetch('/teams/OPS');
    await set(mount, issue(1), 'team', 'OPS');
    const moved = '/teams/OPS/issues/OPS-1.md';
    expect(await text(mount, moved)).toMatch(/^identifier: OPS-1\n[\s\S]*^team: OPS\n/m);
    expect(await mount.readdir('/teams/OPS/issues/OPS-1/comments')).toHaveLength(2);
    expect(await line(mount, moved, 'blocked_by')).toBe('blocked_by: [ENG-2]');
    expect(await line(mount, issue(2), 'blocks')).toBe('blocks: [OPS-1]');
    const gone = await failure(mount.read(issue(1)));
    expect(gone).toMatchObject({ code: 'ENOENT' });
    expect(gone.reason).toContain('is OPS-1 there: /teams/OPS/issues/OPS-1.md');
    expect((await mount.readdir(ISSUES)).map(({ name }) => name)).not.toContain('ENG-1.md');
  });

  it('takes names of the team that it comes to, all of them checked before', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    const before = await text(mount, issue(2));
    const both = before.replace('team: ENG', 'team: OPS').replace('state: Todo', 'state: Done');
    // A label of the team that it leaves.
    const refused = await failure(write(mount, issue(2), both.replace('[bug]', '[docs]')));
    expect(refused.reason).toContain('labels: there is no label "docs" here');
    expect(
      (await failure(write(mount, issue(2), before.replace('team: ENG', 'team: OPX')))).reason,
    ).toContain('team: there is no team "OPX"');
    await write(mount, issue(2), both);
    const [row] = (await bench.linear.dump()).issues.filter(({ number }) => number === 1).reverse();
    expect(row).toMatchObject({ teamId: uuid(2), stateId: uuid(203), labelIds: [] });
  });

  it('by somebody else is found where it is by its old name, comments included, and is not written there', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 2 });
    const mount = bench.mount({ freshMs: 1_000 });
    await mount.prefetch('/teams/OPS');
    const before = await text(mount, issue(1));
    await bench.linear.edit({
      op: 'set',
      table: 'issues',
      id: 'ENG-1',
      fields: { teamId: uuid(2), number: 7, stateId: uuid(200), previousIdentifiers: ['ENG-1'] },
    });
    bench.move(60_000);
    const refused = await failure(write(mount, issue(1), before.replace('none', 'high')));
    expect(refused).toMatchObject({ code: 'ENOENT' });
    await bench.linear.resetRequests();
    expect((await failure(mount.read(issue(1)))).reason).toContain('is OPS-7 there');
    expect(await mount.readdir('/teams/OPS/issues/OPS-7/comments')).toHaveLength(2);
    const mutations = (await bench.log()).filter(({ operation }) => operation === 'mutation');
    expect(mutations).toEqual([]);
  });

  it('to a team that the mount does not show is said to be there, and is not shown', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const mount = bench.mount({ team: 'ENG', freshMs: 1_000 });
    await mount.prefetch(TEAM);
    expect((await failure(set(mount, issue(1), 'team', 'OPS'))).reason).toContain(
      'team: this mount shows one team, which OPS is not',
    );
    await bench.linear.edit({
      op: 'set',
      table: 'issues',
      id: 'ENG-1',
      fields: { teamId: uuid(2), number: 7, stateId: uuid(200), previousIdentifiers: ['ENG-1'] },
    });
    bench.move(4_000_000);
    expect((await failure(mount.read(issue(1)))).reason).toContain('does not show');
    expect(await failure(mount.read('/teams/OPS/issues/OPS-7.md'))).toMatchObject({
      code: 'ENOENT',
    });
    expect([...mount.documents()].filter(({ path }) => path.includes('OPS'))).toEqual([]);
  });

  it('when the answer was lost is known to have moved', async () => {
    using bench = await server.bench({ issues: 2, commentsEach: 0 });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    await bench.linear.fault({ kind: 'lost-answer', operation: 'mutation', times: 1 });
    await set(mount, issue(1), 'team', 'OPS');
    expect(mount.journal.list().map(({ state }) => state)).toEqual(['applied']);
    expect(await text(mount, '/teams/OPS/issues/OPS-1.md')).toContain('title: Number 1');
  });
});

describe('attachments', () => {
  const attach = (bench: Bench, n: number, url: string, more: object = {}) =>
    bench.linear.edit({
      op: 'add',
      table: 'attachments',
      fields: { issueId: uuid(IDS.issue + n), title: `See ${url.slice(-2)}`, url, ...more },
    });

  it('are a table beside the issue, and pull requests are in its fields', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const pull = 'https://github.com/octo/hello/pull/12';
    await attach(bench, 1, pull, { sourceType: 'github', metadata: { status: 'merged' } });
    const plain = await attach(bench, 1, 'https://example.com/report', { subtitle: 'a\tb' });
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.prefetch(TEAM);
    await bench.asked();
    expect(await line(mount, issue(1), 'pull_requests')).toBe(`pull_requests: [${pull}]`);
    expect(await line(mount, issue(2), 'pull_requests')).toBeUndefined();
    const table = await text(mount, `${ISSUES}/ENG-1/attachments.tsv`);
    expect(table.split('\n').map((row) => row.split('\t').slice(0, 5))).toEqual([
      ['title', 'source', 'status', 'url', 'subtitle'],
      ['See 12', 'github', 'merged', pull, ''],
      ['See rt', 'unknown', '', 'https://example.com/report', 'a b'],
      [''],
    ]);
    const names = async (n: number) =>
      (await mount.readdir(`${ISSUES}/ENG-${n}`)).map(({ name }) => name);
    expect(await names(1)).toEqual(['attachments.tsv', 'comments']);
    expect(await names(2)).toEqual(['comments']);
    expect(await failure(mount.read(`${ISSUES}/ENG-2/attachments.tsv`))).toMatchObject({
      code: 'ENOENT',
    });
    expect(await bench.asked()).toEqual([]);
    await bench.linear.edit({ op: 'remove', table: 'attachments', id: plain });
    bench.move(700_000);
    await mount.prefetch(TEAM);
    expect(await text(mount, `${ISSUES}/ENG-1/attachments.tsv`)).not.toContain('example.com');
  });
});

describe('triage', () => {
  it('has a link for each issue that waits, where the team has triage, and costs nothing', async () => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const { linear } = bench;
    await linear.edit({
      op: 'set',
      table: 'teams',
      id: uuid(1),
      fields: { triageEnabled: true },
    });
    const state = await linear.edit({
      op: 'add',
      table: 'states',
      fields: { teamId: uuid(1), name: 'Triage', type: 'triage', position: -1 },
    });
    await linear.edit({ op: 'set', table: 'issues', id: 'ENG-2', fields: { stateId: state } });
    const mount = bench.mount({ freshMs: 600_000 });
    await mount.prefetch(TEAM);
    await bench.asked();
    const names = async (path: string) => (await mount.readdir(path)).map(({ name }) => name);
    expect(await names(TEAM)).toContain('triage');
    expect(await mount.readdir(`${TEAM}/triage`)).toEqual([{ name: 'ENG-2.md', type: 'symlink' }]);
    expect(await mount.readlink?.(`${TEAM}/triage/ENG-2.md`)).toBe('../issues/ENG-2.md');
    expect(await failure(mount.lstat(`${TEAM}/triage/ENG-1.md`))).toMatchObject({
      code: 'ENOENT',
    });
    expect(await bench.asked()).toEqual([]);
    await set(mount, issue(2), 'state', 'Todo');
    expect(await names(`${TEAM}/triage`)).toEqual([]);
    expect(await names('/teams/OPS')).not.toContain('triage');
    expect(await failure(mount.readdir('/teams/OPS/triage'))).toMatchObject({ code: 'ENOENT' });
  });
});
