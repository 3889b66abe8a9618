/** Bringing issues in step with Linear: in bulk where a listing is wanted, singly where one is named. */
import {
  type Collection,
  type Eagerness,
  type Params,
  Singles,
  type StoredRecord,
  type Upkeep,
} from '../../src/mount/index.ts';
import { IssueSync } from './issue-sync.ts';
import type { MadeIssue } from './issues.ts';
import { LinearLookups } from './lookups.ts';
import type { SyncOptions } from './parts.ts';
import { commentSchema, expectShape, issueSchema, relationSchema } from './schemas.ts';
import { collection, commentsOf, type LinearStore, teamIn, teamOf } from './store.ts';

export class LinearSync {
  /** Questions for one thing. */
  readonly lookups: LinearLookups;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly #options: SyncOptions;
  readonly #singles: Singles;

  constructor(options: SyncOptions) {
    this.#options = options;
    const { client, store, now, only } = options;
    this.lookups = new LinearLookups(client, store, only);
    this.#singles = new Singles(now);
    const issues = new IssueSync({ ...options, lookups: this.lookups });
    this.collections = {
      issues: {
        scope: ['team'],
        narrowedBy: 'issue',
        heldSince: (params) => store.heldSince(collection('issues', teamOf(params))),
        sync: (params) => issues.run(teamOf(params)),
      },
    };
  }

  /** How issues and comments are kept: the two are asked for together. */
  get upkeep(): Readonly<Record<string, Upkeep>> {
    const { store } = this.#options;
    const ensure: Upkeep['ensure'] = async (params, eagerness) => {
      const { issue } = params;
      if (issue === undefined) await this.#ensureIssues(params, eagerness);
      else if (teamIn(issue) === teamOf(params)) await this.#ensureIssue(params, eagerness);
    };
    const at = ({ issue = '', id = '' }: Params) => [issue, id] as const;
    return {
      issues: {
        collection: 'issues',
        ensure,
        look: (params) => this.lookups.issue(at(params)[0], false),
        put: (params, raw) => storedIssue(store, params, raw as MadeIssue),
      },
      comments: {
        collection: 'issues',
        ensure,
        look: (params) => this.lookups.comment(...at(params)),
        put: (_params, raw) => {
          const made = expectShape(commentSchema, raw, 'the comment that was written');
          store.putComment(made, 'write');
          return store.comment(made.issue?.identifier ?? '', made.id)?.record ?? null;
        },
      },
    };
  }

  /** Brings the issues of a team in step. Throws ServiceFailure. */
  async #ensureIssues(params: Params, eagerness: Eagerness): Promise<void> {
    await this.#options.freshness.ensureCollection(this.collections, 'issues', params, eagerness);
  }

  /** Brings the named issue in step, with its comments: one request at most where no listing is held. */
  async #ensureIssue(params: Params, eagerness: Eagerness): Promise<void> {
    const { store, freshness } = this.#options;
    const team = teamOf(params);
    const identifier = params['issue'] ?? '';
    const held = store.head('issues', team, identifier);
    const listed = store.heldSince(collection('issues', team)) !== null;
    // While the whole is under way, or has failed, the one that is named does not wait for it.
    const isBegun = store.replica.underWay.get(store.mount, collection('issues', team)) !== null;
    const isMany = held === null && this.#singles.isMany(team, identifier);
    if (listed || (isMany && !isBegun)) {
      const isWhole = await freshness.isBroughtInTime(() => this.#ensureIssues(params, eagerness));
      if (isWhole && store.head('issues', team, identifier)?.tag === 'live') return;
    }
    const question = {
      key: `issue ${identifier}`,
      heldSince: () => store.heldSince(commentsOf(identifier)),
      ask: () => this.lookups.issue(identifier, true),
    };
    await freshness.ensureOne(question, () => store.head('issues', team, identifier) !== null);
  }
}

/** Stores what a write of an issue made. */
function storedIssue(
  store: LinearStore,
  { issue: identifier = '' }: Params,
  { issue, relations = [] }: MadeIssue,
): StoredRecord | null {
  for (const one of relations) {
    if ('issueRelation' in one) store.putRelation(relationSchema.parse(one.issueRelation), 'write');
    else store.deletedRelation(String(one.entityId));
  }
  if (issue === undefined) return store.issue(identifier)?.record ?? null;
  const made = expectShape(issueSchema, issue, 'the issue that was written');
  store.putIssue(made, 'write');
  return store.issue(made.identifier)?.record ?? null;
}
