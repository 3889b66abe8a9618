/** Bringing the replica in step with Linear: in bulk where a listing is wanted, singly where one is named. */
import { ServiceFailure } from '../../src/mount/failure.ts';
import type { ServiceParts } from '../../src/mount/opening.ts';
import type { Collection, Eagerness, Params } from '../../src/mount/route.ts';
import { Singles } from '../../src/mount/singles.ts';
import { latestOf } from '../../src/mount/tsv.ts';
import type { LinearClient } from './client.ts';
import { LinearLookups } from './lookups.ts';
import { displayName } from './names.ts';
import { everyPage } from './paging.ts';
import { OF_ISSUES, OF_TEAM, SYNC_ISSUES, SYNC_TEAM, SYNC_TEAMS, SYNC_USERS } from './queries.ts';
import { commentSchema, expectShape, issueSchema, KINDS } from './schemas.ts';
import { collection, type LinearStore, TEAMS, teamOf, USERS } from './store.ts';

/** A delta reaches back so far behind what is known: listings may lag behind writes, in ms. */
const OVERLAP_MS = 30_000;

export interface SyncOptions extends ServiceParts<LinearClient, LinearStore> {
  /** The one team that the mount shows, if it shows one. */
  only: string | null;
}

export class LinearSync {
  /** Questions for one thing. */
  readonly lookups: LinearLookups;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncOptions;
  readonly #singles: Singles;

  constructor(options: SyncOptions) {
    this.#options = options;
    const { client, store, now } = options;
    this.lookups = new LinearLookups(client, store);
    this.#singles = new Singles(now);
    this.collections = {
      teams: {
        scope: [],
        heldSince: () => store.heldSince(TEAMS),
        sync: () => this.#syncTeams(),
      },
      users: {
        scope: [],
        heldSince: () => store.heldSince(USERS),
        sync: () => this.#syncUsers(),
      },
      team: {
        scope: ['team'],
        heldSince: (params) => store.heldSince(collection('team', teamOf(params))),
        sync: (params) => this.#syncTeam(teamOf(params)),
      },
      issues: {
        scope: ['team'],
        narrowedBy: 'issue',
        heldSince: (params) => store.heldSince(collection('issues', teamOf(params))),
        sync: (params) => this.#syncIssues(teamOf(params)),
      },
    };
  }

  /** Brings a collection in step. Throws ServiceFailure. */
  async ensure(name: string, params: Params, eagerness: Eagerness = 'cover'): Promise<void> {
    await this.#options.freshness.ensureCollection(this.collections, name, params, eagerness);
  }

  /** True when {@link ensure} would ask nothing. */
  readsFresh(name: string, params: Params): boolean {
    return this.#options.freshness.readsFreshCollection(this.collections, name, params);
  }

  /** A team that is known is there until something says otherwise. */
  async ensureTeam(params: Params): Promise<void> {
    const team = teamOf(params);
    const { store } = this.#options;
    if (this.isHidden(team) || store.replica.head(store.mount, TEAMS, team) !== null) return;
    await this.ensure('team', params);
  }

  /** Brings the named issue in step, with its comments: one request at most where no listing is held. */
  async ensureIssue(params: Params, eagerness: Eagerness): Promise<void> {
    const { store, freshness } = this.#options;
    const team = teamOf(params);
    const identifier = params['issue'] ?? '';
    const held = store.head('issues', team, identifier);
    const listed = store.heldSince(collection('issues', team)) !== null;
    if (listed || (held === null && this.#singles.isMany(team, identifier))) {
      await this.ensure('issues', params, eagerness);
      if (store.head('issues', team, identifier)?.tag === 'live') return;
    }
    const question = {
      key: `issue ${identifier}`,
      heldSince: () => store.heldSince(collection('comments-of', identifier)),
      ask: () => this.lookups.issue(identifier, true),
    };
    await freshness.ensureOne(question, () => store.head('issues', team, identifier) !== null);
  }

  /** True for what a mount of one team does not show. */
  isHidden(team: string): boolean {
    const { only } = this.#options;
    return only !== null && only !== team;
  }

  async #syncTeams(): Promise<void> {
    const { client, store } = this.#options;
    const seen = new Set<string>();
    await everyPage(client, SYNC_TEAMS, {}, ['teams'], (_name, nodes) => {
      for (const node of nodes) {
        const team = expectShape(KINDS.teams, node, 'a team');
        seen.add(team.key);
        this.#putPlain(TEAMS, team.key, team.updatedAt, team);
      }
    });
    for (const { key } of store.replica.heads(store.mount, TEAMS)) {
      if (!seen.has(key)) store.dropTeam(key);
    }
    store.listed(TEAMS);
  }

