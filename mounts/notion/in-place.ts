/**
 * An edit of the texts of some blocks, or of what is in a container: each block is updated, made or
 * removed where it is, so that every other one stays the very block that it was, with its comments
 * and its links.
 */
import type { ServiceRequest } from '../../src/mount/index.ts';
import { type BlockChange, changesBetween } from './block-changes.ts';
import { requestsOf } from './block-requests.ts';
import type { NotionClient } from './client.ts';
import { type ListedBlock, ListedBlocks, mentionsOf } from './listed-blocks.ts';
import type { Inline } from './markdown/blocks.ts';
import { carriedOver } from './markdown/carry.ts';
import { type Content, type Node, nodesOf } from './markdown/nodes.ts';
import { readNotion, writeNotion } from './markdown/notion.ts';
import { plainRuns, type RequestRun, richTextOf } from './markdown/rich-text.ts';

/** Where more blocks differ, one request with all lines is cheaper. */
const BLOCKS_MOST = 20;

export interface InPlace {
  /** Requests for single blocks, in their order. */
  requests: ServiceRequest[];
  /**
   * The page's text as it is to be before they are sent: with the blocks that come and go at its top,
   * for which lines are searched and replaced.
   */
  mid: string;
}

/** null where blocks alone cannot say the edit, or cannot be told from each other. */
export async function inPlace(
  client: NotionClient,
  page: string,
  before: string,
  after: string,
): Promise<InPlace | null> {
  const [old, now] = [readNotion(before), readNotion(after)];
  const nodes = nodesOf(old);
  const found = changesBetween(nodes, nodesOf(now));
  if (found === null) return null;
  const { tops } = found;
  const isWhole = tops.length === old.length && tops.every((at, index) => at === index);
  // Beside lines that come and go, a line at the top is one more of them, where nothing below changes.
  const deeper = new Set(found.changes.flatMap(({ path }) => (path.length > 1 ? path[0] : [])));
  const isLine = ({ op, path: [top = 0, ...rest] }: BlockChange): boolean =>
    op === 'update' && rest.length === 0 && !deeper.has(top) && nodes[top]?.type !== 'toggle';
  const changes = isWhole ? found.changes : found.changes.filter((change) => !isLine(change));
  if (changes.length === 0 || changes.length > BLOCKS_MOST) return null;
  const blocks = new ListedBlocks(client);
  const requests: ServiceRequest[] = [];
  for (const change of changes) {
    const request = await requestFor(change, { page, nodes, blocks });
    if (request === null) return null;
    requests.push(request);
  }
  if (isWhole) return { requests, mid: before };
  const changed = new Set(changes.map(({ path }) => path[0]));
  const mid = now.map((block, index) => {
    const at = tops[index] ?? null;
    return at !== null && changed.has(at) ? (old[at] ?? block) : block;
  });
  return { requests, mid: carriedOver(before, writeNotion(old), writeNotion(mid)) };
}

interface Page {
  page: string;
  nodes: readonly Node[];
  blocks: ListedBlocks;
}

async function requestFor(
  change: BlockChange,
  { page, nodes, blocks }: Page,
): Promise<ServiceRequest | null> {
  const { op, path } = change;
  const block = await blocks.find(page, nodes, path);
  if (block === null) return null;
  const url = `/v1/blocks/${block.id}`;
  switch (op) {
    case 'update': {
      const body = contentOf(change, block);
      return body === null ? null : { method: 'PATCH', url, body };
    }
    case 'remove':
      return { method: 'DELETE', url, body: null };
    case 'insert': {
      const children = requestsOf(change.nodes);
      const before =
        change.after === null ? null : await blocks.find(page, nodes, [...path, change.after]);
      if (children === null || (change.after !== null && before === null)) return null;
      // Behind its own text is first in a callout.
      const position =
        before === null || before.id === block.id
          ? { type: 'start' }
          : { type: 'after_block', after_block: { id: before.id } };
      return { method: 'PATCH', url: `${url}/children`, body: { children, position } };
    }
  }
}

/** Only what differs: a tick leaves the text alone, whatever is in it. null where it cannot be said. */
function contentOf(
  { old, now }: Extract<BlockChange, { op: 'update' }>,
  block: ListedBlock,
): ServiceRequest['body'] | null {
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
