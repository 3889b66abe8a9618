/** Slack as a module of a mount: what a process of its own opens. */
import { createSlackMount } from '../../../mounts/slack/index.ts';
import type { MountModule } from '../../../src/mount/index.ts';

export default (({ options: _, ...given }) => createSlackMount(given)) satisfies MountModule;
