/** Bringing the replica in step with Linear: in bulk where a listing is wanted, singly where one is named. */
import {
  type Collection,
  type Eagerness,
  type Params,
  ServiceFailure,
  type ServiceParts,
  Singles,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { documentsCollection } from './documents.ts';
import { inboxCollection } from './inbox.ts';
import { IssueSync } from './issue-sync.ts';
import { LinearLookups } from './lookups.ts';
import { Mine } from './mine.ts';
import { displayName } from './names.ts';
import { cursorOf, everyPage, startOf } from './paging.ts';
import { OF_TEAM, SYNC_TEAM, SYNC_TEAMS, SYNC_USERS } from './queries.ts';
import { expectShape, KINDS, updateSchema } from './schemas.ts';
import { collection, type LinearStore, TEAMS, teamOf, USERS } from './store.ts';

export interface SyncOptions extends ServiceParts<LinearClient, LinearStore> {
  /** The one team that the mount shows, if it shows one. */
  only: string | null;
}

export class LinearSync {
  /** Questions for one thing. */
  readonly lookups: LinearLookups;
  /** What is in `me/`. */
  readonly mine: Mine;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncOptions;
  readonly #singles: Singles;
  readonly #issues: IssueSync;

  constructor(options: SyncOptions) {
    this.#options = options;
    const { client, store, now } = options;
    this.lookups = new LinearLookups(client, store, options.only);
    this.mine = new Mine(options, options.only);
    this.#issues = new IssueSync({ ...options, lookups: this.lookups });
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
      me: this.mine.collection,
      inbox: this.#withTeam(inboxCollection(options)),
      documents: this.#withTeam(documentsCollection(options)),
      team: {
        scope: ['team'],
        ...this.#ofTeam('team', (team) => this.#syncTeam(team)),
      },
      issues: {
        scope: ['team'],
        narrowedBy: 'issue',
        ...this.#ofTeam('issues', (team) => this.#issues.run(team)),
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
    // While the whole is under way, or has failed, the one that is named does not wait for it.
    const isBegun = store.replica.underWay.get(store.mount, collection('issues', team)) !== null;
    const isMany = held === null && this.#singles.isMany(team, identifier);
    if (listed || (isMany && !isBegun)) {
      const bring = () => this.ensure('issues', params, eagerness);
      const isWhole = await freshness.isBroughtInTime(bring);
      if (isWhole && store.head('issues', team, identifier)?.tag === 'live') return;
    }
    const question = {
      key: `issue ${identifier}`,
      heldSince: () => store.heldSince(collection('comments-of', identifier)),
      ask: () => this.lookups.issue(identifier, true),
    };
    await freshness.ensureOne(question, () => store.head('issues', team, identifier) !== null);
  }

  /** A collection of each team; of a team that is not shown it is neither held nor asked for. */
  #ofTeam(kind: string, sync: (team: string) => Promise<void>) {
    const { store } = this.#options;
    return {
      heldSince: (params: Params) =>
        this.isHidden(teamOf(params)) ? null : store.heldSince(collection(kind, teamOf(params))),
      sync: async (params: Params) => {
        return sync(teamOf(params));
      },
    };
  }

  /** What a mount of one team shows by what that team has, such as its projects. */
  #withTeam(of: Collection): Collection {
    const { only, store } = this.#options;
    if (only === null) return of;
    return {
      ...of,
      heldSince: (params) =>
        store.heldSince(collection('team', only)) === null ? null : of.heldSince(params),
      sync: async (params) => {
        await this.ensure('team', { team: only });
        await of.sync(params);
      },
    };
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

  /** The team itself, what its issues may be given, and the updates of its projects. */
  async #syncTeam(team: string): Promise<void> {
    const { client, store, reconcileMs } = this.#options;
    const updates = collection('updates', team);
    const since = store.deltaFrom(updates, reconcileMs);
    const variables = { key: team, updates: updatesFilter(team, since) };
    const seen = new Map<string, Set<string>>(OF_TEAM.map((kind) => [kind, new Set()]));
    const times: string[] = [];
    let renamed = false;
    const at = await everyPage(client, SYNC_TEAM, variables, OF_TEAM, (kind, nodes) => {
      for (const node of nodes) {
        const value = expectShape(KINDS[kind as keyof typeof KINDS], node, kind);
        const id = String(value['id']);
        seen.get(kind)?.add(id);
        if (kind === 'team') this.#putPlain(TEAMS, team, String(value.updatedAt), value);
        else if (kind === 'updates') {
          times.push(String(value.updatedAt));
          store.putUpdate(team, updateSchema.parse(value), 'listing');
        } else renamed = this.#putNamed(kind, team, id, value) || renamed;
      }
    });
    if (seen.get('team')?.size === 0) {
      store.dropTeam(team);
      throw new ServiceFailure('missing', `Linear has no team ${team} that this key may see`);
    }
    const whole = OF_TEAM.filter(
      (kind) => kind !== 'team' && (kind !== 'updates' || since === null),
    );
    for (const kind of whole) {
      for (const head of store.heads(kind, team)) {
        if (seen.get(kind)?.has(head.key) === true) continue;
        // An update that was posted just now may not be listed yet.
        if (kind !== 'updates' || !store.isRecent(head)) store.drop(kind, team, head.key);
      }
    }
    store.listed(updates, { cursor: cursorOf({ since, times }, at), whole: since === null });
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
}

/** The updates of a team's projects that were changed after a time, or all of them. */
function updatesFilter(team: string, since: string | null) {
  const ofTeam = { project: { accessibleTeams: { some: { key: { eq: team } } } } };
  return since === null ? ofTeam : { ...ofTeam, updatedAt: { gt: startOf(since) } };
}

function slugOf(value: object): string {
  return String((value as { slugId?: unknown }).slugId);
}
