/** The blocks that Notion lists, told from each other by what a text says of them. */
import { z } from 'zod';
import { expectShape, type ServiceRequest } from '../../src/mount/index.ts';
import type { NotionClient } from './client.ts';
import { type Node, plainText } from './markdown/nodes.ts';
import { type Mentions, mentionTags, type plainOf, type RequestRun } from './markdown/rich-text.ts';
import { type ApiBlock, blockSchema, type Run, runSchema } from './schemas.ts';

/** Blocks are listed 100 a request; beyond so many, one request with all lines is cheaper. */
const LISTED_MOST = 300;

export interface ListedBlock {
  id: string;
  type: string;
  /** The texts that it has: one, of a table's row one a cell, of what has none none. */
  texts: Run[][];
  /** All of it, in one. */
  text: string;
}

const withRuns = z.looseObject({
  rich_text: runSchema.array().optional(),
  caption: runSchema.array().optional(),
  cells: runSchema.array().array().optional(),
  expression: z.string().optional(),
});

/** A block as the API gives it. */
export function listedBlock(block: ApiBlock): ListedBlock {
  const content = withRuns.safeParse(block[block.type] ?? {}).data ?? {};
  const own = block.type === 'image' ? content.caption : content.rich_text;
  const texts = content.cells ?? (own === undefined ? [] : [own]);
  const text = content.expression ?? texts.map(textOf).join('\t');
  return { id: block.id, type: block.type, texts, text };
}

const textOf = (runs: readonly Run[]): string => runs.map(({ plain_text }) => plain_text).join('');

/** Lists what is right below a page or a block, each once. */
export class ListedBlocks {
  readonly #client: NotionClient;
  readonly #below = new Map<string, Promise<ListedBlock[] | null>>();

  constructor(client: NotionClient) {
    this.#client = client;
  }

  /** The block of a node, by its place below a page; null where Notion's list has another one there. */
  async find(
    page: string,
    nodes: readonly Node[],
    path: readonly number[],
  ): Promise<ListedBlock | null> {
    let siblings = nodes;
    let found: ListedBlock | null = null;
    for (const [depth, index] of path.entries()) {
      const node = siblings[index];
      if (node === undefined) return null;
      const parent: string = found?.id ?? page;
      found = await this.#at(parent, siblings, index, depth === 0 ? undefined : found);
      if (found === null) return null;
      siblings = node.lead === undefined ? node.children : [node.lead, ...node.children];
    }
    return found;
  }

  async #at(
    parent: string,
    siblings: readonly Node[],
    index: number,
    above: ListedBlock | null | undefined,
  ): Promise<ListedBlock | null> {
    const listed = await this.#list(parent);
    const node = siblings[index];
    if (listed === null || node === undefined) return null;
    // The first paragraph of a callout is its own text, unless it has none.
    const isCallout = above?.type === 'callout' && listed.length === siblings.length - 1;
    if (isCallout && index === 0) return fits(node, { ...above, type: 'paragraph' }) ? above : null;
    if (!isCallout && listed.length !== siblings.length) return null;
    const found = listed[isCallout ? index - 1 : index];
    return found !== undefined && fits(node, found) ? found : null;
  }

  #list(parent: string): Promise<ListedBlock[] | null> {
    let listed = this.#below.get(parent);
    if (listed === undefined) {
      listed = this.#ask(parent);
      this.#below.set(parent, listed);
    }
    return listed;
  }

  async #ask(parent: string): Promise<ListedBlock[] | null> {
    const blocks: ListedBlock[] = [];
    for await (const { results, more } of this.#client.pages(`blocks/${parent}/children`, {})) {
      const page = expectShape('Notion', blockSchema.array(), results, 'blocks');
      blocks.push(...page.map(listedBlock));
      if (more && blocks.length >= LISTED_MOST) return null;
    }
    return blocks;
  }
}

/** Is it the block that the text shows? Of a mention, the text may not tell what its name is. */
function fits(node: Node, { type, text, texts }: ListedBlock): boolean {
  if (node.type !== null && node.type !== type) return false;
  if (node.content === null) return true;
  const named = texts.flat().some(({ type: kind }) => kind === 'mention');
  return named || plainText(node) === text;
}

const mentionSchema = z.union([
  z.object({ type: z.literal('user'), user: z.object({ id: z.string() }) }),
  z.object({ type: z.literal('page'), page: z.object({ id: z.string() }) }),
  z.object({ type: z.literal('database'), database: z.object({ id: z.string() }) }),
  z.object({
    type: z.literal('date'),
    date: z.object({
      start: z.string(),
      end: z.string().nullish(),
      time_zone: z.string().nullish(),
    }),
  }),
]);

/** The mentions of a text that is to be written, as far as the block has them already. */
export function mentionsOf(before: Parameters<typeof plainOf>[0], runs: readonly Run[]): Mentions {
  const tags = mentionTags(before);
  const there = runs.filter(({ type }) => type === 'mention');
  const known = new Map<string, RequestRun>();
  if (tags.length === there.length) {
    for (const [index, tag] of tags.entries()) {
      const mention = mentionSchema.safeParse(there[index]?.['mention']);
      if (mention.success) known.set(tag, { type: 'mention', mention: mention.data });
    }
  }
  return (tag) => known.get(tag) ?? null;
}

/** Has a block, as an update's answer gives it, the text that was asked for? A tick alone says nothing of it. */
export function isAsWritten(block: ApiBlock, request: ServiceRequest): boolean {
  const body = request.body as Record<string, unknown>;
  const { rich_text, caption, cells, expression } = writtenSchema.parse(body[block.type] ?? {});
  const given = rich_text ?? caption;
  const texts = cells ?? (given === undefined ? null : [given]);
  const shown = listedBlock(block);
  if (texts === null) return expression === undefined || expression === shown.text;
  return texts.every((runs, index) => {
    const text = runs.map(({ text: one, equation }) => one?.content ?? equation?.expression);
    // What a mention is called is Notion's to say.
    if (text.includes(undefined)) return true;
    return text.join('') === textOf(shown.texts[index] ?? []);
  });
}

const writtenRun = z.looseObject({
  text: z.object({ content: z.string() }).optional(),
  equation: z.object({ expression: z.string() }).optional(),
});
const writtenSchema = z.looseObject({
  rich_text: writtenRun.array().optional(),
  caption: writtenRun.array().optional(),
  cells: writtenRun.array().array().optional(),
  expression: z.string().optional(),
});
