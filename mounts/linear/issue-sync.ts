/** Bringing the issues of a team in step, in bulk, with what belongs to them: comments, relations, attachments. */
import { z } from 'zod';
import {
  type ConnectionsPlace,
  connectionsPlaceSchema,
  deltaCursor,
  deltaStart,
  latestOf,
  type Round,
  readConnections,
  readWhole,
} from '../../src/mount/index.ts';
import type { LinearLookups } from './lookups.ts';
import { names as named } from './names.ts';
import type { SyncOptions } from './parts.ts';
import { SYNC_ISSUES } from './queries.ts';
import {
  attachmentSchema,
  commentSchema,
  expectShape,
  issueSchema,
  relationSchema,
} from './schemas.ts';
import { ATTACHMENTS, collection, RELATIONS } from './store.ts';
import { states } from './teams.ts';

/** What Linear lists for the whole workspace only: it is read with the first team that is due. */
const WIDE = { relations: RELATIONS, attachments: ATTACHMENTS } as const;
const WIDE_NAMES = ['relations', 'attachments'] as const;

type Part = 'issues' | 'comments' | (typeof WIDE_NAMES)[number];

/** What each team's issues were listed with. */
const NAMES = 'names';
const NOWHERE = { updatedAt: '', size: 1, path: null };

/** Where a whole listing was left, and what was known of its parts. */
const leftSchema = z.object({
  place: connectionsPlaceSchema,
  since: z.record(z.string(), z.string().nullable()),
  newest: z.record(z.string(), z.string()),
});

/** One listing on its way. */
interface Reading {
  /** From when on; null where all of it is read. */
  since: string | null;
  /** Ids, of issues identifiers. */
  seen: Set<string>;
  times: string[];
}

interface IssueSyncOptions extends SyncOptions {
  lookups: LinearLookups;
}

export class IssueSync {
  readonly #options: IssueSyncOptions;

  constructor(options: IssueSyncOptions) {
    this.#options = options;
  }

