/** Recorded exchanges with the real service, replayed through the mount: what GitHub itself once answered. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ChangeJournal } from '../../src/changes/journal.ts';
import { Replica } from '../../src/replica/replica.ts';
import { refSchema } from './branches.ts';
import { currentSchema } from './commits.ts';
import { createGithubMount } from './index.ts';
import { issueSchema, label, release } from './records.ts';
import { repoSchema } from './schemas.ts';
import { filesOfArchive } from './tar.ts';
import { failure, text, write } from './testing.ts';

const exchangeSchema = z.array(
  z.looseObject({
    method: z.string(),
    path: z.string(),
    status: z.number(),
    body: z.unknown(),
    headers: z.record(z.string(), z.unknown()).optional(),
    response: z.unknown(),
  }),
);

function recorded(scenario: string) {
  const file = `@octokit/fixtures/scenarios/api.github.com/${scenario}/normalized-fixture.json`;
  const path = new URL(import.meta.resolve(file));
  return exchangeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

const pageOf = (path: string) => new URL(path, 'http://x').searchParams.get('page') ?? '1';
/** A recording names a repository by its id on later pages. */
const placeOf = (path: string) =>
  new URL(path, 'http://x').pathname
    .replace(/^\/(repos\/[^/]+\/[^/]+|repositories\/\d+)/, '')
    .replace(/\/$/, '');

/**
 * A mount on a recording: a request gets what was answered to that method, path and page. The size
 * of a page and the order were others when it was recorded; what is in no recording is a 404.
 */
function replay(scenario: string, repository: string) {
  const exchanges = recorded(scenario);
  const [own] = recorded('get-repository');
  // Of the repository itself there is one recording; here it goes by the name that is asked for.
  const named = { ...(own?.response as object), full_name: repository };
  if (own !== undefined && scenario !== 'errors') exchanges.push({ ...own, response: named });
  const sent: { method: string; path: string; body: unknown }[] = [];
  const answer: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const [method, path] = [init?.method ?? 'GET', `${pathname}${search}`];
    sent.push({
      method,
      path,
      body: typeof init?.body === 'string' ? JSON.parse(init.body) : null,
    });
    const found = exchanges.find(
      (one) =>
        one.method.toUpperCase() === method &&
        placeOf(one.path) === placeOf(path) &&
        pageOf(one.path) === pageOf(path),
    );
    const {
      status,
      response,
      headers = {},
    } = found ?? { status: 404, response: { message: 'Not Found' } };
    const link = headers['link'];
    return new Response(JSON.stringify(response), {
      status,
      headers: {
        'content-type': 'application/json',
        ...(typeof link === 'string' ? { link } : {}),
      },
    });
  };
  const mount = createGithubMount({
    token: 'none',
    repository,
    stage: false,
    writeGapMs: 0,
    replica: new Replica(':memory:'),
    changes: new ChangeJournal(':memory:'),
    onNotice: () => undefined,
    fetch: answer,
  });
  return { mount, exchanges, sent };
}

