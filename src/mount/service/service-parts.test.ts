/** What a service's mount is made with: whose it is, what it hears, what it refuses, what it says of its files. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change } from '../../changes/change.ts';
import { ChangeJournal } from '../../changes/journal.ts';
import { FsError } from '../../errors.ts';
import { Replica } from '../../replica/replica.ts';
import { ServiceFailure } from '../client/failure.ts';
import { Patience } from '../client/patience.ts';
import type { Told } from '../contract/webhook.ts';
import { Freshness } from '../reading/freshness.ts';
import type { Route } from '../table/route.ts';
import { ServiceStore } from '../table/service-store.ts';
import { RouteTable } from '../table/table.ts';
import { Account, type AccountOptions } from './account.ts';
import { AccountMount } from './account-mount.ts';
import { Hearing } from './hearing.ts';
import { openServiceMount } from './opening.ts';
import { isWritable, Refusals, whyNotWritten } from './refusals.ts';
import type { TableOfRoutes } from './service-mount.ts';
import { directoryStat, fileStat, linkStat, linkTarget, programStat } from './stats.ts';

const START = Date.parse('2026-01-31T10:00:00Z');

function kept() {
  const time = { now: START };
  const now = () => new Date(time.now);
  const replica = new Replica(':memory:', now);
  const changes = new ChangeJournal(':memory:');
  onTestFinished(() => {
    replica.close();
    changes.close();
  });
  const move = (ms: number) => {
    time.now += ms;
  };
  return { replica, changes, now, move };
}
const put = (replica: Replica, mount: string, path: string | null = null) =>
  replica.upsert(mount, 'c', { key: 'k', updatedAt: '', size: 1, path, value: mount });

describe('whose a mount is', () => {
  function accounts() {
    const held = kept();
    const asked: string[] = [];
    const account = (token: string | undefined, says?: string | Error | null, more = {}) =>
      new Account({
        service: 'tracker',
        token,
        ...held,
        ...(says !== null && {
          ask: async (credential: string) => {
            asked.push(credential);
            if (says instanceof Error) throw says;
            return says ?? 'ada';
          },
        }),
        ...more,
      } as AccountOptions);
    return { ...held, account, asked };
  }

  it('is known by its credential until the service has said who that is, and then by that', async () => {
    const { account, asked, replica } = accounts();
    const one = account('one');
    expect(one.name).toMatch(/^tracker @~[0-9a-f]{24}$/);
    expect([one.isKnown, one.isMoving, one.hasOthers]).toEqual([false, false, false]);
    put(replica, one.name);
    await one.settle();
    await one.settle();
    expect(asked).toEqual([one.name.slice('tracker @~'.length)]);
    expect([one.isKnown, one.isMoving]).toEqual([true, true]);
    const before = one.name;
    one.takeName();
    expect([one.name, one.isMoving]).toEqual(['tracker @ada', false]);
    expect([replica.holdsAny(before), replica.holdsAny(one.name)]).toEqual([false, true]);
    const again = account('one');
    expect([again.name, again.isKnown, asked.length]).toEqual(['tracker @ada', true, 1]);
  });

  it('is told by its name, with what a credential of theirs reaches after a +', async () => {
    const { account } = accounts();
    const reach = account('one', 'ada+repo');
    await reach.settle();
    reach.takeName();
    expect(['ada', 'ada+repo', 'ad', 'bob'].map((id) => reach.is(id))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const odd = account('two', 'a name / with blanks');
    await odd.settle();
    odd.takeName();
    expect(odd.name).toMatch(/^tracker @~[0-9a-f]{24}$/);
    const long = account('three', 'x'.repeat(81));
    await long.settle();
    long.takeName();
    expect(long.name).toMatch(/^tracker @~/);
    const most = account('four', 'x'.repeat(80));
    await most.settle();
    most.takeName();
    expect(most.name).toBe(`tracker @${'x'.repeat(80)}`);
  });

  it('needs no question without a credential, or of a service that has no accounts', () => {
    const { account, asked } = accounts();
    const none = account(undefined);
    expect([none.name, none.isKnown, none.isMoving]).toEqual(['tracker', true, false]);
    none.takeName();
    expect(none.name).toBe('tracker');
    const own = account('one', null);
    expect([own.isKnown, own.name.startsWith('tracker @~'), asked]).toEqual([true, true, []]);
  });

  it('was that of the first credential where none was told apart, unless one came without any', () => {
    const first = accounts();
    put(first.replica, 'tracker');
    const one = first.account('one', null);
    expect([first.replica.holdsAny('tracker'), first.replica.holdsAny(one.name)]).toEqual([
      false,
      true,
    ]);
    const second = accounts();
    second.account(undefined);
    put(second.replica, 'tracker');
    second.account('one', null);
    expect(second.replica.holdsAny('tracker')).toBe(true);
    const third = accounts();
    third.account('one', null);
    put(third.replica, 'tracker');
    third.account('two', null);
    expect(third.replica.holdsAny('tracker')).toBe(true);
  });

  it('has others that may be the same account’s, and what these kept is the account’s', async () => {
    const { account, replica } = accounts();
    const [one, two] = [account('one'), account('two')];
    expect([one.hasOthers, two.hasOthers]).toEqual([true, true]);
    put(replica, one.name);
    await one.learn();
    await two.settle();
    two.takeName();
    expect([two.name, replica.holdsAny('tracker @ada')]).toEqual(['tracker @ada', true]);
    expect(account('three', 'bob').isKnown).toBe(false);
    const known = account('four');
    replica.accounts.remember('tracker', known.name.slice('tracker @~'.length), 'eve');
    expect([known.isKnown, known.isMoving]).toEqual([true, true]);
  });

  it.each(['auth', 'limited', 'server', 'network', 'timeout'] as const)(
    'could not be told now for a failure of kind %s, and is asked again',
    async (kind) => {
      const { account, asked, move } = accounts();
      const failure = new ServiceFailure(kind, 'not now');
      const one = account('one', failure);
      expect(one.failure()).toBeNull();
      await one.settle();
      expect([one.isKnown, one.failure()]).toEqual([false, failure]);
      move(1_999);
      await one.settle();
      // Of a limit the client knows itself until when it lasts.
      expect([one.failure(), asked.length]).toEqual([failure, kind === 'limited' ? 2 : 1]);
      move(2_000);
      expect(one.failure()).toBeNull();
      const other = account('other', failure);
      await other.settle();
      move(2_000);
      expect(other.failure()).toBeNull();
      const before = asked.length;
      await one.settle();
      expect(asked.length).toBe(before + 1);
      await one.learn();
      await one.learn();
      expect(asked.length).toBe(before + 3);
    },
  );

  it('cannot be told by a service that refuses to say: the credential has to do', async () => {
    const { account, asked } = accounts();
    const refused = new ServiceFailure('forbidden', 'no');
    const one = account('one', refused);
    await one.settle();
    expect([one.isKnown, one.failure(), one.isMoving]).toEqual([true, null, false]);
    const two = account('two', refused);
    await two.learn();
    await two.learn();
    expect([two.isKnown, asked.length]).toEqual([false, 2]);
    const broken = account('three', new TypeError('a bug'));
    await expect(broken.settle()).rejects.toThrow('a bug');
    await expect(broken.learn()).rejects.toThrow('a bug');
  });

  it('is asked once by all who wait for it', async () => {
    const { account, asked } = accounts();
    const one = account('one');
    await Promise.all([one.settle(), one.settle()]);
    expect(asked).toHaveLength(1);
  });
});

describe('a mount of an account', () => {
  function mounted(stage: boolean, others = false) {
    const held = kept();
    const asked: string[] = [];
    const done: string[] = [];
    const make = (token: string) =>
      new Account({
        service: 'tracker',
        token,
        ...held,
        ask: async () => {
          asked.push(token);
          return 'ada';
        },
      });
    if (others) make('other');
    const account = make('one');
    const open = (name: string) =>
      new Proxy({ name, kind: 'tracker', searchable: true } as unknown as TableOfRoutes, {
        get: (target, key) =>
          key in target
            ? target[key as keyof TableOfRoutes]
            : (...given: unknown[]) => {
                done.push(
                  `${String(key)} ${given.filter((one) => typeof one === 'string')}`.trim(),
                );
                return key === 'stamp' ? 'stamp' : key === 'plan' ? null : undefined;
              },
      });
    const mount = new AccountMount({ account, ...held, patience: new Patience(), stage, open });
    return { ...held, mount, account, asked, done };
  }
  const bytes = new Uint8Array();

  it('passes everything on to the mount of the account that is known', async () => {
    const { mount, done, asked } = mounted(false);
    await mount.readdir('/a');
    await mount.readlink('/a');
    await mount.prefetch('/a');
    await mount.lstat('/a');
    await mount.read('/a');
    await mount.write('/a', bytes);
    await mount.append('/a', bytes);
    await mount.unlink('/a');
    await mount.removeTree('/a');
    await mount.mkdir('/a');
    await mount.rename('/a', '/b');
    await mount.plan('/a', { name: '', args: [], stdin: bytes });
    mount.hasLinks('/a');
    mount.canHave('/a');
    mount.usage();
    mount.progress();
    mount.costly('/a');
    mount.coverage('/a');
    mount.heldSince('/a');
    mount.walk('/a');
    mount.removesTree('/a');
    mount.documents();
    mount.document('/a');
    mount.isDocument('/a');
    mount.otherFiles('/a');
    mount.revision();
    mount.feed(1);
    expect(done.map((one) => one.split(' ')[0])).toEqual([
      'readdir',
      'readlink',
      'prefetch',
      'lstat',
      'read',
      'write',
      'append',
      'unlink',
      'removeTree',
      'mkdir',
      'rename',
      'plan',
      'hasLinks',
      'canHave',
      'usage',
      'progress',
      'costly',
      'coverage',
      'heldSince',
      'walk',
      'removesTree',
      'documents',
      'document',
      'isDocument',
      'otherFiles',
      'revision',
      'feed',
    ]);
    expect(done).toContain('rename /a,/b');
    expect([mount.kind, mount.searchable, mount.transactional, asked]).toEqual([
      'tracker',
      true,
      true,
      [],
    ]);
    await mount.close();
    expect(done.at(-1)).toBe('close');
  });

  it('asks whose it is where that may be another’s, or where what is written waits', async () => {
    const plain = mounted(false);
    await plain.mount.write('/a', bytes);
    expect([plain.asked, plain.mount.stamp()]).toEqual([[], 'stamp']);
    const others = mounted(false, true);
    expect(others.mount.stamp()).toBeNull();
    await others.mount.lstat('/');
    await others.mount.read('/README.md');
    expect(others.asked).toEqual([]);
    await others.mount.lstat('/a');
    expect([others.asked, others.mount.name]).toEqual([['one'], 'tracker @ada']);
    for (const write of [
      (mount: AccountMount) => mount.write('/a', bytes),
      (mount: AccountMount) => mount.append('/a', bytes),
      (mount: AccountMount) => mount.unlink('/a'),
      (mount: AccountMount) => mount.removeTree('/a'),
      (mount: AccountMount) => mount.plan('/a', { name: '', args: [], stdin: bytes }),
    ]) {
      const staged = mounted(true);
      await staged.mount.readdir('/');
      expect(staged.asked).toEqual([]);
      await write(staged.mount);
      expect(staged.asked).toEqual(['one']);
    }
    const probed = mounted(false);
    await probed.mount.hear([]);
    expect(probed.asked).toEqual([]);
    await probed.mount.hear([{} as Told]);
    expect(probed.asked).toEqual(['one']);
    const asked = mounted(false);
    await asked.mount.probe();
    expect(asked.asked).toEqual(['one']);
  });

  it('gives no files of a walk, and no stamp, while another account turns out to be it', async () => {
    const { mount, account, done } = mounted(false);
    await account.settle();
    expect([mount.walk('/'), mount.stamp()]).toEqual([null, null]);
    await mount.readdir('/');
    expect(done).toEqual(['close', 'readdir /']);
    expect([mount.name, mount.stamp()]).toEqual(['tracker @ada', 'stamp']);
  });

  it('carries out a call in the mount that is the account’s by then', async () => {
    const held = kept();
    const account = new Account({ service: 'x', token: 't', ...held, ask: async () => 'ada' });
    const carried: string[] = [];
    const planned = (name: string) => ({
      program: 'p',
      effect: 'reads',
      shown: '',
      carryOut: async () => {
        carried.push(name);
        return { exitCode: 0 };
      },
    });
    const answer = { exitCode: 2 };
    const open = (name: string) =>
      ({
        name,
        plan: async (path: string) => (path === '/help' ? answer : planned(name)),
        close: async () => undefined,
      }) as unknown as TableOfRoutes;
    const mount = new AccountMount({
      account,
      ...held,
      patience: new Patience(),
      stage: false,
      open,
    });
    const input = { name: '', args: [], stdin: bytes };
    expect(await mount.plan('/help', input)).toBe(answer);
    const call = await mount.plan('/p', input);
    if (call === null || 'exitCode' in call) throw new Error('it was not planned');
    await account.settle();
    expect(await call.carryOut(new AbortController().signal)).toEqual({ exitCode: 0 });
    expect([carried.length, mount.name]).toEqual([1, 'x @ada']);
  });
});

describe('what a service says by itself', () => {
  const params = { id: { matches: /^\d+$/, example: '1' } };
  function hearing(more: { target?: string; fails?: FsError } = {}) {
    const held = kept();
    const prepared: string[] = [];
    const told: string[][] = [];
    const notices: string[] = [];
    const route = (pattern: string, own: Partial<Route> = {}): Route => ({
      pattern,
      type: 'file',
      about: '',
      ...own,
    });
    const table = new RouteTable(
      [
        { ...route('/issues'), type: 'directory' },
        route('/issues/:id.md', {
          read: ({ id }) => (id === '1' ? { text: 'held', version: '', mtime: new Date(0) } : null),
        }),
        { ...route('/mine'), type: 'directory' },
        route('/mine/:id', { target: ({ id }) => more.target ?? `/issues/${id}.md` }),
      ],
      params,
    );
    const freshness = new Freshness({
      freshMs: 10_000,
      now: held.now,
      onNotice: (text) => notices.push(text),
    });
    const of = new Hearing({
      ...held,
      name: 'm',
      table,
      freshness,
      lookup: {
        prepare: async (path: string, _match: unknown, purpose: string) => {
          prepared.push(`${purpose} ${path}`);
          if (more.fails !== undefined && path === '/issues/1.md') throw more.fails;
        },
        questions: ({ params: given }: { params: object }) => [
          null,
          { key: `issues ${Object.values(given)}` },
        ],
      } as never,
      prober: { told: (keys: string[]) => told.push(keys) } as never,
      isUs: (by) => by === 'ada',
    });
    const event = (paths: string[], own: Partial<Told> = {}): Told => ({
      by: 'ada',
      paths,
      gone: [],
      at: START,
      ...own,
    });
    return { ...held, of, prepared, told, notices, event };
  }

  it('is asked for again: its listing, itself, and its text where a version of that is held', async () => {
    const { of, prepared, told, event } = hearing();
    const heard = await of.hear([
      event(['/issues/1.md', '/issues/2.md']),
      event(['/issues/1.md', '/x']),
    ]);
    expect(heard.map(({ paths }) => paths)).toEqual([
      ['/issues/1.md', '/issues/2.md'],
      ['/issues/1.md', '/x'],
    ]);
    expect(prepared.sort()).toEqual([
      'entry /issues/1.md',
      'entry /issues/2.md',
      'list /issues/1.md',
      'list /issues/2.md',
      'read /issues/1.md',
    ]);
    expect(told).toEqual([['issues 1', 'issues 2']]);
  });

  it('is found where its links lead', async () => {
    const { of, event } = hearing();
    const [heard] = await of.hear([event(['/mine/1', '/issues/1.md'])]);
    expect(heard?.paths).toEqual(['/issues/1.md']);
    const round = hearing({ target: '/mine/1' });
    expect((await round.of.hear([round.event(['/mine/1'])]))[0]?.paths).toEqual(['/mine/1']);
  });

  it('that cannot be asked for is said, unless it is gone', async () => {
    const error = (code: 'EIO' | 'ENOENT') =>
      new FsError(code, { path: '/issues/1.md', op: 'read' });
    const down = hearing({ fails: error('EIO') });
    await down.of.hear([down.event(['/issues/1.md'])]);
    expect(down.notices).toEqual([
      expect.stringMatching(/^\/issues\/1\.md has changed, and could not be asked for again: /),
    ]);
    const gone = hearing({ fails: error('ENOENT') });
    await gone.of.hear([gone.event(['/issues/1.md'])]);
    expect(gone.notices).toEqual([]);
  });

  it('is gone where the service says so', async () => {
    const { of, replica, event } = hearing();
    put(replica, 'm', '/issues/1.md');
    await of.hear([event([], { gone: ['/issues/1.md'] })]);
    expect(replica.get('m', 'c', 'k')).toBeNull();
  });

  const MINUTE = 60_000;
  const written = (more: Partial<Change> & { sent?: number; ended?: number | null } = {}) => ({
    path: '/issues/1.md',
    op: 'update' as Change['op'],
    sent: 0,
    ended: 0 as number | null,
    result: null as Change['result'],
    ...more,
  });
  it.each([
    ['the write that it is of', written(), '/issues/1.md', {}, true],
    ['another record', written(), '/issues/2.md', {}, false],
    ['somebody else', written(), '/issues/1.md', { by: 'bob' }, false],
    ['nobody that is told', written(), '/issues/1.md', { by: null }, true],
    ['a path in capitals', written(), '/ISSUES/1.md', {}, true],
    [
      'a record that it belongs to',
      written({ path: '/issues/1/comments/2.md' }),
      '/issues/1.md',
      {},
      true,
    ],
    ['what it made', written({ result: { path: '/issues/2.md' } }), '/issues/2.md', {}, true],
    [
      'what it is making',
      written({ path: '/issues/new.md', op: 'create' }),
      '/issues/2.md',
      {},
      true,
    ],
    [
      'what another is making',
      written({ path: '/x/new.md', op: 'create' }),
      '/issues/2.md',
      {},
      false,
    ],
    ['a minute before it', written({ sent: MINUTE }), '/issues/1.md', {}, true],
    ['longer before it', written({ sent: MINUTE + 1 }), '/issues/1.md', {}, false],
    ['a minute after it', written({ sent: -MINUTE, ended: -MINUTE }), '/issues/1.md', {}, true],
    ['longer after it', written({ sent: -MINUTE, ended: -MINUTE - 1 }), '/issues/1.md', {}, false],
    ['a write without an end', written({ sent: -MINUTE, ended: null }), '/issues/1.md', {}, true],
  ])('by %s is told for what it is: %o, %s %o, ours: %s', async (_, change, path, more, isOwn) => {
    const { of, changes, event, now, move } = hearing();
    move(MINUTE);
    const { sent, ended, ...of_ } = change;
    const whole = {
      ...of_,
      sentAt: START + sent,
      endedAt: ended === null ? null : START + ended,
    } as Change;
    const since: number[] = [];
    changes.sentSince = ((name: string, at: number) => {
      since.push(at);
      return name === 'm' ? [whole] : [];
    }) as never;
    const [heard] = await of.hear([event([path], more)]);
    expect(heard?.isOwn).toBe(isOwn);
    expect(since).toEqual([now().getTime() - 2 * MINUTE]);
  });
});

describe('what is refused', () => {
  const route = (pattern: string, more: Partial<Route> = {}): Route => ({
    pattern,
    type: pattern.includes('.') ? 'file' : 'directory',
    about: '',
    ...more,
  });
  const table = new RouteTable(
    [
      route('/issues'),
      route('/issues/:id.md', { edit: {} as never }),
      route('/issues/new.md', { create: {} as never }),
      route('/labels'),
      route('/labels/:id.md', { readOnly: 'labels are made on the site' }),
      route('/files'),
      route('/files/:id.txt', { replace: {} as never }),
      route('/bare'),
    ],
    { id: { matches: /^\d+$/, example: '1' } },
  );
  const refusals = new Refusals(table, 'tracker');

  it('says why, and where it would be done', () => {
    expect(refusals.because('/a', 'write', 'it is so')).toMatchObject({
      code: 'EPERM',
      path: '/a',
      op: 'write',
      rule: 'routes of tracker',
      reason: 'it is so',
    });
    expect(refusals.noName('/issues/x')).toContain('write to new.md in this directory');
    expect(refusals.noName('/labels/x')).toBe('labels are made on the site');
    for (const path of ['/bare/x', '/x', '/none/x'])
      expect(refusals.noName(path)).toContain('nothing can be made in this directory');
    expect(refusals.noDirectory('/issues/x')).toBe(
      'directories here come with the records: write new.md to make one',
    );
    expect(refusals.noDirectory('/bare/x')).toBe('directories here come with the records');
    expect(refusals.noRename('/issues/1.md', '/issues/2.md', 'Tracker')).toBe(
      'Tracker chooses the names here; to change a record, write it',
    );
    expect(refusals.noRename('/files/1.txt', '/files/2.txt', 'Tracker')).toContain(
      'cp 1.txt to 2.txt, then rm 1.txt',
    );
  });

  it('is what no way of writing is there for', () => {
    const ways = ['edit', 'create', 'replace', 'note', 'remove', 'program'] as const;
    const writable = ways.map((way) => isWritable(route('/x', { [way]: {} })));
    expect(writable).toEqual([true, true, true, true, false, false]);
    expect(whyNotWritten({ route: route('/x', { readOnly: 'so' }), params: {} })).toBe('so');
    expect(whyNotWritten({ route: route('/x'), params: {} })).toContain('write the record itself');
  });

  it('shows in the modes of files', () => {
    const at = new Date(5);
    expect(
      [fileStat('/a', 3, at, true), fileStat('/a', 3, at, false)].map(({ mode }) => mode),
    ).toEqual([0o644, 0o444]);
    expect(fileStat('/a', 3, at, true)).toMatchObject({
      type: 'file',
      size: 3,
      mtime: at,
      ino: '/a',
    });
    expect(programStat('/a', 3, at)).toMatchObject({ type: 'file', mode: 0o555, size: 3 });
    expect(directoryStat('/a', at)).toEqual({
      type: 'directory',
      mode: 0o755,
      size: 4096,
      mtime: at,
      ino: '/a',
    });
    expect(linkStat('/a', '../ü', at)).toMatchObject({ type: 'symlink', mode: 0o777, size: 5 });
    const link = (target: string | null) => ({
      route: route('/x', { target: () => target }),
      params: {},
    });
    expect(linkTarget('/mine/1', link('/issues/1.md'))).toBe('../issues/1.md');
    expect([
      linkTarget('/mine/1', link(null)),
      linkTarget('/a', { route: route('/x'), params: {} }),
    ]).toEqual([null, null]);
  });
});

it('a probe says who the credential is, and what is left of its limit', async () => {
  const { replica, changes, now } = kept();
  const probe = async (
    allowance: object | null | undefined,
    probed?: () => Promise<string | null>,
  ) => {
    const mount = openServiceMount(
      { token: 't', stage: false, replica, changes, onNotice: () => undefined, now },
      {
        kind: 'tracker',
        title: 'Tracker',
        client: () => ({ usage: () => ({ requests: 0, bytes: 0 }), allowance }) as never,
        ...(probed && { probe: probed }),
        store: () => null,
        table: () => ({ about: '', hints: [], params: {}, collections: {}, routes: [] }),
      },
    );
    try {
      return await mount.probe?.();
    } finally {
      await mount.close?.();
    }
  };
  const resetAt = new Date(START);
  expect(await probe({ limit: 10, remaining: 3, resetAt }, async () => 'ada')).toEqual({
    account: 'ada',
    limit: { remaining: 3, of: 10, resetAt: resetAt.toISOString() },
  });
  expect(await probe(undefined, async () => null)).toEqual({ account: null, limit: null });
});

it('a stamp is another one once what was read may be asked for again, and there is none of what tells more', async () => {
  const { replica, changes, now, move } = kept();
  const opened = (stamped: boolean) =>
    openServiceMount(
      { token: 't', stage: false, replica, changes, onNotice: () => undefined, now },
      {
        kind: 'tracker',
        title: 'Tracker',
        client: () => ({ usage: () => ({ requests: 0, bytes: 0 }) }),
        store: (...given) => new ServiceStore(...given),
        table: ({ store }) => ({
          about: '',
          hints: [],
          params: {},
          stamped,
          collections: {
            notes: {
              scope: [],
              heldSince: () => store.heldSince('notes'),
              sync: async () => store.listed('notes'),
            },
          },
          routes: [
            {
              pattern: '/a.md',
              type: 'file',
              about: '',
              needs: ['notes'],
              read: () => ({ text: 'a', version: '', mtime: new Date(0) }),
            },
          ],
        }),
      },
    );
  expect(opened(false).stamp?.()).toBeNull();
  const mount = opened(true);
  await mount.read('/a.md');
  const stamp = mount.stamp?.();
  expect(stamp).toBeTypeOf('string');
  move(9_999);
  expect(mount.stamp?.()).toBe(stamp);
  move(1);
  expect(mount.stamp?.()).not.toBe(stamp);
});
