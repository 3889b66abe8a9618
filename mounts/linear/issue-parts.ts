/** What is part of an issue and a record of its own to Linear: relations and attachments. */
import { ascending, type Place, resource } from '../../src/mount/index.ts';
import { attachment, type HeldIssue, isPutAway } from './records.ts';
import { relation, relations } from './relations.ts';

export const related = resource('related', {
  ...relation,
  about: 'relations between issues',
  gone: isPutAway,
  around: ({ issue, relatedIssue }) => [issue.id, relatedIssue.id],
});

export const attached = resource('attached', {
  ...attachment,
  about: 'what is attached to issues',
  gone: isPutAway,
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
  const all = place.parts(attached, issue.id).sort(ascending(({ createdAt }) => createdAt));
  const pulls = all.map(({ url }) => url).filter((url) => PULL.test(url));
  return {
    ...issue,
    ends: relations.seenBy(issue.id, place.parts(related, issue.id), identifierOf),
    attached: all.map((one) => attachment.values(one) as Record<string, string>),
    pulls: [...new Set(pulls)].sort(),
  };
}
