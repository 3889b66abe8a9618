/** What follows of a resource, whatever service says it: listings, names, and writes, over a service in memory. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  type Links,
  openResourceMount,
  RECENT_MS,
  type Resource,
  type ResourceSpec,
  resource,
  ServiceFailure,
  type ServiceRequest,
  type ServiceSpec,
  view,
} from '../../src/mount/index.ts';
import {
  failure,
  type JournalledMount,
  names,
  ServiceBench,
  text,
  write,
} from '../../src/mount-testing/index.ts';

const HOUR_MS = 3_600_000;
const FRESH_MS = 1000;
/** Between two looks: a listing may lag behind what was confirmed a moment ago. */
const LATER_MS = RECENT_MS + FRESH_MS;
/** What a bounded listing shows. */
const BOUND = 3;
/** What a page of a listing has. */
const PAGE = 2;

const noteSchema = z.object({
  id: z.string(),
  title: z.string(),
  at: z.number(),
  gone: z.boolean().default(false),
  key: z.string().optional(),
});
type Note = z.infer<typeof noteSchema>;

/** A service in memory: notes with a running number for a time. */
class Service {
  readonly notes = new Map<string, Note>();
  asked = 0;
  /** The versions that requests were made for. */
  readonly matched: (string | null)[] = [];
  /** Of listings, so far, and which of them once fails. */
  pages = 0;
  failsAt = 0;
  /** Once: the next request is carried out, and its answer lost. */
  loses = false;
  #clock = 0;

