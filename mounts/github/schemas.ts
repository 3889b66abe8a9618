/** The parts of GitHub's answers that we use; everything else is kept as it came. */
import { z } from 'zod';
import { expectShape as expectShapeOf } from '../../src/mount/index.ts';

export const loginSchema = z.looseObject({ login: z.string() });

export const pullFileSchema = z.looseObject({
  filename: z.string(),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  previous_filename: z.string().optional(),
  /** The hunks of its diff; absent for what is no text, or too much of it. */
  patch: z.string().optional(),
});

export const idSchema = z.union([z.number(), z.bigint(), z.string()]).transform(String);

/** A comment on lines of a diff. */
export const lineCommentSchema = z.looseObject({
  id: idSchema,
  pull_request_review_id: idSchema.nullish(),
  in_reply_to_id: idSchema.nullish(),
  user: loginSchema.nullish(),
  body: z.string().nullish(),
  path: z.string(),
  /** null where the diff does not show it any more. */
  line: z.number().nullish(),
  start_line: z.number().nullish(),
  original_line: z.number().nullish(),
  original_start_line: z.number().nullish(),
  side: z.string().nullish(),
  original_commit_id: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  html_url: z.string().optional(),
  pull_request_url: z.string(),
});
export type ApiLineComment = z.infer<typeof lineCommentSchema>;

export const repoSchema = z.looseObject({
  id: z.number().optional(),
  name: z.string(),
  full_name: z.string(),
  owner: loginSchema,
  updated_at: z.string().nullish(),
  pushed_at: z.string().nullish(),
});

/** A page of what an app is installed in. */
export const installedSchema = z.looseObject({ repositories: z.array(z.unknown()) });

/**
 * What GitHub answered, as the shape that was expected of it.
 *
 * @throws ServiceFailure `protocol`, naming what was not as expected.
 */
export function expectShape<T extends z.ZodType>(
  schema: T,
  data: unknown,
  what: string,
): z.infer<T> {
  return expectShapeOf('GitHub', schema, data, what);
}
