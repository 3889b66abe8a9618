/**
 * An edit that changes nothing but the texts of some blocks, or ticks them: each is updated where
 * it is, so that it stays the very block that it was, with its comments and its links.
 */
import type { ServiceRequest } from '../../src/changes/change.ts';
import { expectShape } from '../../src/mount/failure.ts';
import type { NotionClient } from './client.ts';
import { type Block, type Kind, sameBlocks, type TextBlock } from './markdown/blocks.ts';
import { readNotion } from './markdown/notion.ts';
import { plainOf, richTextOf } from './markdown/rich-text.ts';
import { blockSchema, runSchema } from './schemas.ts';

/** Where more blocks differ, one request with all lines is cheaper. */
const BLOCKS_MOST = 3;
/** Blocks are listed 100 a request; beyond so many, likewise. */
const LISTED_MOST = 300;

/** A block whose text or tick differs, by its place in the tree. */
interface Changed {
  path: number[];
  old: TextBlock;
  now: TextBlock;
}

/** The requests, one behind the other; null where the edit is another one, or the blocks cannot be told. */
export async function inPlace(
  client: NotionClient,
  page: string,
  before: string,
  after: string,
): Promise<ServiceRequest | null> {
  const tree = readNotion(before);
  const changed = changedBlocks(tree, readNotion(after));
  if (changed === null || changed.length === 0 || changed.length > BLOCKS_MOST) return null;
  const requests: ServiceRequest[] = [];
  for (const each of changed) {
    const content = contentOf(each);
    const id = content === null ? null : await idOf(client, page, tree, each);
    if (content === null || id === null) return null;
    requests.push({ method: 'PATCH', url: `/v1/blocks/${id}`, body: content });
  }
  return requests.reduceRight<ServiceRequest | null>(
    (next, request) => (next === null ? request : { ...request, next }),
    null,
  );
}

function changedBlocks(before: readonly Block[], after: readonly Block[]): Changed[] | null {
  if (before.length !== after.length) return null;
  const found: Changed[] = [];
  for (const [index, old] of before.entries()) {
    const now = after[index];
    if (now === undefined) return null;
    if (sameBlocks([old], [now])) continue;
    if (old.type !== 'text' || now.type !== 'text') return null;
    if (typeOf(old.of) !== typeOf(now.of) || old.attrs !== now.attrs) return null;
    const below = changedBlocks(old.children, now.children);
    if (below === null) return null;
    const alone = (block: TextBlock): Block[] => [{ ...block, children: [] }];
    if (!sameBlocks(alone(old), alone(now))) found.push({ path: [index], old, now });
    found.push(...below.map((one) => ({ ...one, path: [index, ...one.path] })));
  }
  return found;
}

function typeOf(of: Kind): string {
  switch (of.kind) {
    case 'heading':
      return `heading_${of.level}`;
    case 'todo':
      return 'to_do';
    case 'bullet':
    case 'number':
      return `${of.kind === 'bullet' ? 'bulleted' : 'numbered'}_list_item`;
    default:
      return of.kind;
  }
}

/** Only what differs: a tick leaves the text alone, whatever is in it. */
function contentOf({ old, now }: Changed): Record<string, unknown> | null {
  const text =
    JSON.stringify(old.text) === JSON.stringify(now.text) ? undefined : richTextOf(now.text);
  if (text === null) return null;
  const ticked =
    now.of.kind === 'todo' && old.of.kind === 'todo' && now.of.checked !== old.of.checked;
  return {
    [typeOf(now.of)]: {
      ...(text === undefined ? {} : { rich_text: text }),
      ...(ticked && now.of.kind === 'todo' ? { checked: now.of.checked } : {}),
    },
  };
}

/** The id of a block, where Notion's own list has it in the very place, with the very text. */
async function idOf(
  client: NotionClient,
  page: string,
  tree: readonly Block[],
  { path }: Changed,
): Promise<string | null> {
  let parent = page;
  let siblings = tree;
  for (const index of path) {
    const block = siblings[index];
    const listed =
      block?.type === 'text' ? await childrenOf(client, parent, siblings.length) : null;
    const found = listed?.[index];
    if (block?.type !== 'text' || found === undefined || found.type !== typeOf(block.of))
      return null;
    if (found.text !== plainOf(block.text)) return null;
    parent = found.id;
    siblings = block.children;
  }
  return parent;
}

interface Listed {
  id: string;
  type: string;
  text: string;
}

/** The blocks right below a page or a block; null where there are not as many as the text says. */
async function childrenOf(
  client: NotionClient,
  id: string,
  count: number,
): Promise<Listed[] | null> {
  const listed: Listed[] = [];
  for await (const { results, more } of client.pages(`blocks/${id}/children`, {})) {
    for (const one of results) {
      const block = expectShape('Notion', blockSchema, one, 'a block');
      const content = block[block.type] as { rich_text?: unknown } | undefined;
      const runs = runSchema.array().safeParse(content?.rich_text ?? []);
      const text = runs.success ? runs.data.map(({ plain_text }) => plain_text).join('') : '';
      listed.push({ id: block.id, type: block.type, text });
    }
    if (more && listed.length >= LISTED_MOST) return null;
  }
  return listed.length === count ? listed : null;
}
