/** The long listings of one service, and how a shell tells of them. */
import { expect, it, vi } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import { describeLongListings, largeGithub } from './long-listings.ts';

describeLongListings('GitHub', largeGithub);

it('is told to the shell: status 2, how far it is on stderr, and all of it in the end', async () => {
  await using large = await largeGithub();
  const bench = await large.bench();
  await large.slow(300);
  const { url, token } = large.service;
  vi.stubEnv('GITHUB_TOKEN', token);
  const world = createWorld({
    mounts: { '/mnt/github': { source: 'github:octo/hello', baseUrl: url } },
    operationTimeoutMs: 600,
  });
  vi.unstubAllEnvs();
  const list = `ls /mnt/github${large.list}`;
  // The worker loads what it needs meanwhile, so the first answer may come late altogether.
  await vi.waitFor(async () => {
    const { exitCode, stdout, stderr } = await world.exec(list);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^ls: .*Resource temporarily unavailable\ndirigent: issues octo hello: being listed, \d+ records so far, \d+ pages; that goes on/,
    );
  }, 50_000);
  const named = await world.exec(`cat /mnt/github${large.late.path}`);
  expect(named.stdout).toContain(large.late.word);
  await vi.waitFor(async () => expect((await world.exec(list)).exitCode).toBe(0), 50_000);
  const { stdout } = await world.exec(`${list} | grep -c md`);
  expect(stdout).toBe(`${large.records}\n`);
  await world.close();
  bench.end();
});
