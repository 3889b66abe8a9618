/** Linear's own search as a directory, `search/QUERY_NAME/`: links to what it finds. */
import { z } from 'zod';
import type { Hit, HitList, Links } from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { expectShape } from './graph.ts';
import { BRIEF, COLUMNS, hitOf, kindOf, ofTeam } from './mine.ts';

/** So many hits are asked for of each kind. */
const HITS = 100;

/** A project has no place of its own: it is in the directories of its teams. */
const SEARCH = `query Search($term: String!, $filter: IssueFilter, $wide: Boolean!) {
  searchIssues(term: $term, filter: $filter, includeComments: true, first: ${HITS}) {
    totalCount nodes { ${BRIEF} }
  }
  searchDocuments(term: $term, includeComments: true, first: ${HITS}) @include(if: $wide) {
    totalCount nodes { slugId title updatedAt }
  }
  searchProjects(term: $term, first: ${HITS}) @include(if: $wide) {
    totalCount nodes { slugId name updatedAt status { name } teams(first: 1) { nodes { key } } }
  }
}`;

const page = <T extends z.ZodType>(node: T) =>
  z.looseObject({ totalCount: z.number(), nodes: z.array(node) });

const searchSchema = z.looseObject({
  searchIssues: page(z.unknown()),
  searchDocuments: page(
    z.looseObject({ slugId: z.string(), title: z.string(), updatedAt: z.string() }),
  ).optional(),
  searchProjects: page(
    z.looseObject({
      slugId: z.string(),
      name: z.string(),
      updatedAt: z.string(),
      status: z.looseObject({ name: z.string() }),
      teams: z.looseObject({ nodes: z.array(z.looseObject({ key: z.string() })) }),
    }),
  ).optional(),
});

/** `search/`. */
export function searchLinks(client: LinearClient, only: string | null): Links {
  return {
    id: kindOf('search', only),
    path: '/search',
    columns: COLUMNS,
    find: async (term) => {
      const variables = { term, filter: ofTeam(only), wide: only === null };
      const { data } = await client.search(SEARCH, variables);
      return foundOf(term, expectShape(searchSchema, data, 'a search'));
    },
  };
}

function foundOf(term: string, answer: z.infer<typeof searchSchema>): HitList {
  const { searchIssues, searchDocuments, searchProjects } = answer;
  const documents = (searchDocuments?.nodes ?? []).map(
    ({ slugId, title, updatedAt }): Hit => ({
      name: `${slugId}.md`,
      path: `/documents/${slugId}.md`,
      updatedAt,
      cells: [title, 'document', '', '', '', updatedAt],
    }),
  );
  const projects = (searchProjects?.nodes ?? []).map(
    ({ slugId, name, updatedAt, status, teams }): Hit => {
      const team = teams.nodes[0]?.key;
      return {
        name: `project ${slugId}.md`,
        path: team === undefined ? null : `/teams/${team}/projects/${slugId}.md`,
        updatedAt,
        cells: [name, `project, ${status.name}`, '', name, '', updatedAt],
      };
    },
  );
  const kinds = { issues: searchIssues, documents: searchDocuments, projects: searchProjects };
  const left = Object.entries(kinds).flatMap(([kind, found]) =>
    found === undefined || found.totalCount <= found.nodes.length
      ? []
      : [`${found.nodes.length} of ${found.totalCount} ${kind}`],
  );
  const shortfall =
    left.length === 0
      ? null
      : `Linear's search for ${JSON.stringify(term)} found more than is listed: ${left.join(', ')}, the best ones; say more of what you look for`;
  return { hits: [...searchIssues.nodes.map(hitOf), ...documents, ...projects], shortfall };
}
