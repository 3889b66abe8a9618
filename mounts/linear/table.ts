/**
 * Linear as a table of routes. As on GitHub the directory of what belongs to an issue stands beside
 * the issue's file, and both are listed. An archived issue is in no listing and no index, as in
 * Linear's own; by its name it can be read, and brought back with `archived: false`.
 */
import {
  HIT_NAME,
  type Params,
  type ParamType,
  QUERY_NAME,
  type Route,
  recordEntry,
  tsvContent,
  tsvEntry,
  UPLOAD_NAME,
} from '../../src/mount/index.ts';
import { commentsOf } from './issues.ts';
import type { SyncOptions } from './parts.ts';
import { linearSearchRoutes } from './search.ts';
import { teamOf } from './store.ts';
import type { LinearSync } from './sync.ts';
import { states } from './teams.ts';
import { uploadRoutes } from './uploads.ts';

export const PARAMS: Readonly<Record<string, ParamType>> = {
  team: { matches: /^[A-Z][A-Z0-9]{0,15}$/, example: 'ENG' },
  issue: { matches: /^[A-Z][A-Z0-9]{0,15}-[1-9]\d{0,9}$/, example: 'ENG-12' },
  id: {
    matches: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    example: '3f6c2a10-5b7e-4c1d-9a2f-0d1e2f3a4b5c',
  },
  slug: { matches: /^[0-9a-z]{4,32}$/, example: '1a2b3c4d5e6f' },
  number: { matches: /^[1-9]\d{0,9}$/, example: '12' },
  hit: HIT_NAME,
  file: UPLOAD_NAME,
  query: QUERY_NAME,
};

/** Of a mount that shows one team: nothing else is a team, or an issue, in its paths. */
export function paramsOf(only: string | null): Readonly<Record<string, ParamType>> {
  if (only === null) return PARAMS;
  const team = { matches: new RegExp(`^${only}$`), example: only };
  const issue = { matches: new RegExp(`^${only}-[1-9]\\d{0,9}$`), example: `${only}-12` };
  return { ...PARAMS, team, issue };
}

const TEAM = '/teams/:team';
const ISSUES = `${TEAM}/issues`;

interface TableParts extends SyncOptions {
  sync: LinearSync;
}

/** The rows of what is no plain record. */
export function linearRoutes(parts: TableParts): Route[] {
  return [
    ...attachments(parts),
    ...triage(parts),
    ...documentUploads(parts),
    ...parts.sync.mine.routes(),
    ...linearSearchRoutes(parts),
  ];
}

/** Files that a document links to. */
function documentUploads(parts: TableParts): Route[] {
  const { documents, scope } = parts;
  return uploadRoutes(parts, {
    record: '/documents/:slug',
    needs: ['documents'],
    prepare: (params) => scope(params).ensure(documents),
    texts: (params) => [scope(params).find(documents)?.content ?? ''],
  });
}

/** What is attached to an issue, and the files that its texts link to. */
function attachments({ client, store, issues, scope }: TableParts): Route[] {
  const identifier = (params: Params) => params['issue'] ?? '';
  const prepare = (params: Params) => scope(params).ensure(issues);
  const attached = (params: Params) => store.attachments(identifier(params));
  const records = (params: Params) => attached(params).map(({ record }) => record);
  return [
    {
      pattern: `${ISSUES}/:issue/attachments.tsv`,
      type: 'file',
      about: 'what is attached to it, pull requests among others: title, source, status, url',
      readOnly: 'what is attached is linked in Linear, or by a pull request that names the issue',
      where: (params) => attached(params).length > 0,
      prepare,
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
    ...uploadRoutes(
      { client, store },
      {
        record: `${ISSUES}/:issue`,
        needs: ['team', 'issues'],
        prepare,
        texts: (params) => {
          const place = scope(params);
          const issue = place.find(issues);
          if (issue === null) return [];
          return [issue.description ?? '', ...commentsOf(place).map(({ body }) => body)];
        },
      },
    ),
  ];
}

/** The inbox of a team that has one: links, since an issue leaves it by its state. */
function triage(parts: TableParts): Route[] {
  const top = `${TEAM}/triage`;
  const { store, scope } = parts;
  const waiting = (params: Params) => {
    const all = scope(params).all(states);
    const inTriage = new Set(all.filter(({ type }) => type === 'triage').map(({ id }) => id));
    return store.issues(teamOf(params)).filter(({ issue }) => inTriage.has(issue.state.id));
  };
  const hasTriage = (params: Params) =>
    parts.scope(params).find(parts.teams)?.triageEnabled === true;
  return [
    {
      pattern: top,
      type: 'directory',
      about: 'links to the issues that wait for triage; giving one another state takes it out',
      needs: ['team'],
      where: hasTriage,
      stat: (params) => (hasTriage(params) ? { size: 1, mtime: new Date(0) } : null),
    },
    {
      pattern: `${top}/:issue.md`,
      type: 'file',
      about: 'a link to an issue',
      needs: ['team', 'issues'],
      readOnly: 'it leads to the issue: write that one',
      entries: (params) => waiting(params).map(({ record }) => recordEntry(record)),
      stat: (params) => {
        const found = waiting(params).find(({ record }) => record.key === params['issue']);
        return found === undefined ? null : recordEntry(found.record);
      },
      target: (params) => `${ISSUES.replace(':team', teamOf(params))}/${params['issue']}.md`,
    },
  ];
}
