/** The parts of Notion's answers that we use; everything else is kept as it came. */
import { z } from 'zod';

const reference = z.looseObject({ id: z.string() });

/** A run of text. */
export const runSchema = z.looseObject({
  type: z.string().optional(),
  plain_text: z.string(),
  href: z.string().nullish(),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
export type Run = z.infer<typeof runSchema>;

/** Of a page, a block or a database: where it hangs. */
export const parentSchema = z.looseObject({
  type: z.string(),
  page_id: z.string().optional(),
  block_id: z.string().optional(),
  data_source_id: z.string().optional(),
  database_id: z.string().optional(),
});
export type Parent = z.infer<typeof parentSchema>;

const valueSchema = z.looseObject({ id: z.string().optional(), type: z.string() });
/** A property's value; what it holds is under the name of its type. */
export type PropertyValue = z.infer<typeof valueSchema>;

export const pageSchema = z.looseObject({
  object: z.literal('page'),
  id: z.string(),
  created_time: z.string(),
  last_edited_time: z.string(),
  in_trash: z.boolean().optional(),
  parent: parentSchema,
  properties: z.record(z.string(), valueSchema),
  url: z.string(),
  created_by: reference,
});
export type ApiPage = z.infer<typeof pageSchema>;

const optionSchema = z.looseObject({ name: z.string() });
const configSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  select: z.looseObject({ options: z.array(optionSchema).optional() }).optional(),
  multi_select: z.looseObject({ options: z.array(optionSchema).optional() }).optional(),
  status: z.looseObject({ options: z.array(optionSchema).optional() }).optional(),
});
/** A property of a database. */
export type PropertyConfig = z.infer<typeof configSchema>;

export const sourceSchema = z.looseObject({
  object: z.literal('data_source'),
  id: z.string(),
  title: z.array(runSchema),
  parent: parentSchema,
  database_parent: parentSchema,
  properties: z.record(z.string(), configSchema),
  in_trash: z.boolean().optional(),
  last_edited_time: z.string(),
  url: z.string(),
});
/** A data source: what the app calls a database, or one of a database's tables. */
export type ApiSource = z.infer<typeof sourceSchema>;

/** Pages and data sources; what the token may only see the id of is `null`. */
export const nodeSchema = z.union([pageSchema, sourceSchema]);
export type ApiNode = z.infer<typeof nodeSchema>;

export const listSchema = z.looseObject({
  results: z.array(z.unknown()),
  has_more: z.boolean(),
  next_cursor: z.string().nullish(),
  request_status: z.looseObject({ type: z.string() }).optional(),
});

export const markdownSchema = z.looseObject({
  markdown: z.string(),
  truncated: z.boolean(),
  unknown_block_ids: z.array(z.string()),
});
export type ApiMarkdown = z.infer<typeof markdownSchema>;

export const commentSchema = z.looseObject({
  id: z.string(),
  created_time: z.string(),
  last_edited_time: z.string(),
  created_by: reference,
  discussion_id: z.string(),
  rich_text: z.array(runSchema),
});
export type ApiComment = z.infer<typeof commentSchema>;

export const userSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  type: z.string().optional(),
  person: z.looseObject({ email: z.string().optional() }).optional(),
});
export type ApiUser = z.infer<typeof userSchema>;

/** A database, which holds one data source or more. */
export const databaseSchema = z.looseObject({
  id: z.string(),
  data_sources: z.array(reference),
});

export const blockSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  created_time: z.string(),
  last_edited_time: z.string(),
  created_by: reference,
  parent: parentSchema,
  has_children: z.boolean().optional(),
  child_page: z.looseObject({ title: z.string() }).optional(),
});
export type ApiBlock = z.infer<typeof blockSchema>;
