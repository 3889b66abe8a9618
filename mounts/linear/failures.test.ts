/** When Linear is down, slow, cut off, full or refuses: the errno, the sentence, what is served, and what became of a write. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultInput } from '../../test/stand-ins/linear/index.ts';
import { ISSUE_QUESTIONS } from './issues.ts';
import {
  type Bench,
  commentPath,
  failure,
  ISSUES,
  Server,
  TEAM,
  TOKEN,
  text,
  uuid,
  write,
} from './testing.ts';

const SMALL = { issues: 4, commentsEach: 1 };
const ISSUE = `${ISSUES}/ENG-2.md`;
const NEW = `${ISSUES}/new.md`;

const NONE = { nodes: [], pageInfo: { hasNextPage: false } };
/** An issue as Linear gives it, of which most is not given. */
const FOUND = {
  ...{ id: uuid(1), identifier: 'ENG-1', title: 'First', number: 1, priority: 0, labelIds: [] },
  ...{ state: { id: uuid(2), name: 'Todo' }, team: { id: uuid(3), key: 'ENG' } },
  ...{
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
    url: 'https://example.com',
  },
  ...{ relations: NONE, inverseRelations: NONE, attachments: NONE },
};

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

/** What stands before Linear, or Linear itself, answers so. */
function answered(status: number, said: string | object): FaultInput {
  const isPage = typeof said === 'string';
  const type = isPage ? 'text/html' : 'application/json';
  return { kind: 'answer', status, type, body: isPage ? said : JSON.stringify(said) };
}

const errorOf = (extensions: object) => ({ errors: [{ message: 'No.', extensions }] });

const OUTAGES: { fault: FaultInput; code: string; says: RegExp }[] = [
  { fault: { kind: 'server-error', status: 502 }, code: 'EIO', says: /Linear answered 502/ },
  { fault: { kind: 'cut' }, code: 'EIO', says: /broke off/ },
  { fault: { kind: 'cut-body' }, code: 'EIO', says: /broke off/ },
  { fault: { kind: 'slow', ms: 1_500 }, code: 'ETIMEDOUT', says: /within 0\.5 s/ },
  {
    fault: { kind: 'limited', retryAfter: 42 },
    code: 'EAGAIN',
    says: /RATELIMITED.*try again after \d\d:\d\d:\d\d UTC \(in 4\d s\)/,
  },
  {
    fault: { kind: 'limited', status: 429, retryAfter: 42 },
    code: 'EAGAIN',
    says: /try again after/,
  },
  {
    fault: answered(404, '<html>\nnot here</html>'),
    code: 'EIO',
    says: /^Linear answered 404 to a question: check its address/,
  },
  {
    fault: answered(400, errorOf({ code: 'RATELIMITED' })),
    code: 'EAGAIN',
    says: /RATELIMITED.*try again after/,
  },
];

describe.each(OUTAGES)('$fault.kind', ({ fault, code, says }) => {
  it(`is ${code} where nothing is held, and what is held is served and marked stale`, async () => {
    using bench = await server.bench(SMALL);
    // A busy machine must not be taken for a slow service.
    const timeoutMs = fault.kind === 'slow' ? 500 : 20_000;
    await bench.linear.fault(fault);
    for (const work of [
      () => bench.empty({ timeoutMs }).readdir(ISSUES),
      () => bench.empty({ timeoutMs }).read(`${ISSUES}/ENG-1.md`),
      () => bench.empty({ timeoutMs }).lstat(TEAM),
    ]) {
      const refused = await failure(work());
      expect(refused.code).toBe(code);
      expect(refused.reason).toMatch(says);
    }
    await bench.linear.clearFaults();
    const mount = bench.mount({ timeoutMs });
    const before = await mount.readdir(ISSUES);
    await text(mount, `${ISSUES}/ENG-1.md`);
    await bench.linear.fault(fault);
    bench.move(60_000);
    await bench.asked();
    expect(await mount.readdir(ISSUES)).toEqual(before);
    expect(await text(mount, `${ISSUES}/ENG-1.md`)).toContain('Number 1');
    expect(bench.notices.at(-1)).toMatch(/^showing data from \d\d:\d\d:\d\d UTC: /);
    // One failure of each question, of three tries at most, is not asked for again for every file.
    expect((await bench.asked()).length).toBeLessThanOrEqual(6);
  });
});

describe('a limit', () => {
  it('keeps every request back until it ends, and is seen coming', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.empty();
    await bench.linear.fault({ kind: 'limited', retryAfter: 30, times: 1 });
    expect(await failure(mount.readdir(ISSUES))).toMatchObject({ code: 'EAGAIN' });
    await bench.asked();
    const refused = await failure(write(mount, NEW, '---\ntitle: x\n---\n'));
    expect(refused.reason).toContain('no request was sent');
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'failed' });
    expect(await bench.asked()).toEqual([]);
    bench.move(31_000);
    await mount.readdir(ISSUES);
    await bench.linear.setRequestsLeft(1);
    bench.move(60_000);
    await mount.readdir(ISSUES);
    bench.move(60_000);
    await bench.asked();
    await mount.readdir(ISSUES);
    expect(bench.notices.at(-1)).toContain('Linear asked us to wait');
    expect(await bench.asked()).toEqual([]);
  });
});