  put(note: Partial<Note>): Note {
    this.#clock += 1;
    const id = note.id ?? `n${this.#clock}`;
    const made = { title: '', gone: false, ...this.notes.get(id), ...note, id, at: this.#clock };
    this.notes.set(id, made);
    return made;
  }

  remove(id: string): void {
    if (this.notes.has(id)) this.put({ id, gone: true });
  }

  /** What is there, the newest first. */
  get there(): Note[] {
    return [...this.notes.values()].filter(({ gone }) => !gone).sort((a, b) => b.at - a.at);
  }

  get byId(): Note[] {
    return this.there.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** A page is asked for; the one that is named is refused. */
  turnPage(): void {
    this.pages += 1;
    if (this.pages !== this.failsAt) return;
    this.failsAt = 0;
    throw new ServiceFailure('server', 'the service is down');
  }

  usage() {
    return { requests: this.asked, bytes: 0 };
  }

  async send(
    { method, url, body }: ServiceRequest,
    ifMatch: string | null = null,
  ): Promise<unknown> {
    this.asked += 1;
    this.matched.push(ifMatch);
    const lost = this.loses;
    this.loses = false;
    const answer =
      method === 'DELETE'
        ? this.remove(url)
        : this.put({ ...(body as object), ...(url && { id: url }) });
    if (lost) throw new ServiceFailure('network', 'the answer was lost');
    return answer ?? null;
  }
}

/** One that carries out several requests as one. */
class Transactional extends Service {
  /** Once: the next set is carried out, or not, and its answer lost. */
  breaks: 'before' | 'after' | null = null;

  async sendAll(requests: readonly ServiceRequest[]): Promise<unknown[]> {
    const breaks = this.breaks;
    this.breaks = null;
    const answers = [];
    if (breaks !== 'before') for (const one of requests) answers.push(await this.send(one));
    if (breaks !== null) throw new ServiceFailure('network', 'the connection broke');
    return answers;
  }
}

type List = NonNullable<ResourceSpec<Note, Service>['list']>;

/** The ways in which services list. */
const LISTS = {
  whole: async ({ client }) => ({ rows: client.there }),
  'what came since, with what is gone': async ({ client }, since) => {
    const rows = [...client.notes.values()].filter(({ at }) => at > Number(since));
    return { rows, cursor: String(Math.max(Number(since), ...rows.map(({ at }) => at))) };
  },
  'what came since': async ({ client }, since) => {
    const rows = client.there.filter(({ at }) => at > Number(since));
    return { rows, cursor: String(Math.max(Number(since), ...rows.map(({ at }) => at))) };
  },
  'page by page': async function* ({ client }, _since, from) {
    // By their ids: what comes and goes meanwhile moves nothing onto another page.
    const rows = client.byId.filter(({ id }) => from === null || id > from);
    for (let at = 0; at === 0 || at < rows.length; at += PAGE) {
      client.turnPage();
      const page = rows.slice(at, at + PAGE);
      const next = at + PAGE < rows.length ? (page.at(-1)?.id ?? null) : null;
      yield { rows: page, next };
    }
  },
  bounded: async ({ client }) => {
    const rows = client.there.slice(0, BOUND);
    const oldest = rows.length < BOUND ? 0 : (rows.at(-1)?.at ?? 0);
    const lacking = client.there.length > BOUND ? 'only the newest are listed' : null;
    return { rows, lacking, covers: ({ at }) => at >= oldest };
  },
} satisfies Record<string, List>;

const noteRecord = {
  name: 'note',
  fields: {
    id: { schema: z.string(), access: 'read' as const, about: 'the id' },
    title: {
      schema: z.string().regex(/^[a-z]+$/, 'letters only'),
      access: 'create' as const,
      required: true,
      about: 'letters',
    },
  },
};

function mounted(
  list: List,
  more: Partial<ResourceSpec<Note, Service>> = {},
  spec: Partial<ServiceSpec<Service>> = {},
  service = new Service(),
  besides: (notes: Resource<Note, Service>) => Resource<Note, Service>[] = () => [],
) {
  const notes = resource<Note, Service>('notes', {
    about: 'a note',
    path: '/:id.md',
    schema: noteSchema,
    key: ({ id }) => id,
    where: ({ gone }) => !gone,
    type: noteRecord,
    values: ({ id, title }) => ({ id, title }),
    list,
    get: async (id, { client }) => {
      client.asked += 1;
      const data = client.there.find((one) => one.id === id);
      return data === undefined ? null : { data };
    },
    create: (values, _, key) => ({ method: 'POST', url: '', body: { ...values, key } }),
    find: async ({ body }, { client }) =>
      client.there.find(({ key }) => key === (body as Note).key) ?? null,
    update: ({ id }, delta) => ({ method: 'PATCH', url: id, body: delta }),
    remove: ({ id }) => ({ method: 'DELETE', url: id, body: null }),
    made: (answer) => answer,
    ...more,
  });
  const bench = new ServiceBench(
    'notes',
    (options) =>
      openResourceMount(
        { ...options, freshMs: FRESH_MS, reconcileMs: HOUR_MS },
        {
          kind: 'notes',
          title: 'Notes',
          about: 'Notes.',
          params: { id: { matches: /^(?!new$)\w+$/, example: 'n1' } },
          client: () => service,
          ...spec,
          resources: [notes, ...besides(notes)],
          views: [
            view<Note>({
              about: 'all of them',
              path: '/index.tsv',
              of: notes,
              columns: ['id', 'title'],
              rows: ({ id, title }) => [[id, title]],
            }),
            view<Note>({
              about: 'titles, one after the other',
              path: '/all.txt',
              of: notes,
              text: (all) => all.map(({ title }) => `${title}\n`).join(''),
            }),
          ],
        },
      ),
    {},
  );
  onTestFinished(() => bench.end());
  bench.stopClock();
  return { service, bench, mount: bench.mount(bench.memory()) };
}

const files = async (mount: JournalledMount) =>
  (await names(mount, '/')).filter((name) => /^(?!README)\w+\.md$/.test(name)).sort();
const filesOf = (notes: readonly Note[]) => notes.map(({ id }) => `${id}.md`).sort();

/** What others do at the service between two looks. */
const steps = fc.array(
  fc.oneof(
    fc.constant({ does: 'add' as const, which: 0 }),
    fc.record({
      does: fc.constantFrom('change' as const, 'remove' as const, 'look' as const),
      which: fc.nat(9),
    }),
  ),
  { maxLength: 25 },
);

/** Plays steps against a service with two notes, and looks after each `look`, and at the end. */
async function play(
  all: readonly { does: 'add' | 'change' | 'remove' | 'look'; which: number }[],
  list: List,
  look: (service: Service, mount: JournalledMount) => Promise<void>,
  last: number,
  more: Partial<ResourceSpec<Note, Service>> = {},
): Promise<void> {
  const { service, bench, mount } = mounted(list, more);
  for (const title of ['first', 'second']) service.put({ title });
  await files(mount);
  for (const { does, which } of all) {
    const { there } = service;
    const id = there[which % Math.max(1, there.length)]?.id;
    if (does === 'add') service.put({ title: 'added' });
    else if (does === 'change' && id !== undefined) service.put({ id, title: 'changed' });
    else if (does === 'remove' && id !== undefined) service.remove(id);
    else if (does === 'look') {
      bench.move(LATER_MS);
      await look(service, mount);
    }
  }
  bench.move(last);
  await look(service, mount);
}

test.each(['whole', 'page by page', 'what came since, with what is gone'] as const)(
  'a listing, %s, shows what is there at each look, whatever others did',
  async (kind) => {
    const look = async (service: Service, mount: JournalledMount) => {
      expect(await files(mount)).toEqual(filesOf(service.there));
      for (const { id, title } of service.there)
        expect(await text(mount, `/${id}.md`)).toContain(`title: ${title}\n`);
    };
    await fc.assert(
      fc.asyncProperty(steps, (all) => play(all, LISTS[kind], look, LATER_MS)),
      { numRuns: 15 },
    );
  },
);

test('of a delta without what is gone, the whole listing finds that, once its time has come', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const last = { listed: [''], there: [''] };
      const look = async (service: Service, mount: JournalledMount) => {
        Object.assign(last, { listed: await files(mount), there: filesOf(service.there) });
        expect(last.listed).toEqual(expect.arrayContaining(last.there));
      };
      await play(all, LISTS['what came since'], look, HOUR_MS);
      expect(last.listed).toEqual(last.there);
    }),
    { numRuns: 15 },
  );
});

