/** GitHub's own search, and what is the token's owner's, as directories. */
import { describe, expect, it } from 'vitest';
import type { ServiceMount } from '../../src/mount/service/service-mount.ts';
import { Bench, failure, text } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const SIZE = { issues: 6, commentsEach: 1, pullEvery: 3 };

const names = async (mount: ServiceMount, path: string) =>
  (await mount.readdir(path)).map(({ name }) => name);

/** The file that a link leads to, read as the namespace would. */
async function behind(mount: ServiceMount, link: string): Promise<string> {
  const target = await mount.readlink?.(link);
  return text(mount, new URL(target ?? '', `file://${link.replaceAll(' ', '%20')}`).pathname);
}

describe('search/', () => {
  it('has what GitHub finds: an index, and links to the records, which came with the answer', async () => {
    await using bench = await Bench.start(SIZE);
    const mount = bench.mount({ freshMs: 60_000 });
    const directory = '/search/broken label:bug is:issue';
    expect(await names(mount, directory)).toEqual([
      'index.tsv',
      'octo.hello.2.md',
      'octo.hello.4.md',
    ]);
    expect((await text(mount, `${directory}/index.tsv`)).split('\n').slice(0, 2)).toEqual([
      'file\trepository\tnumber\tstate\ttitle\tauthor\tupdated',
      'octo.hello.4.md\tocto/hello\t4\topen\tNumber 4 is broken\tocto\t2025-01-01T00:04:00Z',
    ]);
    expect(await behind(mount, `${directory}/octo.hello.4.md`)).toContain(
      'title: Number 4 is broken',
    );
    const asked = (await bench.asked()).filter((row) => !row.includes('/user '));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(
      '/search/issues?q=broken+label%3Abug+is%3Aissue+repo%3Aocto%2Fhello',
    );
  });

  it('takes any query: a slash is %2F, and nothing else is written otherwise', async () => {
    await using bench = await Bench.start(SIZE);
    const mount = bench.mount({ repository: undefined });
    for (const query of ['repo:octo%2Fhello frobnicator', 'a+b&c=d #1?', '100% "is broken"']) {
      await names(mount, `/search/${query}`);
    }
    const asked = (await bench.github.requests()).filter(({ url }) => url.startsWith('/search'));
    expect(asked.map(({ url }) => new URL(url, 'http://x').searchParams.get('q'))).toEqual([
      'repo:octo/hello frobnicator',
      'a+b&c=d #1?',
      '100% "is broken"',
    ]);
    expect(await names(mount, '/search')).toHaveLength(3);
  });

  it('says what it lacks: more than GitHub gives, or no time to look everywhere', async () => {
    await using bench = await Bench.start({ ...SIZE, issues: 230 });
    const mount = bench.mount({ freshMs: 60_000 });
    expect(await names(mount, '/search/broken')).toHaveLength(231);
    expect(bench.notices).toEqual([]);
    await bench.github.setFiles({ searchesMost: 200, searchIncomplete: true });
    expect(await names(mount, '/search/number')).toHaveLength(201);
    expect(bench.notices.join('\n')).toMatch(/search for "number": it shows 200 of 230/);
    await bench.github.setFiles({ searchIncomplete: true });
    await names(mount, '/search/body');
    expect(bench.notices.join('\n')).toMatch(/search for "body": GitHub ran out of time/);
  });

  it('that GitHub refuses is no empty directory, and names why', async () => {
    await using bench = await Bench.start(SIZE);
    const mount = bench.mount();
    await bench.github.fault({ kind: 'server-error', path: '^/search' });
    expect((await failure(mount.readdir('/search/broken'))).code).toBe('EIO');
    await bench.github.clearFaults();
    expect(await names(mount, '/search/broken')).toHaveLength(7);
    expect((await failure(mount.read('/search/broken/octo.hello.99.md'))).code).toBe('ENOENT');
    for (const work of [
      () => mount.unlink?.('/search/broken/octo.hello.1.md'),
      () => mount.write?.('/search/broken/index.tsv', Buffer.from('x')),
      () => mount.write?.('/search/broken/mine.md', Buffer.from('x')),
    ]) {
      expect((await failure(work())).code).toBe('EPERM');
    }
  });

  it('keeps within thirty searches a minute, and what is no search goes on', async () => {
    await using bench = await Bench.start(SIZE);
    const mount = bench.mount({ freshMs: 60_000 });
    bench.stopClock();
    for (let n = 0; n < 30; n++) await mount.readdir(`/search/broken ${n}`);
    const refused = await failure(mount.readdir('/search/broken 30'));
    expect([refused.code, refused.reason]).toEqual([
      'EAGAIN',
      expect.stringMatching(/search allows 30 requests a minute.*try again after/),
    ]);
    expect(await names(mount, '/octo/hello/issues')).toContain('1.md');
    bench.move(60_000);
    await bench.github.reseed((await bench.github.dump()) as never);
    expect(await names(mount, '/search/broken 30')).not.toEqual([]);
  });

  it('finds nothing outside of the repository that the mount shows', async () => {
    await using bench = await Bench.start(SIZE);
    const data = await bench.github.dump();
    const [own] = data.repositories;
    if (own !== undefined) {
      const other = { ...own.repository, id: 77, name: 'other' };
      data.repositories.push({ ...own, repository: other });
    }
    await bench.github.reseed(data);
    const mount = bench.mount({ freshMs: 60_000 });
    const found = await names(mount, '/search/broken repo:octo%2Fother');
    expect(found.filter((name) => name.includes('other'))).toEqual([]);
    const all = bench.mount({ ...bench.memory(), repository: undefined });
    expect(await names(all, '/search/broken')).toContain('octo.other.1.md');
  });
});

