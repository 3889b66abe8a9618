/** What Notion's listings leave out, and what is asked for besides: when, how often, and what is said where it fails. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Bench,
  failure,
  id,
  minute,
  named,
  names,
  page,
  TASKS,
  text,
  Workbench,
  workspace,
} from './testing.ts';

let workbench: Workbench;
beforeAll(async () => {
  workbench = await Workbench.start();
});
afterAll(() => workbench[Symbol.asyncDispose]());

type Answer = Record<string, unknown> & { results: { id: string }[] };

/** A mount on a line that notes what is asked for, and on which answers to some questions are others. */
function altered(
  bench: Bench,
  path: RegExp,
  change: (answer: Answer) => object | Response,
  options: Parameters<Bench['mount']>[0] = {},
) {
  const asked: { path: string; body: Record<string, unknown> }[] = [];
  const line: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    asked.push({ path: pathname, body: JSON.parse(String(init?.body ?? '{}')) });
    const answer = await fetch(input, init);
    if (!path.test(pathname)) return answer;
    const changed = change((await answer.json()) as Answer);
    return changed instanceof Response ? changed : Response.json(changed);
  };
  const mount = bench.mount({ ...options, fetch: line });
  const singly = () => asked.filter((one) => /\/v1\/pages\/[^/]+$/.test(one.path)).length;
  return { mount, asked, singly };
}

