/** Relations between issues: how each of the two files names them, and what a write asks for. */
import { z } from 'zod';
import { type GraphChange, record, relationLists } from '../../src/mount/index.ts';
import { graph } from './graph.ts';

const text = z.string();

export const IDENTIFIER = /^[A-Z][A-Z0-9]*-[1-9]\d*$/;

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
export const relationKind = graph.kind('issueRelation', relation.schema);

/** By the schema's `IssueRelationType`. */
export const relations = relationLists({
  what: 'issues such as ENG-12',
  named: IDENTIFIER,
  of: ({ id, type, issue, relatedIssue }: z.infer<typeof relation.schema>) => ({
    id,
    type,
    ends: [issue, relatedIssue],
  }),
  fields: {
    blocks: { type: 'blocks', end: 'first', about: 'that wait for this one' },
    blocked_by: { type: 'blocks', end: 'second', about: 'that this one waits for' },
    related: { type: 'related', about: 'that have to do with it' },
    duplicate_of: { type: 'duplicate', end: 'first', about: 'that this one repeats' },
    duplicates: { type: 'duplicate', end: 'second', ifAny: true, about: 'that repeat this one' },
    similar: { type: 'similar', ifAny: true, about: 'that Linear found alike' },
  },
});

/** The changes that a write asks for: those that go come first. */
export function relationSteps(
  ...[one, values, idOf]: Parameters<typeof relations.changes>
): GraphChange[] {
  const { gone, made } = relations.changes(one, values, idOf);
  return [
    ...gone.map((id) => relationKind.removal(id)),
    ...made.map(({ type, first: issueId, second: relatedIssueId }) =>
      relationKind.step('Create', { input: { type, issueId, relatedIssueId } }),
    ),
  ];
}
