/**
 * Linear as a table of routes. As on GitHub the directory of what belongs to an issue stands beside
 * the issue's file, and both are listed. An archived issue is in no listing and no index, as in
 * Linear's own; by its name it can be read, and brought back with `archived: false`.
 */
import {
  type Params,
  type ParamType,
  type Route,
  tsvContent,
  tsvEntry,
} from '../../src/mount/index.ts';
import type { SyncOptions } from './parts.ts';

export const PARAMS: Readonly<Record<string, ParamType>> = {
  team: { matches: /^[A-Z][A-Z0-9]{0,15}$/, example: 'ENG' },
  issue: { matches: /^[A-Z][A-Z0-9]{0,15}-[1-9]\d{0,9}$/, example: 'ENG-12' },
  id: {
    matches: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    example: '3f6c2a10-5b7e-4c1d-9a2f-0d1e2f3a4b5c',
  },
  slug: { matches: /^[0-9a-z]{4,32}$/, example: '1a2b3c4d5e6f' },
  number: { matches: /^[1-9]\d{0,9}$/, example: '12' },
};

/** Of a mount that shows one team: nothing else is a team, or an issue, in its paths. */
export function paramsOf(only: string | null): Readonly<Record<string, ParamType>> {
  if (only === null) return PARAMS;
  const team = { matches: new RegExp(`^${only}$`), example: only };
  const issue = { matches: new RegExp(`^${only}-[1-9]\\d{0,9}$`), example: `${only}-12` };
  return { ...PARAMS, team, issue };
}

const ISSUES = '/teams/:team/issues';

/** What is attached to an issue. */
export function linearRoutes({ store, scope, issues }: SyncOptions): Route[] {
  const attached = (params: Params) => store.attachments(params['issue'] ?? '');
  const records = (params: Params) => attached(params).map(({ record }) => record);
  return [
    {
      pattern: `${ISSUES}/:issue/attachments.tsv`,
      type: 'file',
      about: 'what is attached to it, pull requests among others: title, source, status, url',
      readOnly: 'what is attached is linked in Linear, or by a pull request that names the issue',
      where: (params) => attached(params).length > 0,
      prepare: (params) => scope(params).ensure(issues),
      stat: (params) => (attached(params).length === 0 ? null : tsvEntry(records(params))),
      // Which state there is depends on the source; many have none.
      read: (params) => {
        const rows = attached(params).map(({ attachment: one }) =>
          [
            one.title,
            one.sourceType,
            one.metadata.status,
            one.url,
            one.subtitle,
            one.createdAt,
          ].map((cell) => cell ?? ''),
        );
        const columns = ['title', 'source', 'status', 'url', 'subtitle', 'created'];
        return rows.length === 0 ? null : tsvContent(columns, rows, records(params));
      },
    },
  ];
}
