/** What a day costs in which nothing happens after all was read: 50 repositories, 10 teams, 200 databases. */
import { afterEach, expect, it, vi } from 'vitest';
import { createGithubMount } from '../../mounts/github/index.ts';
import * as github from '../../mounts/github/testing.ts';
import { createLinearMount } from '../../mounts/linear/index.ts';
import * as linear from '../../mounts/linear/testing.ts';
import { createNotionMount } from '../../mounts/notion/index.ts';
import * as notion from '../../mounts/notion/testing.ts';
import type { Later } from '../../src/mount/reading/prober.ts';
import type { ServiceOptions } from '../../src/mount/service/opening.ts';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';
import { names, ServiceBench, text } from './testing.ts';

vi.setConfig({ testTimeout: 60_000 });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

/** A mount whose timers are the bench's clock. */
function idling(
  name: string,
  create: (options: ServiceOptions) => ServiceMount,
  own: Partial<ServiceOptions>,
) {
  let waiting: { at: number; work: () => Promise<void> }[] = [];
  const bench = new ServiceBench<ServiceOptions>(name, create, own);
  bench.stopClock();
  const now = () => bench.now().getTime();
  const later: Later = (work, ms) => {
    const one = { at: now() + ms, work };
    waiting.push(one);
    return () => {
      waiting = waiting.filter((each) => each !== one);
    };
  };
  /** Lets so much time pass. */
  const pass = async (ms: number) => {
    const end = now() + ms;
    for (;;) {
      const [next] = waiting.sort((one, other) => one.at - other.at);
      if (next === undefined || next.at > end) break;
      waiting.shift();
      bench.move(Math.max(0, next.at - now()));
      await next.work();
    }
    bench.move(end - now());
  };
  const mount = bench.mount({ background: true, later });
  ended.push(
    () => bench.end(),
    () => mount.close?.(),
  );
  return { mount, pass };
}

/** Says what was used, and holds it below a twentieth of what a day allows. */
function below(what: string, used: number, perHour: number): void {
  const share = used / (24 * perHour);
  console.info(`a day idle, ${what}: ${used} of ${24 * perHour}, ${(100 * share).toFixed(2)} %`);
  expect(used).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.05);
}

it('GitHub, 50 repositories: below a twentieth of the requests; a change is seen while somebody reads', async () => {
  const seed = github.seed({ issues: 2, commentsEach: 1 });
  const [first] = seed.repositories;
  if (first === undefined) throw new Error('the seed has no repository');
  seed.repositories = Array.from({ length: 50 }, (_, n) => {
    const one = structuredClone(first);
    Object.assign(one.repository, { id: 100 + n, name: `repo-${n}` });
    one.issues = one.issues.map((issue) => ({ ...issue, id: 10_000 + 10 * n + issue.number }));
    one.comments = one.comments.map((comment) => ({ ...comment, id: comment.id + 1_000 * n }));
    return one;
  });
  const service = await startGithubStandIn({ seed });
  ended.push(() => service.close());
  const { mount, pass } = idling('github', createGithubMount, {
    baseUrl: service.url,
    token: github.TOKEN,
  });
  for (let n = 0; n < 50; n++) await names(mount, `/octo/repo-${n}/issues`);
  await service.resetRequests();
  await pass(DAY_MS);
  const asked = await service.requests();
  below('GitHub', asked.length, 5_000);
  expect(asked.length).toBeLessThan(400);

  const path = '/octo/repo-7/issues/1.md';
  await text(mount, path);
  await pass(60_000);
  await names(mount, '/octo/repo-7/issues');
  const fields = { title: 'Seen soon' };
  await service.edit({ op: 'edit-issue', owner: 'octo', repo: 'repo-7', number: 1, fields });
  await service.resetRequests();
  await pass(15_000);
  const followed = (await service.requests()).map(({ url }) => url);
  expect(followed.some((url) => url.includes('repo-7'))).toBe(true);
  expect(followed.filter((url) => url.includes('repo-8'))).toEqual([]);
});

it('Linear, 10 teams: below a twentieth of requests and of points', async () => {
  const seed = linear.seed({ issues: 20, commentsEach: 1 });
  const [team] = seed.teams;
  if (team === undefined) throw new Error('the seed has no team');
  const more = Array.from({ length: 8 }, (_, n) => ({
    ...team,
    id: linear.uuid(500 + n),
    key: `T${String.fromCharCode(65 + n)}`,
  }));
  seed.teams = [...seed.teams, ...more];
  const service = await startLinearStandIn({ seed });
  ended.push(() => service.close());
  const { mount, pass } = idling('linear', createLinearMount, {
    baseUrl: service.url,
    token: linear.TOKEN,
  });
  const teams = await names(mount, '/teams');
  expect(teams).toHaveLength(10);
  for (const key of teams) await names(mount, `/teams/${key}/issues`);
  await service.resetRequests();
  await pass(DAY_MS);
  const asked = await service.requests();
  below('Linear, requests', asked.length, 2_500);
  const points = asked.reduce((sum, { complexity }) => sum + complexity, 0);
  below('Linear, points', points, 2_000_000);
});

it('Notion, 200 databases: below a twentieth of the requests', async () => {
  const seed = notion.workspace([notion.page('Roadmap')]);
  const [tasks] = seed.databases;
  if (tasks === undefined) throw new Error('the seed has no database');
  seed.databases = Array.from({ length: 200 }, (_, n) => ({
    ...tasks,
    id: notion.id(`base ${n}`),
    dataSourceId: notion.id(`source ${n}`),
    title: `Base ${n}`,
    properties: { Name: { type: 'title' } },
  }));
  const service = await startNotionStandIn({ seed });
  ended.push(() => service.close());
  const { mount, pass } = idling('notion', createNotionMount, {
    baseUrl: service.url,
    token: notion.TOKEN,
  });
  const listed = await mount.readdir('/');
  const bases = listed.filter(({ type, name }) => type === 'directory' && name.startsWith('Base'));
  expect(bases).toHaveLength(200);
  for (const { name } of bases) await names(mount, `/${name}`);
  await service.resetRequests();
  await pass(DAY_MS);
  below('Notion', (await service.requests()).length, 10_800);
});
