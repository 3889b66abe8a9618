/** Writing issues and comments: what is sent, what is refused, and what is kept. */
import { describe, expect, it } from 'vitest';
import { Bench, failure, REPO, text, write } from './testing.ts';

const OCTO = { owner: 'octo', repo: 'hello' };
const ISSUE = `${REPO}/issues/2.md`;
const SMALL = { issues: 4, commentsEach: 1, pullEvery: 4 };

describe('an edit', () => {
  it('sends only the fields that differ, and a read after it sees it', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await write(
      mount,
      ISSUE,
      before.replace('state: open', 'state: closed').replace('[bug]', '[docs]'),
    );
    const [change] = mount.journal.list();
    expect(change).toMatchObject({
      state: 'applied',
      op: 'update',
      request: {
        method: 'PATCH',
        url: '/repos/octo/hello/issues/2',
        body: { state: 'closed', labels: ['docs'] },
      },
    });
    expect(change?.diff).toContain('-state: open\n');
    expect(await text(mount, ISSUE)).toContain('state: closed');
    expect(await text(mount, ISSUE)).toContain('Body of 2\n\nwith two paragraphs\n');
  });

  it('leaves a field that is left out alone', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    await write(mount, ISSUE, '---\ntitle: Shorter\n---\n\nBody of 2\n\nwith two paragraphs\n');
    expect(mount.journal.list()[0]?.request?.body).toEqual({ title: 'Shorter' });
    expect(await text(mount, ISSUE)).toContain('labels: [bug]');
  });

  it('that changes nothing sends nothing and leaves no change', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.asked();
    await write(mount, ISSUE, before);
    expect(await bench.asked()).toEqual([]);
    expect(mount.journal.list()).toEqual([]);
  });

  it('with wrong fields names each of them and what is allowed, and sends nothing', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.asked();
    const wrong = before
      .replace('state: open', 'state: done\ntitel: x')
      .replace('number: 2', 'number: 3')
      .replace('title: Number 2 is broken', `title: ${'x'.repeat(257)}`);
    const refused = await failure(write(mount, ISSUE, wrong));
    expect(refused.code).toBe('EINVAL');
    expect(refused.reason).toContain('state: must be one of open, closed');
    expect(refused.reason).toContain('titel: no such field (nearest: title');
    expect(refused.reason).toContain('number: cannot be changed (it is 2)');
    expect(refused.reason).toContain('title: is longer than 256 characters');
    expect(await bench.asked()).toEqual([]);
    expect(await text(mount, `${REPO}/issues/.error`)).toBe(`${refused.reason}\n`);
    expect(mount.journal.list()[0]).toMatchObject({ state: 'failed', error: refused.reason });
    const names = (await mount.readdir(`${REPO}/issues`)).map(({ name }) => name);
    expect(names).not.toContain('.error');
    expect(await text(mount, ISSUE)).toBe(before);
  });

  it('with a label that does not exist costs one lookup and names the nearest', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.asked();
    const refused = await failure(write(mount, ISSUE, before.replace('[bug]', '[bugs, docs]')));
    expect(refused).toMatchObject({ code: 'EINVAL' });
    expect(refused.reason).toContain('there is no label "bugs" here (nearest: bug;');
    expect(await bench.asked()).toEqual(['GET /repos/octo/hello/labels?per_page=100&page=1 200']);
  });

  it('with wrong fields of every kind names them all at once, what the repository lacks, too', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    const wrong = before
      .replace('labels: [bug]', 'labels: [bugs]\nprioriti: 1')
      .replace('assignees: []', 'assignees: [mra]')
      .replace('milestone: null', 'milestone: 1.0');
    const refused = await failure(write(mount, ISSUE, wrong));
    for (const part of [
      'labels: there is no label "bugs" here (nearest: bug;',
      'assignees: there is no person "mra" here (nearest: mara;',
      'milestone: must be the title of a milestone or null (in quotes it is text: "1"; ',
      'prioriti: no such field',
    ]) {
      expect(refused.reason).toContain(part);
    }
    expect(mount.journal.list()[0]).toMatchObject({ state: 'failed', request: null });
  });

  it('finds people, labels and milestones as one would type them, and sends them as they are', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await write(
      mount,
      ISSUE,
      before
        .replace('labels: [bug]', 'labels: [BUG, Docs]')
        .replace('assignees: []', 'assignees: ["@Mara"]')
        .replace('milestone: null', 'milestone: V1.0'),
    );
    expect(mount.journal.list()[0]?.request?.body).toEqual({
      labels: ['bug', 'docs'],
      assignees: ['mara'],
      milestone: 1,
    });
    expect(await text(mount, `${REPO}/issues/index.tsv`)).toMatch(
      /\tassignees\t.*\n(.*\n)*2\t.*\tmara\t/,
    );
  });

  it('finds people by the name of their profile, which only a name that is no login asks for', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount({ freshMs: 600_000 });
    const before = await text(mount, ISSUE);
    const assign = (name: string) => before.replace('assignees: []', `assignees: [${name}]`);
    await bench.asked();
    await write(mount, ISSUE, assign('M. Ohlsen'));
    expect(mount.journal.list().at(-1)?.request?.body).toEqual({ assignees: ['mara'] });
    const asked = await bench.asked();
    expect(asked.filter((row) => row.startsWith('POST'))).toEqual(['POST /graphql 200']);
    await write(mount, ISSUE, (await text(mount, ISSUE)).replace('[mara]', '["@octo"]'));
    const refused = await failure(
      write(mount, ISSUE, (await text(mount, ISSUE)).replace('[octo]', '[M. Olsen]')),
    );
    expect(refused.reason).toContain('there is no person "M. Olsen" here (nearest: mara;');
    expect((await bench.asked()).filter((row) => row.startsWith('POST'))).toEqual([]);
  });

  it('knows people by their logins where names are not to be had', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount({
      fetch: async (input, init) =>
        String(input).endsWith('/graphql')
          ? Response.json({ message: 'Resource not accessible' }, { status: 403 })
          : fetch(input as string, init),
    });
    const before = await text(mount, ISSUE);
    const assign = (name: string) => before.replace('assignees: []', `assignees: [${name}]`);
    const refused = await failure(write(mount, ISSUE, assign('Somebody')));
    expect(refused.reason).toContain('there is no person "Somebody" here (allowed: mara, octo)');
    await write(mount, ISSUE, assign('mara'));
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'applied' });
  });

  it('merges with what somebody else changed, field by field', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.github.edit({ op: 'edit-issue', ...OCTO, number: 2, fields: { title: 'Theirs' } });
    await write(mount, ISSUE, before.replace('Body of 2', 'My body'));
    const after = await text(mount, ISSUE);
    expect(after).toContain('title: Theirs');
    expect(after).toContain('My body');
    expect(mount.journal.list()[0]?.request?.body).toEqual({
      body: 'My body\n\nwith two paragraphs',
    });
  });

  it('of a field that both changed is ESTALE, sends nothing and keeps all three texts', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const before = await text(mount, ISSUE);
    await bench.github.edit({ op: 'edit-issue', ...OCTO, number: 2, fields: { title: 'Theirs' } });
    await bench.asked();
    const refused = await failure(write(mount, ISSUE, before.replace('Number 2', 'Mine')));
    expect(refused.code).toBe('ESTALE');
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toEqual([]);
    const [change] = mount.journal.list();
    expect(change?.state).toBe('conflict');
    expect(change?.base).toBe(before);
    expect(change?.mine).toContain('title: Mine is broken');
    expect(change?.theirs).toContain('title: Theirs');
    await write(mount, ISSUE, (await text(mount, ISSUE)).replace('Theirs', 'Both'));
    expect(await text(mount, ISSUE)).toContain('title: Both');
  });

  it('from a copy of another version is refused, unless it does not say which it is of', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const copy = await text(mount, ISSUE);
    await write(mount, ISSUE, copy.replace('Number 2', 'Second'));
    await text(mount, ISSUE);
    const refused = await failure(write(mount, ISSUE, copy));
    expect(refused.reason).toContain('updated_at: cannot be changed');
    expect(refused.reason).toContain('of another version');
    const unversioned = copy.replace(/^(updated_at|closed_at): .*\n/gm, '');
    await write(mount, ISSUE, unversioned);
    expect(await text(mount, ISSUE)).toContain('title: Number 2');
  });

  it('by append adds to the body', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    await mount.append?.(ISSUE, Buffer.from('one more line\n'));
    expect(await text(mount, ISSUE)).toMatch(/paragraphs\none more line\n$/);
  });

  it('of a pull request and of a comment goes the same way', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const pull = `${REPO}/pulls/4.md`;
    await write(mount, pull, (await text(mount, pull)).replace('Number 4', 'Fourth'));
    expect(await text(mount, pull)).toContain('title: Fourth is broken');
    const comment = `${REPO}/issues/2/comments/10200.md`;
    await write(mount, comment, (await text(mount, comment)).replace('Comment 0', 'My word'));
    expect(await text(mount, comment)).toContain('My word on 2');
  });
});

