/** The stand-in's tables, and how they were some time ago: listings can be made to lag behind. */
import { type Row, type SeedData, TABLE_NAMES, type TableName } from './model.ts';

/** One table: rows by id. */
type Rows<Name extends TableName> = ReadonlyMap<string, Row<Name>>;

/** The tables as a query sees them. */
export type View = { readonly [Name in TableName]: Rows<Name> };

type Tables = { [Name in TableName]: Map<string, Row<Name>> };

interface Step {
  at: number;
  table: TableName;
  id: string;
  before: unknown;
}

/** All of a store but for its tokens, which are in no file; may be structured-cloned. */
export interface StoreState {
  seed: Omit<SeedData, 'tokens'>;
  /** The time of the last change, in ms since the epoch. */
  last: number;
}

export class Store {
  readonly workspace: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly #tables: Tables;
  readonly #steps: Step[] = [];
  #last = 0;

  constructor(seed: SeedData) {
    this.workspace = seed.workspace;
    this.tokens = seed.tokens;
    const entries = TABLE_NAMES.map((name) => [
      name,
      // What was kept by an earlier version has not every table.
      new Map(((seed[name] ?? []) as { id: string }[]).map((row) => [row.id, row])),
    ]);
    this.#tables = Object.fromEntries(entries) as Tables;
  }

  /** The tables as they are. */
  get now(): View {
    return this.#tables;
  }

  /** The tables as they were so many ms ago. */
  before(ms: number): View {
    if (ms <= 0) return this.now;
    const then = Date.now() - ms;
    const copy = Object.fromEntries(
      TABLE_NAMES.map((name) => [name, new Map<string, unknown>(this.#tables[name])]),
    );
    for (const { at, table, id, before } of [...this.#steps].reverse()) {
      if (at <= then) break;
      if (before === undefined) copy[table]?.delete(id);
      else copy[table]?.set(id, before);
    }
    return copy as unknown as View;
  }

  /** The time of a change: no two changes have the same. ISO 8601 with ms. */
  tick(): string {
    this.#last = Math.max(Date.now(), this.#last + 1);
    return new Date(this.#last).toISOString();
  }

  put<Name extends TableName>(table: Name, row: Row<Name>): void {
    const rows: Map<string, Row<Name>> = this.#tables[table];
    this.#steps.push({ at: Date.now(), table, id: row.id, before: rows.get(row.id) });
    rows.set(row.id, row);
  }

  remove(table: TableName, id: string): void {
    this.#steps.push({ at: Date.now(), table, id, before: this.#tables[table].get(id) });
    this.#tables[table].delete(id);
    if (table === 'issues') this.#removeOf(id);
  }

  /** What cannot be without its issue goes with it: the schema says of each that it has one. */
  #removeOf(issueId: string): void {
    for (const { id, ...ends } of [...this.#tables.relations.values()]) {
      if ([ends.issueId, ends.relatedIssueId].includes(issueId)) this.remove('relations', id);
    }
    for (const table of ['attachments', 'notifications'] as const) {
      for (const row of [...this.#tables[table].values()]) {
        if (row.issueId === issueId) this.remove(table, row.id);
      }
    }
  }

  /**
   * By its UUID, or by its identifier such as `ENG-12`: `IssueUpdateInput.parentId` takes both. One
   * that was moved is found by the identifiers that it had before: `Issue.previousIdentifiers`.
   */
  issue(view: View, id: string): Row<'issues'> | undefined {
    const found = view.issues.get(id);
    if (found !== undefined) return found;
    const [key = '', number = ''] = id.split('-');
    for (const issue of view.issues.values()) {
      if (issue.number !== Number(number)) continue;
      if (view.teams.get(issue.teamId)?.key === key.toUpperCase()) return issue;
    }
    for (const issue of view.issues.values()) {
      if (issue.previousIdentifiers.includes(id.toUpperCase())) return issue;
    }
    return undefined;
  }

  identifier(view: View, issue: Row<'issues'>): string {
    return `${view.teams.get(issue.teamId)?.key ?? '?'}-${issue.number}`;
  }

  /** The store that {@link state} was taken of. */
  static of({ seed, last }: StoreState, tokens: SeedData['tokens']): Store {
    const store = new Store({ ...seed, tokens } as SeedData);
    store.#last = last;
    return store;
  }

  state(): StoreState {
    const { tokens: _, ...seed } = this.dump();
    return { seed, last: this.#last };
  }

  dump(): SeedData {
    const tables = TABLE_NAMES.map((name) => [name, [...this.#tables[name].values()]]);
    return {
      workspace: this.workspace,
      tokens: this.tokens,
      ...Object.fromEntries(tables),
    } as SeedData;
  }
}
