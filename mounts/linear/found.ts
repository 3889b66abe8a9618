/** What Linear finds: the issues that are mine, and its own search. Each answer is a directory of links. */
import { z } from 'zod';
import {
  type Hit,
  type Links,
  type Params,
  record,
  selectionOf,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { expectShape, graph } from './graph.ts';
import { pathOf } from './paths.ts';
import { ofShown } from './teams.ts';

const text = z.string();

/** Of an issue that is listed by its place alone: the columns of an `index.tsv`. */
const brief = record(
  'issue',
  {
    title: 'title',
    state: 'state.name',
    priority: 'priorityLabel',
    project: 'project?.name',
    due: 'dueDate?',
    updated: 'updatedAt',
  },
  { key: 'identifier', updatedAt: 'updatedAt' },
);
const COLUMNS = Object.keys(brief.type.fields);

function hitOf(name: string, path: string | null, values: Values): Hit {
  return {
    name: `${name}.md`,
    path: path && `${path}.md`,
    updatedAt: String(values['updated']),
    cells: COLUMNS.map((column) => String(values[column] ?? '')),
  };
}

/** An issue that was found. Throws ServiceFailure. */
function issueHit(node: unknown): Hit {
  const issue = expectShape(brief.schema, node, 'an issue that was found');
  return hitOf(issue.identifier, pathOf(issue.identifier), brief.values(issue));
}

// --- what is mine

const me = { isMe: { eq: true } };
/** What of an issue says that it is mine, by the name of the directory. */
const OWN = {
  assigned: { about: 'assigned to whose key it is', filter: { assignee: me } },
  created: { about: 'that whose key it is has made', filter: { creator: me } },
  subscribed: { about: 'that whose key it is follows', filter: { subscribers: { some: me } } },
} as const;
type Own = keyof typeof OWN;
const OWNS = Object.keys(OWN) as Own[];

/** What is not done yet. */
const OPEN = { state: { type: { nin: ['completed', 'canceled', 'duplicate'] } } };

const ofOwn = <T>(of: (name: Own) => T): Record<string, T> =>
  Object.fromEntries(OWNS.map((name) => [name, of(name)]));

/** The three together: whoever looks at one looks at the next. */
const MINE = graph.collections(
  'Mine',
  ofOwn(() => 'IssueFilter!'),
  ofOwn((name) => ({
    of: brief.schema,
    field: 'issues',
    given: `filter: $${name}, orderBy: updatedAt`,
  })),
);

/** `me/`: links to the issues of whoever the key belongs to, in one question. */
export function mineLinks(client: LinearClient, narrowed: Params): Links {
  return {
    id: 'me',
    path: '/me',
    about: 'the issues of whose key it is',
    columns: COLUMNS,
    directories: ofOwn((name) => `links to the open issues ${OWN[name].about}`),
    findAll: async () => {
      const filters = ofOwn((name) => ({ ...OWN[name].filter, ...OPEN, ...ofShown(narrowed) }));
      const rows = await graph.rows(client, MINE, filters);
      return ofOwn((name) => ({ hits: (rows[name] ?? []).map(issueHit), shortfall: null }));
    },
  };
}

// --- Linear's search

/** So many hits are asked for of each kind. */
const HITS = 100;

/** A project has no place of its own: it is in the directories of its teams. */
const SEARCH = `query Search($term: String!, $filter: IssueFilter, $wide: Boolean!) {
  searchIssues(term: $term, filter: $filter, includeComments: true, first: ${HITS}) {
    totalCount nodes { ${selectionOf(brief.schema)} }
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
  searchDocuments: page(z.looseObject({ slugId: text, title: text, updatedAt: text })).optional(),
  searchProjects: page(
    z.looseObject({
      slugId: text,
      name: text,
      updatedAt: text,
      status: z.looseObject({ name: text }),
      teams: z.looseObject({ nodes: z.array(z.looseObject({ key: text })) }),
    }),
  ).optional(),
});

/** `search/QUERY_NAME/`. */
export function searchLinks(client: LinearClient, narrowed: Params): Links {
  return {
    id: 'search',
    path: '/search',
    columns: COLUMNS,
    find: async (term) => {
      const wide = narrowed['team'] === undefined;
      const { data } = await client.search(SEARCH, { term, filter: ofShown(narrowed), wide });
      const found = expectShape(searchSchema, data, 'a search');
      return { hits: hitsOf(found), shortfall: shortfallOf(term, found) };
    },
  };
}

type Found = z.infer<typeof searchSchema>;

function hitsOf({ searchIssues, searchDocuments, searchProjects }: Found): Hit[] {
  const documents = (searchDocuments?.nodes ?? []).map(({ slugId, title, updatedAt: updated }) =>
    hitOf(slugId, `/documents/${slugId}`, { title, state: 'document', updated }),
  );
  const projects = (searchProjects?.nodes ?? []).map(
    ({
      slugId,
      name,
      updatedAt: updated,
      status,
      teams: {
        nodes: [team],
      },
    }) => {
      const path = team === undefined ? null : `/teams/${team.key}/projects/${slugId}`;
      const state = `project, ${status.name}`;
      return hitOf(`project ${slugId}`, path, { title: name, state, project: name, updated });
    },
  );
  return [...searchIssues.nodes.map(issueHit), ...documents, ...projects];
}

/** What the search found and did not give, in a sentence; null for nothing. */
function shortfallOf(term: string, found: Found): string | null {
  const { searchIssues: issues, searchDocuments: documents, searchProjects: projects } = found;
  const left = Object.entries({ issues, documents, projects }).flatMap(([kind, all]) =>
    all === undefined || all.totalCount <= all.nodes.length
      ? []
      : [`${all.nodes.length} of ${all.totalCount} ${kind}`],
  );
  return left.length === 0
    ? null
    : `Linear's search for ${JSON.stringify(term)} found more than is listed: ${left.join(', ')}, the best ones; say more of what you look for`;
}
