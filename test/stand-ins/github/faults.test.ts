import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOST } from '../process.ts';
import { demoSeed, type GithubStandIn, startGithubStandIn } from './index.ts';
import { readScenarios } from './seed/scenario.ts';

const quay = { owner: 'harbor', repo: 'quay' };
const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const statusOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error: unknown) =>
      error instanceof Error && 'status' in error ? error.status : String(error),
  );

describe('faults', () => {
  let github: GithubStandIn;
  let octokit: Octokit;
  beforeAll(async () => {
    github = await startGithubStandIn({ seed: 'empty' });
    octokit = new Octokit({ auth: github.token, baseUrl: github.url, log });
  });
  beforeEach(() => github.clearFaults());
  afterAll(() => github.close());

  const list = () => octokit.rest.issues.listForRepo({ ...quay, state: 'all' });
  const create = (title: string) => octokit.rest.issues.create({ ...quay, title });
  const titles = async () => (await github.dump()).repositories[0]?.issues.map((i) => i.title);

  it('limits: primary with remaining 0, secondary with retry-after', async () => {
    await github.fault({ kind: 'primary-limit', times: 1, retryAfter: 9 });
    const primary: unknown = await list().catch((error: unknown) => error);
    expect(primary).toMatchObject({
      status: 403,
      response: { headers: { 'x-ratelimit-remaining': '0' } },
    });
    await github.fault({ kind: 'secondary-limit', times: 1, retryAfter: 7 });
    const secondary: unknown = await list().catch((error: unknown) => error);
    expect(secondary).toMatchObject({ status: 429, response: { headers: { 'retry-after': '7' } } });
    expect(await statusOf(list())).toBe('answered');
  });

  it('errors only where they match, and only so often', async () => {
    await github.fault({
      kind: 'server-error',
      status: 503,
      method: 'POST',
      path: '/issues$',
      times: 2,
    });
    expect(await statusOf(list())).toBe('answered');
    expect([await statusOf(create('a')), await statusOf(create('a'))]).toEqual([503, 503]);
    expect(await titles()).toEqual([]);
    expect(await statusOf(create('first'))).toBe('answered');
  });

  it('cuts before the answer, in the body, and after the write', async () => {
    await github.fault({ kind: 'cut', times: 1 });
    expect(await statusOf(create('never'))).toBe(500);
    expect(await titles()).toEqual(['first']);
    await github.fault({ kind: 'cut-body', times: 1 });
    // Octokit swallows the error of a body that ends early, and answers 200 with a string in `data`.
    expect(Array.isArray((await list()).data)).toBe(false);
    await github.fault({ kind: 'cut-body', times: 1 });
    const plain = fetch(`${github.url}/repos/harbor/quay/issues`).then((reply) => reply.json());
    await expect(plain).rejects.toThrow();
    await github.fault({ kind: 'lost-answer', times: 1 });
    expect(await statusOf(create('second'))).toBe(500);
    expect(await titles()).toEqual(['first', 'second']);
    const faults = (await github.requests()).map((request) => request.fault);
    expect(faults.slice(-4)).toEqual(['cut', 'cut-body', 'cut-body', 'lost-answer']);
  });

  it('is slow, and lets listings lag behind writes', async () => {
    await github.fault({ kind: 'slow', ms: 120, times: 1 });
    const began = performance.now();
    await list();
    expect(performance.now() - began).toBeGreaterThan(110);
    await github.fault({ kind: 'lag', ms: 2_000 });
    const { data } = await create('third');
    expect((await list()).data.map((issue) => issue.title)).not.toContain('third');
    const one = await octokit.rest.issues.get({ ...quay, issue_number: data.number });
    expect(one.data.title).toBe('third');
    await sleep(2_050);
    expect((await list()).data.map((issue) => issue.title)).toContain('third');
  });

  it('says what is wrong with an order', async () => {
    const edit = github.edit({ op: 'delete-issue', ...quay, number: 4711 });
    await expect(edit).rejects.toThrow('harbor/quay has no issue #4711');
  });
});

describe('the demo seed', () => {
  it('is the same every time, and as large as promised', () => {
    const hash = () => createHash('sha256').update(JSON.stringify(demoSeed())).digest('hex');
    expect(hash()).toBe(hash());
    const [first, second] = demoSeed().repositories;
    expect([first?.issues.length, second?.issues.length]).toEqual([200, 100]);
    expect(first?.issues.filter(({ pull }) => pull)).toHaveLength(50);
    expect(first?.comments).toHaveLength(600);
  });

  it('comes from at least forty scenarios and leaves no placeholder', () => {
    expect(readScenarios('quay').length + readScenarios('quay-cli').length).toBe(45);
    const text = JSON.stringify(
      demoSeed().repositories.map(({ issues, comments }) => [issues, comments]),
    );
    expect(text.match(/\{(main|fix|cause|quote|path|version|platform|evidence)\??\}/g)).toBeNull();
    expect(text).not.toContain('undefined');
  });

  it('has no record older than what it answers', () => {
    for (const { issues, comments } of demoSeed().repositories) {
      const byNumber = new Map(issues.map((issue) => [issue.number, issue]));
      for (const comment of comments) {
        const issue = byNumber.get(comment.issue);
        expect(issue && issue.createdAt <= comment.createdAt).toBe(true);
        expect(issue && issue.updatedAt >= comment.updatedAt).toBe(true);
      }
    }
  });
});

describe('the process', () => {
  // Not the one of the tests.
  beforeAll(() => void vi.stubEnv(HOST, undefined));
  afterAll(() => void vi.unstubAllEnvs());
  const alive = (pid = 0): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('ends when the parent is killed', async () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url));
    const program = `
      import { startGithubStandIn } from ${JSON.stringify(index)};
      const github = await startGithubStandIn({ seed: 'empty' });
      console.log(github.pid);
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = await once(parent.stdout, 'data');
    const pid = Number(String(said));
    expect(alive(pid)).toBe(true);
    parent.kill('SIGKILL');
    const deadline = Date.now() + 3000;
    while (alive(pid) && Date.now() < deadline) await sleep(20);
    expect(alive(pid)).toBe(false);
  });

  it('does not keep its parent from ending', async () => {
    const index = fileURLToPath(new URL('./index.ts', import.meta.url));
    const program = `
      import { startGithubStandIn } from ${JSON.stringify(index)};
      await (await startGithubStandIn({ seed: 'empty' })).requests();`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program]);
    expect((await once(parent, 'exit'))[0]).toBe(0);
  });

  it('is gone after close', async () => {
    const github = await startGithubStandIn({ seed: 'empty' });
    await github.close();
    expect(alive(github.pid)).toBe(false);
  });

  it('says why it did not start', async () => {
    const first = await startGithubStandIn({ seed: 'empty' });
    const port = Number(new URL(first.url).port);
    await expect(startGithubStandIn({ seed: 'empty', port })).rejects.toThrow('EADDRINUSE');
    await first.close();
  });
});
