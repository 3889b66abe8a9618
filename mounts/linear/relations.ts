/** Relations between issues: how each of the two files names them, and what a write asks for. */
import { z } from 'zod';
import {
  type Brought,
  type GraphChange,
  type GraphqlAnswer,
  record,
  type Values,
} from '../../src/mount/index.ts';
import { expectShape, graph } from './graph.ts';

const text = z.string();

/** It has two ends, of which `issue` is the first. */
export const relation = record(
  'relation',
  {},
  {
    updatedAt: 'updatedAt',
    also: {
      type: text,
      'archivedAt?': text,
      'issue.id': text,
      'issue.identifier': text,
      'relatedIssue.id': text,
      'relatedIssue.identifier': text,
    },
  },
);
export type ApiRelation = z.infer<typeof relation.schema>;

const relationKind = graph.kind('issueRelation', relation.schema);

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

/**
 * The changes that a write asks for: those that go come first.
 * @param idOf the UUID of an issue that was checked
 */
export function relationSteps(
  issue: Related,
  values: Values,
  idOf: (identifier: string) => string,
): GraphChange[] {
  const written = RELATION_FIELDS.filter(({ field }) => values[field] !== undefined);
  const heldOf = (field: string) => issue.ends.filter((one) => one.field === field);
  const gone = written.flatMap(({ field }) => {
    const wanted = values[field] as string[];
    return heldOf(field).filter(({ identifier }) => !wanted.includes(identifier));
  });
  const made = written.flatMap(({ field, type, end }) => {
    const held = heldOf(field).map(({ identifier }) => identifier);
    const others = (values[field] as string[]).filter((one) => !held.includes(one));
    return [...new Set(others)].map((other) => {
      const ends = [issue.id, idOf(other)];
      const [issueId, relatedIssueId] = end === 'relatedIssue' ? ends.reverse() : ends;
      return { type, issueId, relatedIssueId };
    });
  });
  return [
    ...gone.map(({ id }) => ({ field: 'issueRelationDelete', id, answer: 'entityId' })),
    ...made.map((input) => relationKind.step('Create', { input })),
  ];
}

const answers = z.record(
  z.string(),
  z.looseObject({ issueRelation: z.unknown().optional(), entityId: text.optional() }),
);

/** The relations that came or went with a write. */
export function relationsIn(answer: unknown): Brought {
  const { data } = answer as GraphqlAnswer;
  const all = Object.values(expectShape(answers, data, 'what was written'));
  return {
    made: all.flatMap(({ issueRelation }) => issueRelation ?? []),
    gone: all.flatMap(({ entityId }) => entityId ?? []),
  };
}
