/** Linear as a module of a mount: what a process of its own opens. */
import { createLinearMount } from '../../../mounts/linear/index.ts';
import type { MountModule } from '../../../src/mount/index.ts';

export default (({ options: _, ...given }) => createLinearMount(given)) satisfies MountModule;
