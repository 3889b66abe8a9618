/** Where a block is among those of all pages. */
import type { Block, Json, Page } from './model.ts';
import { notFound } from './refusal.ts';
import type { Store } from './store.ts';

export interface Found {
  page: Page;
  block: Block;
  parent: Json;
}

export function findBlock(store: Store, id: string): Found {
  for (const page of store.pages.values()) {
    const walk = (blocks: readonly Block[], parent: Json): Found | null => {
      for (const block of blocks) {
        const found =
          block.id === id
            ? { page, block, parent }
            : walk(block.children, { type: 'block_id', block_id: block.id });
        if (found !== null) return found;
      }
      return null;
    };
    const found = walk(page.blocks, { type: 'page_id', page_id: page.id });
    if (found !== null) return found;
  }
  throw notFound('block', id);
}

/** The page's blocks with one replaced; null removes it. */
export function swapped(
  blocks: readonly Block[],
  id: string,
  by: (block: Block) => Block | null,
): Block[] {
  return blocks.flatMap((block) => {
    const next =
      block.id === id ? by(block) : { ...block, children: swapped(block.children, id, by) };
    return next === null ? [] : [next];
  });
}
