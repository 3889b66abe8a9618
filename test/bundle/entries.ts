/** What the bundle of the tests can be entered by. */
import { dirname } from 'node:path';

export const ROOT = dirname(dirname(import.meta.dirname));

/** What threads and processes begin with, and what modules of a deployment import: by its path, without its extension. */
export const ENTRIES: readonly string[] = [
  'entry/index',
  'entry/main',
  'mounts/index',
  'mounts/github/index',
  'mounts/linear/index',
  'mounts/mcp/index',
  'mounts/notion/index',
  'mounts/openapi/index',
  'mounts/slack/index',
  'mounts/sql/index',
  'src/command',
  'src/mount/index',
  'src/search/service/engine-worker',
  'src/texts/converter-worker',
  'src/world/worker-boot',
];
