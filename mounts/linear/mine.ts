/** What is mine: links to the issues, of which one question brings all. */
import { z } from 'zod';
import { type Hit, type Links, selectionOf } from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { expectShape, graph } from './graph.ts';
import { pathOf } from './paths.ts';

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

const briefSchema = z.looseObject({
  identifier: z.string(),
  title: z.string(),
  priorityLabel: z.string(),
  dueDate: z.string().nullish(),
  updatedAt: z.string(),
  state: z.looseObject({ name: z.string() }),
  project: z.looseObject({ name: z.string() }).nullish(),
});

/** Of an issue that is listed by its place alone. */
export const BRIEF = selectionOf(briefSchema);

const own = (name: Own) => ({
  of: briefSchema,
  field: 'issues',
  given: `filter: $${name}, orderBy: updatedAt`,
});

/** The three together: whoever looks at one looks at the next. */
const MINE = graph.collections(
  'Mine',
  Object.fromEntries(OWNS.map((name) => [name, 'IssueFilter!'])),
  Object.fromEntries(OWNS.map((name) => [name, own(name)])),
);

/** Of an `index.tsv`, after the file. */
export const COLUMNS = ['title', 'state', 'priority', 'project', 'due', 'updated'] as const;

/** An issue that was found. Throws ServiceFailure. */
export function hitOf(node: unknown): Hit {
  const issue = expectShape(briefSchema, node, 'an issue that was found');
  const { identifier, title, state, priorityLabel, project, dueDate, updatedAt } = issue;
  return {
    name: `${identifier}.md`,
    path: `${pathOf(identifier)}.md`,
    updatedAt,
    cells: [title, state.name, priorityLabel, project?.name ?? '', dueDate ?? '', updatedAt],
  };
}

/** The filter of a mount of one team. */
export function ofTeam(only: string | null): object {
  return only === null ? {} : { team: { key: { eq: only } } };
}

/** Answers to a mount of one team are kept apart: they are other answers. */
export function kindOf(name: string, only: string | null): string {
  return only === null ? name : `${name} in ${only}`;
}

/** `me/`: links to the issues of whoever the key belongs to, in one question. */
export function mineLinks(client: LinearClient, only: string | null): Links {
  return {
    id: kindOf('me', only),
    path: '/me',
    about: 'the issues of whose key it is',
    columns: COLUMNS,
    directories: Object.fromEntries(
      OWNS.map((name) => [name, `links to the open issues ${OWN[name].about}`]),
    ),
    findAll: async () => {
      const filters = OWNS.map((name) => [name, { ...OWN[name].filter, ...OPEN, ...ofTeam(only) }]);
      const rows = await graph.rows(client, MINE, Object.fromEntries(filters));
      return Object.fromEntries(
        OWNS.map((name) => [name, { hits: (rows[name] ?? []).map(hitOf), shortfall: null }]),
      );
    },
  };
}
