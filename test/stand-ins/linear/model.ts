/** What the stand-in holds: one table a kind, references by id. Field names are the schema's own. */
import { z } from 'zod';

const base = {
  id: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullable().default(null),
};
const text = z.string();
const maybe = z.string().nullable().default(null);

const userSchema = z.object({
  ...base,
  name: text,
  displayName: text,
  email: text,
  active: z.boolean().default(true),
});

const teamSchema = z.object({
  ...base,
  key: text,
  name: text,
  description: maybe,
  issueEstimationType: text.default('fibonacci'),
  cyclesEnabled: z.boolean().default(true),
  timezone: text.default('UTC'),
  visibility: z.enum(['public', 'private', 'restricted']).default('public'),
  triageEnabled: z.boolean().default(false),
  /** Who sees a private team and what is in it, by id (linear.app/docs/private-teams); null for all. */
  memberIds: z.array(text).nullable().default(null),
});

const stateSchema = z.object({
  ...base,
  teamId: text,
  name: text,
  /** triage, backlog, unstarted, started, completed, canceled: the schema's description of `type`. */
  type: text,
  position: z.number(),
  color: text.default('#bec2c8'),
  description: maybe,
});

const labelSchema = z.object({
  ...base,
  /** Null for a label of the whole workspace. */
  teamId: maybe,
  parentId: maybe,
  name: text,
  color: text.default('#5e6ad2'),
  description: maybe,
  isGroup: z.boolean().default(false),
});

const projectSchema = z.object({
  ...base,
  slugId: text,
  name: text,
  description: text.default(''),
  content: maybe,
  /** The type of its status; without a name the status is called as its type. */
  state: text.default('started'),
  statusName: maybe,
  health: maybe,
  priority: z.number().int().default(0),
  progress: z.number().default(0),
  leadId: maybe,
  teamIds: z.array(text),
  startDate: maybe,
  targetDate: maybe,
});

const cycleSchema = z.object({
  ...base,
  teamId: text,
  number: z.number().int(),
  name: maybe,
  description: maybe,
  startsAt: text,
  endsAt: text,
  completedAt: maybe,
  progress: z.number().default(0),
});

const issueSchema = z.object({
  ...base,
  teamId: text,
  number: z.number().int(),
  title: text,
  description: maybe,
  priority: z.number().int().default(0),
  estimate: z.number().nullable().default(null),
  stateId: text,
  assigneeId: maybe,
  creatorId: maybe,
  projectId: maybe,
  cycleId: maybe,
  parentId: maybe,
  labelIds: z.array(text).default([]),
  dueDate: maybe,
  startedAt: maybe,
  completedAt: maybe,
  canceledAt: maybe,
  trashed: z.boolean().nullable().default(null),
  snoozedUntilAt: maybe,
  subscriberIds: z.array(text).default([]),
  /** Identifiers that it had in other teams; it is still found by them. */
  previousIdentifiers: z.array(text).default([]),
});

const commentSchema = z.object({
  ...base,
  issueId: text,
  userId: maybe,
  parentId: maybe,
  body: text,
  editedAt: maybe,
  resolvedAt: maybe,
});

const relationSchema = z.object({
  ...base,
  issueId: text,
  relatedIssueId: text,
  /** blocks, duplicate, related, similar: the schema's IssueRelationType. */
  type: text,
});

const attachmentSchema = z.object({
  ...base,
  issueId: text,
  creatorId: maybe,
  title: text,
  subtitle: maybe,
  url: text,
  sourceType: text.default('unknown'),
  metadata: z.record(z.string(), z.unknown()).default({}),
});

export const documentSchema = z.object({
  ...base,
  slugId: text,
  title: text,
  content: maybe,
  creatorId: maybe,
  updatedById: maybe,
  projectId: maybe,
  initiativeId: maybe,
  issueId: maybe,
  teamId: maybe,
  trashed: z.boolean().nullable().default(null),
});

export const updateSchema = z.object({
  ...base,
  projectId: text,
  userId: text,
  body: text,
  /** onTrack, atRisk, offTrack: the schema's ProjectUpdateHealthType. */
  health: text.default('onTrack'),
});

const initiativeSchema = z.object({
  ...base,
  slugId: text,
  name: text,
  description: maybe,
  content: maybe,
  /** Planned, Active …: the schema's InitiativeStatus. */
  status: text.default('Active'),
  health: maybe,
  ownerId: maybe,
  targetDate: maybe,
  teamIds: z.array(text).default([]),
  trashed: z.boolean().nullable().default(null),
});

/** One of an issue, a project, a document or an initiative. */
const notificationSchema = z.object({
  ...base,
  userId: text,
  actorId: maybe,
  type: text,
  category: text.default('assignments'),
  title: text,
  subtitle: text.default(''),
  issueId: maybe,
  commentId: maybe,
  projectId: maybe,
  documentId: maybe,
  initiativeId: maybe,
  readAt: maybe,
  snoozedUntilAt: maybe,
});

/** A file that was uploaded: it is no record of the schema, and is served by its path to who has a key. */
const uploadSchema = z.object({
  ...base,
  /** With a `/` first; the id of the row is of no meaning. */
  path: text,
  base64: text.default(''),
  contentType: text.default('image/png'),
  /** Where the bytes are instead: it is answered with a redirect. */
  location: maybe,
});

/** The tables, in the order in which they refer to one another. */
export const TABLES = {
  users: userSchema,
  teams: teamSchema,
  states: stateSchema,
  labels: labelSchema,
  projects: projectSchema,
  cycles: cycleSchema,
  issues: issueSchema,
  comments: commentSchema,
  relations: relationSchema,
  attachments: attachmentSchema,
  initiatives: initiativeSchema,
  documents: documentSchema,
  updates: updateSchema,
  notifications: notificationSchema,
  uploads: uploadSchema,
} as const;

export type TableName = keyof typeof TABLES;
export type Row<Name extends TableName = TableName> = z.infer<(typeof TABLES)[Name]>;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

export const seedSchema = z.object({
  /** The workspace's part of every URL. */
  workspace: z.string(),
  /** User ids by API key. */
  tokens: z.record(z.string(), z.string()),
  users: userSchema.array(),
  teams: teamSchema.array(),
  states: stateSchema.array(),
  labels: labelSchema.array(),
  projects: projectSchema.array(),
  cycles: cycleSchema.array(),
  issues: issueSchema.array(),
  comments: commentSchema.array(),
  relations: relationSchema.array().default([]),
  attachments: attachmentSchema.array().default([]),
  initiatives: initiativeSchema.array().default([]),
  documents: documentSchema.array().default([]),
  updates: updateSchema.array().default([]),
  notifications: notificationSchema.array().default([]),
  uploads: uploadSchema.array().default([]),
});

export type SeedData = z.infer<typeof seedSchema>;
export type SeedInput = z.input<typeof seedSchema>;
export type Issue = Row<'issues'>;