describe('new.md', () => {
  const NEW = `${REPO}/issues/new.md`;

  it('makes one issue, .last names it, and no listing shows either', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const template = await text(mount, NEW);
    expect(template).toContain('any of: bug, docs, help wanted');
    const filled = template
      .replace('title: ""', 'title: "It is: broken"')
      .replace('labels: []', 'labels: [bug]');
    await write(mount, NEW, `${filled}\nSteps\n`);
    expect(await text(mount, `${REPO}/issues/.last`)).toBe('5.md\n');
    const made = await text(mount, `${REPO}/issues/5.md`);
    expect(made).toContain('title: "It is: broken"');
    expect(made).toContain('author: mara');
    expect(made).toMatch(/\n\nSteps\n$/);
    const names = (await mount.readdir(`${REPO}/issues`)).map(({ name }) => name);
    expect(names).toContain('5.md');
    expect(names.filter((name) => name === 'new.md' || name.startsWith('.'))).toEqual([]);
    const absolute = bench.mount({ point: '/mnt/github' });
    expect(await text(absolute, `${REPO}/issues/.last`)).toBe(`/mnt/github${REPO}/issues/5.md\n`);
  });

  it('takes its own template back, once the title is filled in', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const path = `${REPO}/issues/new.md`;
    await write(mount, path, (await text(mount, path)).replace('title: ""', 'title: "Filled in"'));
    expect(mount.journal.list()[0]).toMatchObject({
      state: 'applied',
      request: { body: { title: 'Filled in' } },
    });
  });

  it('makes a comment from a bare text', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    await write(mount, `${REPO}/issues/1/comments/new.md`, 'Me too\n');
    const last = (await text(mount, `${REPO}/issues/1/comments/.last`)).trim();
    expect(await text(mount, `${REPO}/issues/1/comments/${last}`)).toMatch(/\n\nMe too\n$/);
    expect(await mount.readdir(`${REPO}/issues/1/comments`)).toHaveLength(2);
  });

  it('refuses an empty title, an append, and a name of its own', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const empty = await failure(write(mount, NEW, ''));
    expect(empty).toMatchObject({ code: 'EINVAL' });
    const untitled = await failure(write(mount, NEW, '---\nlabels: [bug]\n---\n'));
    expect(untitled.reason).toContain('title: is required');
    expect(await failure(mount.append?.(NEW, Buffer.from('x')) ?? Promise.resolve())).toMatchObject(
      {
        code: 'EINVAL',
      },
    );
    expect(await failure(write(mount, `${REPO}/issues/mine.md`, 'x'))).toMatchObject({
      code: 'EPERM',
    });
    expect(
      await failure(write(mount, `${REPO}/issues/99.md`, '---\ntitle: x\n---\n')),
    ).toMatchObject({
      code: 'ENOENT',
    });
    const posted = (await bench.asked()).filter((line) => line.startsWith('POST'));
    expect(posted).toEqual([]);
  });

  it('never makes a second issue after a lost answer: GitHub is asked, and it is found', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    await bench.github.fault({ kind: 'lost-answer', method: 'POST', times: 1 });
    await write(mount, NEW, '---\ntitle: Only once\n---\n\ntext\n');
    expect(mount.journal.list()[0]).toMatchObject({ state: 'applied' });
    const issues = (await bench.github.dump()).repositories[0]?.issues ?? [];
    expect(issues.filter(({ title }) => title === 'Only once')).toHaveLength(1);
    expect(await text(mount, `${REPO}/issues/.last`)).toBe('5.md\n');
  });

  it('whose fate cannot be told is unknown, says so, and is asked for later but never sent again', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    await bench.github.fault({ kind: 'lost-answer', method: 'POST', times: 1 });
    await bench.github.fault({ kind: 'server-error', method: 'GET' });
    const refused = await failure(write(mount, NEW, '---\ntitle: Only once\n---\n'));
    expect(refused.code).toBe('EIO');
    expect(refused.reason).toContain('unknown');
    const [change] = mount.journal.list();
    expect(change).toMatchObject({ state: 'unknown' });
    expect(change?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    await bench.github.clearFaults();
    const id = change?.id ?? '';
    expect(await mount.journal.apply([id])).toMatchObject([{ state: 'unknown' }]);
    expect(await mount.journal.settle([id])).toMatchObject([{ state: 'applied' }]);
    const issues = (await bench.github.dump()).repositories[0]?.issues ?? [];
    expect(issues.filter(({ title }) => title === 'Only once')).toHaveLength(1);
  });

  it('that was cut off before it arrived stays unknown, and nothing was made', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    await bench.github.fault({ kind: 'cut', method: 'POST', times: 1 });
    expect(await failure(write(mount, NEW, '---\ntitle: Cut off\n---\n'))).toMatchObject({
      code: 'EIO',
    });
    expect(mount.journal.list()[0]).toMatchObject({ state: 'unknown' });
    const posts = (await bench.asked()).filter((line) => line.startsWith('POST'));
    expect(posts).toHaveLength(1);
  });
});

