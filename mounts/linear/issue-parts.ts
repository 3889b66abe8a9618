/** What is part of an issue and a record of its own to Linear: relations and attachments. */
import { ascending, type Place, resource } from '../../src/mount/index.ts';
import { attachmentSchema, type HeldIssue, isPutAway } from './records.ts';
import { type ApiRelation, endOf, relationSchema } from './relations.ts';

const shelf = {
  key: ({ id }: { id: string }) => id,
  updatedAt: ({ updatedAt }: { updatedAt: string }) => updatedAt,
  gone: isPutAway,
};

export const related = resource('related', {
  ...shelf,
  about: 'relations between issues',
  schema: relationSchema,
  around: ({ issue, relatedIssue }) => [issue.id, relatedIssue.id],
});

export const attached = resource('attached', {
  ...shelf,
  about: 'what is attached to issues',
  schema: attachmentSchema,
  around: ({ issue }) => [issue.id],
});

/** Addresses of pull requests on GitHub and merge requests on GitLab. */
const PULL = /^https?:\/\/[^?#]+\/(?:pull|merge_requests)\/\d+(?:[?#].*)?$/;

/**
 * An issue with its relations as it sees them, and what is attached to it.
 * @param identifierOf of another issue, by its UUID; null where it is not held
 */
export function withParts(
  issue: HeldIssue,
  place: Place,
  identifierOf: (id: string) => string | null,
): HeldIssue {
  const nameOf = ({ id, identifier }: ApiRelation['issue']) => identifierOf(id) ?? identifier;
  const all = place.parts(attached, issue.id).sort(ascending(({ createdAt }) => createdAt));
  const pulls = all.map(({ url }) => url).filter((url) => PULL.test(url));
  return {
    ...issue,
    ends: place
      .parts(related, issue.id)
      .flatMap((relation) => endOf(relation, issue.id, nameOf) ?? []),
    attached: all.map(({ title, sourceType, metadata, url, subtitle, createdAt }) => ({
      title,
      source: sourceType ?? '',
      // Which there is depends on the source; many have none.
      status: metadata.status ?? '',
      url,
      subtitle: subtitle ?? '',
      created: createdAt,
    })),
    pulls: [...new Set(pulls)].sort(),
  };
}
