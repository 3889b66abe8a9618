/** Bringing the replica in step with Linear: in bulk where a listing is wanted, singly where one is named. */
import { ServiceFailure } from '../../src/mount/failure.ts';
import type { Eagerness, Freshness } from '../../src/mount/freshness.ts';
import { questionOf } from '../../src/mount/freshness.ts';
import type { Collection, Params } from '../../src/mount/route.ts';
import { latestOf } from '../../src/mount/tsv.ts';
import type { LinearClient } from './client.ts';
import { LinearLookups, RECENT_MS } from './lookups.ts';
import { displayName } from './names.ts';
import { everyPage } from './paging.ts';
import { OF_ISSUES, OF_TEAM, SYNC_ISSUES, SYNC_TEAM, SYNC_TEAMS, SYNC_USERS } from './queries.ts';
import { commentSchema, expectShape, issueSchema, KINDS } from './schemas.ts';
import { collection, type LinearStore, TEAMS, teamOf, USERS } from './store.ts';

/** From this many issues asked for singly, the whole team's are asked for. */
const SINGLES = 3;
/** Within this time, in ms. */
const SINGLES_MS = 60_000;
/** A delta reaches back so far behind what is known: listings may lag behind writes, in ms. */
const OVERLAP_MS = 30_000;

export interface SyncOptions {
  client: LinearClient;
  store: LinearStore;
  freshness: Freshness;
  freshMs: number;
  reconcileMs: number;
  now: () => Date;
  /** The one team that the mount shows, if it shows one. */
  only: string | null;
}

export class LinearSync {
  /** Questions for one thing. */
  readonly lookups: LinearLookups;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncOptions;
  /** Single questions whose answer was that there is no such thing, and when. */
  readonly #absent = new Map<string, number>();
  readonly #singles = new Map<string, Map<string, number>>();

  constructor(options: SyncOptions) {
    this.#options = options;
    this.lookups = new LinearLookups(options.client, options.store, options.now);
    this.collections = {
      teams: {
        scope: [],
        heldSince: () => this.#since(TEAMS),
        sync: () => this.#syncTeams(),
      },
      users: {
        scope: [],
        heldSince: () => this.#since(USERS),
        sync: () => this.#syncUsers(),
      },
      team: {
        scope: ['team'],
        heldSince: (params) => this.#since(collection('team', teamOf(params))),
        sync: (params) => this.#syncTeam(teamOf(params)),
      },
      issues: {
        scope: ['team'],
        narrowedBy: 'issue',
        heldSince: (params) => this.#since(collection('issues', teamOf(params))),
        sync: (params) => this.#syncIssues(teamOf(params)),
      },
    };
  }

  /** Brings a collection in step. Throws ServiceFailure. */
  async ensure(name: string, params: Params, eagerness: Eagerness = 'cover'): Promise<void> {
    const found = this.collections[name];
    const question = found === undefined ? null : questionOf(name, found, params);
    if (question !== null) await this.#options.freshness.ensure(question, eagerness);
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
    const { store, freshness, freshMs, now } = this.#options;
    const team = teamOf(params);
    const identifier = params['issue'] ?? '';
    const held = store.head('issues', team, identifier);
    const listed = this.#since(collection('issues', team)) !== null;
    if (listed || (held === null && this.#manySingles(team, identifier))) {
      await this.ensure('issues', params, eagerness);
      if (store.head('issues', team, identifier)?.tag === 'live') return;
    }
    const asked = this.#absent.get(identifier);
    const known = store.head('issues', team, identifier);
    if (known === null && asked !== undefined && now().getTime() - asked < freshMs) return;
    await freshness.ensure({
      key: `issue ${identifier}`,
      heldSince: () => this.#since(`${collection('comments-of', identifier)}`),
      ask: () => this.lookups.issue(identifier, true),
    });
    if (store.head('issues', team, identifier) === null) {
      this.#absent.set(identifier, now().getTime());
    }
  }

  /** True for what a mount of one team does not show. */
  isHidden(team: string): boolean {
    const { only } = this.#options;
    return only !== null && only !== team;
  }

  #since(name: string): number | null {
    const { store } = this.#options;
    const state = store.replica.listing(store.mount, name);
    return state?.complete === true ? state.syncedAt : null;
  }

  #manySingles(team: string, identifier: string): boolean {
    const now = this.#options.now().getTime();
    const asked = this.#singles.get(team) ?? new Map<string, number>();
    this.#singles.set(team, asked);
    for (const [one, at] of asked) if (now - at > SINGLES_MS) asked.delete(one);
    asked.set(identifier, now);
    return asked.size > SINGLES;
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
    this.#listed(TEAMS, null, true);
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
    this.#listed(USERS, null, true);
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
    this.#listed(collection('team', team), null, true);
    // Issues carry names; Linear does not count a renamed state among their updates.
    const issues = store.replica.listing(store.mount, collection('issues', team));
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

  #listed(name: string, cursor: string | null, whole: boolean): void {
    const { store, now } = this.#options;
    const time = now().getTime();
    const before = store.replica.listing(store.mount, name);
    const reconciledAt = whole ? time : (before?.reconciledAt ?? time);
    store.replica.setListing(store.mount, name, {
      complete: true,
      syncedAt: time,
      reconciledAt,
      cursor,
    });
  }

  /** What changed since the last time; everything at first, and from time to time. */
  async #syncIssues(team: string): Promise<void> {
    const { store, now, reconcileMs } = this.#options;
    const state = store.replica.listing(store.mount, collection('issues', team));
    const due = state === null || now().getTime() - state.reconciledAt >= reconcileMs;
    const since = state?.complete === true && !due ? state.cursor : null;
    const seen = { issues: new Set<string>(), comments: new Set<string>() };
    const cursor = await this.#issuesSince(team, since, seen);
    if (since === null) await this.#dropUnseen(team, seen);
    this.#dropOrphans(team, seen.comments);
    this.#listed(collection('issues', team), cursor, since === null);
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
    const { store, now } = this.#options;
    const recent = ({ checkedAt }: { checkedAt: number }) =>
      now().getTime() - checkedAt < RECENT_MS;
    for (const head of store.heads('issues', team, 'live')) {
      if (seen.issues.has(head.key)) continue;
      if (recent(head)) await this.lookups.issue(head.key, false);
      else store.dropIssue(head.key);
    }
    for (const head of store.heads('comments', team)) {
      if (seen.comments.has(head.key)) continue;
      if (recent(head)) await this.lookups.comment(head.tag, head.key);
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
