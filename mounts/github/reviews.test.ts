/** Reviews of pull requests: what reading them costs, and how one is written. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { renderLineComment, shownLines, splitLineComments } from './line-comments.ts';
import { Bench, failure, REPO, TOKEN, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const of = (number: number) => `${REPO}/pulls/${number}/reviews`;

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 27, commentsEach: 0, pullEvery: 3 });
});
afterAll(() => bench[Symbol.asyncDispose]());

async function names(mount: ServiceMount, path: string): Promise<string[]> {
  return (await mount.readdir(path)).map(({ name }) => name);
}

function reviewed(number: number, by: string, body = 'One thing, see below.') {
  const lines = [{ path: 'src/a.ts', line: 1, body: 'Why `b`?' }];
  const what = { state: 'CHANGES_REQUESTED', body, lines } as const;
  return bench.github.edit({ op: 'add-review', ...OCTO, number, by, ...what });
}

describe('reading', () => {
  it('costs two requests for a pull request, and again only when it was updated', async () => {
    const { id } = await reviewed(3, 'octo');
    const mount = bench.mount({ freshMs: 60_000 });
    await mount.readdir(`${REPO}/pulls`);
    expect(await names(mount, `${REPO}/pulls/3`)).toContain('reviews');
    await bench.asked();
    expect(mount.costly(of(3))).toBe(true);
    expect(await names(mount, of(3))).toEqual([`${id}.md`, 'index.tsv']);
    expect((await bench.asked()).map((line) => line.split('?')[0])).toEqual([
      'GET /repos/octo/hello/pulls/3/reviews',
      'GET /repos/octo/hello/pulls/3/comments',
    ]);
    expect(mount.costly(of(3))).toBe(false);
    const shown = await text(mount, `${of(3)}/${id}.md`);
    expect(shown).toMatch(
      /^---\nid: \d+\nstate: changes requested\nauthor: octo\nsubmitted_at: .+\ncommit: a+\nurl: .+\n---\n\nOne thing, see below.\n\n## src\/a.ts:1 \(comment \d+\)\n\nWhy `b`\?\n$/,
    );
    expect(await text(mount, `${of(3)}/index.tsv`)).toMatch(
      /^id\tstate\tauthor\tsubmitted\tcomments\n\d+\tchanges requested\tocto\t\S+\t1\n$/,
    );
    expect(await bench.asked()).toEqual([]);
    await reviewed(3, 'mara', 'Once more');
    bench.move(120_000);
    await mount.readdir(`${REPO}/pulls`);
    expect(mount.costly(of(3))).toBe(true);
    expect(await names(mount, of(3))).toHaveLength(3);
  });

  it('comes with a walk that begins at one pull request, and with none over all', async () => {
    await reviewed(6, 'octo');
    const mount = bench.mount({ freshMs: 60_000, ...bench.memory() });
    await bench.asked();
    await mount.prefetch(`${REPO}/pulls`);
    expect((await bench.asked()).filter((line) => line.includes('/pulls/'))).toEqual([]);
    const all = [...(mount.walk(`${REPO}/pulls`) ?? [])];
    expect(all.filter(({ costly }) => costly === 'directory').map(({ path }) => path)).toContain(
      of(6),
    );
    expect(mount.walk(`${REPO}/pulls/6`)).toBeNull();
    await mount.prefetch(`${REPO}/pulls/6`);
    expect(await bench.asked()).toHaveLength(2);
    const one = [...(mount.walk(`${REPO}/pulls/6`) ?? [])].map(({ path }) => path);
    expect(one.filter((path) => path.startsWith(of(6)))).toHaveLength(2);
    const documents = [...mount.documents()].map(({ path }) => path);
    expect(documents.filter((path) => path.includes('/reviews/'))).toHaveLength(1);
  });

  it('has a comment of no review that is known as one of its own, and nobody as ghost', async () => {
    const { id } = await reviewed(27, 'octo');
    type Row = Record<string, unknown>;
    const send = globalThis.fetch;
    const altered: typeof fetch = async (input, init) => {
      const answer = await send(input, init);
      const { pathname } = new URL(String(input));
      if (!/\/pulls\/27\/(reviews|comments)$/.test(pathname)) return answer;
      const rows = (await answer.json()) as Row[];
      const [row = {}] = rows;
      const of = (n: number, more: Row) => ({ ...row, id: n, body: `Word ${n}`, ...more });
      return Response.json(
        pathname.endsWith('/reviews')
          ? rows.map((one) => ({ ...one, user: null }))
          : [
              ...rows,
              of(7001, { pull_request_review_id: null }),
              of(7002, { pull_request_review_id: 77 }),
            ],
      );
    };
    const line = vi.spyOn(globalThis, 'fetch').mockImplementation(altered);
    onTestFinished(() => line.mockRestore());
    const mount = bench.mount({ freshMs: 60_000, ...bench.memory() });
    expect(await names(mount, of(27))).toEqual([`${id}.md`, '7001.md', '7002.md', 'index.tsv']);
    const rows = (await text(mount, `${of(27)}/index.tsv`)).trimEnd().split('\n').slice(1);
    expect(
      rows
        .map((row) => row.split('\t'))
        .map(([number, state, author, , comments]) => [number, state, author, comments])
        .sort(),
    ).toEqual(
      [
        [String(id), 'changes requested', 'ghost', '1'],
        ['7001', 'commented', 'octo', '1'],
        ['7002', 'commented', 'octo', '1'],
      ].sort(),
    );
    const alone = await text(mount, `${of(27)}/7001.md`);
    expect(alone).toMatch(/\n## src\/a.ts:1 \(comment 7001\)\n\nWord 7001\n$/);
    expect(await text(mount, `${of(27)}/${id}.md`)).not.toContain('Word 700');
  });

  it('gives ENOENT for a review or a pull request that is not there, and of an issue', async () => {
    const mount = bench.mount({ freshMs: 60_000 });
    for (const path of [`${of(3)}/77.md`, `${of(99)}/77.md`, `${of(1)}/77.md`, of(99), of(1)]) {
      expect((await failure(mount.lstat(path))).code).toBe('ENOENT');
    }
  });
});

describe('writing', () => {
  const verdict = (state: string, body: string) => `---\nstate: ${state}\n---\n\n${body}\n`;

  async function held(number: number) {
    const [data] = (await bench.github.dump()).repositories;
    return (data?.reviews ?? []).filter(({ pull }) => pull === number);
  }

  it.each([
    ['approve', '', 'APPROVED'],
    ['request changes', 'No.', 'CHANGES_REQUESTED'],
    ['changes_requested', 'No.', 'CHANGES_REQUESTED'],
    ['comment', 'Hm.', 'COMMENTED'],
  ])('`state: %s` with %j is one request', async (state, body, made) => {
    const mount = bench.mount({ freshMs: 60_000, ...bench.memory() });
    const before = await held(9);
    await bench.asked();
    await write(mount, `${of(9)}/new.md`, verdict(state, body));
    const asked = await bench.asked();
    expect(asked.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /repos/octo/hello/pulls/9/reviews 200',
    ]);
    const [review] = (await held(9)).slice(before.length);
    expect(review).toMatchObject({ state: made, body, author: 'mara', lines: [] });
    expect((await text(mount, `${of(9)}/.last`)).trim()).toBe(`${review?.id}.md`);
    expect(await text(mount, `${of(9)}/${review?.id}.md`)).toContain('author: mara\n');
  });

  it('sections of the text become comments on lines, which are read as they were written', async () => {
    const mount = bench.mount({ freshMs: 60_000 });
    await names(mount, of(12));
    const body =
      'Nearly.\n\n```md\n## src/a.ts:7\n```\n\n## src/a.ts:1\n\nA test, please.\n\n## Note: 3';
    await write(mount, `${of(12)}/new.md`, verdict('request changes', body));
    const [review] = await held(12);
    expect(review).toMatchObject({
      body: 'Nearly.\n\n```md\n## src/a.ts:7\n```',
      lines: [{ path: 'src/a.ts', line: 1, body: 'A test, please.\n\n## Note: 3' }],
    });
    const shown = await text(mount, `${of(12)}/${review?.id}.md`);
    expect(shown).toMatch(/## src\/a.ts:1 \(comment \d+\)\n\nA test, please.\n\n## Note: 3\n$/);
  });

  it.each([
    [verdict('merge', 'x'), /state: must be one of approve, request changes, comment/],
    ['---\nstate:\n---\n\nx\n', /state: is required/],
    [verdict('comment', ''), /body: must not be empty/],
    [verdict('request changes', '## src/a.ts:1\n\nx'), /body: must not be empty/],
    [verdict('comment', 'x\n\n## src/b.ts:1\n\ny'), /changed file.*src\/b\.ts.*src\/a\.ts/],
    [verdict('comment', 'x\n\n## src/a.ts:40\n\ny'), /does not show line 40.*it shows 1-1/],
    [verdict('comment', 'x\n\n## src/a.ts:1'), /nothing below/],
    [verdict('approve', 'x').replace('\n---\n\n', '\nauthor: octo\n---\n\n'), /author: is set by/],
    ['Just a text\n', /./],
  ])('%j is refused, and nothing is sent', async (content, reason) => {
    const mount = bench.mount({ freshMs: 60_000 });
    await bench.asked();
    const error = await failure(write(mount, `${of(15)}/new.md`, content));
    expect(error.code).toBe('EINVAL');
    expect(error.reason).toMatch(reason);
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(await held(15)).toEqual([]);
  });

  it('nobody approves what is their own', async () => {
    const mine = bench.mount({ freshMs: 60_000 });
    const seed = await bench.github.dump();
    for (const issue of seed.repositories[0]?.issues ?? []) {
      if (issue.number === 18) issue.author = seed.tokens[TOKEN] ?? '';
    }
    await bench.github.reseed(seed);
    bench.move(120_000);
    const error = await failure(write(mine, `${of(18)}/new.md`, verdict('approve', 'x')));
    expect(error.reason).toContain('state: nobody can approve a pull request of their own');
    await write(mine, `${of(18)}/new.md`, verdict('comment', 'x'));
    expect(await held(18)).toHaveLength(1);
  });

  it('a submitted review is neither changed nor removed, and says what to do instead', async () => {
    const { id } = await reviewed(21, 'octo');
    const mount = bench.mount({ freshMs: 60_000 });
    const path = `${of(21)}/${id}.md`;
    expect(await failure(write(mount, path, 'x'))).toMatchObject({ code: 'EPERM' });
    const error = await failure(mount.unlink?.(path) ?? Promise.resolve());
    expect(error).toMatchObject({ code: 'EPERM', reason: expect.stringContaining('dismiss it') });
  });

  it('staged, it waits with its request, and is sent when it is applied', async () => {
    const mount = bench.mount({ freshMs: 60_000, stage: true });
    await bench.asked();
    await write(mount, `${of(24)}/new.md`, verdict('approve', 'Good.'));
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toEqual([]);
    const [change] = mount.journal.list({ state: 'pending' });
    expect(change?.request).toEqual({
      method: 'POST',
      url: '/repos/octo/hello/pulls/24/reviews',
      body: { event: 'APPROVE', body: 'Good.' },
    });
    expect(await held(24)).toEqual([]);
  });
});

describe('comments on lines', () => {
  it('are ranges of what the diff shows', () => {
    expect(shownLines('@@ -1,2 +1,3 @@\n a\n+b\n c\n@@ -9 +10 @@ f()\n-x\n+y')).toEqual([
      [1, 3],
      [10, 10],
    ]);
    expect(splitLineComments('## a b/c.ts:3-5\r\nx').comments).toEqual([
      { path: 'a b/c.ts', line: 5, start: 3, body: 'x' },
    ]);
  });

  it('say what they answer, and when their line is gone', () => {
    const comment = {
      id: '7',
      path: 'a',
      body: 'b',
      line: null,
      original_line: 4,
      in_reply_to_id: '6',
      created_at: '',
      updated_at: '',
      pull_request_url: '',
    };
    expect(renderLineComment(comment)).toBe(
      '## a:4 (comment 7, answers comment 6, outdated)\n\nb\n',
    );
  });
});
