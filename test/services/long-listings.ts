/** A listing that takes longer than an operation may: it goes on behind the answer, once for all processes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as github from '../../mounts/github/testing.ts';
import * as linear from '../../mounts/linear/testing.ts';
import * as notion from '../../mounts/notion/testing.ts';
import { createSlackMount } from '../../mounts/slack/index.ts';
import * as slack from '../../mounts/slack/testing.ts';
import type { ServiceOptions } from '../../src/mount/service/opening.ts';
import { runWriter } from '../../src/mount-testing/processes.ts';
import { startSlackStandIn } from '../stand-ins/slack/index.ts';
import { openerOf, type RunningService } from './each-service.ts';
import { failure, type JournalledMount, names, ServiceBench, text } from './testing.ts';

/** A service that gives its records in many pages, one after the other. */
export interface Large extends AsyncDisposable {
  service: Pick<RunningService, 'name' | 'url' | 'token'>;
  /** The directory that lists them, how many they are, and in how many pages they come. */
  list: string;
  records: number;
  pages: number;
  /** The file of one that comes late, and a word of its text. */
  late: { path: string; word: string };
  /** Others that come late. */
  others: readonly string[];
  bench(): Promise<ServiceBench<ServiceOptions> & Partial<Disposable & AsyncDisposable>>;
  /** Every page comes so late, in ms. */
  slow(ms: number): Promise<void>;
  quick(): Promise<void>;
  /** How many pages were asked for since the last call. */
  asked(): Promise<number>;
  /** Someone else gives the late one another title. */
  retitle(title: string): Promise<void>;
  add(title: string): Promise<void>;
  /** Someone else removes one that came early. */
  remove(): Promise<void>;
  /** Is there no table of contents? */
  hasNoIndex?: boolean;
}

const OCTO = { owner: 'octo', repo: 'hello' };

export async function largeGithub(): Promise<Large> {
  const seed = github.seed({ issues: 550, commentsEach: 0 });
  const { startGithubStandIn } = await import('../stand-ins/github/index.ts');
  const stand = await startGithubStandIn({ seed });
  return {
    service: { name: 'github', url: stand.url, token: github.TOKEN },
    list: `${github.REPO}/issues`,
    records: 550,
    pages: 6,
    late: { path: `${github.REPO}/issues/3.md`, word: 'Number 3 is broken' },
    others: [4, 6, 7, 8, 9].map((n) => `${github.REPO}/issues/${n}.md`),
    bench: async () => {
      await stand.reseed(seed);
      await stand.setPaging({ cursorsBeyond: 100 });
      return new github.Bench(stand);
    },
    quick: () => stand.clearFaults(),
    slow: (ms) => stand.fault({ kind: 'slow', ms, path: '/issues$' }),
    asked: async () => {
      const rows = await stand.requests();
      await stand.resetRequests();
      return rows.filter(({ url, status }) => /\/issues\?/.test(url) && status === 200).length;
    },
    retitle: async (title) => {
      await stand.edit({ op: 'edit-issue', ...OCTO, number: 3, fields: { title } });
    },
    add: async (title) => {
      await stand.edit({ op: 'create-issue', ...OCTO, title });
    },
    remove: async () => {
      await stand.edit({ op: 'delete-issue', ...OCTO, number: 545 });
    },
    [Symbol.asyncDispose]: () => stand.close(),
  };
}

