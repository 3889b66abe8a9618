/** What is kept belongs to a service, its host and an account: who the credential is. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGithubMount } from '../../mounts/github/index.ts';
import * as github from '../../mounts/github/testing.ts';
import { createLinearMount } from '../../mounts/linear/index.ts';
import * as linear from '../../mounts/linear/testing.ts';
import { createNotionMount } from '../../mounts/notion/index.ts';
import * as notion from '../../mounts/notion/testing.ts';
import type { ServiceOptions } from '../../src/mount/service/opening.ts';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { credential } from '../credentials/tokens.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';
import type { StandIn } from '../stand-ins/process.ts';
import type { StandInFault } from './each-service.ts';
import { failure, type JournalledMount, names, ServiceBench, text, write } from './testing.ts';

/** A service with a record that one of its two tokens may see, and one that both may. */
interface TwoAccounts {
  service: StandIn<StandInFault, { status: number | null }>;
  create: (options: ServiceOptions) => ServiceMount;
  /** Sees the secret. */
  token: string;
  /** The same account's, as after it was made anew. */
  renewed: string;
  /** Of an account that does not see it. */
  other: string;
  list: string;
  shared: string;
  secret: string;
  /** The name that every mount of it had before accounts were told apart. */
  former: string;
}

const START: Readonly<Record<string, () => Promise<TwoAccounts>>> = {
  github: async () => {
    const [renewed, other] = ['renewed', 'other'].map((name) => credential('ghp_', name));
    const seed = github.seed({ issues: 2, commentsEach: 1 });
    const [hello] = seed.repositories;
    if (hello === undefined || renewed === undefined || other === undefined) throw new Error();
    const secret = structuredClone(hello);
    Object.assign(secret.repository, { id: 11, name: 'secret', private: true, writers: ['mara'] });
    secret.issues = secret.issues.map((issue) => ({ ...issue, id: issue.id + 100 }));
    secret.comments = [];
    seed.repositories.push(secret);
    Object.assign(seed.tokens, { [renewed]: 'mara', [other]: 'octo' });
    const service = await startGithubStandIn({ seed });
    return {
      service,
      create: createGithubMount,
      token: github.TOKEN,
      renewed,
      other,
      list: '/octo',
      shared: '/octo/hello/issues/1.md',
      secret: '/octo/secret/issues/1.md',
      former: `github ${new URL(service.url).host}`,
    };
  },
  linear: async () => {
    const [renewed = '', other = ''] = ['renewed', 'other'].map((name) =>
      credential('lin_api_', name),
    );
    const seed = linear.seed({ issues: 1, commentsEach: 1 });
    const [issue] = seed.issues;
    if (issue === undefined) throw new Error();
    const mara = linear.uuid(linear.IDS.user);
    seed.teams = seed.teams.map((team) =>
      team.key === 'OPS' ? { ...team, visibility: 'private' as const, memberIds: [mara] } : team,
    );
    const secret = { id: linear.uuid(9_000), teamId: linear.uuid(2), stateId: linear.uuid(201) };
    seed.issues = [...seed.issues, { ...issue, ...secret, title: 'Kept quiet' }];
    seed.tokens = { ...seed.tokens, [renewed]: mara, [other]: linear.uuid(linear.IDS.user + 1) };
    const service = await startLinearStandIn({ seed });
    return {
      service,
      create: createLinearMount,
      token: linear.TOKEN,
      renewed,
      other,
      list: '/teams',
      shared: `${linear.ISSUES}/ENG-1.md`,
      secret: '/teams/OPS/issues/OPS-1.md',
      former: `linear ${new URL(service.url).host}`,
    };
  },
  notion: async () => {
    const [renewed = '', other = ''] = ['renewed', 'other'].map((name) => credential('ntn_', name));
    const seed = notion.workspace([notion.page('Roadmap'), notion.page('Secret')]);
    const bot = notion.id('bot');
    seed.users = [...seed.users, { id: notion.id('another bot'), name: 'another', email: null }];
    seed.tokens = { ...seed.tokens, [renewed]: bot, [other]: notion.id('another bot') };
    seed.sharedWith = { [notion.id('Secret')]: [bot] };
    const service = await startNotionStandIn({ seed });
    return {
      service,
      create: createNotionMount,
      token: notion.TOKEN,
      renewed,
      other,
      list: '/',
      shared: `/${notion.named('Roadmap')}.md`,
      secret: `/${notion.named('Secret')}.md`,
      former: `notion ${new URL(service.url).host}`,
    };
  },
};

