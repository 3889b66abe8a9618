/** Bringing issues in step with Linear: in bulk where a listing is wanted, singly where one is named. */
import { type Collection, type Eagerness, type Params, Singles } from '../../src/mount/index.ts';
import { IssueSync } from './issue-sync.ts';
import { LinearLookups } from './lookups.ts';
import { Mine } from './mine.ts';
import type { SyncOptions } from './parts.ts';
import { collection, commentsOf, teamOf } from './store.ts';

/** What the rows of issues are made of. */
export interface WriteParts extends SyncOptions {
  sync: LinearSync;
}

export class LinearSync {
  /** Questions for one thing. */
  readonly lookups: LinearLookups;
  /** What is in `me/`. */
  readonly mine: Mine;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncOptions;
  readonly #singles: Singles;

  constructor(options: SyncOptions) {
    this.#options = options;
    const { client, store, now, only } = options;
    this.lookups = new LinearLookups(client, store, only);
    this.mine = new Mine(options, only);
    this.#singles = new Singles(now);
    const issues = new IssueSync({ ...options, lookups: this.lookups });
    this.collections = {
      me: this.mine.collection,
      issues: {
        scope: ['team'],
        narrowedBy: 'issue',
        heldSince: (params) => store.heldSince(collection('issues', teamOf(params))),
        sync: (params) => issues.run(teamOf(params)),
      },
    };
  }

  /** Brings the issues of a team in step. Throws ServiceFailure. */
  async ensureIssues(params: Params, eagerness: Eagerness): Promise<void> {
    await this.#options.freshness.ensureCollection(this.collections, 'issues', params, eagerness);
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
      const isWhole = await freshness.isBroughtInTime(() => this.ensureIssues(params, eagerness));
      if (isWhole && store.head('issues', team, identifier)?.tag === 'live') return;
    }
    const question = {
      key: `issue ${identifier}`,
      heldSince: () => store.heldSince(commentsOf(identifier)),
      ask: () => this.lookups.issue(identifier, true),
    };
    await freshness.ensureOne(question, () => store.head('issues', team, identifier) !== null);
  }

  /** True for what a mount of one team does not show. */
  isHidden(team: string): boolean {
    const { only } = this.#options;
    return only !== null && only !== team;
  }
}
