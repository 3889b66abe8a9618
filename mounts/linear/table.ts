/**
 * Linear as a table of routes. As on GitHub the directory of what belongs to an issue stands beside
 * the issue's file, and both are listed. An archived issue is in no listing and no index, as in
 * Linear's own; by its name it can be read, and brought back with `archived: false`.
 */
import {
  type Content,
  dateOf,
  type Entry,
  HIT_NAME,
  type NamedEntry,
  type Params,
  type ParamType,
  QUERY_NAME,
  type RecordHead,
  type Route,
  renderTemplate,
  tsvEntry,
  UPLOAD_NAME,
} from '../../src/mount/index.ts';
import { NAMED, namesAt } from './names.ts';
import { issueRecord } from './records.ts';
import * as render from './render.ts';
import { linearSearchRoutes } from './search.ts';
import { pathOf, teamIn, teamOf } from './store.ts';
import type { WriteParts } from './sync.ts';
import { states } from './teams.ts';
import { uploadRoutes } from './uploads.ts';
import { commentCreate, commentEdit, commentRemove, issueCreate, issueEdit } from './writes.ts';

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

/** The rows of what is no plain record. */
export function linearRoutes(parts: WriteParts): Route[] {
  return [
    ...issues(parts),
    ...comments(parts),
    ...documentUploads(parts),
    ...parts.sync.mine.routes(),
    ...linearSearchRoutes(parts),
  ];
}

/** Files that a document links to. */
function documentUploads(parts: WriteParts): Route[] {
  const { documents, scope } = parts;
  return uploadRoutes(parts, {
    record: '/documents/:slug',
    needs: ['documents'],
    prepare: (params) => scope(params).ensure(documents),
    texts: (params) => [scope(params).find(documents)?.content ?? ''],
  });
}

function issues(parts: WriteParts): Route[] {
  const { store, sync } = parts;
  const identifier = (params: Params) => params['issue'] ?? '';
  const own = (params: Params) => teamIn(identifier(params)) === teamOf(params);
  const one: Pick<Route, 'needs' | 'prepare' | 'entries' | 'stat' | 'elsewhere'> = {
    needs: ['team', 'issues'],
    prepare: async (params, purpose, eagerness) => {
      if (purpose === 'list') {
        await parts.scope(params).ensure(states);
        return sync.ensureIssues(params, eagerness);
      }
      if (!own(params)) return;
      // The labels of an issue are ids until the team's are known.
      await parts.scope(params).ensure(states);
      await sync.ensureIssue(params, eagerness);
    },
    entries: (params) => store.heads('issues', teamOf(params), 'live').map(entryOf),
    stat: (params) => {
      const found = own(params) ? store.head('issues', teamOf(params), identifier(params)) : null;
      return found === null ? null : entryOf(found);
    },
    elsewhere: (params) => {
      const moved = store.movedTo(identifier(params));
      if (moved === null) return null;
      const place = `it was moved to another team and is ${moved} there`;
      return sync.isHidden(teamIn(moved))
        ? `${place}, which this mount does not show`
        : `${place}: ${pathOf(moved)}.md of this mount`;
    },
  };
  return [
    { pattern: ISSUES, type: 'directory', about: 'issues that are not archived' },
    {
      pattern: `${ISSUES}/index.tsv`,
      type: 'file',
      about: 'one line each: identifier, state, title, labels, assignee, priority, updated',
      needs: ['team', 'issues'],
      stat: (params) => tsvEntry(store.heads('issues', teamOf(params), 'live')),
      read: (params) => render.indexContent(parts, teamOf(params)),
    },
    newIssue(parts),
    ...triage(parts),
    {
      pattern: `${ISSUES}/:issue.md`,
      type: 'file',
      about: 'an issue',
      document: true,
      ...one,
      read: (params) => render.issueContent(parts, identifier(params)),
      edit: issueEdit(parts),
      removeHint: 'close it with a state of type completed or canceled, or write `archived: true`',
    },
    { pattern: `${ISSUES}/:issue`, type: 'directory', about: 'what belongs to it', ...one },
    {
      pattern: `${ISSUES}/:issue/attachments.tsv`,
      type: 'file',
      about: 'what is attached to it, pull requests among others: title, source, status, url',
      readOnly: 'what is attached is linked in Linear, or by a pull request that names the issue',
      where: (params) => store.attachments(identifier(params)).length > 0,
      prepare: async (params, purpose, eagerness) => one.prepare?.(params, purpose, eagerness),
      stat: (params) => {
        const found = store.attachments(identifier(params));
        return found.length === 0 ? null : tsvEntry(found.map(({ record }) => record));
      },
      read: (params) => render.attachmentsContent(store, identifier(params)),
    },
    ...uploadRoutes(parts, {
      record: `${ISSUES}/:issue`,
      needs: ['team', 'issues'],
      prepare: async (params, purpose, eagerness) => one.prepare?.(params, purpose, eagerness),
      texts: (params) => {
        const found = store.issue(identifier(params))?.issue;
        if (found === undefined) return [];
        const said = store.comments(identifier(params)).map(({ comment }) => comment.body);
        return [found.description ?? '', ...said];
      },
    }),
    {
      pattern: `${ISSUES}/:issue/thread.md`,
      type: 'file',
      about: 'the issue with its comments, oldest first; read-only',
      readOnly:
        'it is made of the issue and its comments: write those, and comments/new.md to add one',
      hidden: true,
      prepare: async (params, purpose, eagerness) => one.prepare?.(params, purpose, eagerness),
      read: (params) => render.threadContent(parts, identifier(params)),
    },
  ];
}