export async function largeLinear(): Promise<Large> {
  const server = await linear.Server.start();
  const stand = server.linear;
  const size = { issues: 1_300, commentsEach: 0 };
  const issue = (n: number) => linear.uuid(linear.IDS.issue + n);
  return {
    service: { name: 'linear', url: stand.url, token: linear.TOKEN },
    list: linear.ISSUES,
    records: 1_300,
    pages: 6,
    late: { path: `${linear.ISSUES}/ENG-3.md`, word: 'Number 3 is broken' },
    others: [4, 6, 7, 8, 9].map((n) => `${linear.ISSUES}/ENG-${n}.md`),
    bench: () => server.bench(size),
    quick: () => stand.clearFaults(),
    slow: (ms) => stand.fault({ kind: 'slow', ms, field: 'issues' }),
    asked: async () => {
      const rows = await stand.requests();
      await stand.resetRequests();
      return rows.filter(({ fields }) => fields.includes('issues')).length;
    },
    retitle: async (title) => {
      await stand.edit({ op: 'set', table: 'issues', id: issue(3), fields: { title } });
    },
    add: async (title) => {
      const [like] = (await stand.dump()).issues;
      const { id: _, createdAt: _at, updatedAt: _then, ...rest } = like ?? { id: '' };
      const fields = { ...rest, number: 1_301, title };
      await stand.edit({ op: 'add', table: 'issues', fields });
    },
    remove: async () => {
      await stand.edit({ op: 'remove', table: 'issues', id: issue(1_298) });
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export async function largeNotion(): Promise<Large> {
  const workbench = await notion.Workbench.start();
  const stand = workbench.notion;
  const rows = Array.from({ length: 550 }, (_, n) =>
    notion.page(`Row ${n}`, { editedAt: notion.minute(n) }),
  );
  const seed = notion.workspace([], rows);
  return {
    service: { name: 'notion', url: stand.url, token: notion.TOKEN },
    list: notion.TASKS,
    records: 550,
    pages: 6,
    late: { path: `${notion.TASKS}/${notion.named('Row 3')}.md`, word: 'Row 3' },
    others: [],
    bench: () => workbench.bench(seed),
    quick: () => stand.clearFaults(),
    slow: (ms) => stand.fault({ kind: 'slow', ms, path: '/query$' }),
    asked: async () => {
      const asked = await stand.requests();
      await stand.resetRequests();
      return asked.filter(({ url }) => url.endsWith('/query')).length;
    },
    retitle: async (title) => {
      await stand.edit({ op: 'title', id: notion.id('Row 3'), title });
    },
    add: async (title) => {
      await stand.edit({ op: 'create', parent: notion.id('Tasks'), title });
    },
    remove: async () => {
      await stand.edit({ op: 'trash', id: notion.id('Row 545') });
    },
    [Symbol.asyncDispose]: () => workbench[Symbol.asyncDispose](),
  };
}

export async function largeSlack(): Promise<Large> {
  const ts = Array.from({ length: 1_100 }, (_, n) => slack.tsOf(1_200 - n));
  const seed = slack.workspace(ts.map((at, n) => ({ ts: at, text: `Said ${n}.` })));
  const stand = await startSlackStandIn({ seed });
  const early = (n: number) => ts[n] ?? '';
  const channel = slack.GENERAL;
  return {
    service: { name: 'slack', url: stand.url, token: stand.token },
    list: '/general/messages',
    records: 1_100,
    pages: 6,
    late: { path: `/general/messages/${early(3)}.md`, word: 'Said 3.' },
    others: [4, 6, 7, 8, 9].map((n) => `/general/messages/${early(n)}.md`),
    hasNoIndex: true,
    bench: async () => {
      await stand.reseed(seed);
      const own = { baseUrl: stand.url, token: stand.token };
      const bench = new ServiceBench<ServiceOptions>('slack', createSlackMount, own);
      return Object.assign(bench, { [Symbol.dispose]: () => bench.end() });
    },
    quick: () => stand.clearFaults(),
    slow: (ms) => stand.fault({ kind: 'slow', ms, method: 'conversations.history' }),
    asked: async () => {
      const rows = await stand.requests();
      await stand.resetRequests();
      return rows.filter(({ method }) => method === 'conversations.history').length;
    },
    retitle: async (text) => {
      await stand.edit({ op: 'reword', channel, ts: early(3), text });
    },
    add: async (text) => {
      await stand.edit({ op: 'post', channel, user: slack.ADA, text });
    },
    remove: async () => {
      await stand.edit({ op: 'delete', channel, ts: early(1_095) });
    },
    [Symbol.asyncDispose]: () => stand.close(),
  };
}

/** Of an operation; a page takes a good part of it. */
const LIMIT_MS = 350;
const PAGE_MS = 130;

/** Lists as a world does, with a limit to the operation: null where it was not done within it. */
async function listed(mount: JournalledMount, path: string): Promise<string[] | null> {
  const work = mount.within?.(LIMIT_MS, () => mount.readdir(path));
  if (work === undefined) throw new Error('the mount has no limits');
  return work.then(
    (rows) => rows.map(({ name }) => name),
    async () => {
      const error = await failure(work);
      expect(error.code).toBe('EAGAIN');
      expect(error.reason).toMatch(/records so far, \d+ pages.*goes on behind/);
      return null;
    },
  );
}

/** What holds of the long listings of each service. */
export function describeLongListings(name: string, start: () => Promise<Large>): void {
  describe(`a listing of ${name} that takes longer than several operations`, () => {
    let large: Large;
    beforeAll(async () => {
      large = await start();
    });
    afterAll(() => large[Symbol.asyncDispose]());

    /** Until it is there. */
    async function listedInTheEnd(
      mount: JournalledMount,
    ): Promise<{ tries: number; all: string[] }> {
      for (let tries = 1; ; tries++) {
        const all = await listed(mount, large.list);
        if (all !== null) return { tries, all };
        // As a new command would come.
        await sleep(50);
        if (tries > 50) throw new Error('it does not come to its end');
      }
    }

    it('goes on behind each of them, says how far it is, and is read once', async () => {
      const bench = await large.bench();
      const mount = bench.mount();
      await large.slow(PAGE_MS);
      await large.asked();
      expect(await listed(mount, large.list)).toBe(null);
      expect(await text(mount, '/README.md')).toMatch(
        /incomplete: being listed, [\d,]+ records so far, \d+ pages/,
      );
      const { all } = await listedInTheEnd(mount);
      expect(await large.asked()).toBe(large.pages);
      expect(all.filter((name) => name.endsWith('.md'))).toHaveLength(large.records);
      expect(await text(mount, '/README.md')).not.toContain('being listed');
      bench.end();
    });

    it('is gone on with by the next process where the one before was killed', async () => {
      const bench = await large.bench();
      await large.asked();
      // Requests for the account, and for the repository or the team, come before the pages.
      const { signal } = await runWriter(
        openerOf(large.service.name, large.service.url, large.service.token),
        bench.directory,
        ...['list', large.list, 'before 6'],
      );
      expect(signal).toBe('SIGKILL');
      const before = await large.asked();
      expect(before).toBeGreaterThan(1);
      const mount = bench.mount();
      expect(await text(mount, '/README.md')).toMatch(/being listed, [\d,]+ records so far/);
      await mount.readdir(large.list);
      expect(before + (await large.asked())).toBe(large.pages);
      expect((await recordsOf(mount)).size).toBe(large.records);
      bench.end();
    });

    it('is read once by two at a time, and both see all of it', async () => {
      const bench = await large.bench();
      await large.slow(30);
      await large.asked();
      const [one, two] = [bench.mount(), bench.mount()];
      await Promise.all([one.readdir(large.list), two.readdir(large.list)]);
      expect(await large.asked()).toBeLessThanOrEqual(large.pages + 1);
      expect(await recordsOf(two)).toEqual(await recordsOf(one));
      expect((await recordsOf(one)).size).toBe(large.records);
      bench.end();
    });

    it('neither loses nor doubles what changes meanwhile, and one that is named is read as it is', async () => {
      const bench = await large.bench();
      const mount = bench.mount();
      await large.slow(PAGE_MS);
      expect(await listed(mount, large.list)).toBe(null);
      await large.retitle('Changed meanwhile');
      await large.add('Made meanwhile');
      await large.remove();
      await listedInTheEnd(mount);
      await large.quick();
      bench.move(300_000);
      await mount.readdir(large.list);
      bench.move(4_000_000);
      await mount.prefetch(large.list);
      const records = await recordsOf(mount);
      // One more, one fewer.
      expect(records.size).toBe(large.records);
      expect(await text(mount, large.late.path)).toContain('Changed meanwhile');
      if (large.hasNoIndex === true) return bench.end();
      const index = await text(mount, `${large.list}/index.tsv`);
      expect(index.trimEnd().split('\n')).toHaveLength(large.records + 1);
      expect(index.match(/Changed meanwhile/g)).toHaveLength(1);
      expect(index.match(/Made meanwhile/g)).toHaveLength(1);
      bench.end();
    });

    it('holds back no record that is named', async () => {
      const bench = await large.bench();
      const mount = bench.mount();
      await large.slow(PAGE_MS);
      const listing = listed(mount, large.list);
      await sleep(50);
      // A row of Notion's is named by the end of its id, and cannot be asked for before it is listed.
      if (large.service.name !== 'notion') {
        expect(await text(mount, large.late.path)).toContain(large.late.word);
      }
      // Nor are several of them a reason to wait for all.
      for (const path of large.others) {
        await mount.within?.(LIMIT_MS, () => text(mount, path));
      }
      expect(await listing).toBe(null);
      await mount.close?.();
      bench.end();
    });

    async function recordsOf(mount: JournalledMount): Promise<Set<string>> {
      const records = (await names(mount, large.list)).filter((name) => name.endsWith('.md'));
      expect(new Set(records).size).toBe(records.length);
      return new Set(records);
    }
  });
}