  async #syncUsers(): Promise<void> {
    const { client, store } = this.#options;
    const seen = new Set<string>();
    await everyPage(client, SYNC_USERS, {}, ['users'], (_name, nodes) => {
      for (const node of nodes) {
        const user = expectShape(KINDS.users, node, 'a user');
        seen.add(user.displayName);
        this.#putPlain(USERS, user.displayName, user.updatedAt, user);
      }
    });
    for (const { key } of store.replica.heads(store.mount, USERS)) {
      if (!seen.has(key)) store.replica.remove(store.mount, USERS, key);
    }
    store.listed(USERS);
  }

  /** The team itself, and what its issues may be given. */
  async #syncTeam(team: string): Promise<void> {
    const { client, store } = this.#options;
    const seen = new Map<string, Set<string>>(OF_TEAM.map((kind) => [kind, new Set()]));
    let renamed = false;
    await everyPage(client, SYNC_TEAM, { key: team }, OF_TEAM, (kind, nodes) => {
      for (const node of nodes) {
        const value = expectShape(KINDS[kind as keyof typeof KINDS], node, kind);
        const id = String(value['id']);
        seen.get(kind)?.add(id);
        if (kind === 'team') this.#putPlain(TEAMS, team, String(value.updatedAt), value);
        else renamed = this.#putNamed(kind, team, id, value) || renamed;
      }
    });
    if (seen.get('team')?.size === 0) {
      store.dropTeam(team);
      throw new ServiceFailure('missing', `Linear has no team ${team} that this key may see`);
    }
    for (const kind of OF_TEAM.filter((each) => each !== 'team')) {
      for (const { key } of store.heads(kind, team)) {
        if (seen.get(kind)?.has(key) !== true) store.drop(kind, team, key);
      }
    }
    store.listed(collection('team', team));
    // Issues carry names; Linear does not count a renamed state among their updates.
    const issues = store.replica.listing(store.mount, collection('issues', team));
    if (renamed) store.replica.announce(store.mount, collection('issues', team));
    if (renamed && issues !== null) {
      store.replica.setListing(store.mount, collection('issues', team), {
        ...issues,
        reconciledAt: 0,
      });
    }
  }

  /** Stores a state, label, project or cycle; true when it was known by another name. */
  #putNamed(kind: string, team: string, id: string, value: object): boolean {
    const { store } = this.#options;
    const held = store.replica.get(store.mount, collection(kind, team), id);
    const { updatedAt } = value as { updatedAt: string };
    const path = kind === 'projects' ? `/teams/${team}/projects/${slugOf(value)}.md` : null;
    store.replica.upsert(store.mount, collection(kind, team), {
      key: id,
      updatedAt,
      size: 300,
      path,
      value,
    });
    return held !== null && displayName(kind, held.value) !== displayName(kind, value);
  }

  #putPlain(into: string, key: string, updatedAt: string, value: unknown): void {
    const { store } = this.#options;
    store.replica.upsert(store.mount, into, { key, updatedAt, size: 100, path: null, value });
  }

  /** What changed since the last time; everything at first, and from time to time. */
  async #syncIssues(team: string): Promise<void> {
    const { store, reconcileMs } = this.#options;
    const into = collection('issues', team);
    const since = store.deltaFrom(into, reconcileMs);
    const seen = { issues: new Set<string>(), comments: new Set<string>() };
    const cursor = await this.#issuesSince(team, since, seen);
    if (since === null) await this.#dropUnseen(team, seen);
    this.#dropOrphans(team, seen.comments);
    store.listed(into, { cursor, whole: since === null });
  }

  /** @returns the time up to which everything is known */
  async #issuesSince(
    team: string,
    since: string | null,
    seen: Record<(typeof OF_ISSUES)[number], Set<string>>,
  ): Promise<string> {
    const { client, store } = this.#options;
    const times: string[] = since === null ? [] : [since];
    const after = since === null ? null : new Date(Date.parse(since) - OVERLAP_MS).toISOString();
    const updated = after === null ? {} : { updatedAt: { gt: after } };
    const ofTeam = { team: { key: { eq: team } } };
    const variables = {
      issues: { ...ofTeam, ...updated },
      comments: { issue: ofTeam, ...updated },
      // A delta must tell of what was archived; a whole listing shows what is not.
      archived: since !== null,
    };
    const at = await everyPage(client, SYNC_ISSUES, variables, OF_ISSUES, (kind, nodes) => {
      store.replica.transaction(() => {
        for (const node of nodes) {
          if (kind === 'issues') {
            const issue = expectShape(issueSchema, node, 'an issue');
            seen.issues.add(issue.identifier);
            times.push(issue.updatedAt);
            store.putIssue(issue, 'listing');
          } else {
            const comment = expectShape(commentSchema, node, 'a comment');
            seen.comments.add(comment.id);
            times.push(comment.updatedAt);
            store.putComment(comment, 'listing');
          }
        }
      });
    });
    // What was made while the pages were read may be on none of them.
    const newest = latestOf(times);
    if (at === null || newest < at) return newest === '' ? new Date(0).toISOString() : newest;
    return at;
  }

  /** What a whole listing left out is gone; what was confirmed just now is asked for first, since listings may lag. */
  async #dropUnseen(
    team: string,
    seen: Record<(typeof OF_ISSUES)[number], Set<string>>,
  ): Promise<void> {
    const { store } = this.#options;
    for (const head of store.heads('issues', team, 'live')) {
      if (seen.issues.has(head.key)) continue;
      if (store.isRecent(head)) await this.lookups.issue(head.key, false);
      else store.dropIssue(head.key);
    }
    for (const head of store.heads('comments', team)) {
      if (seen.comments.has(head.key)) continue;
      if (store.isRecent(head)) await this.lookups.comment(head.tag, head.key);
      else store.drop('comments', team, head.key);
    }
  }

  /** Comments of issues that are not held: Linear still lists those of what was deleted or archived. */
  #dropOrphans(team: string, comments: ReadonlySet<string>): void {
    const { store } = this.#options;
    const held = new Set(store.heads('issues', team).map(({ key }) => key));
    for (const head of store.heads('comments', team)) {
      if (comments.has(head.key) && !held.has(head.tag)) store.drop('comments', team, head.key);
    }
  }
}

function slugOf(value: object): string {
  return String((value as { slugId?: unknown }).slugId);
}