/** The inbox of a team that has one: links, since an issue leaves it by its state. */
function triage(parts: WriteParts): Route[] {
  const top = `${TEAM}/triage`;
  const waiting = (params: Params) => render.inTriage(parts, teamOf(params));
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
      entries: (params) => waiting(params).map(({ record }) => entryOf(record)),
      stat: (params) => {
        const found = waiting(params).find(({ record }) => record.key === params['issue']);
        return found === undefined ? null : entryOf(found.record);
      },
      target: (params) => `${ISSUES.replace(':team', teamOf(params))}/${params['issue']}.md`,
    },
  ];
}

function newIssue(parts: WriteParts): Route {
  return {
    pattern: `${ISSUES}/new.md`,
    type: 'file',
    about: 'write here to make an issue; reading gives a template',
    hidden: true,
    prepare: async (params, purpose) => {
      if (purpose !== 'read') return;
      for (const of of NAMED) await parts.scope(params).ensure(of);
    },
    read: (params) => template(renderTemplate(issueRecord, namesAt(parts.scope(params)))),
    create: issueCreate(parts),
  };
}

function comments(parts: WriteParts): Route[] {
  const { store, sync } = parts;
  const place = (params: Params) => [params['issue'] ?? '', params['id'] ?? ''] as const;
  const top = `${ISSUES}/:issue/comments`;
  return [
    { pattern: top, type: 'directory', about: 'its comments' },
    {
      pattern: `${top}/new.md`,
      type: 'file',
      about: 'write the text of a new comment here',
      hidden: true,
      prepare: (params, _purpose, eagerness) => sync.ensureIssue(params, eagerness),
      read: () => template(''),
      create: commentCreate(parts),
    },
    {
      pattern: `${top}/:id.md`,
      type: 'file',
      about: 'a comment',
      document: true,
      needs: ['issues'],
      prepare: (params, _purpose, eagerness) => sync.ensureIssue(params, eagerness),
      entries: (params) =>
        store.heads('comments', teamOf(params), params['issue'] ?? '').map(entryOf),
      stat: (params) => {
        const found = store.head('comments', teamOf(params), params['id'] ?? '');
        return found !== null && found.tag === params['issue'] ? entryOf(found) : null;
      },
      read: (params) => render.commentContent(store, ...place(params)),
      edit: commentEdit(parts),
      remove: commentRemove(parts),
    },
  ];
}

function template(text: string): Content {
  // A template is nobody's record: it has no time and no version of its own.
  return { text, version: '', mtime: new Date(0) };
}

function entryOf(record: RecordHead): NamedEntry & Entry {
  return {
    name: record.key,
    size: record.size,
    mtime: dateOf(record.updatedAt),
    version: record.version,
  };
}