/** What somebody reads first: the listing, and both records. */
async function readAll(
  mount: ServiceMount,
  { list, shared, secret }: TwoAccounts,
): Promise<string> {
  await names(mount, list);
  return (await text(mount, shared)) && (await text(mount, secret));
}

let edits = 0;

/** Writes a title that the record never had, and gives it. */
async function edit(mount: JournalledMount, path: string): Promise<string> {
  const title = `Mine ${++edits}`;
  await write(mount, path, (await text(mount, path)).replace(/^title: .*$/m, `title: ${title}`));
  return title;
}

describe.each(Object.keys(START))('%s', (name) => {
  let two: TwoAccounts;
  beforeAll(async () => {
    two = await (START[name] as () => Promise<TwoAccounts>)();
  });
  afterAll(() => two.service.close());

  /** Mounts on one state directory; each is opened as another process would open it. */
  const open = () => {
    const { url: baseUrl } = two.service;
    const bench = new ServiceBench<ServiceOptions>(name, two.create, { baseUrl, freshMs: 600_000 });
    return Object.assign(bench, { [Symbol.dispose]: () => bench.end() });
  };
  /** Runs something, and says how many requests that took. */
  const requests = async (work: () => Promise<unknown>): Promise<number> => {
    const before = (await two.service.requests()).length;
    await work();
    return (await two.service.requests()).length - before;
  };

  it('with different tokens share no record, no deletion and no document', async () => {
    using bench = open();
    const mine = bench.mount({ token: two.token });
    const secret = await readAll(mine, two);
    const theirs = bench.mount({ token: two.other });
    await names(theirs, two.list);
    expect(await failure(theirs.read(two.secret))).toMatchObject({ code: 'ENOENT' });
    const paths = (mount: ServiceMount) => [...mount.documents()].map(({ path }) => path);
    expect(paths(theirs)).not.toContain(two.secret);
    expect(theirs.feed(0).map(({ path }) => path)).not.toContain(two.secret);
    expect(await text(theirs, two.shared)).toContain('title:');
    // The listing of the one who may see less has removed nothing. Now that there are two, it is
    // asked who this one is, and nothing else.
    expect(await requests(async () => expect(await text(mine, two.secret)).toBe(secret))).toBe(1);
    expect(mine.feed(0).map(({ op }) => op)).not.toContain('delete');
    expect(mine.name).not.toBe(theirs.name);
  });

  it('with different tokens share no staged change, and apply sends under the right token alone', async () => {
    using bench = open();
    const mine = bench.mount({ token: two.token, stage: true });
    const theirs = bench.mount({ token: two.other, stage: true });
    const title = await edit(mine, two.shared);
    const [change] = mine.journal.list();
    if (change === undefined) throw new Error('nothing is staged');
    expect(await text(mine, two.shared)).toContain(title);
    expect(await text(theirs, two.shared)).not.toContain(title);
    const sent = await requests(async () => {
      const [refused] = await theirs.journal.apply([change.id]);
      expect(refused).toMatchObject({ state: 'pending' });
      expect(refused?.error).toContain('account it was written with');
    });
    expect(sent).toBe(0);
    const [applied] = await mine.journal.apply([change.id]);
    expect(applied).toMatchObject({ state: 'applied' });
  });

  it('without a token is an account, too', async () => {
    using bench = open();
    await readAll(bench.mount({ token: two.token }), two);
    const nobody = bench.mount();
    await expect(text(nobody, two.secret)).rejects.toThrow();
    expect([...nobody.documents()]).toEqual([]);
  });

  it('with equal tokens share all, and who they are is asked once', async () => {
    using bench = open();
    await readAll(bench.mount({ token: two.token }), two);
    const again = bench.mount({ token: two.token });
    expect(await requests(() => readAll(again, two))).toBe(0);
  });

  it('a token of the same account goes on with what the one before has kept and staged', async () => {
    using bench = open();
    const before = bench.mount({ token: two.token, stage: true });
    await readAll(before, two);
    const title = await edit(before, two.shared);
    const renewed = bench.mount({ token: two.renewed, stage: true });
    const [change] = renewed.journal.list();
    // It is asked who it is, and nothing else.
    expect(await requests(() => readAll(renewed, two))).toBe(1);
    expect(await text(renewed, two.shared)).toContain(title);
    const alone = bench.mount({ token: two.renewed, stage: true });
    expect(await alone.journal.apply([change?.id ?? ''])).toMatchObject([{ state: 'applied' }]);
  });

  it('a change of an earlier token is applied by one that has not been asked yet who it is', async () => {
    using bench = open();
    const before = bench.mount({ token: two.token, stage: true });
    await edit(before, two.shared);
    const [change] = before.journal.list();
    const { journal } = bench.mount({ token: two.renewed, stage: true });
    expect(await journal.apply([change?.id ?? ''])).toMatchObject([{ state: 'applied' }]);
  });

  it('what was kept before accounts were told apart is the first one’s, staged changes included', async () => {
    using bench = open();
    const before = bench.mount({ token: two.token, stage: true });
    const secret = await readAll(before, two);
    const title = await edit(before, two.shared);
    asBefore(bench, before, two.former);

    const first = bench.mount({ token: two.token, stage: true });
    const other = bench.mount({ token: two.other, stage: true });
    const sent = await requests(async () => {
      expect(await text(first, two.secret)).toBe(secret);
      expect(await text(first, two.shared)).toContain(title);
    });
    expect(sent).toBe(1);
    expect(await failure(other.read(two.secret))).toMatchObject({ code: 'ENOENT' });
    expect(await text(other, two.shared)).not.toContain(title);
    const [change] = first.journal.list();
    expect(await other.journal.apply([change?.id ?? ''])).toMatchObject([{ state: 'pending' }]);
    expect(await first.journal.apply([change?.id ?? ''])).toMatchObject([{ state: 'applied' }]);
  });

  it('a start without a network has what was kept, also what was kept before accounts were told apart', async () => {
    using bench = open();
    const before = bench.mount({ token: two.token, stage: true });
    const secret = await readAll(before, two);
    await two.service.fault({ kind: 'cut', times: 1_000 });
    try {
      expect(await text(bench.mount({ token: two.token }), two.secret)).toBe(secret);
      asBefore(bench, before, two.former);
      expect(await text(bench.mount({ token: two.token }), two.secret)).toBe(secret);
      await expect(text(bench.mount({ token: two.other }), two.secret)).rejects.toThrow();
    } finally {
      await two.service.clearFaults();
    }
    // Back again, it is asked, and nothing is lost.
    const after = bench.mount({ token: two.token });
    expect(await requests(async () => expect(await text(after, two.secret)).toBe(secret))).toBe(1);
  });
});

/** Makes a state directory what it was before accounts were told apart. */
function asBefore(
  bench: ServiceBench<ServiceOptions>,
  mount: JournalledMount,
  former: string,
): void {
  const { name } = mount;
  const replica = new DatabaseSync(join(bench.directory, 'replica.sqlite'));
  for (const table of ['records', 'listings', 'validators', 'feed'])
    replica.prepare(`UPDATE ${table} SET mount = ? WHERE mount = ?`).run(former, name);
  replica.exec('DELETE FROM accounts');
  replica.close();
  const changes = new DatabaseSync(join(bench.directory, 'changes.sqlite'));
  changes.prepare('UPDATE changes SET mount = ? WHERE mount = ?').run(former, name);
  changes.close();
}