/** The state of the store that a write is about, before and after. */
interface Case {
  name: string;
  field: string;
  act(mount: ReturnType<Bench['mount']>): Promise<void>;
  /** How often the write took effect. */
  made(bench: Bench): Promise<number>;
}

const CASES: Case[] = [
  {
    name: 'making an issue',
    field: 'issueCreate',
    act: (mount) => write(mount, NEW, '---\ntitle: Only once\n---\n\ntext\n'),
    made: async (bench) =>
      (await bench.linear.dump()).issues.filter(({ title }) => title === 'Only once').length,
  },
  {
    name: 'making a comment',
    field: 'commentCreate',
    act: (mount) => write(mount, `${ISSUES}/ENG-1/comments/new.md`, 'Only once\n'),
    made: async (bench) =>
      (await bench.linear.dump()).comments.filter(({ body }) => body === 'Only once').length,
  },
  {
    name: 'an edit',
    field: 'issueUpdate',
    act: async (mount) =>
      write(mount, ISSUE, (await text(mount, ISSUE)).replace('Number 2', 'Second')),
    made: async (bench) =>
      (await bench.linear.dump()).issues.filter(({ title }) => title === 'Second is broken').length,
  },
  {
    name: 'deleting a comment',
    field: 'commentDelete',
    act: async (mount) => mount.unlink?.(commentPath(2, 0)),
    made: async (bench) =>
      (await bench.linear.dump()).comments.some(({ id }) => id === uuid(100_200)) ? 0 : 1,
  },
];

describe.each(CASES)('$name', ({ field, act, made }) => {
  const create = field.endsWith('Create');

  it.each(['lost-answer', 'cut-body'] as const)(
    'with a %s is found to be made, once',
    async (kind) => {
      using bench = await server.bench(SMALL);
      const mount = bench.mount();
      await mount.prefetch(TEAM);
      await bench.linear.fault({ kind: 'lag', ms: 10_000 });
      await bench.linear.fault({ kind, field, times: 1 });
      await act(mount);
      expect(mount.journal.list().at(-1)).toMatchObject({ state: 'applied' });
      expect(await made(bench)).toBe(1);
      const sent = (await bench.log()).filter(({ fields }) => fields.includes(field));
      expect(sent).toHaveLength(1);
    },
  );

  it.each(['cut', 'server-error'] as const)(
    'with a %s before it took effect is told truly',
    async (kind) => {
      using bench = await server.bench(SMALL);
      const mount = bench.mount();
      await mount.prefetch(TEAM);
      await bench.linear.fault({ kind, field, times: 1 });
      if (create) await act(mount);
      else expect(await failure(act(mount))).toMatchObject({ code: 'EIO' });
      expect(mount.journal.list().at(-1)?.state).toBe(create ? 'applied' : 'unknown');
      expect(await made(bench)).toBe(create ? 1 : 0);
    },
  );

  it.each([
    [503, errorOf({ type: 'authentication error' })],
    [500, errorOf({ type: 'invalid input' })],
    [410, '<html>gone</html>'],
    [200, { data: { [field]: { success: true } }, errors: [{ message: null, extensions: null }] }],
    [200, { data: { [field]: { success: true } }, ...errorOf({ type: 'forbidden' }) }],
  ])('with a %i of %j has not failed for certain', async (status, said) => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    await bench.linear.fault({ ...answered(status, said), field, times: 1 });
    if (create) await act(mount);
    else expect(await failure(act(mount))).toMatchObject({ code: 'EIO' });
    expect(mount.journal.list().at(-1)?.state).toBe(create ? 'applied' : 'unknown');
    expect(await made(bench)).toBe(create ? 1 : 0);
  });

  it('whose fate cannot be asked for is unknown, and settled later without being sent again', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    await text(mount, ISSUE);
    await bench.linear.fault({ kind: 'lost-answer', field, times: 1 });
    // An edit reads its base before it is sent; what is asked afterwards fails.
    await bench.linear.fault({
      kind: 'server-error',
      operation: 'query',
      skip: field === 'issueUpdate' ? 1 : 0,
    });
    const refused = await failure(act(mount));
    expect(refused.reason).toContain('unknown');
    const id = mount.journal.list().at(-1)?.id ?? '';
    await bench.linear.clearFaults();
    expect(await mount.journal.apply([id])).toMatchObject([{ state: 'unknown' }]);
    expect(await mount.journal.settle([id])).toMatchObject([{ state: 'applied' }]);
    expect(await made(bench)).toBe(1);
    const sent = (await bench.log()).filter(({ fields }) => fields.includes(field));
    expect(sent).toHaveLength(1);
  });

  it('that is refused by a limit has failed for certain', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    await bench.linear.fault({ kind: 'limited', field, times: 1 });
    expect(await failure(act(mount))).toMatchObject({ code: 'EAGAIN' });
    expect(mount.journal.list().at(-1)).toMatchObject({ state: 'failed' });
    expect(await made(bench)).toBe(0);
  });
});

