import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GithubStandIn, startGithubStandIn } from './index.ts';
import { VISITOR_TOKEN } from './seed.ts';

const quay = { owner: 'harbor', repo: 'quay' };
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/** Octokit as the mount uses it; its log is off, since refusals are what the tests are about. */
function octokitFor(github: GithubStandIn, token: string = github.token): Octokit {
  return new Octokit({
    auth: token,
    baseUrl: github.url,
    log: { ...silent, error: () => undefined },
  });
}

async function refusal(promise: Promise<unknown>) {
  const error: unknown = await promise.then(
    () => {
      throw new Error('expected a refusal');
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error) || !('status' in error) || !('response' in error)) throw error;
  const response = error.response as {
    data: Record<string, unknown>;
    headers: Record<string, string>;
  };
  return { status: error.status, data: response?.data, headers: response?.headers };
}

describe('the GitHub stand-in', () => {
  let github: GithubStandIn;
  let octokit: Octokit;
  beforeAll(async () => {
    github = await startGithubStandIn();
    octokit = octokitFor(github);
  });
  beforeEach(async () => {
    await github.clearFaults();
    await github.resetRequests();
  });
  afterAll(() => github.close());

  it('lists issues and pull requests together, page by page', async () => {
    const all = await octokit.paginate(octokit.rest.issues.listForRepo, {
      ...quay,
      state: 'all',
      per_page: 100,
    });
    expect(all).toHaveLength(200);
    expect(all.filter((issue) => issue.pull_request)).toHaveLength(50);
    expect(all.filter((issue) => issue.draft).length).toBeGreaterThan(0);
    expect(all.map(({ number }) => number)).toEqual(
      [...all].sort((a, b) => (a.created_at < b.created_at ? 1 : -1)).map(({ number }) => number),
    );
    const log = await github.requests();
    expect(log.map(({ url }) => url.split('?')[0])).toEqual([
      '/repos/harbor/quay/issues',
      '/repositories/610001/issues',
    ]);
    const small = await octokit.rest.issues.listForRepo({ ...quay, state: 'all', page: 2 });
    expect(small.data).toHaveLength(30);
    expect(small.headers.link).toMatch(/rel="prev".*rel="next".*rel="last".*rel="first"/);
  });

  it('lists all comments of a repository in two orders', async () => {
    const comments = await octokit.paginate(octokit.rest.issues.listCommentsForRepo, {
      ...quay,
      per_page: 100,
    });
    expect(comments).toHaveLength(600);
    const ids = comments.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const newest = await octokit.rest.issues.listCommentsForRepo({
      ...quay,
      sort: 'updated',
      direction: 'desc',
      per_page: 5,
    });
    expect(newest.data[0]?.id).toBe(ids.at(-1));
    const since = comments[589]?.updated_at ?? '';
    const late = await octokit.rest.issues.listCommentsForRepo({ ...quay, since });
    expect(late.data.map(({ id }) => id)).toEqual(ids.slice(589));
  });

  it('filters by state, labels, assignee and milestone', async () => {
    const list = (extra: object) =>
      octokit.paginate(octokit.rest.issues.listForRepo, { ...quay, per_page: 100, ...extra });
    const [open, closed] = [await list({}), await list({ state: 'closed' })];
    expect(open.length + closed.length).toBe(200);
    const labels = 'Incident,area/webhooks';
    const incidents = await list({ state: 'all', labels });
    expect(incidents.length).toBeGreaterThan(2);
    const none = await list({ state: 'all', assignee: 'none', milestone: '*' });
    expect(none.every((issue) => issue.milestone && issue.assignees?.length === 0)).toBe(true);
    expect((await refusal(list({ state: 'pending' }))).status).toBe(422);
  });

  it('answers 304 to a validator that holds, without counting it', async () => {
    const first = await octokit.rest.issues.listForRepo(quay);
    const { etag } = first.headers;
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/);
    const used = Number(first.headers['x-ratelimit-used']);
    const headers = { 'if-none-match': etag };
    const again = await refusal(octokit.rest.issues.listForRepo({ ...quay, headers }));
    expect(again.status).toBe(304);
    expect(Number(again.headers['x-ratelimit-used'])).toBe(used);
    await github.edit({ op: 'add-comment', ...quay, number: 200, body: 'changes the listing' });
    await github.edit({ op: 'edit-issue', ...quay, number: 199, fields: { title: 'Renamed' } });
    const changed = await octokit.rest.issues.listForRepo({ ...quay, headers });
    expect(changed.status).toBe(200);
    expect(Number(changed.headers['x-ratelimit-used'])).toBe(used + 1);
    const one = await octokit.rest.issues.get({ ...quay, issue_number: 1 });
    const since = { 'if-modified-since': one.headers['last-modified'] };
    const still = octokit.rest.issues.get({ ...quay, issue_number: 1, headers: since });
    expect((await refusal(still)).status).toBe(304);
    expect((await github.counters()).notModified).toBe(2);
    expect((await github.requests()).filter(({ conditional }) => conditional)).toHaveLength(3);
  });

  it('moves updated_at and the count with a comment, and since finds it', async () => {
    const before = await octokit.rest.issues.get({ ...quay, issue_number: 3 });
    const comment = await octokit.rest.issues.createComment({
      ...quay,
      issue_number: 3,
      body: 'One more detail.',
    });
    const after = await octokit.rest.issues.get({ ...quay, issue_number: 3 });
    expect(after.data.comments).toBe(before.data.comments + 1);
    expect(after.data.updated_at > before.data.updated_at).toBe(true);
    const since = comment.data.created_at;
    const found = await octokit.rest.issues.listForRepo({ ...quay, state: 'all', since });
    expect(found.data.map(({ number }) => number)).toContain(3);
    await octokit.rest.issues.updateComment({ ...quay, comment_id: comment.data.id, body: 'Two.' });
    const gone = { ...quay, comment_id: comment.data.id };
    expect((await octokit.rest.issues.deleteComment(gone)).status).toBe(204);
    expect((await refusal(octokit.rest.issues.getComment(gone))).status).toBe(404);
    const end = await octokit.rest.issues.get({ ...quay, issue_number: 3 });
    expect(end.data.comments).toBe(before.data.comments);
  });

  it('creates, edits and closes an issue', async () => {
    const { data } = await octokit.rest.issues.create({
      ...quay,
      title: 'Worker forgets its name',
      body: 'Since the update.',
      labels: ['bug', 'new label'],
      assignees: ['priya-raman'],
      milestone: 3,
    });
    expect(data).toMatchObject({ number: 201, state: 'open', user: { login: 'mara-lindqvist' } });
    const label = await octokit.rest.issues.getLabel({ ...quay, name: 'new label' });
    expect(label.data).toMatchObject({ color: 'ededed', description: null });
    const edit = { ...quay, issue_number: data.number };
    const closed = await octokit.rest.issues.update({
      ...edit,
      state: 'closed',
      state_reason: 'not_planned',
    });
    expect(closed.data).toMatchObject({
      state: 'closed',
      state_reason: 'not_planned',
      body: 'Since the update.',
    });
    const same = await octokit.rest.issues.update({ ...edit, title: 'Worker forgets its name' });
    expect(same.data.updated_at).toBe(closed.data.updated_at);
    const reopened = await octokit.rest.issues.update({ ...edit, state: 'open' });
    expect(reopened.data).toMatchObject({ state_reason: 'reopened', closed_at: null });
  });

  it('refuses as the service does: 401, 404, 410, 422', async () => {
    const wrong = await refusal(octokitFor(github, 'nonsense').rest.issues.listForRepo(quay));
    expect(wrong.data).toEqual({
      message: 'Bad credentials',
      documentation_url: 'https://docs.github.com/rest',
      status: '401',
    });
    const missing = await refusal(octokit.rest.issues.get({ ...quay, issue_number: 9999 }));
    expect(missing.data).toEqual({
      message: 'Not Found',
      documentation_url: 'https://docs.github.com/rest/issues/issues#get-an-issue',
      status: '404',
    });
    const listed = (await octokit.rest.issues.listForRepo({ ...quay, page: 2 })).data;
    const doomed = listed.find((issue) => !issue.pull_request)?.number ?? 0;
    await github.edit({ op: 'delete-issue', ...quay, number: doomed });
    expect((await refusal(octokit.rest.issues.get({ ...quay, issue_number: doomed }))).status).toBe(
      410,
    );
    const long = await refusal(octokit.rest.issues.create({ ...quay, title: 'x'.repeat(257) }));
    expect(long).toMatchObject({
      status: 422,
      data: {
        message: 'Validation Failed',
        errors: [{ field: 'title', message: 'title is too long (maximum is 256 characters)' }],
      },
    });
    const many = await refusal(
      octokit.rest.issues.create({
        ...quay,
        title: '',
        body: 'x'.repeat(65_537),
        assignees: ['nobody-at-all'],
        milestone: 77,
      }),
    );
    const codes = (many.data['errors'] as { field: string; code: string }[]).map(
      ({ field, code }) => `${field} ${code}`,
    );
    expect(codes).toEqual([
      'title missing_field',
      'body custom',
      'assignees invalid',
      'milestone invalid',
    ]);
  });

  it('lets a visitor open issues but drops what needs push access', async () => {
    const visitor = octokitFor(github, VISITOR_TOKEN);
    const { data } = await visitor.rest.issues.create({ ...quay, title: 'Hi', labels: ['bug'] });
    expect(data.labels).toEqual([]);
    const foreign = visitor.rest.issues.update({ ...quay, issue_number: 1, title: 'Mine' });
    expect((await refusal(foreign)).status).toBe(403);
  });

  it('serves pull requests with files and diff', async () => {
    const pulls = await octokit.paginate(octokit.rest.pulls.list, { ...quay, state: 'all' });
    expect(pulls).toHaveLength(50);
    const number = pulls.find((pull) => pull.merged_at)?.number ?? 0;
    const pull = await octokit.rest.pulls.get({ ...quay, pull_number: number });
    const files = await octokit.rest.pulls.listFiles({ ...quay, pull_number: number });
    expect(pull.data.changed_files).toBe(files.data.length);
    expect(pull.data.additions).toBe(files.data.reduce((sum, file) => sum + file.additions, 0));
    const mediaType = { format: 'diff' };
    const diff = await octokit.rest.pulls.get({ ...quay, pull_number: number, mediaType });
    expect(String(diff.data)).toMatch(/^diff --git a\//);
    const issue = (await octokit.rest.issues.listForRepo(quay)).data.find((i) => !i.pull_request);
    const none = octokit.rest.pulls.get({ ...quay, pull_number: issue?.number ?? 0 });
    expect((await refusal(none)).status).toBe(404);
  });

  it('serves files: tree, contents, blob, tarball', async () => {
    const tree = await octokit.rest.git.getTree({ ...quay, tree_sha: 'main', recursive: '1' });
    const readme = tree.data.tree.find(({ path }) => path === 'README.md');
    const contents = await octokit.rest.repos.getContent({ ...quay, path: 'README.md' });
    expect(contents.data).toMatchObject({ type: 'file', sha: readme?.sha, encoding: 'base64' });
    const blob = await octokit.rest.git.getBlob({ ...quay, file_sha: readme?.sha ?? '' });
    expect(Buffer.from(blob.data.content, 'base64').toString()).toMatch(/^# quay/);
    const folder = await octokit.rest.repos.getContent({ ...quay, path: 'docs' });
    expect(folder.data).toContainEqual(expect.objectContaining({ type: 'dir' }));
    const archive = await octokit.rest.repos.downloadTarballArchive({ ...quay, ref: 'main' });
    expect(new Uint8Array(archive.data as ArrayBuffer).slice(0, 2)).toEqual(
      new Uint8Array([0x1f, 0x8b]),
    );
    await github.edit({ op: 'put-file', ...quay, path: 'NEW.md', content: 'new' });
    const later = await octokit.rest.git.getTree({ ...quay, tree_sha: 'main' });
    expect(later.data.sha).not.toBe(tree.data.sha);
  });

  it('lists repositories, labels and milestones, searches, and passes the rest below', async () => {
    const mine = await octokit.rest.repos.listForAuthenticatedUser();
    expect(mine.data.map((repo) => repo.full_name)).toEqual(['harbor/quay', 'harbor/quay-cli']);
    expect((await octokit.rest.repos.listForOrg({ org: 'harbor' })).data).toHaveLength(2);
    expect((await octokit.rest.users.getAuthenticated()).data.login).toBe('mara-lindqvist');
    const state = 'all' as const;
    expect((await octokit.rest.issues.listMilestones({ ...quay, state })).data).toHaveLength(4);
    const q = 'repo:harbor/quay is:issue label:area/webhooks receiver in:title';
    const found = await octokit.rest.search.issuesAndPullRequests({ q });
    expect(found.data.items.map(({ title }) => title)).toEqual([
      'A single unresponsive receiver blocks hooks for everybody',
    ]);
    expect((await octokit.rest.orgs.get({ org: 'harbor' })).data.login).toBe('harbor');
    expect((await github.requests()).at(-1)?.passedThrough).toBe(true);
    const unknown = octokit.rest.issues.listEvents({ ...quay, issue_number: 1 });
    expect((await refusal(unknown)).status).toBe(501);
  });

  it('counts the primary limit and refuses when it is spent', async () => {
    await github.setRateLimit({ limit: 5000, remaining: 1, resetInSeconds: 60 });
    const last = await octokit.rest.issues.get({ ...quay, issue_number: 1 });
    expect(last.headers['x-ratelimit-remaining']).toBe('0');
    const spent = await refusal(octokit.rest.issues.get({ ...quay, issue_number: 1 }));
    expect(spent).toMatchObject({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
    expect((await octokit.rest.rateLimit.get()).data.rate.remaining).toBe(0);
    await github.setRateLimit({ remaining: 5000 });
  });
});
