/**
 * The limits of a search: GitHub refuses the page that starts past the first 1,000 results,
 * whatever `total_count` says (microsoft/vscode 93983, brekkylab/backlot 144, hub4j/github-api
 * 1094), and gives what it found in time with `incomplete_results: true`
 * (https://docs.github.com/rest/search/search#timeouts-and-incomplete-results).
 *
 * Search over issues and pull requests: words (all must occur in the title or body, or in a
 * comment) and the qualifiers repo, org, user, is, state, type, label, author, assignee, mentions,
 * review-requested, in; `@me` is the viewer.
 * https://docs.github.com/rest/search/search#search-issues-and-pull-requests
 */
import {
  type Call,
  invalid,
  linkHeader,
  pageOf,
  Refusal,
  type Reply,
  type Route,
} from '../http.ts';
import type { Issue } from '../model.ts';
import { commentCounts, renderIssue } from '../render.ts';
import type { Listable, RepositoryState } from '../store.ts';
import { mentions } from './own.ts';

interface Hit {
  repo: RepositoryState;
  issue: Issue;
  view: Listable;
}

type Test = (hit: Hit) => boolean;

const QUALIFIERS: Record<string, (value: string) => Test> = {
  repo: (value) => (hit) => hit.repo.fullName.toLowerCase() === value,
  org: (value) => (hit) => hit.repo.repository.owner.toLowerCase() === value,
  user: (value) => (hit) => hit.repo.repository.owner.toLowerCase() === value,
  state: (value) => (hit) => hit.issue.state === value,
  author: (value) => (hit) => hit.issue.author.toLowerCase() === value,
  assignee: (value) => (hit) => hit.issue.assignees.some((name) => name.toLowerCase() === value),
  mentions: (value) => (hit) => mentions(hit.repo, hit.issue, value),
  'review-requested': (value) => (hit) =>
    hit.issue.pull?.reviewers?.some((name) => name.toLowerCase() === value) === true,
  label: (value) => (hit) => hit.issue.labels.some((name) => name.toLowerCase() === value),
  // None of these repositories is archived.
  archived: (value) => () => value === 'false',
  is: (value) => isTest(value),
  type: (value) => isTest(value),
};

function isTest(value: string): Test {
  if (value === 'pr') return (hit) => hit.issue.pull !== null;
  if (value === 'issue') return (hit) => hit.issue.pull === null;
  if (value === 'merged') return (hit) => Boolean(hit.issue.pull?.mergedAt);
  return (hit) => hit.issue.state === value;
}

function wordTest(word: string, inTitle: boolean): Test {
  return ({ repo, issue, view }) => {
    if (issue.title.toLowerCase().includes(word)) return true;
    if (inTitle) return false;
    if ((issue.body ?? '').toLowerCase().includes(word)) return true;
    return repo.commentsOf(issue.number, view).some((c) => c.body.toLowerCase().includes(word));
  };
}

function testsOf(query: string, viewer: string): Test[] {
  const me = query.replace(/(?<=:)@me\b/g, viewer);
  const terms: readonly string[] = me.toLowerCase().match(/\S*"[^"]*"|\S+/g) ?? [];
  const inTitle = terms.some((term) => term === 'in:title');
  return terms.flatMap((term) => {
    const [, name = '', value = ''] = /^([\w-]+):"?([^"]*)"?$/.exec(term) ?? [];
    const qualifier = Object.hasOwn(QUALIFIERS, name) ? QUALIFIERS[name] : undefined;
    if (qualifier) return [qualifier(value)];
    return name === 'in' ? [] : [wordTest(term.replaceAll('"', ''), inTitle)];
  });
}

function search(call: Call): Reply {
  const query = call.query.get('q') ?? '';
  if (query.trim() === '') {
    throw invalid([{ resource: 'Search', field: 'q', code: 'missing' }]);
  }
  const tests = testsOf(query, call.viewer?.login ?? '');
  const hits: Hit[] = [];
  for (const repo of call.store.repositories.values()) {
    const hidden = repo.repository.private && !isMember(call, repo);
    const view = call.view(repo);
    for (const issue of hidden ? [] : view.issues.values()) {
      const hit = { repo, issue, view };
      if (tests.every((test) => test(hit))) hits.push(hit);
    }
  }
  const field = call.query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const sign = call.query.get('order') === 'asc' ? 1 : -1;
  hits.sort((a, b) => (a.issue[field] < b.issue[field] ? -sign : sign));
  const { searchesMost: most, searchIncomplete } = call.store.given;
  const { page, perPage } = pageOf(call, hits);
  if ((page - 1) * perPage >= most) {
    throw new Refusal(422, 'Only the first 1000 search results are available');
  }
  const { slice, last } = pageOf(call, hits.slice(0, most));
  const items = slice.map(({ repo, issue, view }) => {
    const comments = commentCounts(view).get(issue.number) ?? 0;
    return { ...renderIssue(call, repo, issue, { single: false, comments }), score: 1 };
  });
  const link = linkHeader(call, { page, perPage, last });
  return {
    status: 200,
    body: {
      total_count: hits.length,
      incomplete_results: searchIncomplete,
      search_type: 'lexical',
      items,
    },
    ...(link ? { headers: { link } } : {}),
  };
}

const isMember = (call: Call, repo: RepositoryState): boolean =>
  call.viewer !== null && repo.repository.writers.includes(call.viewer.login);

/** Routes for search. */
export function searchRoutes(): Route[] {
  const docs = 'search/search#search-issues-and-pull-requests';
  return [{ method: 'GET', pattern: '/search/issues', docs, handle: search }];
}
