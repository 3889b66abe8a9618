/** What the stand-in keeps, and the seeds that it starts from. All of it is plain JSON. */
import { z } from 'zod';

const blockSeedSchema = z.object({
  type: z.string(),
  content: z.record(z.string(), z.unknown()),
});

/** A page. `parent`: the id of a page or a database, or null for the workspace. */
export const pageSeedSchema = z.object({
  id: z.uuid(),
  parent: z.uuid().nullable(),
  title: z.string(),
  /** The text, in the service's markdown. */
  markdown: z.string().default(''),
  /** Blocks below the text that markdown cannot hold, such as bookmarks. */
  extra: z.array(blockSeedSchema).default([]),
  /** Of a row: its values by the names of its database's properties, in simple form. */
  values: z.record(z.string(), z.unknown()).default({}),
  createdAt: z.string(),
  editedAt: z.string(),
  by: z.uuid(),
  inTrash: z.boolean().default(false),
});

export const propertySeedSchema = z.object({
  type: z.string(),
  options: z.array(z.string()).default([]),
  /** Of a relation: the id of the database whose rows it names. */
  target: z.uuid().optional(),
});
export type PropertySeed = z.infer<typeof propertySeedSchema>;

const databaseSeedSchema = z.object({
  id: z.uuid(),
  dataSourceId: z.uuid(),
  parent: z.uuid().nullable(),
  title: z.string(),
  properties: z.record(z.string(), propertySeedSchema),
  createdAt: z.string(),
  by: z.uuid(),
});

export const userSeedSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
});

export const commentSeedSchema = z.object({
  id: z.uuid(),
  page: z.uuid(),
  /** The block in it that it is on. */
  block: z.uuid().optional(),
  discussion: z.uuid(),
  text: z.string(),
  by: z.uuid(),
  createdAt: z.string(),
});

/**
 * How the real service was seen to behave beyond its documentation. Each is on unless a test turns
 * it off.
 */
export const habitsSchema = z.object({
  /**
   * What inherits its access from a page above it is in no search: "not guaranteed to return
   * everything" (reference/search-optimizations-and-limitations), RooCodeInc/Roomote 1726, and the
   * recorded searches of ramnes/notion-sdk-py, which give the one page that was shared and none of
   * those below it.
   */
  searchLeavesOut: z.boolean().default(true),
  /** Both forms have been documented, one after the other (guides/data-apis/enhanced-markdown). */
  callouts: z.enum(['tag', 'colons']).default('tag'),
  /** The documented example is indented; that the service indents the lines within is nowhere said. */
  tables: z.enum(['flush', 'indented']).default('flush'),
  /**
   * A text of more blocks is cut: "truncated", and what could not be loaded is `unknown_block_ids`,
   * which the same endpoint takes (reference/retrieve-page-markdown).
   */
  blocksMost: z.number().int().positive().default(20_000),
});

export const seedDataSchema = z.object({
  /** People; an e-mail of null makes a bot. */
  users: z.array(userSeedSchema),
  /** Tokens and the ids of the bots that they belong to. */
  tokens: z.record(z.string(), z.uuid()),
  pages: z.array(pageSeedSchema),
  databases: z.array(databaseSeedSchema),
  comments: z.array(commentSeedSchema),
  habits: habitsSchema.prefault({}),
  /**
   * The bots that a page is shared with, by its id, and with it what is below; a page that is not
   * here is shared with all of them. "Integrations don't have access to any Notion pages in the
   * workspace at first": developers.notion.com/docs/authorization.
   */
  sharedWith: z.record(z.uuid(), z.array(z.uuid())).default({}),
});

export type SeedData = z.infer<typeof seedDataSchema>;
export type Habits = z.infer<typeof habitsSchema>;
export type SeedInput = z.input<typeof seedDataSchema>;
export type PageSeed = z.input<typeof pageSeedSchema>;
export type User = z.infer<typeof userSeedSchema>;
export type Comment = z.infer<typeof commentSeedSchema>;

export type Json = Record<string, unknown>;

/** A block. `content` is what the API has under the name of its type, without children. */
export interface Block {
  id: string;
  type: string;
  content: Json;
  children: Block[];
  createdAt: string;
  editedAt: string;
  by: string;
}

export interface Page {
  id: string;
  parent:
    | { type: 'workspace' }
    | { type: 'page'; id: string }
    | { type: 'data_source'; id: string };
  /** As the API gives them, by name. */
  properties: Record<string, Json>;
  blocks: Block[];
  createdAt: string;
  editedAt: string;
  createdBy: string;
  editedBy: string;
  inTrash: boolean;
}

/** A property of a data source, as the API gives it. */
export type PropertyConfig = Json & { id: string; name: string; type: string };

export interface Database {
  id: string;
  dataSourceId: string;
  parent: string | null;
  title: string;
  properties: Record<string, PropertyConfig>;
  createdAt: string;
  editedAt: string;
  by: string;
}
