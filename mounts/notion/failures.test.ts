/** Outages, limits, lost answers: what is said, what is kept, and that nothing is sent twice. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultInput } from '../../test/stand-ins/notion/index.ts';
import {
  failure,
  named,
  names,
  page,
  TASKS,
  TOKEN,
  text,
  Workbench,
  workspace,
  write,
} from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

const HOME = `/${named('Home')}.md`;
const ROW = `${TASKS}/${named('First')}.md`;
const seeded = () =>
  workbench.bench(
    workspace(
      [page('Home', { markdown: 'one\ntwo' })],
      [page('First', { markdown: 'row text', values: { Status: 'Open' } })],
    ),
  );

const OUTAGES: readonly [FaultInput, string][] = [
  [{ kind: 'server-error' }, 'EIO'],
  [{ kind: 'server-error', status: 503 }, 'EIO'],
  [{ kind: 'cut' }, 'EIO'],
  [{ kind: 'cut-body' }, 'EIO'],
  [{ kind: 'rate-limited', retryAfter: 40 }, 'EAGAIN'],
  [{ kind: 'overload', retryAfter: 40 }, 'EAGAIN'],
  [{ kind: 'slow', ms: 2_000 }, 'ETIMEDOUT'],
];

describe.each(OUTAGES)('%o', (fault, code) => {
  it('is a loud failure where nothing is held, and stale data with a word where something is', async () => {
    using bench = await seeded();
    const timeoutMs = fault.kind === 'slow' ? 800 : 30_000;
    await text(bench.mount(), HOME);
    const cold = bench.mount({ timeoutMs, ...bench.fresh() });
    const mount = bench.mount({ timeoutMs, freshMs: 0 });
    const before = await text(mount, HOME);
    await bench.notion.fault(fault);
    expect((await failure(names(cold, '/'))).code).toBe(code);
    expect((await failure(text(cold, HOME))).code).toBe(code);
    bench.move(10_000);
    expect(await text(mount, HOME)).toBe(before);
    expect(await names(mount, '/')).toContain(HOME.slice(1));
    expect(bench.notices.some((notice) => notice.startsWith('showing data from'))).toBe(true);
    expect((await failure(text(mount, ROW))).code).toBe(code);
  });
});

describe('a limit', () => {
  it('keeps every request back until it ends, and says when that is', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await bench.notion.fault({ kind: 'rate-limited', retryAfter: 40, times: 1 });
    expect((await failure(names(mount, '/'))).reason).toMatch(
      /try again after \d\d:\d\d:\d\d UTC \(in 40 s\)/,
    );
    await bench.asked();
    expect((await failure(names(mount, '/'))).reason).toContain('no request was sent');
    expect(await bench.asked()).toEqual([]);
    bench.move(41_000);
    expect(await names(mount, '/')).toContain(HOME.slice(1));
  });
});

/** Each request of each write, and whether the page shows afterwards what was written. */
const BOTH = (before: string) =>
  before.replace('Status: Open', 'Status: Done').replace('row text', 'new text');
const STEPS = [
  { what: 'the text', path: '/markdown$' },
  { what: 'the fields', path: '/v1/pages/[^/]+$' },
] as const;

describe.each(STEPS)('an edit of both, the answer to $what lost', ({ path }) => {
  it.each(['lost-answer', 'cut', 'cut-body', 'server-error'] as const)(
    'by %s: never lost in silence',
    async (kind) => {
      using bench = await seeded();
      const mount = bench.mount();
      const before = await text(mount, ROW);
      await bench.notion.fault({ kind, method: 'PATCH', path, times: 1 });
      await bench.asked();
      let failed: unknown = null;
      try {
        await write(mount, ROW, BOTH(before));
      } catch (error) {
        failed = error;
      }
      const [change] = mount.journal.list();
      const stored = await bench.stored('First');
      const made =
        stored.markdown === 'new text' &&
        JSON.stringify(stored.properties['Status']).includes('Done');
      expect(change?.state).toBe(made ? 'applied' : 'unknown');
      expect(failed === null).toBe(made);
      const sent = await bench.mutations();
      expect(new Set(sent.map((line) => line.split(' ')[1])).size).toBe(sent.length);
      // What the files say now is what Notion has.
      expect((await text(mount, ROW)).includes('new text')).toBe(stored.markdown === 'new text');
    },
  );
});

