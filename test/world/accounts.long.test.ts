/** Two accounts of a service in two processes on one state directory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as github from '../../mounts/github/testing.ts';
import { cli } from '../cli/run-cli.ts';
import { credential } from '../credentials/tokens.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { temporaryDirectory } from './harness.ts';

const OTHER = credential('ghp_', 'other');
const SECRET = '/octo/hello/issues/1.md';

test('two processes with two tokens on one state share no record and no staged change', async () => {
  const seed = github.seed({ issues: 2, commentsEach: 0 });
  for (const { repository } of seed.repositories) {
    Object.assign(repository, { private: true, writers: ['mara'] });
  }
  seed.tokens[OTHER] = 'octo';
  const service = await startGithubStandIn({ seed });
  try {
    const deployment = temporaryDirectory();
    const mount = {
      source: 'github:octo/hello',
      mode: 'stage',
      baseUrl: service.url,
      tokenEnv: 'T',
    };
    writeFileSync(
      join(deployment, 'dirigent.config.mjs'),
      `export default ${JSON.stringify({ mounts: { '/mnt/gh': mount } })};\n`,
    );
    const run = (token: string, ...args: string[]) =>
      cli([...args, '--deployment', deployment], { env: { T: token } });
    const mine = await run(
      github.TOKEN,
      'sh',
      '-c',
      `cat /mnt/gh${SECRET}; sed -i 's/^title: .*/title: Staged/' /mnt/gh${SECRET}`,
    );
    expect(mine.stdout.toString()).toContain('Number 1 is broken');
    const theirs = await run(OTHER, 'sh', '-c', `cat /mnt/gh${SECRET}; grep broken /mnt/gh`);
    expect(theirs.stdout.toString()).not.toContain('broken');
    const staged = 'cat /session/changes/*/diff.patch';
    expect((await run(OTHER, 'sh', '-c', staged)).stdout.toString()).toBe('');
    expect((await run(github.TOKEN, 'sh', '-c', staged)).stdout.toString()).toContain(
      '+title: Staged',
    );
    expect((await run(OTHER, 'changes', 'apply', '--all', '--yes')).status).not.toBe(0);
    const sent = (await service.requests()).filter(({ method }) => method === 'PATCH');
    expect(sent).toEqual([]);
    expect((await run(github.TOKEN, 'changes', 'apply', '--all', '--yes')).status).toBe(0);
    expect((await service.requests()).filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  } finally {
    await service.close();
  }
});
