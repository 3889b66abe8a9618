/** Relations between issues: how each of the two files names them, and what a write asks for. */
import { z } from 'zod';
import type { Values } from '../../src/mount/index.ts';

const oneEnd = z.looseObject({ id: z.string(), identifier: z.string() });

/** It has two ends, of which `issue` is the first. */
export const relationSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  updatedAt: z.string(),
  archivedAt: z.string().nullish(),
  issue: oneEnd,
  relatedIssue: oneEnd,
});
export type ApiRelation = z.infer<typeof relationSchema>;

/** A relation as one of its issues sees it: the field that it is in, and the other issue. */
export const endSchema = z.object({ id: z.string(), field: z.string(), identifier: z.string() });
type RelationEnd = z.infer<typeof endSchema>;

/** An issue with its relations. */
interface Related {
  id: string;
  ends: readonly RelationEnd[];
}

/**
 * Fields that list issues. `type` is as in the schema's `IssueRelationType`; `end` is which end of it
 * this issue is, null where that makes no difference; one that is not `shown` is in the file only
 * where there is one.
 */
export const RELATION_FIELDS = [
  { field: 'blocks', type: 'blocks', end: 'issue', shown: true, about: 'that wait for this one' },
  {
    field: 'blocked_by',
    type: 'blocks',
    end: 'relatedIssue',
    shown: true,
    about: 'that this one waits for',
  },
  { field: 'related', type: 'related', end: null, shown: true, about: 'that have to do with it' },
  {
    field: 'duplicate_of',
    type: 'duplicate',
    end: 'issue',
    shown: true,
    about: 'that this one repeats',
  },
  {
    field: 'duplicates',
    type: 'duplicate',
    end: 'relatedIssue',
    shown: false,
    about: 'that repeat this one',
  },
  { field: 'similar', type: 'similar', end: null, shown: false, about: 'that Linear found alike' },
] as const;
export type RelationName = (typeof RELATION_FIELDS)[number]['field'];

/**
 * A relation as the issue with this UUID sees it; null for a kind that no field stands for.
 * @param nameOf the identifier of another one, which may have changed since
 */
export function endOf(
  relation: ApiRelation,
  issueId: string,
  nameOf: (other: ApiRelation['issue']) => string,
): RelationEnd | null {
  const own = relation.issue.id === issueId ? 'issue' : 'relatedIssue';
  const other = own === 'issue' ? relation.relatedIssue : relation.issue;
  const found = RELATION_FIELDS.find(
    ({ type, end }) => type === relation.type && (end ?? own) === own,
  );
  if (found === undefined) return null;
  return { id: relation.id, field: found.field, identifier: nameOf(other) };
}

/** The fields of a file: identifiers, in their order. */
export function relationValues({ ends }: Pick<Related, 'ends'>): Values {
  return Object.fromEntries(
    RELATION_FIELDS.map(({ field, shown }) => {
      const names = ends.filter((end) => end.field === field).map(({ identifier }) => identifier);
      return [field, names.length > 0 || shown ? [...new Set(names)].sort(byNumber) : undefined];
    }),
  );
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** Without an empty list for what the file does not show since there is none of it. */
export function withoutNone(issue: Related | null, values: Values): Values {
  const none = RELATION_FIELDS.filter(
    ({ field, shown }) =>
      !shown &&
      (values[field] as string[] | undefined)?.length === 0 &&
      issue?.ends.some((end) => end.field === field) !== true,
  );
  const left = new Set<string>(none.map(({ field }) => field));
  return Object.fromEntries(Object.entries(values).filter(([field]) => !left.has(field)));
}

/** The issues that a write names in its relations. */
export function relatedIn(values: Values): { field: string; identifier: string }[] {
  return RELATION_FIELDS.flatMap(({ field }) =>
    ((values[field] ?? []) as string[]).map((identifier) => ({ field, identifier })),
  );
}

/** What a write asks for: inputs of new relations, and ids of those that go. */
export interface RelationChanges {
  made: { type: string; issueId: string; relatedIssueId: string }[];
  gone: string[];
}

/** @param idOf the UUID of an issue that was checked */
export function relationChanges(
  issue: Related,
  values: Values,
  idOf: (identifier: string) => string,
): RelationChanges {
  const changes: RelationChanges = { made: [], gone: [] };
  for (const { field, type, end } of RELATION_FIELDS) {
    if (values[field] === undefined) continue;
    const wanted = new Set(values[field] as string[]);
    const held = issue.ends.filter((one) => one.field === field);
    changes.gone.push(...held.filter((one) => !wanted.has(one.identifier)).map(({ id }) => id));
    for (const identifier of wanted) {
      if (held.some((one) => one.identifier === identifier)) continue;
      const [issueId, relatedIssueId] =
        end === 'relatedIssue' ? [idOf(identifier), issue.id] : [issue.id, idOf(identifier)];
      changes.made.push({ type, issueId, relatedIssueId });
    }
  }
  return changes;
}