describe('a create whose answer is lost', () => {
  it.each([
    [`${TASKS}/new.md`, '---\ntitle: Made\nStatus: Open\n---\n\nwhy\n', 'Made'],
    [`/${named('Home')}/new.md`, '---\ntitle: Made\n---\n\nwhy\n', 'Made'],
  ])('%s: it is found, and not made again', async (path, content, title) => {
    using bench = await seeded();
    const mount = bench.mount();
    await names(mount, '/');
    await bench.notion.fault({ kind: 'lost-answer', method: 'POST', path: '/v1/pages$', times: 1 });
    await write(mount, path, content);
    expect((await bench.notion.dump()).filter((one) => one.title === title)).toHaveLength(1);
    expect(mount.journal.list()[0]?.state).toBe('applied');
    expect(await text(mount, path.replace('new.md', '.last'))).toMatch(/^Made--/);
  });

  it.each([`${TASKS}/new.md`, `/${named('Home')}/new.md`])(
    '%s, while listings lag: unknown, never sent again, settled later',
    async (path) => {
      using bench = await seeded();
      const mount = bench.mount();
      await names(mount, '/');
      await bench.notion.fault({
        kind: 'lost-answer',
        method: 'POST',
        path: '/v1/pages$',
        times: 1,
      });
      await bench.notion.fault({ kind: 'lag', ms: 20_000 });
      const refused = await failure(write(mount, path, '---\ntitle: Made\n---\n'));
      expect(refused.reason).toContain('kept as unknown');
      const [change] = mount.journal.list();
      expect(change?.state).toBe('unknown');
      await bench.notion.clearFaults();
      await mount.journal.settle([change?.id ?? '']);
      expect(mount.journal.list()[0]?.state).toBe('applied');
      expect((await bench.notion.dump()).filter((one) => one.title === 'Made')).toHaveLength(1);
    },
  );

  it('before it arrived: unknown, and nothing was made', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await bench.notion.fault({ kind: 'cut', method: 'POST', path: '/v1/pages$', times: 1 });
    expect((await failure(write(mount, `${TASKS}/new.md`, '---\ntitle: Made\n---\n'))).code).toBe(
      'EIO',
    );
    expect(mount.journal.list()[0]?.state).toBe('unknown');
    expect((await bench.notion.dump()).filter((one) => one.title === 'Made')).toEqual([]);
  });

  it('a comment is found, too', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await bench.notion.fault({
      kind: 'lost-answer',
      method: 'POST',
      path: '/v1/comments$',
      times: 1,
    });
    await write(mount, `/${named('Home')}/comments/new.md`, 'Hello\n');
    expect(await names(mount, `/${named('Home')}/comments`)).toHaveLength(1);
    expect(mount.journal.list()[0]?.state).toBe('applied');
  });
});

describe('a removal whose answer is lost', () => {
  it('is found to be made', async () => {
    using bench = await seeded();
    const mount = bench.mount();
    await text(mount, ROW);
    await bench.notion.fault({ kind: 'lost-answer', method: 'PATCH', times: 1 });
    await mount.unlink?.(ROW);
    expect(mount.journal.list()[0]?.state).toBe('applied');
    expect(await bench.stored('First')).toMatchObject({ inTrash: true });
  });
});

describe('two writers', () => {
  it('at once, on one page, in two mounts: no edit vanishes without an ESTALE', async () => {
    using bench = await seeded();
    const [one, other] = [bench.mount(), bench.mount()];
    const before = await text(one, ROW);
    await text(other, ROW);
    const results = await Promise.allSettled([
      write(one, ROW, before.replace('row text', 'mine')),
      write(other, ROW, before.replace('row text', 'theirs')),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { markdown } = await bench.stored('First');
    expect(markdown).toBe(results[0]?.status === 'fulfilled' ? 'mine' : 'theirs');
  });
});

describe('the token', () => {
  it('is in no file, no error and no database', async () => {
    using bench = await seeded();
    const mount = bench.mount({ freshMs: 0 });
    const said: string[] = [];
    await write(mount, ROW, (await text(mount, ROW)).replace('Open', 'Done'));
    for (const [fault] of OUTAGES.filter(([{ kind }]) => kind !== 'slow')) {
      await bench.notion.fault({ ...fault, times: 1, method: 'POST', path: '/v1/pages$' });
      const refused = write(mount, `${TASKS}/new.md`, '---\ntitle: x\n---\n');
      // One whose answer was cut is found to be made.
      const failed = fault.kind === 'cut-body' ? await refused : await failure(refused);
      said.push(JSON.stringify(failed ?? '', Object.getOwnPropertyNames(new Error())));
      await bench.notion.clearFaults();
      bench.move(60_000);
    }
    for (const path of ['/README.md', '/index.tsv', `${TASKS}/schema.json`, HOME, ROW])
      said.push(await text(mount, path));
    said.push(JSON.stringify(mount.journal.list()), ...bench.notices);
    for (const file of readdirSync(bench.directory))
      said.push(readFileSync(join(bench.directory, file), 'latin1'));
    expect(said.filter((one) => one.includes(TOKEN))).toEqual([]);
    expect(said.length).toBeGreaterThan(10);
  });

  it('that is refused is EACCES and says where it comes from', async () => {
    using bench = await seeded();
    const refused = await failure(names(bench.mount({ token: 'wrong' }), '/'));
    expect(refused).toMatchObject({ code: 'EACCES' });
    expect(refused.reason).toContain('NOTION_TOKEN');
  });
});
