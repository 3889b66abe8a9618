/**
 * An edit that changes nothing but the texts of some blocks, or ticks them: each is updated where
 * it is, so that it stays the very block that it was, with its comments and its links.
 */
import type { ServiceRequest } from '../../src/changes/change.ts';
import type { NotionClient } from './client.ts';
import { type ListedBlock, ListedBlocks, mentionsOf } from './listed-blocks.ts';
import type { Inline } from './markdown/blocks.ts';
import { type Content, type Node, nodesOf } from './markdown/nodes.ts';
import { readNotion } from './markdown/notion.ts';
import { plainRuns, type RequestRun, richTextOf } from './markdown/rich-text.ts';

/** Where more blocks differ, one request with all lines is cheaper. */
const BLOCKS_MOST = 20;

/** A block whose content differs, by its place in the tree. */
interface Changed {
  path: number[];
  old: Content;
  now: Content;
}

/** The requests, one behind the other; null where the edit is another one, or the blocks cannot be told. */
export async function inPlace(
  client: NotionClient,
  page: string,
  before: string,
  after: string,
): Promise<ServiceRequest | null> {
  const nodes = nodesOf(readNotion(before));
  const changed = changedNodes(nodes, nodesOf(readNotion(after)));
  if (changed === null || changed.length === 0 || changed.length > BLOCKS_MOST) return null;
  const blocks = new ListedBlocks(client);
  const requests: ServiceRequest[] = [];
  for (const each of changed) {
    const block = await blocks.find(page, nodes, each.path);
    const body = block === null ? null : contentOf(each, block);
    if (block === null || body === null) return null;
    requests.push({ method: 'PATCH', url: `/v1/blocks/${block.id}`, body });
  }
  return requests.reduceRight<ServiceRequest | null>(
    (next, request) => (next === null ? request : { ...request, next }),
    null,
  );
}

/** What differs, where nothing else does than what an update of a block can say; null else. */
function changedNodes(before: readonly Node[], after: readonly Node[]): Changed[] | null {
  if (before.length !== after.length) return null;
  const found: Changed[] = [];
  for (const [index, old] of before.entries()) {
    const now = after[index];
    if (now === undefined || now.type !== old.type || now.rest !== old.rest) return null;
    if ((old.lead === undefined) !== (now.lead === undefined)) return null;
    const withLead = ({ lead, children }: Node) =>
      lead === undefined ? children : [lead, ...children];
    const below = changedNodes(withLead(old), withLead(now));
    const differs = JSON.stringify(old.content) !== JSON.stringify(now.content);
    if (below === null || old.content?.type !== now.content?.type) return null;
    if (differs && old.content !== null && now.content !== null) {
      found.push({ path: [index], old: old.content, now: now.content });
    }
    found.push(...below.map((one) => ({ ...one, path: [index, ...one.path] })));
  }
  return found;
}

/** Only what differs: a tick leaves the text alone, whatever is in it. null where it cannot be said. */
function contentOf({ old, now }: Changed, block: ListedBlock): ServiceRequest['body'] | null {
  const changed = fieldsOf(old, now, block);
  if (changed === null) return null;
  const body = Object.entries(changed).filter(([, value]) => value !== undefined);
  return { [block.type]: Object.fromEntries(body) };
}

function fieldsOf(old: Content, now: Content, block: ListedBlock): Record<string, unknown> | null {
  if (old.type === 'text' && now.type === 'text') {
    const text = changedRuns(old.text, now.text, block, 0);
    const ticked = now.checked === old.checked ? {} : { checked: now.checked };
    return text === null ? null : { rich_text: text, ...ticked };
  }
  if (old.type === 'code' && now.type === 'code') {
    const text = old.code === now.code ? undefined : plainRuns(now.code);
    const language = old.language === now.language ? {} : { language: now.language };
    return text === null ? null : { rich_text: text, ...language };
  }
  if (old.type === 'image' && now.type === 'image') {
    const caption = changedRuns(old.caption, now.caption, block, 0);
    const external = old.url === now.url ? {} : { external: { url: now.url } };
    return caption === null ? null : { caption, ...external };
  }
  if (old.type === 'row' && now.type === 'row') {
    if (old.cells.length !== now.cells.length) return null;
    const cells = now.cells.map((cell, index) =>
      runsOf(old.cells[index] ?? [], cell, block, index),
    );
    return cells.includes(null) ? null : { cells };
  }
  return now.type === 'equation' ? { expression: now.expression } : null;
}

/** undefined where nothing differs. */
function changedRuns(
  old: readonly Inline[],
  now: readonly Inline[],
  block: ListedBlock,
  index: number,
): RequestRun[] | null | undefined {
  if (JSON.stringify(old) === JSON.stringify(now)) return undefined;
  return runsOf(old, now, block, index);
}

function runsOf(
  old: readonly Inline[],
  now: readonly Inline[],
  { texts }: ListedBlock,
  index: number,
): RequestRun[] | null {
  return richTextOf(now, mentionsOf(old, texts[index] ?? []));
}
