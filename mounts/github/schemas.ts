/** The parts of GitHub's answers that we use; everything else is kept as it came. */
import { z } from 'zod';
import { expectShape as expectShapeOf } from '../../src/mount/index.ts';

const loginSchema = z.looseObject({ login: z.string() });

export const issueSchema = z.looseObject({
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  state_reason: z.string().nullish(),
  user: loginSchema.nullish(),
  labels: z.array(z.union([z.string(), z.looseObject({ name: z.string().nullish() })])),
  assignees: z.array(loginSchema).nullish(),
  milestone: z.looseObject({ title: z.string() }).nullish(),
  comments: z.number().int().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  closed_at: z.string().nullish(),
  html_url: z.string().optional(),
  repository_url: z.string().optional(),
  /** There when the issue is a pull request. */
  pull_request: z.looseObject({ merged_at: z.string().nullish() }).nullish(),
  draft: z.boolean().optional(),
});
export type ApiIssue = z.infer<typeof issueSchema>;

export const pullSchema = issueSchema.extend({
  base: z.looseObject({
    ref: z.string(),
    sha: z.string().optional(),
    repo: z.looseObject({ url: z.string().optional() }).nullish(),
  }),
  head: z.looseObject({ ref: z.string(), sha: z.string().optional() }),
  merged_at: z.string().nullish(),
});
export type ApiPull = z.infer<typeof pullSchema>;

export const pullFileSchema = z.looseObject({
  filename: z.string(),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
  previous_filename: z.string().optional(),
  /** The hunks of its diff; absent for what is no text, or too much of it. */
  patch: z.string().optional(),
});

const idSchema = z.union([z.number(), z.bigint(), z.string()]).transform(String);

export const reviewSchema = z.looseObject({
  id: idSchema,
  user: loginSchema.nullish(),
  body: z.string().nullish(),
  state: z.string(),
  commit_id: z.string().nullish(),
  submitted_at: z.string().nullish(),
  html_url: z.string().optional(),
  pull_request_url: z.string(),
});
export type ApiReview = z.infer<typeof reviewSchema>;

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

/** A review as the replica has it. */
export const heldReviewSchema = reviewSchema.extend({ lines: z.array(lineCommentSchema) });
export type HeldReview = z.infer<typeof heldReviewSchema>;

export const commentSchema = z.looseObject({
  id: idSchema,
  body: z.string().nullish(),
  user: loginSchema.nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  html_url: z.string().optional(),
  issue_url: z.string(),
});
export type ApiComment = z.infer<typeof commentSchema>;

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

export const labelSchema = z.looseObject({
  name: z.string(),
  color: z.string().nullish(),
  description: z.string().nullish(),
});

export const milestoneSchema = z.looseObject({
  number: z.number().int(),
  title: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  due_on: z.string().nullish(),
  updated_at: z.string().nullish(),
});

export const releaseSchema = z.looseObject({
  tag_name: z.string(),
  name: z.string().nullish(),
  body: z.string().nullish(),
  author: loginSchema.nullish(),
  created_at: z.string().nullish(),
  published_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  assets: z.array(z.looseObject({ name: z.string() })).optional(),
});

export const userSchema = loginSchema;

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