describe('@me/', () => {
  async function bench(): Promise<Bench> {
    const made = await Bench.start(SIZE);
    const edit = made.github.edit.bind(made.github);
    await edit({ op: 'edit-issue', ...OCTO, number: 2, fields: { assignees: ['mara'] } });
    await edit({ op: 'add-comment', ...OCTO, number: 4, body: 'What does @mara say?' });
    await edit({ op: 'request-review', ...OCTO, number: 3, of: 'mara' });
    await made.asked();
    return made;
  }

  it('has what is assigned, what mentions you, and what waits for your review, as links', async () => {
    await using made = await bench();
    const mount = made.mount({ freshMs: 60_000 });
    expect(await names(mount, '/@me')).toEqual([
      'assigned',
      'mentioned',
      'notifications',
      'review-requested',
    ]);
    expect(await names(mount, '/@me/assigned')).toEqual(['index.tsv', 'octo.hello.2.md']);
    expect(await names(mount, '/@me/mentioned')).toEqual(['index.tsv', 'octo.hello.4.md']);
    expect(await names(mount, '/@me/review-requested')).toEqual(['index.tsv', 'octo.hello.3.md']);
    expect(await mount.readlink?.('/@me/review-requested/octo.hello.3.md')).toBe(
      '../../octo/hello/pulls/3.md',
    );
    expect(await behind(mount, '/@me/assigned/octo.hello.2.md')).toContain('assignees: [mara]');
  });

  it('follows what is written here', async () => {
    await using made = await bench();
    const mount = made.mount({ freshMs: 60_000 });
    await names(mount, '/@me/assigned');
    const before = await text(mount, '/octo/hello/issues/1.md');
    const after = before.replace('assignees: []', 'assignees: [mara]');
    await mount.write?.('/octo/hello/issues/1.md', Buffer.from(after));
    expect(await names(mount, '/@me/assigned')).toContain('octo.hello.1.md');
  });

  it('is of nobody without a token, and says so; nothing is asked', async () => {
    await using made = await bench();
    const mount = made.mount({ ...made.memory(), token: undefined });
    for (const path of ['/@me/assigned', '/@me/review-requested', '/@me/notifications']) {
      const refused = await failure(mount.readdir(path));
      expect([refused.code, refused.reason]).toEqual([
        'EACCES',
        expect.stringContaining('GITHUB_TOKEN'),
      ]);
    }
    expect(await made.asked()).toEqual([]);
  });

  it('is read by a walk that begins there', async () => {
    await using made = await bench();
    const mount = made.mount({ freshMs: 60_000 });
    await made.github.edit({ op: 'notify', ...OCTO, number: 1, login: 'mara', reason: 'mention' });
    for (const path of ['/@me/assigned', '/@me/notifications', '/search/squeaks']) {
      await mount.prefetch(path);
      const read = [...(mount.walk(path) ?? [])];
      expect(read.map(({ costly }) => costly)).not.toContain(true);
      expect(read.map((file) => String(file.bytes())).join('')).toMatch(/hello/);
    }
  });

  it('costs nothing that was not asked for by name: a walk passes over it', async () => {
    await using made = await bench();
    const mount = made.mount({ freshMs: 60_000 });
    await mount.prefetch('/');
    const rows = [...(mount.walk('/') ?? [])].filter(({ path }) => path.startsWith('/@me'));
    expect(rows.every(({ costly }) => costly === 'directory')).toBe(true);
    expect(rows).toHaveLength(4);
    const asked = (await made.asked()).join('\n');
    expect(asked).not.toMatch(/search|notifications|GET \/issues/);
  });
});