test('a bounded listing shows its newest, and finds each other by its name, or that it is gone', async () => {
  const look = async (service: Service, mount: JournalledMount) => {
    const listed = await files(mount);
    expect(listed).toEqual(expect.arrayContaining(filesOf(service.there.slice(0, BOUND))));
    // A listing that reaches the end covers whatever was held.
    if (service.there.length < BOUND) expect(listed).toEqual(filesOf(service.there));
    for (const { id, gone, title } of service.notes.values()) {
      if (!gone && !listed.includes(`${id}.md`))
        expect(await text(mount, `/${id}.md`)).toContain(`title: ${title}\n`);
    }
    for (const { id } of [...service.notes.values()].filter(({ gone }) => gone))
      if (!listed.includes(`${id}.md`))
        expect((await failure(mount.read(`/${id}.md`))).code).toBe('ENOENT');
  };
  await fc.assert(
    fc.asyncProperty(steps, (all) => play(all, LISTS.bounded, look, LATER_MS)),
    { numRuns: 15 },
  );
});

test('a listing of the newest first goes no further than it has to, and ends with what is there', async () => {
  const newest: Partial<ResourceSpec<Note, Service>> = {
    newestFirst: ({ at }) => String(at).padStart(6, '0'),
  };
  const list: List = async function* ({ client }, _since, from) {
    const rows = client.there.filter(({ at }) => from === null || at < Number(from));
    for (let at = 0; at === 0 || at < rows.length; at += PAGE) {
      client.turnPage();
      const page = rows.slice(at, at + PAGE);
      yield { rows: page, next: at + PAGE < rows.length ? String(page.at(-1)?.at) : null };
    }
  };
  const last = { listed: [''], there: [''] };
  const look = async (service: Service, mount: JournalledMount) => {
    Object.assign(last, { listed: await files(mount), there: filesOf(service.there) });
    expect(last.listed).toEqual(expect.arrayContaining(last.there));
  };
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await play(all, list, look, HOUR_MS, newest);
      expect(last.listed).toEqual(last.there);
    }),
    { numRuns: 15 },
  );
  const { service, bench, mount } = mounted(list, newest);
  for (let n = 0; n < 9; n++) service.put({ id: `m${n}` });
  await files(mount);
  expect(service.pages).toBe(5);
  // The first page has what is new, and ends with what the listing before began with.
  service.put({ id: 'm9' });
  bench.move(LATER_MS);
  expect(await files(mount)).toHaveLength(10);
  expect(service.pages).toBe(6);
  service.remove('m8');
  bench.move(LATER_MS);
  expect(await files(mount)).not.toContain('m8.md');
  expect(service.pages).toBe(7);
});

