/** What the mount's own means of keeping issues in step are made of. */
import type { ResourceParts } from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import type { documentsOf } from './documents.ts';
import type { issuesOf } from './issues.ts';
import type { LinearStore } from './store.ts';
import type { teamsOf } from './teams.ts';

export interface SyncOptions extends ResourceParts<LinearClient, LinearStore> {
  /** The one team that the mount shows, if it shows one. */
  only: string | null;
  teams: ReturnType<typeof teamsOf>;
  documents: ReturnType<typeof documentsOf>['documents'];
  issues: ReturnType<typeof issuesOf>['issues'];
}
