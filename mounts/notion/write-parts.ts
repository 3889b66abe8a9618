/** What the rows of Notion's table are made of. */
import type { ServiceParts } from '../../src/mount/index.ts';
import type { NotionClient } from './client.ts';
import type { NotionStore } from './store.ts';
import type { NotionSync } from './sync.ts';

export interface WriteParts extends ServiceParts<NotionClient, NotionStore> {
  sync: NotionSync;
}