test('a record that was renamed is found under its new name, and under the old one where that is said', async () => {
  const named = { name: ({ title }: Note) => title };
  for (const keeps of [false, true]) {
    const { service, bench, mount } = mounted(LISTS.whole, {
      ...named,
      ...(keeps ? { formerNames: () => ['old'] } : {}),
    });
    const { id } = service.put({ title: 'old' });
    expect(await files(mount)).toEqual(['old.md']);
    service.put({ id, title: 'fresh' });
    bench.move(FRESH_MS + 1);
    expect(await files(mount)).toEqual(['fresh.md']);
    expect(await text(mount, '/fresh.md')).toContain('title: fresh\n');
    if (keeps) expect(await text(mount, '/old.md')).toContain('title: fresh\n');
    else expect((await failure(mount.read('/old.md'))).code).toBe('ENOENT');
    // Another record that takes the name has it.
    service.put({ title: 'old' });
    bench.move(FRESH_MS + 1);
    expect(await files(mount)).toEqual(['fresh.md', 'old.md']);
    expect(await text(mount, '/old.md')).toContain('title: old\n');
  }
});

test('a template names what is required; a wrong field is named, and nothing is sent', async () => {
  const { service, mount } = mounted(LISTS.whole);
  expect(await text(mount, '/new.md')).toBe('---\ntitle: null # required, letters\n---\n');
  for (const [given, said] of [
    ['title: 12', 'title: '],
    ['titel: word', 'nearest: title'],
    ['id: n9\ntitle: word', 'id: is set by the service'],
    ['{', ''],
  ]) {
    const refused = await failure(write(mount, '/new.md', `---\n${given}\n---\n`));
    expect(refused.code).toBe('EINVAL');
    expect(refused.reason).toContain(said);
  }
  expect([service.asked, service.there]).toEqual([0, []]);
  for (const name of ['/mine.md', '/mine.txt']) {
    const named = await failure(write(mount, name, '---\ntitle: word\n---\n'));
    expect(named.reason, name).toContain('write to new.md');
  }
  expect(service.there).toEqual([]);
});

test('a create whose answer was lost is found, and made once', async () => {
  const { service, mount } = mounted(LISTS.whole);
  service.loses = true;
  await write(mount, '/new.md', '---\ntitle: once\n---\n');
  expect(service.there.map(({ title }) => title)).toEqual(['once']);
  expect(mount.journal.list({}).map(({ state }) => state)).toEqual(['applied']);
  expect(await files(mount)).toEqual(filesOf(service.there));
});

test('an edit sends what differs alone, and a removal leaves no file', async () => {
  const { service, mount } = mounted(LISTS.whole);
  const { id } = service.put({ title: 'before' });
  await write(mount, `/${id}.md`, (await text(mount, `/${id}.md`)).replace('before', 'after'));
  expect(mount.journal.list({})[0]?.request).toMatchObject({ body: { title: 'after' } });
  expect(await text(mount, `/${id}.md`)).toContain('title: after\n');
  await mount.unlink?.(`/${id}.md`);
  expect(await files(mount)).toEqual([]);
  expect((await failure(mount.read(`/${id}.md`))).code).toBe('ENOENT');
});

test('of the requests of one edit the first names the version that was read, and what follows meets what it made', async () => {
  const { service, mount } = mounted(LISTS.whole, {
    ifMatch: 'strong',
    get: async (id, { client }) => ({ data: client.notes.get(id), etag: '"one"' }),
    update: ({ id }, delta) =>
      ['first', 'second'].map(() => ({ method: 'PATCH', url: id, body: delta })),
  });
  const { id } = service.put({ title: 'before' });
  await write(mount, `/${id}.md`, (await text(mount, `/${id}.md`)).replace('before', 'after'));
  expect(service.matched).toEqual(['"one"', null]);
});

test.each(['n1.md', 'index.tsv', 'all.txt'])(
  'the size of %s is true once it was read, also when what it is made of changes after that',
  async (file) => {
    const { service, bench, mount } = mounted(LISTS.whole);
    for (const title of ['first', 'second']) service.put({ title });
    const size = async () => (await mount.lstat(`/${file}`)).size;
    expect(await size()).toBeGreaterThan(0);
    for (const title of ['longer than before', 'short', '']) {
      service.put({ id: 'n1', title });
      bench.move(FRESH_MS + 1);
      if (title === 'longer than before') await mount.read(`/${file}`);
      const told = await size();
      expect(told).toBe((await mount.read(`/${file}`)).length);
      expect(await size()).toBe(told);
    }
  },
);

