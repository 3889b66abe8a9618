/** What a deployer says beyond a description: a page of YAML, or the same in the config. */
import { z } from 'zod';
import { ConfigError, schemaFaults } from '../../src/mount/index.ts';

const name = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** How a listing goes on. What is not said is inferred. */
const pageSchema = z.strictObject({
  /** `none`: all is in one answer. */
  by: z.enum(['page', 'offset', 'cursor', 'link', 'next', 'none']),
  /** The parameter that counts, or that takes the cursor. */
  param: name.optional(),
  /** The parameter for how many a page has, and how many are asked for. */
  sizeParam: name.optional(),
  size: z.int().min(1).max(10_000).optional(),
  /** Where the answer has the cursor or the next address: `meta.next`; `last` for the id of the last row. */
  next: name.optional(),
  /** The number of the first page, or of the first row. */
  first: z.int().optional(),
});

const collectionSchema = z.strictObject({
  /** Its directory's name. */
  as: z
    .string()
    .regex(/^[^/\0.][^/\0]*$/, 'must be the name of a directory')
    .optional(),
  /** The path of one record, where that is another than the collection's and `/{…}`. */
  one: name.optional(),
  /** Where the rows are in an answer: `data.items`; '' for the answer itself. Where one record is in its. */
  rows: z.string().optional(),
  record: z.string().optional(),
  id: name.optional(),
  title: name.optional(),
  updated: name.optional(),
  /** The field that stands below the others as text; '' for none: the records are JSON then. */
  text: z.string().optional(),
  /** Parameters of the listing. */
  query: z.record(z.string(), scalar).optional(),
  page: pageSchema.optional(),
  /** Of a listing, so many rows at most; 1,000 by default. */
  most: z.int().min(1).max(100_000).optional(),
  /** True: rows of a listing have all fields, though the description shows fewer there. */
  whole: z.boolean().optional(),
  /** The method of an update, where it is another than PATCH or PUT. */
  update: z.enum(['PATCH', 'PUT', 'POST']).optional(),
  /** True: it is only shown. */
  readOnly: z.boolean().optional(),
});

export const hintsSchema = z.strictObject({
  /** Which of the security schemes the token is for; a header and what stands before the token in it. */
  auth: z.union([name, z.strictObject({ header: name, prefix: z.string().optional() })]).optional(),
  /** Values of parameters in paths: one is filled in, several are directories. */
  params: z.record(z.string(), z.union([scalar, z.array(scalar).min(1)])).optional(),
  /** Headers of every request. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Of the variables in the address of the server. */
  server: z.record(z.string(), z.string()).optional(),
  /** Mount what is at these paths and below alone. */
  only: z.array(name).optional(),
  /** By the path that lists; false for one that is not to be mounted. */
  collections: z.record(z.string(), z.union([collectionSchema, z.literal(false)])).optional(),
});

export type Hints = z.infer<typeof hintsSchema>;
export type CollectionHints = z.infer<typeof collectionSchema>;
export type PageHints = z.infer<typeof pageSchema>;

/** @throws ConfigError naming every wrong hint */
export function hintsOf(data: unknown, where: string): Hints {
  const parsed = hintsSchema.safeParse(data ?? {});
  if (parsed.success) return parsed.data;
  throw new ConfigError('', `${where}: ${schemaFaults(parsed.error).join('; ')}`);
}
