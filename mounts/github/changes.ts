/** Whether something changed in the repositories that were read: one request, whose 304 costs nothing. */
import { z } from 'zod';
import { type ChangeProbe, ServiceFailure } from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';

/** GitHub counts 100 connections as one point; a repository has two here. */
const MOST_AT_ONCE = 50;
/** `issues octo hello`, `one of milestones octo hello 1`, `issue issue:octo/hello 12`: what it is, and then whose. */
const ABOUT = /^(?:one of )?[\w@-]+ (?:[\w-]+:)?([a-z0-9-]+)[ /]([a-z0-9._-]+)(?:$|[ :/])/i;

const newest = z
  .looseObject({ nodes: z.array(z.looseObject({ number: z.number(), updatedAt: z.string() })) })
  .nullish();
const repositorySchema = z.looseObject({
  pushedAt: z.string().nullish(),
  issues: newest,
  pullRequests: newest,
});

/** @param mark of before, by repository, `owner/repo` */
type Marked = readonly { subject: string; mark: string | null }[];

export function githubChanges(client: GithubClient): ChangeProbe {
  return {
    subjectOf: (question) => {
      const [, owner, repo] = ABOUT.exec(question) ?? [];
      return owner === undefined ? null : `${owner}/${repo}`.toLowerCase();
    },
    marks: async (subjects) => {
      const [one] = subjects;
      if (one !== undefined && subjects.length === 1) return newestOf(client, one);
      const found = new Map<string, string>();
      for (let at = 0; at < subjects.length; at += MOST_AT_ONCE)
        for (const [subject, mark] of await newestOfMany(
          client,
          subjects.slice(at, at + MOST_AT_ONCE),
        ))
          found.set(subject, mark);
      return found;
    },
  };
}

/** Of one repository, by the ETag of its newest issue or pull request: a comment renews them, too. */
async function newestOf(
  client: GithubClient,
  { subject, mark }: Marked[number],
): Promise<ReadonlyMap<string, string>> {
  const etag = mark?.startsWith(ETAG) === true ? mark.slice(ETAG.length) : null;
  const url = `/repos/${subject}/issues?state=all&sort=updated&direction=desc&per_page=1`;
  try {
    const answer = await client.get(url, etag);
    return new Map(answer.etag === null ? [] : [[subject, `${ETAG}${answer.etag}`]]);
  } catch (error) {
    // A repository that is gone, or has no issues, is told of by the next read.
    if (error instanceof ServiceFailure && error.absent) return new Map();
    throw error;
  }
}

const ETAG = 'etag ';

/** Of many repositories in one question, with what was pushed. One that is not there is left out. */
async function newestOfMany(
  client: GithubClient,
  subjects: Marked,
): Promise<ReadonlyMap<string, string>> {
  const names = subjects.map(({ subject }) => subject.split('/'));
  const variables = Object.fromEntries(
    names.flatMap(([owner = '', repo = ''], n) => [
      [`o${n}`, owner],
      [`r${n}`, repo],
    ]),
  );
  const given = names.map((_, n) => `$o${n}: String!, $r${n}: String!`).join(', ');
  const order = 'first: 1, orderBy: { field: UPDATED_AT, direction: DESC }';
  const fields = `pushedAt issues(${order}) { nodes { number updatedAt } } pullRequests(${order}) { nodes { number updatedAt } }`;
  const rows = names.map((_, n) => `r${n}: repository(owner: $o${n}, name: $r${n}) { ${fields} }`);
  const data = await client.queryParts(`query Changes(${given}) { ${rows.join(' ')} }`, variables);
  return new Map(
    subjects.flatMap(({ subject }, n) => {
      const found = repositorySchema.safeParse(data[`r${n}`]).data;
      return found === undefined ? [] : [[subject, `at ${markOf(found)}`] as const];
    }),
  );
}

function markOf({ pushedAt, issues, pullRequests }: z.infer<typeof repositorySchema>): string {
  const [issue] = issues?.nodes ?? [];
  const [pull] = pullRequests?.nodes ?? [];
  return [pushedAt, issue?.number, issue?.updatedAt, pull?.number, pull?.updatedAt].join(' ');
}