  /** What changed since the last time; everything at first, and from time to time. Throws ServiceFailure. */
  async run(team: string): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const into = collection('issues', team);
    const since = this.#isRenamed(team) ? null : store.deltaFrom(into, reconcileMs);
    if (since !== null) {
      const readings = this.#readings(since);
      const at = await this.#read(team, readings);
      return this.#finish(team, readings, at, () => false);
    }
    let readings = new Map<Part, Reading>();
    let at: string | null = null;
    const { replica, mount } = store;
    await readWhole(
      { replica, mount, now: this.#options.now },
      {
        collection: into,
        what: `issues ${team}`.toLowerCase(),
        read: async (from, stored) => {
          const left = from === null ? null : leftSchema.parse(JSON.parse(from));
          readings = left === null ? this.#readings(null) : readingsOf(left.since, left.newest);
          at = await this.#read(team, readings, {
            from: left?.place,
            stored: (place, records) => stored({ cursor: leftOf(place, readings), records }),
          });
        },
        finish: ({ sawEarlier }) => this.#finish(team, readings, at, sawEarlier),
      },
    );
  }

  /** Has a state, a project or another such thing a new name since? Linear does not count that among the updates of issues. */
  #isRenamed(team: string): boolean {
    const { replica, mount } = this.#options.store;
    const before = replica.get(mount, NAMES, team)?.value ?? this.#names(team);
    return before !== this.#names(team);
  }

  /** The names that issues of a team carry. */
  #names(team: string): string {
    const { assignee: _, ...names } = named.allowed(this.#options.scope({ team }));
    return JSON.stringify(names);
  }

  /** What is to be read, and from when on. */
  #readings(since: string | null): Map<Part, Reading> {
    const { store, reconcileMs } = this.#options;
    const readings = new Map<Part, Reading>([
      ['issues', reading(since)],
      ['comments', reading(since)],
    ]);
    for (const name of WIDE_NAMES) {
      if (this.#isDue(name)) readings.set(name, reading(store.deltaFrom(WIDE[name], reconcileMs)));
    }
    return readings;
  }

  /** @returns the time of the first answer by Linear's clock */
  async #read(
    team: string,
    readings: ReadonlyMap<Part, Reading>,
    on: {
      from?: ConnectionsPlace | undefined;
      stored?: (place: ConnectionsPlace, records: number) => void;
    } = {},
  ): Promise<string | null> {
    const { client, store, lookups } = this.#options;
    const arrived = new Set<string>();
    const take = (name: string, nodes: unknown[]) => {
      const of = readings.get(name as Part);
      if (of === undefined) return false;
      return store.replica.transaction(() => this.#take(name as Part, nodes, of, arrived));
    };
    const at = await readConnections({
      title: 'Linear',
      client,
      query: SYNC_ISSUES.query,
      variables: variablesOf(team, readings),
      names: [...readings.keys()],
      all: SYNC_ISSUES.names,
      take,
      ...on,
    });
    // Of what was moved here from a team that is not held, the comments are not among the changes.
    for (const identifier of arrived) await lookups.issue(identifier, true);
    return at;
  }

  /** What was on no page is gone. */
  async #finish(
    team: string,
    readings: ReadonlyMap<Part, Reading>,
    at: string | null,
    sawEarlier: Round['sawEarlier'],
  ): Promise<void> {
    await this.#dropUnseen(team, readings, sawEarlier);
    this.#dropOrphans(team, readings.get('comments')?.seen ?? new Set(), sawEarlier);
    this.#listed(team, readings, at);
  }

  #isDue(name: (typeof WIDE_NAMES)[number]): boolean {
    const { store, freshMs, now } = this.#options;
    const held = store.heldSince(WIDE[name]);
    return held === null || now().getTime() - held >= freshMs;
  }

  /** Stores a page; false where the ones that follow are known already. */
  #take(part: Part, nodes: unknown[], { since, seen, times }: Reading, arrived: Set<string>) {
    const { store } = this.#options;
    const note = (key: string, updatedAt: string) => {
      seen.add(key);
      times.push(updatedAt);
    };
    for (const node of nodes) {
      if (part === 'issues') {
        const issue = expectShape(issueSchema, node, 'an issue');
        note(issue.identifier, issue.updatedAt);
        if (since !== null && this.#arrives(issue)) arrived.add(issue.identifier);
        store.putIssue(issue, 'listing');
      } else if (part === 'comments') {
        const comment = expectShape(commentSchema, node, 'a comment');
        note(comment.id, comment.updatedAt);
        store.putComment(comment, 'listing');
      } else if (part === 'attachments') {
        const attachment = expectShape(attachmentSchema, node, 'an attachment');
        note(attachment.id, attachment.updatedAt);
        store.putAttachment(attachment);
      } else {
        const relation = expectShape(relationSchema, node, 'a relation');
        note(relation.id, relation.updatedAt);
        store.putRelation(relation, 'listing');
        // There is no filter for them; those that were updated last come first.
        if (since !== null && relation.updatedAt < deltaStart(since)) return false;
      }
    }
    return true;
  }

  /** Does an issue come from another team of which nothing is held? */
  #arrives({ identifier, previousIdentifiers }: { identifier: string } & Previous): boolean {
    const { store } = this.#options;
    if (store.issue(identifier) !== null) return false;
    return (
      previousIdentifiers.length > 0 &&
      previousIdentifiers.every((before) => store.issue(before) === null)
    );
  }

  /** What a whole listing left out is gone; what was confirmed just now is asked for first, since listings may lag. */
  async #dropUnseen(
    team: string,
    readings: ReadonlyMap<Part, Reading>,
    sawEarlier: Round['sawEarlier'],
  ): Promise<void> {
    const { store, lookups } = this.#options;
    const whole = (part: Part) => {
      const found = readings.get(part);
      return found?.since === null ? found.seen : null;
    };
    const issues = whole('issues');
    const comments = whole('comments');
    const relations = whole('relations');
    const attachments = whole('attachments');
    for (const head of issues === null ? [] : store.heads('issues', team, 'live')) {
      if (issues?.has(head.key) || sawEarlier(head)) continue;
      if (store.isRecent(head)) await lookups.issue(head.key, false);
      else store.dropIssue(head.key);
    }
    for (const head of comments === null ? [] : store.heads('comments', team)) {
      if (comments?.has(head.key) || sawEarlier(head)) continue;
      if (store.isRecent(head)) await lookups.comment(head.tag, head.key);
      else store.drop('comments', team, head.key);
    }
    for (const head of relations === null ? [] : store.replica.heads(store.mount, RELATIONS)) {
      const id = head.key.slice(0, head.key.indexOf(' '));
      if (!relations?.has(id) && !sawEarlier(head) && !store.isRecent(head)) store.dropRelation(id);
    }
    for (const head of attachments === null ? [] : store.replica.heads(store.mount, ATTACHMENTS)) {
      const isListed = attachments?.has(head.key) === true || sawEarlier(head);
      if (!isListed && !store.isRecent(head)) store.dropAttachment(head.key);
    }
  }

  /** Comments of issues that are not held: Linear still lists those of what was deleted or archived. */
  #dropOrphans(team: string, comments: ReadonlySet<string>, sawEarlier: Round['sawEarlier']): void {
    const { store } = this.#options;
    const held = new Set(store.heads('issues', team).map(({ key }) => key));
    for (const head of store.heads('comments', team)) {
      const isListed = comments.has(head.key) || sawEarlier(head);
      if (isListed && !held.has(head.tag)) store.drop('comments', team, head.key);
    }
  }

  /** @param at the time of the first answer by Linear's clock */
  #listed(team: string, readings: ReadonlyMap<Part, Reading>, at: string | null): void {
    const { store } = this.#options;
    const { replica, mount } = store;
    // Every team has states: without them its names are not known yet.
    if (this.#options.scope({ team }).all(states).length > 0) {
      replica.upsert(mount, NAMES, { key: team, value: this.#names(team), ...NOWHERE });
    }
    const own = { ...reading(readings.get('issues')?.since ?? null), times: [] as string[] };
    for (const part of ['issues', 'comments'] as const) {
      own.times.push(...(readings.get(part)?.times ?? []));
    }
    store.listed(collection('issues', team), {
      cursor: deltaCursor(own, at),
      whole: own.since === null,
    });
    for (const name of WIDE_NAMES) {
      const found = readings.get(name);
      if (found === undefined) continue;
      store.listed(WIDE[name], { cursor: deltaCursor(found, at), whole: found.since === null });
    }
  }
}