describe('what cannot be written', () => {
  it('is refused with what to write instead', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const reason = async (path: string) =>
      (await failure(write(mount, `${REPO}/${path}`, 'x'))).reason;
    expect(await reason('milestones/1.md')).toContain('by its own field `milestone`');
    expect(await reason('milestones/new-one.md')).toContain('by its own field `milestone`');
    expect(await reason('labels.tsv')).toContain('in its own field `labels`');
    expect(await reason('issues/2/thread.md')).toContain('comments/new.md');
    expect(await reason('issues/mine.md')).toContain('write to new.md in this directory');
    expect(await reason('issues/index.tsv')).toContain('write the record itself');
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toEqual([]);
  });
});

describe('.last', () => {
  it('is one path: of what was made, else of the change that says why nothing was', async () => {
    await using bench = await Bench.start(SMALL);
    const [mount, staging] = [bench.mount({ point: '/mnt/github' }), bench.mount({ stage: true })];
    const last = `${REPO}/issues/.last`;
    await failure(write(mount, `${REPO}/issues/new.md`, '---\ntitle: ""\n---\n'));
    const [refused] = mount.journal.list();
    expect(await text(mount, last)).toBe(`/session/changes/${refused?.id}\n`);
    await write(mount, `${REPO}/issues/new.md`, '---\ntitle: Made\n---\n');
    expect(await text(mount, last)).toBe(`/mnt/github${REPO}/issues/5.md\n`);
    await write(staging, `${REPO}/issues/new.md`, '---\ntitle: Staged\n---\n');
    const [staged] = staging.journal.list({ state: 'pending' });
    expect(await text(staging, last)).toBe(`/session/changes/${staged?.id}\n`);
  });
});

