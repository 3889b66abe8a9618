/**
 * Directories of links: the issues of whoever the key belongs to (`me/`), and what Linear's own
 * search finds (`search/QUERY/`).
 */
import { z } from 'zod';
import { ServiceFailure, tryAgain } from '../../src/mount/failure.ts';
import {
  type Found,
  type Hit,
  LinkedListings,
  searchRoutes,
} from '../../src/mount/linked-listings.ts';
import type { Route } from '../../src/mount/route.ts';
import { everyPage } from './paging.ts';
import { PAGE } from './queries.ts';
import { expectShape } from './schemas.ts';
import { pathOf } from './store.ts';
import type { WriteParts } from './writes.ts';

/** Of an issue that is listed by its place alone. */
const BRIEF = 'identifier title priorityLabel dueDate updatedAt state { name } project { name }';

/** The three together: whoever looks at one looks at the next. */
const MINE = `query Mine(
  $assigned: IssueFilter!, $created: IssueFilter!, $subscribed: IssueFilter!,
  $assignedAfter: String, $withassigned: Boolean!, $createdAfter: String, $withcreated: Boolean!,
  $subscribedAfter: String, $withsubscribed: Boolean!
) {
  assigned: issues(first: 250, after: $assignedAfter, filter: $assigned, orderBy: updatedAt)
    @include(if: $withassigned) { nodes { ${BRIEF} } ${PAGE} }
  created: issues(first: 250, after: $createdAfter, filter: $created, orderBy: updatedAt)
    @include(if: $withcreated) { nodes { ${BRIEF} } ${PAGE} }
  subscribed: issues(first: 250, after: $subscribedAfter, filter: $subscribed, orderBy: updatedAt)
    @include(if: $withsubscribed) { nodes { ${BRIEF} } ${PAGE} }
}`;

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

const COLUMNS = ['title', 'state', 'priority', 'project', 'due', 'updated'] as const;

function hitOf(node: unknown): Hit {
  const issue = expectShape(briefSchema, node, 'an issue that was found');
  const { identifier, title, state, priorityLabel, project, dueDate, updatedAt } = issue;
  return {
    name: `${identifier}.md`,
    path: `${pathOf(identifier)}.md`,
    updatedAt,
    cells: [title, state.name, priorityLabel, project?.name ?? '', dueDate ?? '', updatedAt],
  };
}

/** `only`: the key of the one team that is shown. */
export function foundRoutes(parts: WriteParts, only: string | null): Route[] {
  return [...mine(parts, only), ...search(parts, only)];
}

function ofTeam(only: string | null): object {
  return only === null ? {} : { team: { key: { eq: only } } };
}

/** Answers to a mount of one team are kept apart: they are other answers. */
function kindOf(name: string, only: string | null): string {
  return only === null ? name : `${name} in ${only}`;
}

function mine(parts: WriteParts, only: string | null): Route[] {
  const { store, freshness, now } = parts;
  const asked = new Asked(parts, only);
  const listings = new LinkedListings({
    store,
    freshness,
    now,
    kind: kindOf('me', only),
    columns: COLUMNS,
    ask: async (key) => ({ hits: await asked.take(key as Own), shortfall: null }),
  });
  const rows = Object.entries(OWN).flatMap(([name, { about }]): Route[] => [
    { pattern: `/me/${name}`, type: 'directory', about: `links to the open issues ${about}` },
    ...listings.routes(`/me/${name}`, `open issues ${about}`, () => name),
  ]);
  return [{ pattern: '/me', type: 'directory', about: 'the issues of whose key it is' }, ...rows];
}

/** So long the answer for one directory serves the two others, ms. */
const SERVES_MS = 10_000;

/** What is mine, asked for all together, and each of the three given out once. */
class Asked {
  readonly #parts: WriteParts;
  readonly #only: string | null;
  readonly #held = new Map<Own, Hit[]>();
  #at = 0;

  constructor(parts: WriteParts, only: string | null) {
    this.#parts = parts;
    this.#only = only;
  }

  /** Throws ServiceFailure. */
  async take(name: Own): Promise<Hit[]> {
    const { store, now } = this.#parts;
    const isOld = now().getTime() - this.#at > SERVES_MS || (store.wroteAt ?? 0) >= this.#at;
    if (isOld || !this.#held.has(name)) await this.#ask();
    const hits = this.#held.get(name) ?? [];
    this.#held.delete(name);
    return hits;
  }

  async #ask(): Promise<void> {
    const { client, now } = this.#parts;
    const at = now().getTime();
    const found = new Map<Own, Hit[]>(OWNS.map((name) => [name, []]));
    const filters = OWNS.map((name) => [
      name,
      { ...OWN[name].filter, ...OPEN, ...ofTeam(this.#only) },
    ]);
    await everyPage(client, MINE, Object.fromEntries(filters), OWNS, (name, nodes) => {
      found.get(name as Own)?.push(...nodes.map(hitOf));
    });
    this.#at = at;
    for (const [name, hits] of found) this.#held.set(name, hits);
  }
}

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

function search(parts: WriteParts, only: string | null): Route[] {
  const { client, store, freshness, now } = parts;
  const limit = new Limit(now);
  const listings = new LinkedListings({
    store,
    freshness,
    now,
    kind: kindOf('search', only),
    columns: COLUMNS,
    ask: async (term) => {
      limit.take();
      const variables = { term, filter: ofTeam(only), wide: only === null };
      const { data } = await client.ask(SEARCH, variables);
      return foundOf(term, expectShape(searchSchema, data, 'a search'));
    },
  });
  return searchRoutes(listings, 'Linear');
}

function foundOf(term: string, answer: z.infer<typeof searchSchema>): Found {
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

/** The schema says of each search: "Rate-limited to 30 requests per minute". */
const SEARCHES = 30;
const MINUTE_MS = 60_000;

/** Keeps to the limit of searches, so that it is not Linear that closes the whole mount. */
class Limit {
  readonly #now: () => Date;
  #sent: number[] = [];

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** @throws ServiceFailure `limited` */
  take(): void {
    const now = this.#now();
    this.#sent = this.#sent.filter((at) => now.getTime() - at < MINUTE_MS);
    const [oldest] = this.#sent;
    if (this.#sent.length >= SEARCHES && oldest !== undefined) {
      const retryAt = new Date(oldest + MINUTE_MS);
      const text = `Linear takes ${SEARCHES} searches a minute: ${tryAgain(retryAt, now)}; no request was sent`;
      throw new ServiceFailure('limited', text, { retryAt, unsent: true });
    }
    this.#sent.push(now.getTime());
  }
}