function leftOf(place: ConnectionsPlace, readings: ReadonlyMap<Part, Reading>): string {
  const each = <T>(of: (one: Reading) => T) =>
    Object.fromEntries([...readings].map(([part, one]) => [part, of(one)]));
  const left = {
    place,
    since: each(({ since }) => since),
    newest: each(({ times }) => latestOf(times)),
  };
  return JSON.stringify(left satisfies z.infer<typeof leftSchema>);
}

function readingsOf(
  since: Readonly<Record<string, string | null>>,
  newest: Readonly<Record<string, string>>,
): Map<Part, Reading> {
  return new Map(
    (SYNC_ISSUES.names as Part[])
      .filter((part) => part in since)
      .map((part) => [part, { ...reading(since[part] ?? null), times: [newest[part] ?? ''] }]),
  );
}

interface Previous {
  previousIdentifiers: readonly string[];
}

function reading(since: string | null): Reading {
  return { since, seen: new Set(), times: [] };
}

function variablesOf(team: string, readings: ReadonlyMap<Part, Reading>) {
  const ofTeam = { team: { key: { eq: team } } };
  const updated = (part: Part) => {
    const since = readings.get(part)?.since ?? null;
    return since === null ? {} : { updatedAt: { gt: deltaStart(since) } };
  };
  return {
    issues: { ...ofTeam, ...updated('issues') },
    comments: { issue: ofTeam, ...updated('comments') },
    attachments: updated('attachments'),
    // A delta must tell of what was archived; a whole listing shows what is not.
    archived: readings.get('issues')?.since !== null,
  };
}
