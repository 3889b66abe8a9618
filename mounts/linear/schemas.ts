/** The parts of Linear's answers that we use: these are asked for. */
import { z } from 'zod';
import { expectShape as expectShapeOf } from '../../src/mount/index.ts';

const named = z.looseObject({ id: z.string(), name: z.string() });
const person = z.looseObject({ displayName: z.string() });

export const issueSchema = z.looseObject({
  id: z.string(),
  identifier: z.string(),
  number: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  priority: z.number(),
  estimate: z.number().nullish(),
  dueDate: z.string().nullish(),
  url: z.string(),
  labelIds: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  completedAt: z.string().nullish(),
  canceledAt: z.string().nullish(),
  trashed: z.boolean().nullish(),
  state: named,
  assignee: person.extend({ id: z.string() }).nullish(),
  creator: person.nullish(),
  project: named.nullish(),
  cycle: z
    .looseObject({ id: z.string(), number: z.number(), name: z.string().nullish() })
    .nullish(),
  parent: z.looseObject({ identifier: z.string() }).nullish(),
  team: z.looseObject({ id: z.string(), key: z.string() }),
  /** Identifiers that it had in other teams. */
  previousIdentifiers: z.array(z.string()).default([]),
});

/** An issue as the replica holds it: with what only other records tell of it. */
export const heldIssueSchema = issueSchema.extend({
  /** Its relations, as it sees them. */
  ends: z
    .array(z.object({ id: z.string(), field: z.string(), identifier: z.string() }))
    .default([]),
  /** What is attached to it, oldest first. */
  attached: z
    .array(
      z.object({
        title: z.string(),
        source: z.string(),
        status: z.string(),
        url: z.string(),
        subtitle: z.string(),
        created: z.string(),
      }),
    )
    .default([]),
  /** Addresses of the pull requests that are attached to it. */
  pulls: z.array(z.string()).default([]),
});
export type HeldIssue = z.infer<typeof heldIssueSchema>;

const oneEnd = z.looseObject({ id: z.string(), identifier: z.string() });

export const relationSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  issue: oneEnd,
  relatedIssue: oneEnd,
});
export type ApiRelation = z.infer<typeof relationSchema>;

export const attachmentSchema = z.looseObject({
  id: z.string(),
  title: z.string(),
  subtitle: z.string().nullish(),
  url: z.string(),
  sourceType: z.string().nullish(),
  /** Of a pull request its state, among others: each source has its own. */
  metadata: z.unknown().pipe(z.looseObject({ status: z.string().optional().catch(undefined) })),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  issue: oneEnd,
});
export type ApiAttachment = z.infer<typeof attachmentSchema>;

export const commentSchema = z.looseObject({
  id: z.string(),
  body: z.string(),
  url: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  /** Null for a comment on something else than an issue. */
  issue: z.looseObject({ id: z.string(), identifier: z.string() }).nullish(),
  user: person.nullish(),
  parent: z.looseObject({ id: z.string() }).nullish(),
});
export type ApiComment = z.infer<typeof commentSchema>;

export const teamSchema = z.looseObject({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  timezone: z.string().nullish(),
  issueEstimationType: z.string().nullish(),
  cyclesEnabled: z.boolean().nullish(),
  triageEnabled: z.boolean().default(false),
  visibility: z.string().nullish(),
  createdAt: z.string().nullish(),
  updatedAt: z.string(),
});
export type ApiTeam = z.infer<typeof teamSchema>;

export const stateSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  position: z.number(),
  description: z.string().nullish(),
  updatedAt: z.string(),
});
export type ApiState = z.infer<typeof stateSchema>;

export const labelSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  color: z.string(),
  description: z.string().nullish(),
  isGroup: z.boolean(),
  parent: z.looseObject({ name: z.string() }).nullish(),
  team: z.looseObject({ key: z.string() }).nullish(),
  updatedAt: z.string(),
});
export type ApiLabel = z.infer<typeof labelSchema>;

export const projectSchema = z.looseObject({
  id: z.string(),
  slugId: z.string(),
  name: z.string(),
  description: z.string(),
  content: z.string().nullish(),
  /** Not of what was kept by an earlier version. */
  status: z.looseObject({ name: z.string(), type: z.string() }).nullish(),
  health: z.string().nullish(),
  priority: z.number(),
  progress: z.number(),
  startDate: z.string().nullish(),
  targetDate: z.string().nullish(),
  url: z.string(),
  lead: person.nullish(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ApiProject = z.infer<typeof projectSchema>;

export const updateSchema = z.looseObject({
  id: z.string(),
  body: z.string(),
  health: z.string(),
  url: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  user: z.looseObject({ displayName: z.string() }),
  project: z.looseObject({ id: z.string(), slugId: z.string() }),
});
export type ApiUpdate = z.infer<typeof updateSchema>;

export const cycleSchema = z.looseObject({
  id: z.string(),
  number: z.number(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  startsAt: z.string(),
  endsAt: z.string(),
  completedAt: z.string().nullish(),
  progress: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ApiCycle = z.infer<typeof cycleSchema>;

export const userSchema = z.looseObject({
  id: z.string(),
  displayName: z.string(),
  name: z.string(),
  email: z.string(),
  active: z.boolean(),
  updatedAt: z.string(),
});

/**
 * What Linear answered, as the shape that was expected of it.
 *
 * @throws ServiceFailure `protocol`, naming what was not as expected.
 */
export function expectShape<T extends z.ZodType>(
  schema: T,
  data: unknown,
  what: string,
): z.infer<T> {
  return expectShapeOf('Linear', schema, data, what);
}
