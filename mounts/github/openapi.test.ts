/** Every request that the mount makes, and every answer of the stand-in, against GitHub's own OpenAPI description. */
import { expect, it } from 'vitest';
import { type Exchange, OPERATIONS, Openapi } from '../../test/stand-ins/github/openapi.ts';
import type { GithubMountOptions } from './index.ts';
import { APP, Bench, REPO, text, withApp, write } from './testing.ts';

type Mount = ReturnType<Bench['mount']>;

/** A fetch that writes down what passes through it. */
function recorder() {
  const exchanges: Exchange[] = [];
  const through: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const { pathname, search } = new URL(String(input));
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    if (pathname !== '/graphql' && !pathname.startsWith('/__')) {
      exchanges.push({
        method: init?.method ?? 'GET',
        url: `${pathname}${search}`,
        accept: new Headers(init?.headers).get('accept') ?? '',
        ...(typeof init?.body === 'string' && init.body !== ''
          ? { body: JSON.parse(init.body) as unknown }
          : {}),
        status: answer.status,
        ...(isJson ? { answer: (await answer.clone().json()) as unknown } : {}),
      });
    }
    return answer;
  };
  return { exchanges, fetch: through };
}

/** Lists and reads all that a listing leads to, and what is found only when it is named. */
async function readAll(mount: Mount, path: string): Promise<void> {
  for (const { name, type } of await mount.readdir(path)) {
    const below = path === '/' ? `/${name}` : `${path}/${name}`;
    if (type === 'directory') await readAll(mount, below);
    else if (type === 'file') await mount.read(below);
  }
}

async function bench(): Promise<Bench> {
  const made = await Bench.start({ issues: 6, commentsEach: 1, pullEvery: 3 });
  await made.github.reseed(withApp({ issues: 6, commentsEach: 1, pullEvery: 3 }));
  const of = { owner: 'octo', repo: 'hello' };
  for (const path of ['README.md', 'src/a.ts', 'src/b.ts', 'gone/one.txt', 'docs/one.txt']) {
    await made.github.edit({ op: 'put-file', ...of, path, content: `${path}\n` });
  }
  await made.github.edit({ op: 'put-submodule', ...of, path: 'lib', sha: 'ab'.repeat(20) });
  for (const number of [1, 2, 3]) {
    const to = { number, login: 'mara', reason: 'mention' };
    await made.github.edit({ op: 'notify', ...of, ...to });
  }
  const lines = [{ path: 'src/a.ts', line: 1, body: 'Why?' }];
  await made.github.edit({
    op: 'add-review',
    ...of,
    number: 3,
    state: 'COMMENTED',
    body: 'Hm',
    lines,
  });
  return made;
}

/** What is found and what is one's own: nothing lists it before it is named. */
async function readOwn(mount: Mount): Promise<void> {
  for (const path of ['/search/broken is:issue', '/@me/assigned', '/@me/mentioned']) {
    await mount.readdir(path);
  }
  await mount.readdir('/@me/review-requested');
  const [first] = await mount.readdir('/@me/notifications');
  const path = `/@me/notifications/${first?.name}`;
  const before = await text(mount, path);
  await write(mount, path, before.replace('unread: true', 'unread: false'));
}

/** Every write that docs/github.md names. */
async function writeAll(mount: Mount): Promise<void> {
  const issue = '---\ntitle: New\nlabels: [bug]\nassignees: [mara]\nmilestone: v1.0\n---\n\nText\n';
  await write(mount, `${REPO}/issues/new.md`, issue);
  const before = await text(mount, `${REPO}/issues/1.md`);
  const after = before.replace('state: open', 'state: closed\nstate_reason: not_planned');
  await write(mount, `${REPO}/issues/1.md`, after.replace(/^state_reason: null\n/m, ''));
  const pull = await text(mount, `${REPO}/pulls/3.md`);
  await write(mount, `${REPO}/pulls/3.md`, pull.replace('labels: []', 'labels: [docs]'));
  await write(mount, `${REPO}/issues/2/comments/new.md`, 'A comment\n');
  const comment = `${REPO}/issues/2/comments/10200.md`;
  await write(mount, comment, (await text(mount, comment)).replace('squeaks', 'creaks'));
  await mount.unlink?.(comment);
  const review = '---\nstate: comment\n---\n\nFine.\n\n## src/a.ts:1\n\nHere?\n';
  await write(mount, `${REPO}/pulls/3/reviews/new.md`, review);
  await writeFiles(mount, 'gone');
}

