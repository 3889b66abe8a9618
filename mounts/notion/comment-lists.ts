/** The open comments of pages and of single blocks, and the blocks that a page has: each asked for when it is named. */
import { expectShape } from '../../src/mount/index.ts';
import { type Outline, type Owner, ownerName } from './commented.ts';
import { fileIn } from './files-of-blocks.ts';
import { listedBlock } from './listed-blocks.ts';
import { blockSchema, commentSchema } from './schemas.ts';
import type { SyncOptions } from './sync-options.ts';

/** So many blocks are looked into for what is in them. */
const CONTAINERS_MOST = 50;
/** A block's text in a list is cut after so many characters. */
const TEXT_SHOWN = 120;

export class CommentLists {
  readonly #options: SyncOptions;

  constructor(options: SyncOptions) {
    this.#options = options;
  }

  /** The comments of a page or a block. Throws ServiceFailure. */
  async ensure(owner: Owner): Promise<void> {
    const { store, freshness } = this.#options;
    const name = `comments:${ownerName(owner)}`;
    await freshness.ensure({
      key: name.replace(':', ' '),
      heldSince: () => store.heldSince(name),
      ask: () => this.#ask(owner),
    });
  }

  async #ask(owner: Owner): Promise<void> {
    const { store, client } = this.#options;
    const id = owner.block ?? store.page(owner.key)?.page.id;
    if (id === undefined) return;
    const before = new Set(store.commentHeads(owner).map((head) => head.key));
    for await (const { results } of client.pages('comments', { query: { block_id: id } })) {
      for (const comment of expectShape('Notion', commentSchema.array(), results, 'comments')) {
        store.putComment(owner, comment);
        before.delete(comment.id.replaceAll('-', ''));
      }
    }
    for (const gone of before) store.dropComment(gone);
    store.listed(`comments:${ownerName(owner)}`);
  }

  /** The blocks of a page. Throws ServiceFailure. */
  async ensureOutline(key: string): Promise<void> {
    const { store, freshness } = this.#options;
    await freshness.ensure({
      key: `blocks ${key}`,
      heldSince: () => store.outline(key)?.checkedAt ?? null,
      ask: async () => {
        const page = store.page(key)?.page;
        if (page === undefined) return;
        const outline: Outline = [];
        const left = { containers: CONTAINERS_MOST };
        await this.#collect(page.id, 0, outline, left);
        store.putOutline(key, outline, page.last_edited_time);
        if (left.containers < 0) {
          freshness.notice(
            `Notion: of the blocks within others, those of the first ${CONTAINERS_MOST} are listed`,
          );
        }
      },
    });
  }

  async #collect(
    id: string,
    depth: number,
    outline: Outline,
    left: { containers: number },
  ): Promise<void> {
    for await (const { results } of this.#options.client.pages(`blocks/${id}/children`, {})) {
      for (const block of expectShape('Notion', blockSchema.array(), results, 'blocks')) {
        const { type, text } = listedBlock(block);
        const shown = text.replace(/\s+/g, ' ').slice(0, TEXT_SHOWN);
        outline.push({
          id: block.id.replaceAll('-', ''),
          depth,
          type,
          text: shown,
          editedAt: block.last_edited_time,
          file: fileIn(block)?.name ?? null,
        });
        const isOpen = block.has_children === true && type !== 'child_page';
        if (isOpen && left.containers-- > 0)
          await this.#collect(block.id, depth + 1, outline, left);
      }
    }
  }
}