describe('a create that is sent twice', () => {
  it('makes one issue, though the first was only slow', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    await bench.linear.fault({ kind: 'lost-answer', field: 'issueCreate', times: 1 });
    // The lookup by id fails to see it once, so that the same request goes out again.
    await write(mount, NEW, '---\ntitle: Twice\n---\n');
    const request = mount.journal.list().at(-1)?.request;
    const again = await fetch(bench.linear.url, {
      method: 'POST',
      headers: { authorization: TOKEN },
      body: JSON.stringify(request?.body),
    });
    expect(await again.text()).toContain('conflict on insert of Issue');
    const { issues } = await bench.linear.dump();
    expect(issues.filter(({ title }) => title === 'Twice')).toHaveLength(1);
  });
});

describe('a listing that lags', () => {
  it('takes back neither an own new issue, nor an own edit, nor an own deletion', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount({ reconcileMs: 0 });
    await mount.prefetch(TEAM);
    await write(mount, NEW, '---\ntitle: Fresh\n---\n');
    await write(mount, `${ISSUES}/ENG-3.md`, '---\ntitle: Third\n---\n');
    await mount.unlink?.(commentPath(1, 0));
    await bench.linear.fault({ kind: 'lag', ms: 10_000 });
    bench.move(20_000);
    const names = (await mount.readdir(ISSUES)).map(({ name }) => name);
    expect(names).toContain('ENG-5.md');
    expect(await text(mount, `${ISSUES}/ENG-3.md`)).toContain('title: Third');
    expect(await mount.readdir(`${ISSUES}/ENG-1/comments`)).toEqual([]);
  });
});

describe('the key', () => {
  it('that is refused or missing is EACCES and says what to check', async () => {
    using bench = await server.bench(SMALL);
    const refused = await failure(bench.empty({ token: 'lin_api_wrong' }).readdir(ISSUES));
    expect(refused).toMatchObject({ code: 'EACCES' });
    expect(refused.reason).toContain('check LINEAR_API_KEY');
    await bench.linear.fault({ ...answered(401, '<html>\nwho is it?'), times: 1 });
    const page = await failure(bench.empty().readdir(ISSUES));
    expect(page.reason).toBe('Linear refused the key: check LINEAR_API_KEY');
    const missing = await failure(bench.empty({ token: undefined }).readdir(ISSUES));
    expect(missing).toMatchObject({ code: 'EACCES' });
    expect(missing.reason).toContain('set LINEAR_API_KEY');
  });

  it('appears in no error, no notice and no database', async () => {
    using bench = await server.bench(SMALL);
    const mount = bench.mount();
    await mount.prefetch(TEAM);
    const before = await text(mount, ISSUE);
    await bench.linear.fault({ kind: 'server-error', operation: 'mutation' });
    const refused = await failure(write(mount, ISSUE, before.replace('Number', 'No')));
    await bench.linear.fault({ kind: 'cut' });
    bench.move(60_000);
    await mount.readdir(ISSUES);
    expect(inspect(refused, { depth: 12, showHidden: true })).not.toContain(TOKEN);
    expect(bench.notices.join('\n')).not.toContain(TOKEN);
    for (const file of readdirSync(bench.directory)) {
      expect(readFileSync(join(bench.directory, file)).includes(TOKEN)).toBe(false);
    }
  });
});

it.each([
  ['say not where they go on', [null, null]],
  ['lead in a circle', ['a', 'b', 'a', 'b']],
])('comments of an issue that %s are an error, and not asked for for ever', async (_, cursors) => {
  const [, one] = ISSUE_QUESTIONS;
  let asked = 0;
  const find = async () => {
    const [endCursor] = cursors.slice(asked);
    if (asked === cursors.length) throw new Error('it was asked for again');
    asked += 1;
    return { ...FOUND, comments: { nodes: [], pageInfo: { hasNextPage: true, endCursor } } };
  };
  const at = { client: { find }, params: { team: 'ENG', issue: 'ENG-1' } } as never;
  const asking = { of: new Map([['comments', null]]), since: null, from: null };
  const pages = one?.list(at, asking) as AsyncIterable<object>;
  const read = async () => {
    for await (const page of pages) expect(page).toHaveProperty('of');
  };
  await expect(read()).rejects.toMatchObject({ kind: 'protocol' });
});