describe('@me/notifications/', () => {
  async function notified(): Promise<{ made: Bench; ids: number[] }> {
    const made = await Bench.start(SIZE);
    const ids: number[] = [];
    for (const [number, reason] of [
      [1, 'mention'],
      [3, 'review_requested'],
    ] as const) {
      const { id } = await made.github.edit({
        op: 'notify',
        ...OCTO,
        number,
        login: 'mara',
        reason,
      });
      ids.push(id);
    }
    await made.github.edit({ op: 'notify', ...OCTO, number: 2, login: 'octo', reason: 'assign' });
    await made.asked();
    return { made, ids };
  }

  it('are files: why you were told, and where what it is about is', async () => {
    const { made, ids } = await notified();
    await using _made = made;
    const mount = made.mount({ freshMs: 60_000 });
    expect(await names(mount, '/@me/notifications')).toEqual([
      ...ids.map((id) => `${id}.md`),
      'index.tsv',
    ]);
    const file = await text(mount, `/@me/notifications/${ids[1]}.md`);
    expect(file).toContain('unread: true\nreason: review_requested\nrepository: octo/hello\n');
    expect(file).toContain('subject: ../../octo/hello/pulls/3.md\n');
    const index = await text(mount, '/@me/notifications/index.tsv');
    expect(index).toContain(`${ids[0]}\tmention\tocto/hello\tIssue\tNumber 1 is broken\t`);
    expect((await made.asked()).filter((row) => row.includes('notifications'))).toHaveLength(1);
  });

  it('one is marked as read by writing it: it is listed no more, and found by its name', async () => {
    const { made, ids } = await notified();
    await using _made = made;
    const mount = made.mount({ freshMs: 60_000 });
    const path = `/@me/notifications/${ids[0]}.md`;
    const before = await text(mount, path);
    await mount.write?.(path, Buffer.from(before.replace('unread: true', 'unread: false')));
    expect(await names(mount, '/@me/notifications')).toEqual([`${ids[1]}.md`, 'index.tsv']);
    expect(await text(mount, path)).toContain('unread: false');
    const rows = await made.github.requests();
    expect(rows.filter(({ method }) => method === 'PATCH').map(({ status }) => status)).toEqual([
      205,
    ]);
    made.move(61_000);
    expect(await names(mount, '/@me/notifications')).toEqual([`${ids[1]}.md`, 'index.tsv']);
    const again = await text(mount, path);
    const back = await failure(
      mount.write?.(path, Buffer.from(again.replace('unread: false', 'unread: true'))),
    );
    expect([back.code, back.reason]).toEqual(['EINVAL', expect.stringContaining('no way')]);
    expect((await failure(mount.unlink?.(path))).code).toBe('EPERM');
  });

  it('a mark waits where writes are staged, and reads show it', async () => {
    const { made, ids } = await notified();
    await using _made = made;
    const mount = made.mount({ stage: true });
    const path = `/@me/notifications/${ids[0]}.md`;
    const before = await text(mount, path);
    await mount.write?.(path, Buffer.from(before.replace('unread: true', 'unread: false')));
    expect(await text(mount, path)).toContain('unread: false');
    const writes = () =>
      made.github.requests().then((all) => all.filter(({ method }) => method !== 'GET'));
    expect(await writes()).toEqual([]);
    const [change] = mount.journal.list();
    await mount.journal.apply([change?.id ?? '']);
    expect(await writes()).toHaveLength(1);
  });

  it.each(['lost-answer', 'cut', 'server-error'] as const)(
    'a mark that met %s is made once, or told as not made, and never silently lost',
    async (kind) => {
      const { made, ids } = await notified();
      await using _made = made;
      const mount = made.mount({ freshMs: 60_000 });
      const path = `/@me/notifications/${ids[0]}.md`;
      const read = (await text(mount, path)).replace('unread: true', 'unread: false');
      await made.github.fault({ kind, method: 'PATCH', times: 1 });
      const failed = await failure(mount.write?.(path, Buffer.from(read))).catch(() => null);
      await made.github.clearFaults();
      const [state] = mount.journal.list().map((change) => change.state);
      const later = made.mount({ ...made.memory() });
      const isRead = (await text(later, path)).includes('unread: false');
      expect([state === 'applied', failed === null]).toEqual([isRead, isRead]);
      const sent = (await made.github.requests()).filter(({ method }) => method === 'PATCH');
      expect(sent.length).toBe(1);
    },
  );

  it("are this repository's alone in a mount that shows one, and nobody else's", async () => {
    const { made, ids } = await notified();
    await using _made = made;
    const mount = made.mount({ freshMs: 60_000 });
    await names(mount, '/@me/notifications');
    const asked = (await made.asked()).filter((row) => row.includes('notifications'));
    expect(asked[0]).toContain('GET /repos/octo/hello/notifications');
    const other = Number(ids[1]) + 1;
    expect((await failure(mount.read(`/@me/notifications/${other}.md`))).code).toBe('ENOENT');
  });
});
