/**
 * What the stand-in stores, as zod schemas: the seed crosses a process border as JSON, so it is
 * parsed on the other side. Times are ISO 8601 in UTC with a resolution of one second, as the
 * service's own are. People are named by login, issues by number, labels by name.
 */
import { z } from 'zod';

const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const login = z.string().min(1);

export const accountSchema = z.object({
  id: z.number().int(),
  login,
  type: z.enum(['User', 'Organization', 'Bot']),
  name: z.string().nullable(),
  bio: z.string().nullable(),
  createdAt: time,
});

export const labelSchema = z.object({
  id: z.number().int(),
  name: z.string().min(1),
  color: z.string().regex(/^[0-9a-f]{6}$/),
  description: z.string().nullable(),
});

export const milestoneSchema = z.object({
  id: z.number().int(),
  number: z.number().int(),
  title: z.string(),
  description: z.string().nullable(),
  state: z.enum(['open', 'closed']),
  creator: login,
  createdAt: time,
  updatedAt: time,
  closedAt: time.nullable(),
  dueOn: time.nullable(),
});

export const changedFileSchema = z.object({
  path: z.string(),
  status: z.enum(['added', 'removed', 'modified']),
  patch: z.string(),
});

export const pullSchema = z.object({
  id: z.number().int(),
  draft: z.boolean(),
  mergedAt: time.nullable(),
  mergedBy: login.nullable(),
  mergeCommitSha: z.string().nullable(),
  headRef: z.string(),
  headSha: z.string(),
  baseRef: z.string(),
  baseSha: z.string(),
  files: z.array(changedFileSchema),
  /** Whose review is asked for. */
  reviewers: z.array(login).optional(),
});

export const stateReasonSchema = z.enum(['completed', 'not_planned', 'reopened', 'duplicate']);

export const issueSchema = z.object({
  id: z.number().int(),
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullable(),
  state: z.enum(['open', 'closed']),
  stateReason: stateReasonSchema.nullable(),
  author: login,
  assignees: z.array(login),
  labels: z.array(z.string()),
  milestone: z.number().int().nullable(),
  locked: z.boolean(),
  createdAt: time,
  updatedAt: time,
  closedAt: time.nullable(),
  closedBy: login.nullable(),
  /** Present when the issue is a pull request. */
  pull: pullSchema.nullable(),
});

export const commentSchema = z.object({
  id: z.number().int(),
  issue: z.number().int(),
  author: login,
  body: z.string(),
  createdAt: time,
  updatedAt: time,
});

/** A comment on a line of the diff, as the file is after the change. */
export const lineCommentSchema = z.object({
  id: z.number().int(),
  path: z.string(),
  line: z.number().int(),
  startLine: z.number().int().nullable(),
  body: z.string(),
  createdAt: time,
});

/** A review of a pull request, submitted. */
export const reviewSchema = z.object({
  id: z.number().int(),
  pull: z.number().int(),
  author: login,
  body: z.string(),
  state: z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED']),
  commit: z.string(),
  submittedAt: time,
  lines: z.array(lineCommentSchema),
});

/** `content` is text, or base64 where `encoding` says so. */
export const fileSchema = z.object({
  path: z.string(),
  content: z.string(),
  encoding: z.literal('base64').optional(),
});

export const repositorySchema = z.object({
  id: z.number().int(),
  owner: login,
  name: z.string(),
  description: z.string().nullable(),
  private: z.boolean(),
  language: z.string().nullable(),
  topics: z.array(z.string()),
  defaultBranch: z.string(),
  /** Logins with push access. */
  writers: z.array(login),
  createdAt: time,
  updatedAt: time,
  pushedAt: time,
});

export const repositoryDataSchema = z.object({
  repository: repositorySchema,
  labels: z.array(labelSchema),
  milestones: z.array(milestoneSchema),
  issues: z.array(issueSchema),
  comments: z.array(commentSchema),
  reviews: z.array(reviewSchema),
  files: z.array(fileSchema),
});

export const seedDataSchema = z.object({
  accounts: z.array(accountSchema),
  /** Token to the login it signs in as. */
  tokens: z.record(z.string(), login),
  repositories: z.array(repositoryDataSchema),
});

export type Account = z.infer<typeof accountSchema>;
export type Label = z.infer<typeof labelSchema>;
export type Milestone = z.infer<typeof milestoneSchema>;
export type ChangedFile = z.infer<typeof changedFileSchema>;
export type Pull = z.infer<typeof pullSchema>;
export type StateReason = z.infer<typeof stateReasonSchema>;
export type Issue = z.infer<typeof issueSchema>;
export type Comment = z.infer<typeof commentSchema>;
export type LineComment = z.infer<typeof lineCommentSchema>;
export type Review = z.infer<typeof reviewSchema>;
export type RepositoryFile = z.infer<typeof fileSchema>;
export type Repository = z.infer<typeof repositorySchema>;
export type RepositoryData = z.infer<typeof repositoryDataSchema>;
export type SeedData = z.infer<typeof seedDataSchema>;
