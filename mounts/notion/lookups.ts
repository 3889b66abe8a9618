/** Single pages and data sources: asked for by their ids, and kept in their places. */
import { type Origin, ServiceFailure } from '../../src/mount/index.ts';
import { keyOf } from './names.ts';
import { type ApiNode, blockSchema, pageSchema, sourceSchema } from './schemas.ts';
import type { SyncOptions } from './sync-options.ts';
import type { PageTexts } from './texts.ts';

export class NotionLookups {
  readonly #options: SyncOptions;
  readonly #texts: PageTexts;

  constructor(options: SyncOptions, texts: PageTexts) {
    this.#options = options;
    this.#texts = texts;
  }

  /** One page, authoritatively. */
  async page(id: string): Promise<void> {
    const { client, store } = this.#options;
    try {
      await this.put([await client.get(pageSchema, `pages/${id}`, 'a page')], 'lookup');
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      store.drop(keyOf(id));
    }
  }

  /** Asks whether a database is still there. */
  async source(id: string): Promise<void> {
    const { client, store } = this.#options;
    try {
      await this.put(
        [await client.get(sourceSchema, `data_sources/${id}`, 'a data source')],
        'lookup',
      );
    } catch (error) {
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
      store.drop(keyOf(id));
    }
  }

  /** Stores what Notion gave, and finds its place. `bySearch`: its search tells of it. */
  async put(nodes: readonly ApiNode[], origin: Origin, bySearch = false): Promise<void> {
    const { store } = this.#options;
    for (const node of nodes) await this.#findPage(node);
    const before = new Map(nodes.map(({ id }) => [keyOf(id), store.head(keyOf(id))]));
    store.replica.transaction(() => {
      for (const node of nodes) store.put(node, origin, bySearch);
    });
    const moved = [...before].some(([key, head]) => {
      const now = store.head(key);
      return head?.path !== now?.path || head?.tag !== now?.tag;
    });
    if (moved) store.arrange();
    this.#texts.recount();
  }

  /** A page in a block of another one (a column, a toggle): the page is asked for, once a block. */
  async #findPage(node: ApiNode): Promise<void> {
    const { store, client } = this.#options;
    const { block_id } = node.object === 'page' ? node.parent : node.database_parent;
    if (block_id === undefined || store.pageOfBlock(block_id) !== null) return;
    let at = block_id;
    try {
      for (let depth = 0; depth < 20; depth++) {
        const { parent } = await client.get(blockSchema, `blocks/${at}`, 'a block');
        if (parent.page_id !== undefined) return store.putBlock(block_id, parent.page_id);
        if (parent.block_id === undefined) return;
        at = parent.block_id;
      }
    } catch (error) {
      // A block that is not shared: what is in it stands at the top.
      if (!(error instanceof ServiceFailure && error.absent)) throw error;
    }
  }
}