async function writeFiles(mount: Mount, removed: string): Promise<void> {
  const files = `${REPO}/files`;
  await text(mount, `${files}/src/a.ts`);
  await write(mount, `${files}/src/a.ts`, 'other\n');
  await write(mount, `${files}/made.txt`, 'made\n');
  await text(mount, `${files}/made.txt`);
  await mount.unlink?.(`${files}/made.txt`);
  await mount.readdir(`${files}/${removed}`);
  await mount.removeTree?.(`${files}/${removed}`);
}

it('all routes ask and write as GitHub describes it, and the stand-in answers as GitHub does', async () => {
  await using made = await bench();
  const { exchanges, fetch } = recorder();
  const mounted = (options: Partial<GithubMountOptions> = {}) =>
    made.mount({ fetch, ...made.memory(), ...options });
  await readAll(mounted(), REPO);
  await readAll(mounted({ repository: undefined }), REPO);
  await mounted({ repository: undefined }).readdir('/');
  await mounted({ repository: undefined }).readdir('/octo');
  await text(mounted(), `${REPO}/pulls/6.md`);
  await text(mounted(), `${REPO}/issues/4.md`);
  await text(mounted(), `${REPO}/issues/4/thread.md`);
  await mounted({ freshMs: 0 }).probe?.();
  await mounted({ token: undefined }).probe?.();
  await readOwn(mounted());
  await readOwn(mounted({ repository: undefined }));
  await mounted({ token: APP, repository: undefined }).readdir('/');
  await writeAll(mounted());
  await writeFiles(mounted({ commits: 'branch-and-pull' }), 'docs');
  await made.github.setFiles({ treeEntries: 2, archives: 'missing' });
  await readAll(mounted(), `${REPO}/files`);
  const openapi = new Openapi();
  expect([...new Set(exchanges.flatMap((one) => openapi.problems(one)))]).toEqual([]);
  // What is described and never asked for is checked by nobody.
  const asked = exchanges.map(({ method, url }) =>
    openapi.operationOf(method, url.split('?')[0] ?? ''),
  );
  expect(OPERATIONS.filter((name) => !asked.includes(name))).toEqual([]);
});

it('what is described otherwise is found: a parameter, a field, a status, the shape of an answer', () => {
  const openapi = new Openapi();
  const found = (exchange: Partial<Exchange>) =>
    openapi.problems({
      method: 'GET',
      url: '/repos/o/r/issues',
      accept: '',
      status: 200,
      ...exchange,
    });
  expect(found({ answer: [] })).toEqual([]);
  for (const wrong of [
    { answer: {} },
    { answer: [{ number: 1 }] },
    { answer: [], url: '/repos/o/r/issues?until=now' },
    { answer: [], url: '/repos/o/r/issues?state=gone' },
    { answer: [], status: 207 },
    { answer: [], url: '/repos/o/r/nothing' },
    { method: 'POST', status: 201, answer: {}, body: { title: 'x' } },
    { method: 'POST', status: 422, body: { body: 'x' } },
    { method: 'POST', status: 422, body: { title: 'x', priority: 1 } },
    { method: 'DELETE', url: '/repos/o/r/issues/comments/1', status: 204, body: { why: 'x' } },
  ]) {
    expect(found(wrong), JSON.stringify(wrong)).not.toEqual([]);
  }
});