test('what is below a file is no directory, to each operation; what refuses names the file that makes one', async () => {
  const { service, mount } = mounted(LISTS.whole, { path: '/:id.json' });
  const { id } = service.put({ title: 'one' });
  for (const path of [
    `/${id}.json/x`,
    `/${id}.json/x/y.json`,
    '/README.md/x',
    '/index.tsv/new.json',
  ])
    for (const work of [
      mount.lstat(path),
      mount.read(path),
      mount.readdir(path),
      mount.write?.(path, Buffer.from('{}')),
      mount.append?.(path, Buffer.from('{}')),
      mount.mkdir?.(path),
      mount.unlink?.(path),
    ])
      expect((await failure(work)).code, path).toBe('ENOTDIR');
  for (const work of [mount.mkdir?.('/made'), mount.write?.('/n9.json', Buffer.from('{}'))])
    expect((await failure(work)).reason).toMatch(/\bwrite(?: to)? new\.json\b/);
  const readme = await text(mount, '/README.md');
  expect(readme).toContain('`new.json` makes a record');
  expect(readme).not.toContain('new.md');
});

test('a listing of several pages is gone on with where it was left, and neither loses nor keeps what it should not', async () => {
  const { service, bench, mount } = mounted(LISTS['page by page']);
  for (let n = 0; n < 9; n++) service.put({ id: `m${n}`, title: 'first' });
  await files(mount);
  expect(service.pages).toBe(5);
  bench.move(LATER_MS);
  service.failsAt = service.pages + 3;
  // What is held is shown, and what is wrong is said.
  expect(await files(mount)).toHaveLength(9);
  expect(bench.notices.join()).toContain('the service is down');
  service.remove('m1');
  service.remove('m7');
  service.put({ id: 'm9', title: 'new' });
  bench.move(LATER_MS);
  const before = service.pages;
  const listed = await files(mount);
  // Two pages of the five had come.
  expect(service.pages - before).toBe(3);
  expect(listed).not.toContain('m7.md');
  expect(listed).toContain('m9.md');
  bench.move(LATER_MS);
  expect(await files(mount)).toEqual(filesOf(service.there));
});

test('another process goes on with a listing that was left, and what has come is read by its name meanwhile', async () => {
  const { service, bench, mount } = mounted(LISTS['page by page']);
  for (let n = 0; n < 9; n++) service.put({ id: `m${n}`, title: 'first' });
  service.failsAt = 4;
  const one = bench.mount();
  expect((await failure(one.readdir('/'))).reason).toContain('the service is down');
  const [asked, pages] = [service.asked, service.pages];
  const two = bench.mount();
  expect(await text(two, '/README.md')).toContain('being listed, 6 records so far');
  expect(await text(two, '/m8.md')).toContain('title: first');
  expect([service.asked - asked, service.pages - pages]).toEqual([1, 0]);
  expect(await files(two)).toEqual(filesOf(service.there));
  expect(service.pages - pages).toBe(2);
  await mount.close?.();
});

test.each([
  ['is asked for by itself where that can be', {}, 1],
  ['is believed to be gone where it cannot', { get: undefined }, 0],
])(
  'what a listing no longer has, a moment after it was there, is gone at once: it %s',
  async (_, more, asked) => {
    const { service, bench, mount } = mounted(LISTS.whole, more as object);
    for (const title of ['first', 'second']) service.put({ title });
    expect(await files(mount)).toEqual(['n1.md', 'n2.md']);
    service.remove('n1');
    bench.move(FRESH_MS + 1);
    const before = service.asked;
    expect(await files(mount)).toEqual(['n2.md']);
    expect(service.asked - before).toBe(asked);
    expect((await failure(mount.read('/n1.md'))).code).toBe('ENOENT');
  },
);

test('a listing that lags does not take away what was written here', async () => {
  let lags = false;
  const lagging: List = async ({ client }) => (lags ? [] : client.there);
  for (const more of [{}, { get: undefined }]) {
    const { bench, mount } = mounted(lagging, more as object);
    lags = true;
    await write(mount, '/new.md', '---\ntitle: once\n---\n');
    bench.move(FRESH_MS + 1);
    expect(await files(mount)).toHaveLength(1);
    lags = false;
  }
});