const SEARCH = /\/v1\/search$/;
const INCOMPLETE = { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' };

describe('the search', () => {
  it('that says that it is not complete is no reason to ask for what it left out; one that is complete is', async () => {
    using bench = await workbench.bench(workspace([page('Home'), page('Away')]));
    let isCut = true;
    let isWhole = true;
    const { mount, singly } = altered(
      bench,
      SEARCH,
      (answer) => ({
        ...answer,
        results: answer.results.filter((one) => isWhole || one.id !== id('Away')),
        ...(isCut && { request_status: INCOMPLETE }),
      }),
      { freshMs: 0, reconcileMs: 0 },
    );
    const away = `${named('Away')}.md`;
    expect(await names(mount, '/')).toContain(away);
    isWhole = false;
    expect(await names(mount, '/')).toContain(away);
    expect(singly()).toBe(0);
    isCut = false;
    expect(await names(mount, '/')).toContain(away);
    expect(singly()).toBe(1);
    await bench.notion.edit({ op: 'trash', id: id('Away') });
    expect(await names(mount, '/')).not.toContain(away);
    expect(singly()).toBe(2);
  });

  it('that leaves out many has twenty-five of them asked for at once', async () => {
    const pages = Array.from({ length: 27 }, (_, n) => page(`page ${n}`));
    using bench = await workbench.bench(workspace(pages));
    let left = 0;
    const { mount, singly } = altered(
      bench,
      SEARCH,
      (answer) => ({
        ...answer,
        results: answer.results.filter((one) => !pages.slice(0, left).some((p) => p.id === one.id)),
      }),
      { freshMs: 0, reconcileMs: 0 },
    );
    const isListed = async () =>
      (await names(mount, '/')).filter((name) => name.startsWith('page-')).length;
    expect(await isListed()).toBe(27);
    for (const [many, asked] of [
      [25, 25],
      [26, 50],
    ] as const) {
      left = many;
      expect([await isListed(), singly()]).toEqual([27, asked]);
    }
  });

  it('is read as far as something is new, and to its end once in a while, or where that was not told', async () => {
    const pages = Array.from({ length: 201 }, (_, n) => page(`page ${n}`, { editedAt: minute(n) }));
    using bench = await workbench.bench(workspace(pages));
    bench.stopClock();
    let asked = 0;
    /** So many of its pages have edits that are new. */
    let fresh = 0;
    let isCut = false;
    const { mount } = altered(
      bench,
      SEARCH,
      (answer) => {
        asked++;
        const edited = asked <= fresh ? { last_edited_time: '2026-01-01T00:00:00.000Z' } : {};
        return {
          ...answer,
          results: answer.results.map((one) => ({ ...one, ...edited })),
          ...(isCut && { request_status: INCOMPLETE }),
        };
      },
      { freshMs: 60_000, reconcileMs: 600_000 },
    );
    const requests = async (afterMs: number) => {
      bench.move(afterMs);
      asked = 0;
      await mount.readdir('/');
      return asked;
    };
    expect(await requests(0)).toBe(3);
    expect(await requests(61_000)).toBe(1);
    fresh = 1;
    expect(await requests(61_000)).toBe(2);
    fresh = 0;
    expect(await requests(600_000)).toBe(3);
    expect(await requests(61_000)).toBe(1);
    isCut = true;
    expect(await requests(600_000)).toBe(3);
    expect(await requests(61_000)).toBe(3);
    isCut = false;
    expect(await requests(61_000)).toBe(3);
    expect(await requests(61_000)).toBe(1);
  });

  it('may give ids alone, which are passed over, and is asked for the newest first', async () => {
    using bench = await workbench.bench(workspace([page('Home')]));
    const { mount, asked } = altered(bench, SEARCH, (answer) => ({
      ...answer,
      results: [{ object: 'page', id: id('Hidden') }, ...answer.results],
    }));
    const listed = await names(mount, '/');
    expect(listed).toContain(`${named('Home')}.md`);
    expect(listed.filter((name) => name.includes(id('Hidden').slice(-12)))).toEqual([]);
    expect(asked[0]?.body).toMatchObject({
      sort: { timestamp: 'last_edited_time', direction: 'descending' },
    });
  });
});

describe('the rows of a database', () => {
  it('are asked for all at first, and then those since three minutes before the last edit', async () => {
    const rows = ['First', 'Second'].map((key, n) => page(key, { editedAt: minute(10 + n) }));
    using bench = await workbench.bench(workspace([], rows));
    const { mount, asked } = altered(bench, /^$/, (answer) => answer, { freshMs: 1_000 });
    const queries = () => asked.filter((one) => one.path.endsWith('/query')).map((one) => one.body);
    await names(mount, TASKS);
    bench.move(60_000);
    await names(mount, TASKS);
    const sorts = [{ timestamp: 'last_edited_time', direction: 'descending' }];
    expect(queries().map(({ sorts: by, filter }) => ({ sorts: by, filter }))).toEqual([
      { sorts, filter: undefined },
      {
        sorts,
        filter: {
          timestamp: 'last_edited_time',
          last_edited_time: { on_or_after: minute(8) },
        },
      },
    ]);
  });

  it('that are in no listing any more are gone at the next whole one, and not before', async () => {
    const rows = ['First', 'Second'].map((key) => page(key));
    using bench = await workbench.bench(workspace([], rows));
    const mount = bench.mount({ freshMs: 1_000, reconcileMs: 600_000 });
    const listed = async () =>
      (await names(mount, TASKS)).filter((name) => /First|Second/.test(name)).length;
    expect(await listed()).toBe(2);
    await bench.notion.edit({ op: 'trash', id: id('First') });
    bench.move(60_000);
    expect(await listed()).toBe(2);
    bench.move(600_000);
    expect(await listed()).toBe(1);
    expect((await failure(text(mount, `${TASKS}/${named('First')}.md`))).code).toBe('ENOENT');
  });
});

describe('what is below the pages at the top', () => {
  const lists = (rows: readonly string[]) => rows.filter((row) => row.includes('/children')).length;
  const tops = (count: number) => [
    ...Array.from({ length: count }, (_, n) => page(`top ${n}`)),
    page('Child', { parent: id('top 0') }),
  ];

  it.each([
    [20, 20],
    [21, 0],
  ])(
    'of which there are %i is asked for by %i lists before the top is listed',
    async (count, asked) => {
      using bench = await workbench.bench(workspace(tops(count)));
      const mount = bench.mount({ freshMs: 60_000 });
      await names(mount, '/');
      expect(lists(await bench.asked())).toBe(asked);
      expect(await names(mount, `/${named('top 0')}`)).toEqual([`${named('Child')}.md`]);
    },
  );

  it('is said to be missing where it cannot be asked for, and what is held is shown', async () => {
    using bench = await workbench.bench(workspace(tops(2)));
    await bench.notion.fault({ kind: 'forbidden', path: '/children' });
    const mount = bench.mount();
    expect(await names(mount, '/')).toContain(`${named('top 0')}.md`);
    expect(bench.notices.join('\n')).toMatch(/pages below others may be missing: .+/);
    await bench.notion.clearFaults();
    expect(await names(mount, `/${named('top 0')}`)).toEqual([`${named('Child')}.md`]);
  });

  it('is asked for nothing more where the list says that there is nothing', async () => {
    using bench = await workbench.bench(workspace(tops(1)));
    const mount = bench.mount({ freshMs: 60_000 });
    await names(mount, `/${named('top 0')}`);
    await bench.asked();
    expect(await names(mount, `/${named('top 0')}/${named('Child')}`)).toEqual([]);
    expect(await bench.asked()).toEqual([]);
  });

  it('is named by its id where it has no title', async () => {
    const child = page('Child', { parent: id('Home'), title: '' });
    using bench = await workbench.bench(workspace([page('Home'), child]));
    const name = `${named('Untitled', 'Child')}.md`;
    expect(await names(bench.mount(), `/${named('Home')}`)).toEqual([name]);
  });

  it('leaves out a database that is not shared, and tells of any other fault', async () => {
    const { databases, ...rest } = workspace([page('Home')]);
    const seed = { ...rest, databases: databases.map((one) => ({ ...one, parent: id('Home') })) };
    using bench = await workbench.bench(seed);
    const refusal = (status: number, code: string) =>
      Response.json({ object: 'error', status, code, message: 'no' }, { status });
    const home = async (answer: Response) => {
      const { mount } = altered(bench, /\/v1\/databases\//, () => answer, bench.fresh());
      return names(mount, `/${named('Home')}`);
    };
    expect(await home(refusal(404, 'object_not_found'))).toEqual([]);
    expect((await failure(home(refusal(400, 'validation_error')))).reason).toContain('no');
  });
});