describe('README.md', () => {
  it('says where writes are staged how they are reviewed, and only there', async () => {
    await using bench = await Bench.start(SMALL);
    const [mount, staging] = [bench.mount(), bench.mount({ stage: true })];
    expect(await text(staging, '/README.md')).toMatch(
      /Writes here are staged.*\/session\/changes\/ID\/.*dirigent changes list/s,
    );
    expect(await text(mount, '/README.md')).not.toContain('staged');
    expect(await text(mount, '/README.md')).toContain('People are shown by their login');
  });
});

describe('removing and renaming', () => {
  it('an issue is EPERM and names the way; a comment is deleted', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount();
    const refused = await failure(mount.unlink?.(ISSUE) ?? Promise.resolve());
    expect(refused).toMatchObject({ code: 'EPERM' });
    expect(refused.reason).toContain('state: closed');
    const renamed = await failure(
      mount.rename?.(ISSUE, `${REPO}/issues/9.md`) ?? Promise.resolve(),
    );
    expect(renamed).toMatchObject({ code: 'EPERM' });
    const comment = `${REPO}/issues/2/comments/10200.md`;
    await mount.unlink?.(comment);
    expect(await failure(mount.read(comment))).toMatchObject({ code: 'ENOENT' });
    expect(await mount.readdir(`${REPO}/issues/2/comments`)).toEqual([]);
    expect(mount.journal.list().at(-1)).toMatchObject({ op: 'delete', state: 'applied' });
  });
});

