/** What a service finds among the records of a resource: a directory a question, with links to the records. */
import type { Freshness } from '../reading/freshness.ts';
import { type HitList, LinkedListings, nameOfQuery, queryOf } from '../reading/linked-listings.ts';
import type { Params, Route } from '../table/route.ts';
import type { Scope } from './definition.ts';
import { paramsOf } from './paths.ts';
import type { Finding } from './questions.ts';
import type { Records } from './records.ts';
import type { Syncing } from './syncing.ts';

export interface FindingsOptions {
  records: Records;
  syncing: Syncing<unknown>;
  freshness: Freshness;
  now: () => Date;
}

export class Findings {
  readonly #options: FindingsOptions;

  constructor(options: FindingsOptions) {
    this.#options = options;
  }

  /** The rows of one kind of finding. The service's parameters have `query` and `hit` for it. */
  rows(finding: Finding<unknown, unknown>): Route[] {
    const { freshness, records, now, syncing } = this.#options;
    const place = paramsOf(finding.path);
    const listings = new LinkedListings({
      store: records.store,
      freshness,
      now,
      kind: `found in ${finding.path}`,
      columns: finding.columns,
      ask: (key) => {
        const values = JSON.parse(key) as string[];
        const params = Object.fromEntries(place.map((name, index) => [name, values[index] ?? '']));
        return this.#find(finding, params, values.at(-1) ?? '');
      },
    });
    const keyOf = (params: Params) =>
      JSON.stringify([...place.map((name) => params[name]), queryOf(params['query'] ?? '')]);
    const chain = syncing.chain(finding.path, finding.of).filter((one) => one !== finding.of);
    const directory = `${finding.path}/:query`;
    const isHere = (key: string, params: Params): boolean => {
      const values = JSON.parse(key) as string[];
      return place.every((name, index) => values[index] === params[name]);
    };
    const found = listings.routes(directory, finding.about, keyOf).map((route): Route => {
      const { prepare } = route;
      return {
        ...route,
        prepare: async (params, purpose, eagerness) => {
          await syncing.ensure(chain, params, eagerness);
          await prepare?.(params, purpose, eagerness);
        },
      };
    });
    return [
      { pattern: finding.path, type: 'directory', about: finding.about },
      {
        pattern: directory,
        type: 'directory',
        about: 'what was found; the questions of the last hour are listed',
        costly: (params) => !listings.isFresh(keyOf(params)),
        listed: () => true,
        prepare: async () => undefined,
        entries: (params) =>
          listings
            .asked()
            .filter(({ key }) => isHere(key, params))
            .map(({ key, mtime }) => {
              const query = (JSON.parse(key) as string[]).at(-1) ?? '';
              return { name: nameOfQuery(query), size: 1, mtime };
            }),
        stat: () => ({ size: 1, mtime: new Date(0) }),
        removeHint: 'what was searched for is listed for an hour, and costs nothing meanwhile',
      },
      ...found,
    ];
  }

  async #find(finding: Finding<unknown, unknown>, params: Params, query: string): Promise<HitList> {
    const { records, syncing } = this.#options;
    const { of } = finding;
    const got = await finding.find(query, syncing.scope(params) as Scope<never>);
    const hits = got.rows.map((row) => {
      const put = records.put(of, params, row, 'lookup');
      const value = put?.value ?? row;
      const path = records.pathOf(of, params, value);
      const name = path.slice(path.lastIndexOf('/') + 1);
      return { name, path, updatedAt: put?.updatedAt ?? '', cells: finding.row(value) };
    });
    return { hits, shortfall: got.lacking ?? null };
  }
}
