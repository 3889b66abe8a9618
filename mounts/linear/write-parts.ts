/** What the rows of Linear's table are made of. */
import type { ServiceParts } from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import type { LinearStore } from './store.ts';
import type { LinearSync } from './sync.ts';

/** What rows are made of. */
export interface WriteParts extends ServiceParts<LinearClient, LinearStore> {
  sync: LinearSync;
}
