/** What this package hands down to its command line: all that can be mounted, and its own library. */
import { schemes } from '../mounts/schemes.ts';
import type { Installation } from '../src/cli/installation.ts';

// From a checkout this is entry/installation.ts; compiled it is dist/entry/installation.js.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

export const installation: Installation = {
  schemes,
  sources: async () => (await import('../mounts/index.ts')).sourceTable,
  channels: async () => (await import('../channels/index.ts')).channelKinds,
  library: new URL(`./index.${extension}`, import.meta.url).href,
};
