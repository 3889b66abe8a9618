/**
 * GitHub as a table of routes.
 *
 * Beside `issues/12.md` stands the directory `issues/12/`, and both are listed:
 * a comment that no listing shows is one that `grep -r` and `find` never meet,
 * and a directory that came and went with its first comment would make a path
 * depend on what somebody wrote. Whoever wants a short list reads `index.tsv`.
 */
import {
  type Params,
  type ParamType,
  type Route,
  recordEntry,
  renderTemplate,
  tsvEntry,
} from '../../src/mount/index.ts';
import { attachmentRoutes } from './attachments.ts';
import { fileRoutes } from './file-routes.ts';
import { pullTextRoutes } from './of-pulls.ts';
import { issueRecord } from './records.ts';
import * as render from './render.ts';
import { repositoryRoutes } from './repositories.ts';
import { reviewRoutes } from './reviews.ts';
import { type RepoName, repoOf } from './store.ts';
import {
  commentCreate,
  commentEdit,
  commentRemove,
  issueCreate,
  issueEdit,
  names,
  type WriteParts,
} from './writes.ts';

export const PARAMS: Readonly<Record<string, ParamType>> = {
  // GitHub keeps the name for its own page.
  owner: {
    matches: /^(?!search$)[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$/,
    example: 'octocat',
    caseless: true,
  },
  // No repository is called `.gitignore` or `x.git`, and rg looks for such names everywhere.
  repo: {
    matches: /^(?!\.{1,2}$)(?!\.(?:git|rg|fd)?ignore$)(?!.*\.git$)[A-Za-z0-9._-]+$/,
    example: 'hello-world',
    caseless: true,
  },
  number: { matches: /^[1-9]\d{0,9}$/, example: '12' },
  path: { matches: /^(?!\.{1,2}$)[^/\0]+$/, example: 'src' },
  tag: { matches: /^[^/\0]+$/, example: 'v1.0' },
  id: { matches: /^[1-9]\d{0,18}$/, example: '345' },
};

const REPO = '/:owner/:repo';

/** Every row. `only`: the one repository to show. */
export function githubRoutes(parts: WriteParts, only: RepoName | null): Route[] {
  return [
    ...repositoryRoutes(parts.sync.repositories, parts.store, only),
    ...issuesOf(parts, 'issue'),
    ...issuesOf(parts, 'pull'),
    ...fileRoutes(parts.sync.commitParts, parts.sync, `${REPO}/files`),
    ...pullTextRoutes(parts, `${REPO}/pulls`),
    ...reviewRoutes(parts, `${REPO}/pulls`),
  ];
}

/** Issues and pull requests look the same; only issues can be made here. */
function issuesOf(parts: WriteParts, kind: 'issue' | 'pull'): Route[] {
  const { store, sync } = parts;
  const top = `${REPO}/${kind === 'pull' ? 'pulls' : 'issues'}`;
  const what = kind === 'pull' ? 'pull request' : 'issue';
  const heads = (params: Params) => store.heads('issues', repoOf(params), kind);
  const number = (params: Params) => params['number'] ?? '';
  const elsewhere = (params: Params): string | null => {
    const found = store.head('issues', repoOf(params), number(params));
    if (found === null) return store.goneNote(repoOf(params), number(params));
    if (found.tag === kind) return null;
    const [isWhat, below] = kind === 'issue' ? ['a pull request', 'pulls'] : ['an issue', 'issues'];
    return `#${number(params)} is ${isWhat}: see ${below}/${number(params)}.md`;
  };
  const one: Pick<Route, 'needs' | 'prepare' | 'entries' | 'stat' | 'elsewhere'> = {
    needs: ['issues'],
    elsewhere,
    prepare: (params, purpose, eagerness) =>
      purpose === 'list'
        ? sync.ensure('issues', params, eagerness)
        : sync.ensureIssue(params, kind, eagerness),
    entries: (params) => heads(params).map(recordEntry),
    stat: (params) => {
      const found = store.head('issues', repoOf(params), number(params));
      return found?.tag === kind ? recordEntry(found) : null;
    },
  };
  return [
    { pattern: top, type: 'directory', about: `${what}s` },
    {
      pattern: `${top}/index.tsv`,
      type: 'file',
      about: 'one line each: number, state, title, labels, assignees, updated',
      needs: ['issues'],
      stat: (params) => tsvEntry(heads(params)),
      read: (params) => render.indexContent(store, repoOf(params), kind),
    },
    ...(kind === 'pull' ? [] : [newIssue(parts, top)]),
    {
      pattern: `${top}/:number.md`,
      type: 'file',
      about: `an ${what}`.replace('an pull', 'a pull'),
      document: true,
      ...one,
      read: (params) => render.issueContent(store, repoOf(params), number(params), kind),
      edit: issueEdit(parts, kind),
      removeHint: `GitHub does not delete it: close it by writing \`state: closed\``,
    },
    { pattern: `${top}/:number`, type: 'directory', about: 'what belongs to it', ...one },
    {
      pattern: `${top}/:number/thread.md`,
      type: 'file',
      about: `the ${what} with its comments, oldest first; read-only`,
      readOnly:
        'it is made of the issue and its comments: write those, and comments/new.md to add one',
      hidden: true,
      elsewhere,
      prepare: async (params, purpose, eagerness) => {
        await sync.ensureIssue(params, kind, eagerness);
        if (purpose === 'read') await sync.ensureComments(params, eagerness);
      },
      read: (params) => render.threadContent(store, repoOf(params), number(params), kind),
    },
    ...comments(parts, top, kind),
    ...attachmentRoutes(parts, top, kind),
  ];
}

function newIssue(parts: WriteParts, top: string): Route {
  const { scope } = parts;
  return {
    pattern: `${top}/new.md`,
    type: 'file',
    about: 'write here to make an issue; reading gives a template',
    hidden: true,
    prepare: async (params, purpose) => {
      if (purpose !== 'read') return;
      const at = scope(params);
      await Promise.all(names.offers.map((of) => at.ensure(of)));
    },
    read: (params) => template(renderTemplate(issueRecord.type, names.allowed(scope(params)))),
    create: issueCreate(parts),
  };
}

function comments(parts: WriteParts, top: string, kind: 'issue' | 'pull'): Route[] {
  const { store, sync } = parts;
  const place = (params: Params) =>
    [repoOf(params), params['number'] ?? '', params['id'] ?? ''] as const;
  return [
    {
      pattern: `${top}/:number/comments`,
      type: 'directory',
      about: kind === 'issue' ? 'its comments' : 'its comments; those on lines are in reviews/',
      costly: (params) => sync.short.has(repoOf(params), params['number'] ?? ''),
    },
    {
      pattern: `${top}/:number/comments/new.md`,
      type: 'file',
      about: 'write the text of a new comment here',
      hidden: true,
      read: () => template(''),
      create: commentCreate(parts),
    },
    {
      pattern: `${top}/:number/comments/:id.md`,
      type: 'file',
      about: 'a comment',
      document: true,
      needs: ['issues', 'comments'],
      prepare: (params, purpose, eagerness) =>
        purpose === 'list' ? sync.ensureComments(params, 'cover') : commentOf(params, eagerness),
      entries: (params) => {
        const [name, number] = place(params);
        return store.heads('comments', name, number).map(recordEntry);
      },
      stat: (params) => {
        const [name, number, id] = place(params);
        const found = store.head('comments', name, id);
        return found?.tag === number && isKind(params) ? recordEntry(found) : null;
      },
      read: (params) => (isKind(params) ? render.commentContent(store, ...place(params)) : null),
      edit: commentEdit(parts),
      remove: commentRemove(parts),
    },
  ];

  async function commentOf(
    params: Params,
    eagerness: 'prefetch' | 'list' | 'cover',
  ): Promise<void> {
    await sync.ensureComment(params);
    // Whether the number is an issue or a pull request is not the comment's to say.
    if (store.head('issues', repoOf(params), params['number'] ?? '') === null) {
      await sync.ensureIssue(params, kind, eagerness);
    }
  }

  function isKind(params: Params): boolean {
    const [name, number] = place(params);
    return store.head('issues', name, number)?.tag === kind;
  }
}

function template(text: string) {
  // A template is nobody's record: it has no time and no version of its own.
  return { text, version: '', mtime: new Date(0) };
}
