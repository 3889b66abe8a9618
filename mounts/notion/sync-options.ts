/** What keeping in step with Notion is made with. */
import type { ServiceParts } from '../../src/mount/index.ts';
import type { NotionClient } from './client.ts';
import type { NotionStore } from './store.ts';

export type SyncOptions = ServiceParts<NotionClient, NotionStore>;
