/** GitHub as a module of a mount: what a process of its own opens. */
import { createGithubMount } from '../../../mounts/github/index.ts';
import type { MountModule } from '../../../src/mount/index.ts';

export default (({ options: _, ...given }) =>
  createGithubMount({ ...given, repository: 'octo/hello', writeGapMs: 0 })) satisfies MountModule;
