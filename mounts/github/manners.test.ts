/** What GitHub asks of those who speak to it: which version, how often it is written, by whose token. */
import { describe, expect, it } from 'vitest';
import { createGithubMount } from './index.ts';
import { APP, Bench, failure, REPO, text, withApp, write } from './testing.ts';

describe('requests', () => {
  it('name the version of the API that is spoken, every one of them, reads and writes', async () => {
    await using bench = await Bench.start({ issues: 4, commentsEach: 1, pullEvery: 2 });
    const { owner, repo } = { owner: 'octo', repo: 'hello' };
    await bench.github.edit({ op: 'put-file', owner, repo, path: 'a.txt', content: 'a\n' });
    const mount = bench.mount();
    await mount.prefetch(REPO);
    await text(mount, `${REPO}/pulls/2.diff`);
    await write(mount, `${REPO}/issues/1/comments/new.md`, 'hello\n');
    await write(mount, `${REPO}/files/a.txt`, 'b\n');
    const rows = await bench.github.requests();
    expect(rows.length).toBeGreaterThan(8);
    for (const { url, version } of rows) {
      // The host of archives is no part of the API, and gets no header of ours.
      expect([url, version]).toEqual([url, url.startsWith('/__codeload') ? null : '2022-11-28']);
    }
  });

  it('that write are a second apart', async () => {
    await using bench = await Bench.start({ issues: 1, commentsEach: 0 });
    const mount = bench.mount({ writeGapMs: undefined });
    for (const n of [1, 2, 3]) await write(mount, `${REPO}/issues/1/comments/new.md`, `No. ${n}\n`);
    const sent = (await bench.github.requests()).filter(({ method }) => method === 'POST');
    const times = sent.map(({ at }) => Date.parse(at));
    expect(times).toHaveLength(3);
    // Less what a busy machine takes in the first one late by.
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1_000);
  });
});

describe("the token of an app's installation", () => {
  async function installed(): Promise<Bench> {
    const bench = await Bench.start({ issues: 2, commentsEach: 0 });
    await bench.github.reseed(withApp({ issues: 2, commentsEach: 0 }));
    return bench;
  }

  it('lists what the app is installed in, since it belongs to no user', async () => {
    await using bench = await installed();
    const mount = bench.mount({ token: APP, repository: undefined });
    expect((await mount.readdir('/')).map(({ name }) => name)).toContain('octo');
    expect((await mount.readdir('/octo')).map(({ name }) => name)).toEqual(['hello']);
    expect(await text(mount, `${REPO}/issues/1.md`)).toContain('Number 1');
    const asked = (await bench.asked()).map((row) => row.replace(/\?.* /, ' '));
    expect(asked).toContain('GET /user/repos 403');
    expect(asked).toContain('GET /installation/repositories 200');
  });

  it('that may list nothing is refused, and its root is not empty', async () => {
    await using bench = await installed();
    await bench.github.fault({ kind: 'taken-down', status: 403, path: '^/installation' });
    const mount = createGithubMount({
      ...bench.memory(),
      token: APP,
      baseUrl: bench.github.url,
      stage: false,
      onNotice: () => undefined,
    });
    expect((await failure(mount.readdir('/'))).code).toBe('EACCES');
  });
});
