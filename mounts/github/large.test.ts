/** Listings of much, as GitHub really gives them: by cursor, cut off, in pages that move meanwhile. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { linksOf } from './links.ts';
import { Bench, failure, REPO, text } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };

async function names(mount: Awaited<ReturnType<Bench['mount']>>, path: string): Promise<string[]> {
  return (await mount.readdir(path)).map(({ name }) => name);
}

async function files(mount: ReturnType<Bench['mount']>, path: string): Promise<string[]> {
  return (await names(mount, path)).filter((name) => name.endsWith('.md'));
}

interface Page {
  status?: number;
  link?: string;
  body: unknown;
}

/** A GitHub that answers each request by a function of its path. */
async function serving(answer: (path: string, url: string) => Page) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.includes('/issues')) heard.push(path);
    const {
      link,
      body,
      status = 200,
    }: Page = /^\/repos\/[^/]+\/[^/]+$/.test(path)
      ? { body: { id: 10, name: 'hello', full_name: 'octo/hello', owner: { login: 'octo' } } }
      : answer(path, `http://${request.headers.host}`);
    const headers = { 'content-type': 'application/json', ...(link === undefined ? {} : { link }) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

function issue(number: number) {
  const at = '2025-01-01T00:00:00Z';
  const rest = { body: '', state: 'open', labels: [], created_at: at, updated_at: at };
  return { number, title: `Number ${number}`, ...rest };
}

describe('a listing that goes on by cursor', () => {
  it('is read to its end, where each page says that it goes on and nowhere else', async () => {
    await using bench = await Bench.start({ issues: 450, commentsEach: 0, pullEvery: 4 });
    await bench.github.setPaging({ cursorsBeyond: 200 });
    const mount = bench.mount();
    expect(await files(mount, `${REPO}/issues`)).toHaveLength(338);
    expect(await files(mount, `${REPO}/pulls`)).toHaveLength(112);
    const asked = (await bench.asked()).filter((line) => line.includes('/issues?'));
    expect(asked).toHaveLength(5);
    expect(
      asked.slice(1).every((line) => line.startsWith('GET /repositories/10/issues?after=')),
    ).toBe(true);
    expect(asked.filter((line) => !line.endsWith(' 200'))).toEqual([]);
  });

  it('brings what changed since, over several pages of it', async () => {
    await using bench = await Bench.start({ issues: 450, commentsEach: 0 });
    await bench.github.setPaging({ cursorsBeyond: 200 });
    const mount = bench.mount();
    await mount.readdir(`${REPO}/issues`);
    for (let number = 1; number <= 120; number++) {
      await bench.github.edit({ op: 'edit-issue', ...OCTO, number, fields: { title: 'Changed' } });
    }
    await bench.asked();
    bench.move(60_000);
    await mount.readdir(`${REPO}/issues`);
    const index = await text(mount, `${REPO}/issues/index.tsv`);
    expect(index.match(/\tChanged\t/g)).toHaveLength(120);
    expect(await bench.asked()).toHaveLength(2);
  });

  it('tells at the next complete listing what is gone', async () => {
    await using bench = await Bench.start({ issues: 350, commentsEach: 0 });
    await bench.github.setPaging({ cursorsBeyond: 200 });
    const mount = bench.mount({ reconcileMs: 600_000 });
    await mount.readdir(`${REPO}/issues`);
    await bench.github.edit({ op: 'delete-issue', ...OCTO, number: 5 });
    bench.move(700_000);
    const left = await files(mount, `${REPO}/issues`);
    expect(left).toHaveLength(349);
    expect(left).not.toContain('5.md');
  });
});

describe('a listing with numbered pages', () => {
  it('loses nothing when a row is deleted on a page that was read, and none that is moved', async () => {
    await using bench = await Bench.start({ issues: 350, commentsEach: 0 });
    const mount = bench.mount();
    await bench.github.fault({ kind: 'slow', ms: 250, path: '/issues$', times: 4 });
    const listing = mount.readdir(`${REPO}/issues`);
    const pages = async () =>
      (await bench.github.requests()).filter(({ url }) => url.includes('/issues?'));
    // The first page is answered, the others are on their way.
    await vi.waitFor(async () => expect((await pages()).length).toBeGreaterThan(1), 50_000);
    await bench.github.edit({ op: 'delete-issue', ...OCTO, number: 345 });
    await bench.github.edit({ op: 'edit-issue', ...OCTO, number: 40, fields: { title: 'Moved' } });
    // A listing that took long is looked after.
    bench.move(10_000);
    const found = (await listing).filter(({ name }) => name.endsWith('.md'));
    expect(found.map(({ name }) => name)).not.toContain('345.md');
    expect(found).toHaveLength(349);
    expect(await text(mount, `${REPO}/issues/index.tsv`)).toContain('Moved');
  });
});

describe('a page that says that it goes on', () => {
  it.each([
    ['at what is no address', '<http://[>; rel="next"', /no address/],
    ['in a way that cannot be read', 'next: page 2', /readable way/],
    [
      'at another origin',
      '<http://elsewhere.example/issues?page=2>; rel="next"',
      /nothing was sent/,
    ],
  ])('%s is an error, and never the end', async (_, link, sentence) => {
    const github = await serving(() => ({ link, body: [issue(1)] }));
    await using bench = await Bench.start({ issues: 0, commentsEach: 0 });
    const mount = bench.mount({ baseUrl: github.url, ...bench.memory() });
    const error = await failure(mount.readdir(`${REPO}/issues`));
    expect(error.code).toBe('EIO');
    expect(error.reason).toMatch(sentence);
    expect(github.heard).toHaveLength(1);
  });

  it('at a page that was read is an error: it has no end', async () => {
    const github = await serving((_, url) => ({
      link: `<${url}/repositories/10/issues?page=2>; rel="next"`,
      body: [issue(1)],
    }));
    await using bench = await Bench.start({ issues: 0, commentsEach: 0 });
    const mount = bench.mount({ baseUrl: github.url, ...bench.memory() });
    expect((await failure(mount.readdir(`${REPO}/issues`))).reason).toMatch(/in a circle/);
  });

  it.each([
    ['the last page has another one', 3, 5],
    ['there are fewer pages than were told', 9, 5],
  ])('is followed although %s', async (_, last, pages) => {
    const github = await serving((path, url) => {
      const page = Number(/[?&]page=(\d+)/.exec(path)?.[1]);
      const to = (number: number, rel: string) =>
        `<${url}/repositories/10/issues?per_page=100&page=${number}>; rel="${rel}"`;
      const link = `${to(page + 1, 'next')}, ${to(last, 'last')}`;
      return page > pages
        ? { body: [] }
        : { body: [issue(page)], ...(page === pages ? {} : { link }) };
    });
    await using bench = await Bench.start({ issues: 0, commentsEach: 0 });
    const mount = bench.mount({ baseUrl: github.url, ...bench.memory() });
    expect(await files(mount, `${REPO}/issues`)).toEqual(['1.md', '2.md', '3.md', '4.md', '5.md']);
  });
});

describe('a Link header', () => {
  const origin = 'https://api.github.com';

  it('is read whatever the order and the form of what it says', () => {
    const header = `<${origin}/a?page=9>; title="x, y"; rel=last, </b?after=Y3%3D&page=2>; rel="next"`;
    expect(linksOf(header, origin)).toEqual({ next: `${origin}/b?after=Y3%3D&page=2`, last: 9 });
    expect(linksOf('', origin)).toEqual({ next: null, last: null });
    expect(linksOf(`<${origin}/a?page=1>; rel="prev"`, origin)).toEqual({ next: null, last: null });
  });

  it('with a cursor that a template would take for a place to fill in is kept as it is', () => {
    const { next } = linksOf(`<${origin}/b?after=cursor:v2:{x}>; rel="next"`, origin);
    expect(new URL(next ?? '').searchParams.get('after')).toBe('cursor:v2:{x}');
    expect(next).not.toMatch(/:v2|\{/);
  });
});

describe('the comments of a repository, of which GitHub lists so many and no more', () => {
  it('are told as incomplete, and fetched of the issue that is named', async () => {
    await using bench = await Bench.start({ issues: 40, commentsEach: 10 });
    await bench.github.setPaging({ commentsMost: 300 });
    const mount = bench.mount();
    await mount.prefetch(REPO);
    expect(mount.coverage(REPO)).toMatch(
      /, incomplete \(GitHub's own search has the rest: \/search\/QUERY\/\)$/,
    );
    expect(bench.notices.join('\n')).toMatch(/incomplete, GitHub lists no more.*10 issues/);
    expect(await text(mount, '/README.md')).toMatch(/comments octo hello: incomplete: .*10 issues/);
    // Ten issues are the ones that changed first: their comments are behind the end of the listing.
    expect(mount.costly(`${REPO}/issues/3/comments`)).toBe(true);
    expect(mount.costly(`${REPO}/issues/30/comments`)).toBe(false);
    await bench.asked();
    expect(await files(mount, `${REPO}/issues/30/comments`)).toHaveLength(10);
    expect(await bench.asked()).toEqual([]);
    expect(await files(mount, `${REPO}/issues/3/comments`)).toHaveLength(10);
    expect(await bench.asked()).toEqual([
      'GET /repos/octo/hello/issues/3/comments?per_page=100&page=1 200',
    ]);
    expect(mount.costly(`${REPO}/issues/3/comments`)).toBe(false);
    expect(await text(mount, '/README.md')).toMatch(/comments octo hello: incomplete: .*9 issues/);
  });

  it('end where the next page is refused, although it was told', async () => {
    const comment = (id: number) => ({
      id,
      body: `Comment ${id}`,
      created_at: '2025-01-01T00:00:00Z',
      updated_at: '2025-01-01T00:00:00Z',
      issue_url: 'https://api.github.com/repos/octo/hello/issues/1',
    });
    const github = await serving((path, url) => {
      if (!path.includes('/comments')) return { body: [{ ...issue(1), comments: 301 }] };
      const page = Number(/[?&]page=(\d+)/.exec(path)?.[1]);
      if (page === 4) return { status: 422, body: { message: 'pagination is limited' } };
      const link = `<${url}/repositories/10/issues/comments?page=${page + 1}>; rel="next"`;
      const ids = Array.from({ length: 100 }, (_, index) => page * 1000 + index);
      return { link, body: ids.map(comment) };
    });
    await using bench = await Bench.start({ issues: 0, commentsEach: 0 });
    const mount = bench.mount({ baseUrl: github.url, ...bench.memory() });
    await mount.prefetch(`${REPO}/issues`);
    expect(mount.costly(`${REPO}/issues/1/comments`)).toBe(true);
    expect(bench.notices.join('\n')).toMatch(/comments octo hello: incomplete/);
  });

  it('are whole once each of those issues was asked, and stay so', async () => {
    await using bench = await Bench.start({ issues: 12, commentsEach: 30 });
    await bench.github.setPaging({ commentsMost: 200 });
    const mount = bench.mount();
    await mount.prefetch(REPO);
    for (let number = 1; number <= 12; number++) {
      expect(await files(mount, `${REPO}/issues/${number}/comments`)).toHaveLength(30);
    }
    expect(mount.coverage(REPO)).toMatch(/, complete$/);
    await bench.asked();
    bench.move(60_000);
    await mount.prefetch(REPO);
    expect((await bench.asked()).filter((line) => !line.endsWith(' 304'))).toEqual([]);
    expect(await files(mount, `${REPO}/issues/1/comments`)).toHaveLength(30);
    bench.move(4_000_000);
    await mount.prefetch(REPO);
    expect(await files(mount, `${REPO}/issues/1/comments`)).toHaveLength(30);
  });

  it('an issue that says more than it gives is asked once, and is whole then', async () => {
    await using bench = await Bench.start({ issues: 20, commentsEach: 10 });
    await bench.github.setPaging({ commentsMost: 100 });
    const mount = bench.mount();
    await mount.prefetch(REPO);
    const repo = await bench.github.dump();
    const [first] = repo.repositories[0]?.comments.filter(({ issue: of }) => of === 1) ?? [];
    // Its count is as it was when the issue was listed.
    await bench.github.edit({ op: 'delete-comment', ...OCTO, id: first?.id ?? 0 });
    expect(await files(mount, `${REPO}/issues/1/comments`)).toHaveLength(9);
    await bench.asked();
    expect(mount.costly(`${REPO}/issues/1/comments`)).toBe(false);
    expect(await files(mount, `${REPO}/issues/1/comments`)).toHaveLength(9);
    expect(await bench.asked()).toEqual([]);
  });
});