test('behind the reads one cheap question tells whether anything is new, and only then it is listed again', async () => {
  const due: { work: () => Promise<void>; at: number }[] = [];
  let [probed, listed] = [0, 0];
  const list: List = async ({ client }) => {
    listed += 1;
    return client.there;
  };
  const { service, bench } = mounted(
    list,
    {},
    {
      changes: (client) => ({
        subjectOf: () => 'all',
        marks: async () => {
          probed += 1;
          return new Map([['all', String(client.notes.size)]]);
        },
      }),
    },
  );
  service.put({ title: 'first' });
  const mount = bench.mount({
    ...bench.memory(),
    token: 'token',
    background: true,
    later: (work, ms) => {
      const one = { work, at: bench.now().getTime() + ms };
      due.push(one);
      return () => void due.splice(due.indexOf(one), 1);
    },
  });
  const pass = async (ms: number) => {
    for (let end = bench.now().getTime() + ms; bench.now().getTime() < end; ) {
      bench.move(FRESH_MS / 4);
      for (const one of due.filter(({ at }) => at <= bench.now().getTime())) {
        due.splice(due.indexOf(one), 1);
        await one.work();
      }
    }
  };
  await files(mount);
  await pass(20 * FRESH_MS);
  const [before, asked] = [listed, probed];
  await pass(20 * FRESH_MS);
  expect(probed).toBeGreaterThan(asked);
  expect(listed).toBe(before);
  service.put({ title: 'second' });
  await pass(20 * FRESH_MS);
  expect(listed).toBe(before + 1);
  await mount.close?.();
});

test.each([
  ['was made', 'after', 'applied'],
  ['was not', 'before', 'unknown'],
] as const)(
  'a set whose answer was lost is asked about, and not sent again: what %s is told of each',
  async (_, breaks, state) => {
    const service = new Transactional();
    const { bench } = mounted(LISTS.whole, {}, {}, service);
    const { id } = service.put({ title: 'before' });
    const mount = bench.mount({ ...bench.memory(), stage: true });
    await write(mount, '/new.md', '---\ntitle: made\n---\n');
    await write(mount, `/${id}.md`, (await text(mount, `/${id}.md`)).replace('before', 'after'));
    service.breaks = breaks;
    const asked = service.asked;
    const ids = mount.journal.list({ state: 'pending' }).map((one) => one.id);
    const applied = await mount.journal.apply(ids);
    expect(applied.map((one) => one.state)).toEqual([state, state]);
    if (state === 'unknown')
      for (const { error } of applied) expect(error).toContain('look before you write it again');
    expect(service.there.map(({ title }) => title).sort()).toEqual(
      breaks === 'after' ? ['after', 'made'] : ['before'],
    );
    expect(service.asked - asked).toBeLessThanOrEqual(4);
  },
);

test('a listing that goes on from an ETag is not read again while that holds, and a change tells of deletions', async () => {
  let [read, held] = [0, 0];
  const conditional: List = async ({ client }, since) => {
    const etag = client.there.map(({ id, at }) => `${id}@${at}`).join();
    if (etag === since) {
      held += 1;
      return { rows: [], cursor: etag };
    }
    read += 1;
    return { rows: client.there, whole: true, cursor: etag };
  };
  const { service, bench, mount } = mounted(conditional);
  for (const title of ['first', 'second']) service.put({ title });
  for (let look = 0; look < 3; look++) {
    expect(await files(mount)).toEqual(['n1.md', 'n2.md']);
    bench.move(LATER_MS);
  }
  expect([read, held]).toEqual([1, 2]);
  service.remove('n1');
  expect(await files(mount)).toEqual(['n2.md']);
  expect([read, held]).toEqual([2, 2]);
});

/** Notes of each of two shelves, in a mount that has nothing to say of the shelves themselves. */
function shelved(more: Partial<ResourceSpec<Note, Service>> = {}, caseless = false) {
  return mounted(
    LISTS.whole,
    { path: '/:shelf/notes/:id.md', directory: 'notes', ...more },
    {
      params: {
        id: { matches: /^(?!new$)\w+$/, example: 'n1' },
        shelf: { matches: /^\w+$/, example: 'top', caseless },
      },
      more: () => ({
        routes: [
          {
            pattern: '/:shelf',
            type: 'directory',
            about: 'a shelf',
            entries: () => ['top', 'low'].map((name) => ({ name, size: 1, mtime: new Date(0) })),
            stat: () => ({ size: 1, mtime: new Date(0) }),
          },
        ],
      }),
    },
  );
}

