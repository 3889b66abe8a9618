/** A repository of GitHub's stand-in with many issues, and a world on it. */
import fs from 'node:fs';
import { join } from 'node:path';
import { createWorld, type World } from '../entry/index.ts';
import { seed, TOKEN } from '../mounts/github/testing.ts';
import { startGithubStandIn } from '../test/stand-ins/github/index.ts';
import { makeCorpus } from './corpus.ts';

export interface IssuesWorld extends AsyncDisposable {
  world: World;
  /** Where the issues are in the world. */
  at: string;
  /** A directory of the host with the same files. */
  copy: string;
}

/** So many issues of 1.5 kB with half as many comments again of 0.4 kB, fetched, and copied into a directory. */
export async function issuesWorld(count: number, directory: string): Promise<IssuesWorld> {
  const data = seed({ issues: count, commentsEach: 0 });
  const [repository] = data.repositories;
  if (repository === undefined) throw new Error('the seed has no repository');
  const bodies = [...makeCorpus(count, 1_500)];
  for (const issue of repository.issues) issue.body = bodies[issue.number - 1]?.text ?? '';
  repository.comments = [...makeCorpus(count * 1.5, 400)].map(({ text: body }, index) => ({
    id: 10_000 + index,
    issue: 1 + (index % count),
    author: 'octo',
    body,
    createdAt: '2025-01-02T00:00:00Z',
    updatedAt: '2025-01-02T00:00:00Z',
  }));
  const service = await startGithubStandIn({ seed: data });
  const copy = join(directory, 'issues');
  fs.mkdirSync(copy, { recursive: true });
  const github = { source: 'github', baseUrl: service.url, tokenEnv: 'T', freshMs: 3_600_000 };
  const state = fs.mkdtempSync(join(directory, 'state-'));
  const mounts = { '/mnt/github': github, '/copy': `${copy}:rw` };
  const world = await createWorld({ mounts, state }, { env: { T: TOKEN } });
  const at = '/mnt/github/octo/hello/issues';
  await world.exec(`grep -rq nothing-such ${at}; cp -r ${at}/. /copy/`);
  return {
    world,
    at,
    copy,
    [Symbol.asyncDispose]: async () => {
      await world.close();
      await service.close();
    },
  };
}
