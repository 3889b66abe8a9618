/** Two accounts of a service in one world, and in two on one state directory; the long test has two processes. */
import { expect, test } from 'vitest';
import * as github from '../../mounts/github/testing.ts';
import { credential } from '../credentials/tokens.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const OTHER = credential('ghp_', 'other');
const SECRET = '/octo/hello/issues/1.md';

test('a private repository is seen with its own token alone: in one world, and in another at the same place', async () => {
  const seed = github.seed({ issues: 2, commentsEach: 0 });
  for (const { repository } of seed.repositories) {
    Object.assign(repository, { private: true, writers: ['mara'] });
  }
  seed.tokens[OTHER] = 'octo';
  const service = await startGithubStandIn({ seed });
  try {
    const env = { MINE: github.TOKEN, THEIRS: OTHER };
    const state = temporaryDirectory();
    const mount = (tokenEnv: string) => ({
      source: 'github:octo/hello:ro',
      baseUrl: service.url,
      tokenEnv,
      freshMs: 600_000,
    });
    const both = testWorld(
      { mounts: { '/mnt/mine': mount('MINE'), '/mnt/theirs': mount('THEIRS') }, state },
      { env },
    );
    expect((await both.exec(`cat /mnt/mine${SECRET}`)).stdout).toContain('Number 1 is broken');
    const refused = await both.exec(`cat /mnt/theirs${SECRET}`);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect((await both.exec('grep "broken" /mnt/mine')).stdout).toContain(SECRET);
    expect((await both.exec('grep "broken" /mnt/theirs')).stdout).not.toContain(SECRET);

    const later = testWorld({ mounts: { '/mnt/mine': mount('THEIRS') }, state }, { env });
    expect((await later.exec(`cat /mnt/mine${SECRET}`)).stdout).toBe('');
    expect((await later.exec('grep "broken" /mnt/mine')).stdout).not.toContain('broken');
  } finally {
    await service.close();
  }
});