test.each([
  [true, 1],
  [false, 2],
])(
  'what a place is called in another case is held once where the service does not mind: %s',
  async (caseless, listed) => {
    let asked = 0;
    const list: List = async ({ client }) => {
      asked += 1;
      return client.there;
    };
    const { service, mount } = shelved({ list }, caseless);
    service.put({ title: 'first' });
    for (const shelf of ['top', 'TOP'])
      expect(await names(mount, `/${shelf}/notes`)).toContain('n1.md');
    expect(asked).toBe(listed);
  },
);

test('where the place of a listing is gone, what was held there is, too, in the feed as well', async () => {
  const gone = new Set<string>();
  const { service, bench, mount } = shelved({
    list: async ({ client, params }) => {
      if (gone.has(params['shelf'] ?? '')) throw new ServiceFailure('missing', 'no such shelf');
      return client.there;
    },
  });
  service.put({ title: 'first' });
  for (const shelf of ['top', 'low']) await names(mount, `/${shelf}/notes`);
  gone.add('top');
  bench.move(LATER_MS);
  expect((await failure(mount.readdir('/top/notes'))).code).toBe('ENOENT');
  expect(await names(mount, '/low/notes')).toContain('n1.md');
  expect(mount.feed(0).map(({ path, op }) => [path, op])).toEqual([
    ['/low/notes/n1.md', 'upsert'],
    ['/top/notes/n1.md', 'delete'],
  ]);
});

test('a walk passes over a costly directory, and reads it where it begins there', async () => {
  const { service, mount } = shelved({ costly: true });
  service.put({ title: 'first' });
  const walked = async (path: string) => {
    await mount.prefetch(path);
    return [...(mount.walk(path) ?? [])].map(({ path: at, costly }) => [at, costly]);
  };
  expect(await walked('/top')).toContainEqual(['/top/notes', 'directory']);
  expect(await walked('/top/notes')).toEqual([['/top/notes/n1.md', false]]);
});

test('what an earlier version kept under other names is dropped at opening, and nothing else', async () => {
  const { service, bench } = mounted(LISTS.whole, {}, { former: ['notes:'] });
  service.put({ title: 'first' });
  const options = bench.memory();
  const before = bench.mount(options);
  await files(before);
  const [{ mount: name = '' } = {}] = options.replica.held();
  const left = { key: 'n1', updatedAt: '', size: 1, path: '/n1.md', value: {} };
  options.replica.upsert(name, 'notes:old', left);
  options.replica.setListing(name, 'notes:old', {
    complete: true,
    syncedAt: 1,
    reconciledAt: 1,
    cursor: null,
  });
  const after = bench.mount(options);
  expect(await files(after)).toEqual(['n1.md']);
  expect(options.replica.collections(name, '')).toEqual(['notes']);
  expect(after.feed(0)).toMatchObject([{ path: '/n1.md', op: 'upsert' }]);
});

test('what a listing never shows is found by its name, and is no gap in it', async () => {
  const { service, bench, mount } = mounted(async ({ client }) => ({
    rows: client.there.filter(({ title }) => title !== 'shut'),
    partial: true,
    covers: ({ title }) => title !== 'shut',
  }));
  for (const title of ['open', 'shut']) service.put({ title });
  for (let look = 0; look < 2; look++) {
    expect(await files(mount)).toContain('n1.md');
    expect(await text(mount, '/n2.md')).toContain('title: shut\n');
    bench.move(LATER_MS);
  }
  expect((await failure(mount.read('/n9.md'))).code).toBe('ENOENT');
  expect(bench.notices).toEqual([]);
});

