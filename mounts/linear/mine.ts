/**
 * `me/`: links to the issues of whoever the key belongs to. One question brings the three directories
 * in step.
 */
import { z } from 'zod';
import {
  type Collection,
  type Hit,
  LinkedListings,
  type Route,
  type ServiceParts,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { everyPage } from './paging.ts';
import { PAGE } from './queries.ts';
import { expectShape } from './schemas.ts';
import { type LinearStore, pathOf } from './store.ts';

/** Of an issue that is listed by its place alone. */
export const BRIEF =
  'identifier title priorityLabel dueDate updatedAt state { name } project { name }';

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

type MineParts = ServiceParts<LinearClient, LinearStore>;

export class Mine {
  readonly collection: Collection;
  readonly #listings: LinkedListings;

  /** @param only the key of the one team that is shown, if one is */
  constructor(parts: MineParts, only: string | null) {
    const { store, freshness, now } = parts;
    const asked = new Asked(parts, only);
    const kind = kindOf('me', only);
    const listings = new LinkedListings({
      store,
      freshness,
      now,
      kind,
      columns: COLUMNS,
      ask: async (key) => ({ hits: await asked.take(key as Own), shortfall: null }),
    });
    this.#listings = listings;
    this.collection = {
      scope: [],
      heldSince: () => {
        const times = OWNS.map((name) => store.heldSince(`${kind}:${name}`));
        const oldest = times.includes(null) ? null : Math.min(...times.map(Number));
        // What was written here since may have made an issue ours, or not ours any more.
        return oldest !== null && (store.wroteAt ?? 0) > oldest ? 0 : oldest;
      },
      sync: async () => {
        for (const name of OWNS) await listings.ensure(name, 'list');
      },
    };
  }

  routes(): Route[] {
    const rows = OWNS.flatMap((name): Route[] => {
      const about = `open issues ${OWN[name].about}`;
      return [
        { pattern: `/me/${name}`, type: 'directory', about: `links to the ${about}` },
        ...this.#listings.routes(`/me/${name}`, about, () => name).map(ofMine),
      ];
    });
    return [{ pattern: '/me', type: 'directory', about: 'the issues of whose key it is' }, ...rows];
  }
}

/** A row that is brought in step with the others of `me/`: a walk need not pass it over. */
function ofMine({ costly: _costly, prepare: _prepare, ...route }: Route): Route {
  return { ...route, needs: ['me'] };
}

/** So long the answer for one directory serves the two others, ms. */
const SERVES_MS = 10_000;

/** What is mine, asked for all together, and each of the three given out once. */
class Asked {
  readonly #parts: MineParts;
  readonly #only: string | null;
  readonly #held = new Map<Own, Hit[]>();
  #at = 0;

  constructor(parts: MineParts, only: string | null) {
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