describe('a stage mount', () => {
  it('shows the staged text, sends nothing, and applies it on demand', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount({ stage: true });
    const before = await text(mount, ISSUE);
    await write(mount, ISSUE, before.replace('Number 2', 'Staged'));
    await write(mount, ISSUE, (await text(mount, ISSUE)).replace('Body of 2', 'New body'));
    await write(mount, `${REPO}/issues/new.md`, '---\ntitle: Staged issue\n---\n');
    expect(await text(mount, ISSUE)).toContain('title: Staged is broken');
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toEqual([]);
    const pending = mount.journal.list({ state: 'pending' });
    expect(pending.map(({ op }) => op)).toEqual(['update', 'create']);
    expect(pending[0]?.request?.body).toEqual({
      title: 'Staged is broken',
      body: 'New body\n\nwith two paragraphs',
    });
    expect(await text(mount, `${REPO}/issues/.last`)).toMatch(/^\/session\/changes\//);
    await bench.github.edit({ op: 'edit-issue', ...OCTO, number: 2, fields: { state: 'closed' } });
    const applied = await mount.journal.apply(pending.map(({ id }) => id));
    expect(applied.map(({ state }) => state)).toEqual(['applied', 'applied']);
    const after = await text(mount, ISSUE);
    expect(after).toContain('title: Staged is broken');
    expect(after).toContain('state: closed');
    expect(await text(mount, `${REPO}/issues/5.md`)).toContain('Staged issue');
  });

  it('drops, and keeps what a conflict or an outage left undone', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount({ stage: true });
    const before = await text(mount, ISSUE);
    const stage = async (title: string) => {
      await write(mount, ISSUE, before.replace('Number 2', title));
      return mount.journal.list().at(-1)?.id ?? '';
    };
    const first = await stage('Dropped');
    expect(await mount.journal.drop([first])).toMatchObject([{ id: first, state: 'dropped' }]);
    expect(await text(mount, ISSUE)).toBe(before);
    const second = await stage('Later');
    await bench.github.fault({ kind: 'server-error', times: 3 });
    expect(await mount.journal.apply([second])).toMatchObject([{ state: 'pending' }]);
    await bench.github.edit({ op: 'edit-issue', ...OCTO, number: 2, fields: { title: 'Theirs' } });
    const [outcome] = await mount.journal.apply([second]);
    expect(outcome).toMatchObject({ state: 'conflict' });
    expect(outcome?.error).toContain('theirs.md');
  });

  it('gives another text another id: what was reviewed is not sent with another content', async () => {
    await using bench = await Bench.start(SMALL);
    const [mount, other] = [bench.mount({ stage: true }), bench.mount({ stage: true })];
    const before = await text(mount, ISSUE);
    await write(mount, ISSUE, before.replace('Number 2', 'Harmless'));
    const [shown] = mount.journal.list();
    await write(other, ISSUE, before.replace('Number 2', 'Evil'));
    const [now] = mount.journal.list({ state: 'pending' });
    expect(now?.id).not.toBe(shown?.id);
    expect(mount.journal.get(shown?.id ?? '')).toMatchObject({
      state: 'dropped',
      mine: shown?.mine,
      replacedBy: now?.id,
    });
    const [refused] = await mount.journal.apply([shown?.id ?? '']);
    expect(refused).toMatchObject({
      state: 'dropped',
      error: expect.stringContaining(now?.id ?? ''),
    });
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toEqual([]);
    // The same text again is what was reviewed.
    await write(mount, ISSUE, before.replace('Number 2', 'Evil'));
    expect(mount.journal.list({ state: 'pending' }).map(({ id }) => id)).toEqual([now?.id]);
    // A text that is refused leaves what is staged as it was.
    await failure(write(mount, ISSUE, before.replace('state: open', 'state: ajar')));
    expect(mount.journal.list({ state: 'pending' })).toEqual([now]);
    await write(mount, ISSUE, before);
    expect(mount.journal.list({ state: 'pending' })).toEqual([]);
  });

  it('is applied once by two processes at the same time', async () => {
    await using bench = await Bench.start(SMALL);
    const [mount, other] = [bench.mount({ stage: true }), bench.mount({ stage: true })];
    await write(mount, ISSUE, (await text(mount, ISSUE)).replace('Number 2', 'Staged'));
    const ids = mount.journal.list().map(({ id }) => id);
    const [one, two] = await Promise.all([mount.journal.apply(ids), other.journal.apply(ids)]);
    expect([...one, ...two].map(({ error }) => error === undefined).sort()).toEqual([false, true]);
    expect(mount.journal.list()).toMatchObject([{ state: 'applied', error: null }]);
    expect((await bench.asked()).filter((line) => !line.startsWith('GET'))).toHaveLength(1);
  });

  it('keeps what is staged over a restart, and another process can apply it', async () => {
    await using bench = await Bench.start(SMALL);
    const before = bench.mount({ stage: true });
    await write(before, ISSUE, (await text(before, ISSUE)).replace('Number 2', 'Staged'));
    const after = bench.mount({ stage: true });
    expect(await text(after, ISSUE)).toContain('title: Staged is broken');
    const ids = after.journal.list({ state: 'pending' }).map(({ id }) => id);
    expect(await after.journal.apply(ids)).toMatchObject([{ state: 'applied' }]);
    expect(await text(before, ISSUE)).toContain('title: Staged is broken');
    const { issues } = (await bench.github.dump()).repositories[0] ?? { issues: [] };
    expect(issues.find(({ number }) => number === 2)?.title).toBe('Staged is broken');
  });

  it('hides a comment whose removal is staged', async () => {
    await using bench = await Bench.start(SMALL);
    const mount = bench.mount({ stage: true });
    const directory = `${REPO}/issues/2/comments`;
    await mount.unlink?.(`${directory}/10200.md`);
    expect(await mount.readdir(directory)).toEqual([]);
    expect(await failure(mount.lstat(`${directory}/10200.md`))).toMatchObject({ code: 'ENOENT' });
    expect((await bench.asked()).filter((line) => line.startsWith('DELETE'))).toEqual([]);
  });
});