test('links that one question brings are in walks, those of a question each where a walk begins; what is lacking is said, and a write asks anew', async () => {
  const asked: string[] = [];
  const hit = ({ id, title }: Note) => ({
    name: `${id}.md`,
    path: `/${id}.md`,
    updatedAt: '',
    cells: [title],
  });
  const service = new Service();
  const hits = (question: string) => {
    asked.push(question);
    return { hits: service.byId.map(hit), shortfall: question === 'short' ? 'cut off' : null };
  };
  const shared = { columns: ['title'], about: 'links' };
  const links: Links[] = [
    { id: 'found', path: '/found', columns: ['title'], find: async (question) => hits(question) },
    {
      ...shared,
      id: 'each',
      path: '/each',
      directories: { one: 'one', short: 'another' },
      find: async (name) => hits(name),
    },
    {
      ...shared,
      id: 'all',
      path: '/all',
      directories: { mine: 'mine', none: 'none' },
      findAll: async () => ({ mine: hits('all') }),
    },
  ];
  const { bench, mount } = mounted(
    LISTS.whole,
    {},
    {
      params: { id: { matches: /^(?!new$)n\d+$/, example: 'n1' } },
      more: () => ({ links }),
    },
    service,
  );
  service.put({ title: 'first' });
  const walked = async (path: string) => {
    await mount.prefetch(path);
    return [...(mount.walk(path) ?? [])]
      .filter(({ costly }) => costly === false)
      .map((one) => one.path);
  };
  expect(await walked('/')).not.toContain('/each/one/index.tsv');
  expect(await text(mount, '/all/mine/index.tsv')).toBe('file\ttitle\nn1.md\tfirst\n');
  expect(await names(mount, '/all/none')).toEqual(['index.tsv']);
  expect(asked).toEqual(['all']);
  expect(await walked('/each/one')).toContain('/each/one/index.tsv');
  expect(await mount.readlink?.('/each/one/n1.md')).toBe('../../n1.md');
  expect(bench.notices).toEqual([]);
  await names(mount, '/each/short');
  expect(bench.notices).toEqual(['cut off']);
  expect(await names(mount, '/found/any word')).toEqual(['index.tsv', 'n1.md']);
  expect(await names(mount, '/found')).toEqual(['any word']);
  expect(asked).toEqual(['all', 'one', 'short', 'any word']);
  await write(mount, '/new.md', '---\ntitle: second\n---\n');
  bench.move(1);
  for (const path of ['/all/mine', '/each/one', '/found/any word'])
    expect(await names(mount, path)).toHaveLength(3);
  expect(asked.slice(4)).toEqual(['all', 'one', 'any word']);
});

test('what is shown at another place as links leads to the records, has their names, and is there only where that is said', async () => {
  let isThere = true;
  const named = { name: ({ id }: Note) => `note_${id}` };
  const { service, bench, mount } = mounted(LISTS.whole, named, {}, undefined, (notes) => [
    resource<Note, Service>('stars', {
      about: 'a link to a note',
      directory: 'notes with a star',
      path: '/stars/:id.md',
      of: notes,
      linked: true,
      schema: noteSchema,
      key: ({ id }) => id,
      where: ({ title }) => title === 'star',
      isThere: () => isThere,
    }),
  ]);
  for (const title of ['star', 'plain']) service.put({ title });
  expect(await names(mount, '/')).toContain('stars');
  expect(await mount.readdir('/stars')).toEqual([{ name: 'note_n1.md', type: 'symlink' }]);
  expect(await mount.readlink?.('/stars/note_n1.md')).toBe('../note_n1.md');
  expect((await failure(mount.lstat('/stars/note_n2.md'))).code).toBe('ENOENT');
  service.put({ id: 'n1', title: 'plain' });
  bench.move(LATER_MS);
  expect(await names(mount, '/stars')).toEqual([]);
  isThere = false;
  expect(await names(mount, '/')).not.toContain('stars');
  expect((await failure(mount.readdir('/stars'))).code).toBe('ENOENT');
});

test('files of the service that texts link to are beside the record, asked for once, and nothing else is', async () => {
  const fetched: string[] = [];
  const { service, mount } = mounted(
    LISTS.whole,
    {},
    {
      uploads: () => ({
        isUpload: ({ host }) => host === 'files.example.org',
        fetch: async (url) => {
          fetched.push(url);
          return Buffer.from('bytes');
        },
      }),
    },
    undefined,
    (notes) => [
      resource<Note, Service>('places', {
        about: 'what belongs to a note',
        path: '/:id',
        of: notes,
        schema: noteSchema,
        key: ({ id }) => id,
        uploads: ({ title }) => [title],
      }),
    ],
  );
  service.put({ title: '[a](https://files.example.org/1a/x.png) https://other.example.org/2b' });
  service.put({ title: 'none' });
  expect(await names(mount, '/n1')).toEqual(['attachments']);
  expect(await names(mount, '/n2')).toEqual([]);
  expect(await names(mount, '/n1/attachments')).toEqual(['x.png-a']);
  for (let n = 0; n < 2; n++) expect(await text(mount, '/n1/attachments/x.png-a')).toBe('bytes');
  expect(fetched).toEqual(['https://files.example.org/1a/x.png']);
});
