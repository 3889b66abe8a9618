/** Notion as a module of a mount: what a process of its own opens. */
import { createNotionMount } from '../../../mounts/notion/index.ts';
import type { MountModule } from '../../../src/mount/index.ts';

export default (({ options: _, ...given }) => createNotionMount(given)) satisfies MountModule;
