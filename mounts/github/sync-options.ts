/** What bringing the replica in step with GitHub is made of. */
import type { ResourceParts } from '../../src/mount/index.ts';
import type { Commits } from './branches.ts';
import type { GithubClient } from './client.ts';
import type { GithubStore, RepoName } from './store.ts';

export interface SyncOptions extends ResourceParts<GithubClient, GithubStore> {
  /** The one repository that the mount shows, if it shows one. */
  only: RepoName | null;
  commits: Commits;
}