describe('recordings of the real service', () => {
  it('pages of issues are all read, and every issue is a file with its title', async () => {
    const repo = 'octokit-fixture-org/paginate-issues';
    const { mount, exchanges, sent } = replay('paginate-issues', repo);
    const issues = z
      .array(z.looseObject({ number: z.number(), title: z.string() }))
      .parse(exchanges.flatMap(({ response }) => (Array.isArray(response) ? response : [])));
    expect(issues).toHaveLength(13);
    const names = (await mount.readdir(`/${repo}/issues`)).map(({ name }) => name);
    for (const { number, title } of issues) {
      expect(names).toContain(`${number}.md`);
      expect(await text(mount, `/${repo}/issues/${number}.md`)).toContain(`title: ${title}\n`);
    }
    expect(sent.filter(({ path }) => path.includes('/issues?'))).toHaveLength(5);
  });

  it('a repository is its repo.json', async () => {
    const repo = 'octokit-fixture-org/hello-world';
    const { mount, exchanges } = replay('get-repository', repo);
    const { full_name: name } = z
      .looseObject({ full_name: z.string() })
      .parse(exchanges[0]?.response);
    expect(JSON.parse(await text(mount, `/${repo}/repo.json`))).toMatchObject({ full_name: name });
  });

  it('labels are the rows of labels.tsv', async () => {
    const repo = 'octokit-fixture-org/labels';
    const { mount, exchanges } = replay('labels', repo);
    const labels = z.array(z.looseObject({ name: z.string() })).parse(exchanges[0]?.response);
    const rows = (await text(mount, `/${repo}/labels.tsv`)).trim().split('\n').slice(1);
    expect(rows.map((row) => row.split('\t')[0]).sort()).toEqual(
      labels.map(({ name }) => name).sort(),
    );
  });

  it('a file that is made is sent as it was sent then, and what was answered is understood', async () => {
    const repo = 'octokit-fixture-org/create-file';
    const { mount, exchanges, sent } = replay('create-file', repo);
    const put = exchanges.find(({ method }) => method === 'put');
    const body = z.looseObject({ content: z.string() }).parse(put?.body);
    await write(mount, `/${repo}/files/test.txt`, Buffer.from(body.content, 'base64').toString());
    const ours = sent.find(({ method }) => method === 'PUT');
    expect(ours?.path).toBe(put?.path);
    expect(ours?.body).toMatchObject({ content: body.content, message: expect.any(String) });
    expect(sent.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('what a search found is an index and links, and the records that came with it are read from them', async () => {
    const repo = 'octokit-fixture-org/search-issues';
    const { mount, sent } = replay('search-issues', repo);
    const rows = await mount.readdir('/search/sesame');
    expect(rows.map(({ name }) => name)).toEqual([
      'index.tsv',
      'octokit-fixture-org.search-issues.1.md',
      'octokit-fixture-org.search-issues.2.md',
    ]);
    expect(await text(mount, '/search/sesame/index.tsv')).toContain(
      `${repo}\t2\topen\tSesame seeds split without a pop!\t`,
    );
    const target = await mount.readlink?.(`/search/sesame/${rows[1]?.name}`);
    expect(target).toBe(`../../${repo}/issues/1.md`);
    expect(await text(mount, `/${repo}/issues/1.md`)).toContain('The doors don’t open');
    expect(sent.filter(({ path }) => path.startsWith('/search/'))).toHaveLength(1);
  });

  it('an archive is unpacked, without the directory that all of it is in', () => {
    const [redirect, archive] = recorded('get-archive');
    expect(redirect?.status).toBe(302);
    const bytes = Buffer.from(z.string().parse(archive?.response), 'hex');
    const files = [...filesOfArchive(bytes, 1_000_000)];
    expect(files.map(({ path }) => path)).toEqual(['README.md']);
    expect(String(Buffer.from(files[0]?.data ?? []))).toContain('get-archive');
  });

  it.each([
    ['add-labels-to-issue', 'POST /repos/:name/issues', issueSchema],
    ['add-labels-to-issue', 'POST /repos/:name/issues/1/labels', label.schema.array()],
    ['labels', 'POST /repos/:name/labels', label.schema],
    ['rename-repository', 'PATCH /repositories/1000', repoSchema],
    ['rename-repository', 'GET /repositories/1000', repoSchema],
    ['release-assets', 'GET /repos/:name/releases/tags/v1.0.0', release.schema],
    ['git-refs', 'POST /repos/:name/git/refs', refSchema],
    ['git-refs', 'PATCH /repos/:name/git/refs/heads/test', refSchema],
    ['get-content', 'GET /repos/:name/contents/', currentSchema.array()],
  ])(
    'what GitHub answered in %s to %s has the shape that is expected of it',
    (scenario, what, schema) => {
      const found = recorded(scenario).find(
        ({ method, path }) =>
          `${method.toUpperCase()} ${path.replace(/octokit-fixture-org\/[^/]+/, ':name')}` === what,
      );
      const { data, error } = schema.safeParse(found?.response);
      expect(error).toBeUndefined();
      expect(data).toMatchObject(found?.response as object);
    },
  );

  it('what is in no recording is "no such file", and never an empty listing', async () => {
    const { mount } = replay('errors', 'octokit-fixture-org/errors');
    const refused = await failure(mount.readdir('/octokit-fixture-org/errors/issues'));
    expect(refused.code).toBe('ENOENT');
  });
});
