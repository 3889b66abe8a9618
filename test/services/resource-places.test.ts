/** What follows of resources that are at more than one place, or are brought in step by more than a listing of their own. */
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  directories,
  finding,
  identity,
  joint,
  openResourceMount,
  prose,
  type Resource,
  resource,
  type Scope,
  ServiceFailure,
  type ServiceRequest,
  type ServiceSpec,
  shown,
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

const FRESH_MS = 1000;

const taskSchema = z.object({
  id: z.string(),
  team: z.string(),
  state: z.string(),
  owner: z.string(),
  text: z.string(),
});
type Task = z.infer<typeof taskSchema>;

const remarkSchema = z.object({ id: z.string(), task: z.string(), text: z.string() });
type Remark = z.infer<typeof remarkSchema>;

/** Teams with states and tasks, and remarks to these; what was asked is told by its name. */
class Tracker {
  readonly me = 'ada';
  teams = new Set(['ENG', 'OPS']);
  states = ['open', 'done'];
  tasks: Task[] = [];
  remarks: Remark[] = [];
  asked: string[] = [];
  /** Once: the next request is carried out, and its answer lost. */
  loses = false;

  add(task: Partial<Task> & { id: string }): void {
    this.tasks.push({ team: 'ENG', state: 'open', owner: 'ada', text: '', ...task });
  }

  usage() {
    return { requests: this.asked.length, bytes: 0 };
  }

  ask(what: string): void {
    this.asked.push(what);
  }

  /** What was asked since this was called last. */
  told(): string[] {
    return this.asked.splice(0);
  }

  async send({ method, url, body }: ServiceRequest): Promise<unknown> {
    this.ask(`${method} ${url}`);
    if (url === 'remarks') {
      this.remarks.push({ ...(body as Remark), id: `r${this.remarks.length + 1}` });
      return this.remarks.at(-1);
    }
    const { loses } = this;
    this.loses = false;
    const found = this.tasks.find(({ id }) => id === url);
    if (found !== undefined) Object.assign(found, body);
    else this.add({ ...(body as Task), id: `t${this.tasks.length + 1}` });
    if (loses) throw new ServiceFailure('network', 'the answer was lost');
    return { ...(found ?? this.tasks.at(-1)) };
  }
}

type At = Scope<Tracker>;

const self = identity({
  schema: z.object({ user: z.string(), org: z.string() }),
  key: ({ user, org }) => `${user}.${org}`,
  ask: async (client: Tracker) => {
    client.ask('self');
    return { user: client.me, org: 'harbor' };
  },
  says: ({ user, org }) => `${user} of ${org}`,
});
const teams = resource<{ key: string }, Tracker>('teams', {
  about: 'a team',
  path: '/:team',
  schema: z.object({ key: z.string() }),
  key: ({ key }) => key,
  list: async ({ client }) => {
    client.ask('teams');
    return [...client.teams].map((key) => ({ key }));
  },
});
const states = resource<string, Tracker>('states', {
  about: 'a state',
  at: '/:team',
  schema: z.string(),
  key: (name) => name,
});
const tasks: Resource<Task, Tracker> = resource('tasks', {
  about: 'a task',
  path: '/:team/tasks/:task.md',
  with: [self, states],
  schema: taskSchema,
  key: ({ id }) => id,
  type: {
    name: 'task',
    fields: {
      team: { schema: z.string(), access: 'edit', about: 'a team' },
      state: { schema: z.string(), access: 'create', initial: 'open', about: 'a state' },
      owner: shown('who has it'),
      body: prose('the text', { required: true }),
    },
  },
  fixed: ({ owner }, place) =>
    owner === place.only(self)?.user ? null : { body: 'ask whoever has the task' },
  values: ({ team, state, owner, text: body }) => ({ team, state, owner, body }),
  offers: [states],
  allowed: (place) => ({ state: place.all(states) }),
  heldAt: '',
  within: ({ team }) => ({ team }),
  moved: ({ team }) => `it is in ${team} now`,
  create: ({ body, ...fields }, { params }) => ({
    method: 'POST',
    url: 'tasks',
    body: { ...fields, team: params['team'], text: body },
  }),
  update: ({ id }, { body: text, ...fields }) => [
    text !== undefined && { method: 'PATCH', url: id, body: { text } },
    Object.keys(fields).length > 0 && { method: 'PATCH', url: id, body: fields },
  ],
  made: (answer) => answer,
});
const places = directories('task-places', tasks as Resource<Task>, {
  about: 'what belongs to a task',
  path: '/:team/tasks/:task',
});
const remarks = resource<Remark, Tracker>('remarks', {
  about: 'a remark',
  path: '/:team/tasks/:task/remarks/:id.md',
  heldAt: '/:team',
  within: ({ task }) => ({ task }),
  schema: remarkSchema,
  key: ({ id }) => id,
  text: (one) => `${one.text}\n`,
});

const ofTeam = joint({
  id: 'team',
  path: '/:team',
  one: teams as Resource<unknown>,
  of: [states, tasks, remarks] as unknown as Resource<unknown>[],
  list: async ({ client, params: { team = '' } }: At) => {
    client.ask(`team ${team}`);
    const own = client.tasks.filter((one) => one.team === team);
    const ids = own.map(({ id }) => id);
    return {
      of: {
        // An answer may leave out what there is none of.
        ...(client.teams.has(team) && { teams: [{ key: team }] }),
        states: client.states,
        tasks: own,
        remarks: client.remarks.filter(({ task }) => ids.includes(task)),
      },
    };
  },
});

function opened(more: Partial<ServiceSpec<Tracker>> = {}) {
  const tracker = new Tracker();
  const bench = new ServiceBench(
    'tracker',
    (options) =>
      openResourceMount(
        { ...options, freshMs: FRESH_MS },
        {
          kind: 'tracker',
          title: 'Tracker',
          about: 'Tasks.',
          client: () => tracker,
          self,
          params: {
            team: { matches: /^[A-Z]+$/, example: 'ENG' },
            task: { matches: /^(?!new$)t\d+$/, example: 't1' },
            id: { matches: /^r\d+$/, example: 'r1' },
          },
          resources: [teams, states, tasks, places, remarks] as unknown as Resource<unknown>[],
          joints: [ofTeam],
          ...more,
        },
      ),
    {},
  );
  onTestFinished(() => bench.end());
  bench.stopClock();
  const mount = bench.mount();
  /** Later than what is held is fresh. */
  const later = () => bench.move(70_000);
  return { tracker, bench, mount, later };
}

const put = async (mount: JournalledMount, path: string, from: string | RegExp, to: string) =>
  write(mount, path, (await text(mount, path)).replace(from, to));

test('one joint question brings all that it lists, and each directory is read of it without another', async () => {
  const { tracker, mount } = opened();
  tracker.add({ id: 't1', text: 'first' });
  tracker.add({ id: 't2', team: 'OPS' });
  tracker.remarks.push({ id: 'r1', task: 't1', text: 'well' });
  expect(await names(mount, '/ENG/tasks')).toEqual(['t1', 't1.md']);
  expect(await names(mount, '/ENG/tasks/t1/remarks')).toEqual(['r1.md']);
  expect(await text(mount, '/ENG/tasks/t1.md')).toContain('first');
  expect(await text(mount, '/ENG/tasks/t1/remarks/r1.md')).toBe('well\n');
  expect(tracker.told().sort()).toEqual(['self', 'team ENG']);
});

test('the directory of a joint question is there when its answer says so, and goes with it', async () => {
  const { tracker, mount, later } = opened();
  tracker.add({ id: 't1' });
  expect((await failure(mount.readdir('/NONE/tasks'))).code).toBe('ENOENT');
  expect(await names(mount, '/ENG/tasks')).toContain('t1.md');
  const seq = mount.feed(0).at(-1)?.seq ?? 0;
  tracker.teams.delete('ENG');
  later();
  expect((await failure(mount.readdir('/ENG/tasks'))).code).toBe('ENOENT');
  const told = mount.feed(seq).map(({ op, path }) => `${op} ${path}`);
  expect(told).toContain('delete /ENG/tasks/t1.md');
  expect((await failure(mount.read('/ENG/tasks/t1.md'))).code).toBe('ENOENT');
  expect(await names(mount, '/')).not.toContain('ENG');
});

test('a joint listing that no longer has a record takes it away, of each of its resources', async () => {
  const { tracker, mount, later } = opened();
  tracker.add({ id: 't1' });
  tracker.add({ id: 't2' });
  tracker.remarks.push({ id: 'r1', task: 't1', text: '' }, { id: 'r2', task: 't1', text: '' });
  await names(mount, '/ENG/tasks');
  tracker.tasks.pop();
  tracker.remarks.pop();
  later();
  expect(await names(mount, '/ENG/tasks')).toEqual(['t1', 't1.md']);
  expect(await names(mount, '/ENG/tasks/t1/remarks')).toEqual(['r1.md']);
});

test('what is held above its place is in the directory that it says, and in no other', async () => {
  const { tracker, mount } = opened();
  tracker.add({ id: 't1' });
  tracker.add({ id: 't2' });
  tracker.remarks.push(
    { id: 'r1', task: 't1', text: 'one' },
    { id: 'r2', task: 't2', text: 'two' },
  );
  expect(await names(mount, '/ENG/tasks/t1/remarks')).toEqual(['r1.md']);
  expect(await names(mount, '/ENG/tasks/t2/remarks')).toEqual(['r2.md']);
  expect((await failure(mount.read('/ENG/tasks/t1/remarks/r2.md'))).code).toBe('ENOENT');
});

test('the template offers the names that are there now; a new record is read without another question for them', async () => {
  const { tracker, mount, later } = opened();
  expect(await text(mount, '/ENG/tasks/new.md')).toContain('any of: done, open');
  tracker.states.push('late');
  later();
  expect(await text(mount, '/ENG/tasks/new.md')).toContain('any of: done, late, open');
  tracker.told();
  await write(mount, '/ENG/tasks/new.md', '---\nstate: late\n---\n\nA new one\n');
  expect((await text(mount, '/ENG/tasks/.last')).trim()).toBe('t1.md');
  expect(tracker.told()).toEqual(['POST tasks']);
});

test('a record that comes is told to what shows it: that is asked for anew', async () => {
  const written: Resource<Remark, Tracker> = {
    ...remarks,
    type: { name: 'remark', fields: { body: prose('the text', { required: true }) } },
    values: ({ text: body }) => ({ body }),
    create: ({ body }, { params }) => ({
      method: 'POST',
      url: 'remarks',
      body: { text: body, task: params['task'] },
    }),
    made: (answer) => answer,
  };
  const asked = async (touches?: Resource<Task>) => {
    const last = { ...written, ...(touches && { touches }) };
    const resources = [teams, states, tasks, places, last] as unknown as Resource<unknown>[];
    const of = resources.filter((one) => one !== resources[0] && one !== resources[3]);
    const { tracker, mount } = opened({ resources, joints: [{ ...ofTeam, of }] });
    tracker.add({ id: 't1' });
    await names(mount, '/ENG/tasks/t1/remarks');
    tracker.told();
    await write(mount, '/ENG/tasks/t1/remarks/new.md', 'Well said\n');
    expect(await text(mount, '/ENG/tasks/t1/remarks/r1.md')).toContain('Well said');
    return tracker.told();
  };
  expect(await asked()).toEqual(['POST remarks']);
  expect(await asked(places)).toEqual(['POST remarks', 'team ENG']);
});

test('a file that is made of a listing says what that lacks, and one of a listing that is whole says nothing', async () => {
  const table = (id: string, lacking: string | null) => {
    const of = resource<string, Tracker>(id, {
      about: 'a word',
      schema: z.string(),
      key: (word) => word,
      list: async () => ({ rows: ['one', 'two'], lacking }),
    });
    const path = `/${id}.tsv`;
    const rows = (word: string) => [[word]];
    return { of, made: view<string>({ about: 'words', path, of, columns: ['word'], rows }) };
  };
  const [whole, part] = [table('whole', null), table('part', 'three is found by its name')];
  const { bench, mount } = opened({
    joints: [],
    resources: [whole.of, part.of] as unknown as Resource<unknown>[],
    views: [whole.made, part.made],
  });
  for (const path of ['/whole.tsv', '/part.tsv'])
    expect(await text(mount, path)).toBe('word\none\ntwo\n');
  const told = bench.notices.join('\n');
  expect(told).toContain('part: incomplete, three is found by its name');
  expect(told).not.toContain('whole:');
});

test('an edit that takes its record out of sight, of which no answer tells, stands', async () => {
  const schema = z.object({ id: z.string(), text: z.string() });
  const there = ({ client }: At) =>
    client.tasks.length === 0 ? { id: 'd1', text: 'not yet' } : null;
  const drafts = resource<z.infer<typeof schema>, Tracker>('drafts', {
    about: 'a draft, until it is sent',
    path: '/:draft.md',
    schema,
    key: ({ id }) => id,
    type: { name: 'draft', fields: { body: prose('the text', { required: true }) } },
    values: ({ text: body }) => ({ body }),
    list: async (at) => [there(at) ?? []].flat(),
    get: async (_, at) => {
      const data = there(at);
      return data && { data };
    },
    update: ({ id }, { body }) => ({ method: 'PATCH', url: id, body: { text: body } }),
  });
  const { mount } = opened({
    joints: [],
    params: { draft: { matches: /^d\d$/, example: 'd1' } },
    resources: [drafts as unknown as Resource<unknown>],
  });
  await put(mount, '/d1.md', 'not yet', 'sent');
  const [change] = mount.journal.list({});
  expect(change).toMatchObject({ state: 'applied', result: { path: '/d1.md' } });
  expect((await failure(mount.read('/d1.md'))).code).toBe('ENOENT');
});

test('a file of a group is there for each group that has something, and for no other', async () => {
  const words = resource<string, Tracker>('words', {
    about: 'a word',
    schema: z.string(),
    key: (word) => word,
    list: async () => ['one', 'two', 'three'],
  });
  const byLetter = view<string>({
    about: 'the words of a letter',
    path: '/:letter.txt',
    of: words,
    by: ([letter = '']) => letter,
    text: (all) => `${all.join(' ')}\n`,
  });
  const { mount } = opened({
    joints: [],
    params: { letter: { matches: /^[a-z]$/, example: 'a' } },
    resources: [words as unknown as Resource<unknown>],
    views: [byLetter],
  });
  expect(await names(mount, '/')).toEqual(['README.md', 'o.txt', 't.txt']);
  expect(await text(mount, '/t.txt')).toBe('three two\n');
  for (const look of [mount.lstat('/x.txt'), mount.read('/x.txt')])
    expect((await failure(look)).code).toBe('ENOENT');
});

test('what was moved is not there, and says where it is', async () => {
  const { tracker, mount, later } = opened();
  tracker.add({ id: 't1', text: 'first' });
  expect(await names(mount, '/ENG/tasks')).toContain('t1.md');
  tracker.tasks[0] = { ...(tracker.tasks[0] as Task), team: 'OPS' };
  later();
  expect(await names(mount, '/ENG/tasks')).not.toContain('t1.md');
  await names(mount, '/OPS/tasks');
  const gone = await failure(mount.read('/ENG/tasks/t1.md'));
  expect([gone.code, gone.reason]).toEqual(['ENOENT', expect.stringContaining('it is in OPS now')]);
});

test('a field that is fixed in one record is refused there with its reason, and written in others', async () => {
  const { tracker, mount } = opened();
  tracker.add({ id: 't1', text: 'mine' });
  tracker.add({ id: 't2', text: 'theirs', owner: 'bo' });
  tracker.told();
  const refused = await failure(put(mount, '/ENG/tasks/t2.md', 'theirs', 'ours'));
  expect([refused.code, refused.reason]).toEqual([
    'EINVAL',
    expect.stringContaining('ask whoever'),
  ]);
  expect(tracker.told().filter((one) => one.startsWith('PATCH'))).toEqual([]);
  await put(mount, '/ENG/tasks/t1.md', 'mine', 'ours');
  await put(mount, '/ENG/tasks/t2.md', 'state: open', 'state: done');
  expect(tracker.tasks.map((one) => `${one.state} ${one.text}`)).toEqual([
    'open ours',
    'done theirs',
  ]);
  // Of the requests that an edit may need, those are sent that it does need.
  expect(tracker.told().filter((one) => one.startsWith('PATCH'))).toEqual(['PATCH t1', 'PATCH t2']);
});

test('who we are is one question for the account, for what doctor says and for what is mine', async () => {
  const { tracker, bench } = opened();
  tracker.add({ id: 't1', text: 'mine' });
  const mount = bench.mount({ ...bench.memory(), token: 'one' });
  expect((await mount.probe?.())?.account).toBe('ada of harbor');
  await names(mount, '/ENG/tasks');
  // Two credentials of one account have one journal: what is staged by the one is seen by the other.
  const [one, two] = ['first', 'second'].map((token) => bench.mount({ token, stage: true }));
  if (one === undefined || two === undefined) throw new Error('two mounts');
  await put(one, '/ENG/tasks/t1.md', 'mine', 'staged');
  expect(await text(two, '/ENG/tasks/t1.md')).toContain('staged');
});

test('a new record has the fields of its place, and is checked and made by these', async () => {
  const ofPlace: Resource<Task, Tracker> = {
    ...tasks,
    typeOf: (_, { params }) => ({
      name: 'task',
      fields: {
        state: { schema: z.string(), access: 'create', about: `a state of ${params['team']}` },
        body: prose('the text', { required: true }),
      },
    }),
  };
  const resources = [teams, states, ofPlace] as unknown as Resource<unknown>[];
  const { tracker, mount } = opened({ resources, joints: [{ ...ofTeam, of: resources.slice(1) }] });
  expect(await text(mount, '/ENG/tasks/new.md')).toContain('a state of ENG');
  await write(mount, '/ENG/tasks/new.md', '---\nstate: open\n---\n\nA new one\n');
  expect(tracker.tasks).toMatchObject([{ team: 'ENG', state: 'open', text: 'A new one' }]);
  const wrong = Buffer.from('---\nteam: OPS\n---\n\nAnother\n');
  expect((await failure(mount.write?.('/ENG/tasks/new.md', wrong))).reason).toContain(
    'team: no such field',
  );
});

/** Shelves of rooms, and books on these: each listed by itself. */
function library() {
  const held = new Map([
    ['hall/left', ['b1']],
    ['hall/right', ['b2']],
    ['attic/left', ['b3']],
  ]);
  const at = (room = '', shelf = '') => `${room}/${shelf}`;
  /** What a shelf is called now, by its id. */
  const called = new Map<string, string>();
  const listed = (of: readonly string[]) => [...new Set(of)].map((id) => ({ id }));
  const schema = z.object({ id: z.string() });
  const key = ({ id }: { id: string }) => id;
  const plain = { schema, key, about: 'one' };
  const rooms = resource('rooms', {
    ...plain,
    path: '/:room',
    list: async () => listed([...held.keys()].map((one) => one.split('/')[0] ?? '')),
  });
  const shelves = resource<{ id: string; title: string }, Tracker>('shelves', {
    about: 'one',
    path: '/:room/:shelf',
    schema: schema.extend({ title: z.string() }),
    key,
    name: ({ title }) => title,
    list: async ({ params }) => {
      const all = [...held.keys()].map((one) => one.split('/'));
      const here = all.flatMap(([room, id = '']) => (room === params['room'] ? id : []));
      return here.map((id) => ({ id, title: called.get(id) ?? id }));
    },
  });
  const books = resource('books', {
    ...plain,
    path: '/:room/:shelf/:book.md',
    document: true,
    text: ({ id }) => `${id}\n`,
    list: async (scope: At) =>
      listed(held.get(at(scope.params['room'], scope.record(shelves).id)) ?? []),
  });
  const name = { matches: /^[a-z0-9]+$/, example: 'hall' };
  const made = opened({
    joints: [],
    params: { room: name, shelf: name, book: name },
    // In whatever order they are said: what leads to a place is asked for from the top down.
    resources: [books, shelves, rooms] as unknown as Resource<unknown>[],
    findings: [
      finding({
        about: 'books whose name has it',
        path: '/:room/:shelf/search',
        of: books,
        columns: ['id'],
        row: ({ id }) => [id],
        find: async (query, { params }: At) => {
          const all = held.get(at(params['room'], params['shelf'])) ?? [];
          return { rows: listed(all.filter((id) => id.includes(query))) };
        },
      }),
    ],
  });
  const gone = (from: number) =>
    made.mount.feed(from).flatMap(({ op, path }) => (op === 'delete' ? path : []));
  return { ...made, held, called, gone };
}

test('with a directory that is gone goes what was held below it, and nothing of its namesake elsewhere', async () => {
  const { mount, held, gone, later } = library();
  for (const shelf of held.keys()) await names(mount, `/${shelf}`);
  const seq = mount.feed(0).at(-1)?.seq ?? 0;
  held.delete('hall/left');
  later();
  expect(await names(mount, '/hall')).toEqual(['right']);
  expect(gone(seq)).toEqual(['/hall/left/b1.md']);
  held.delete('hall/right');
  later();
  expect(await names(mount, '/')).toEqual(['README.md', 'attic']);
  expect(gone(seq)).toEqual(['/hall/left/b1.md', '/hall/right/b2.md']);
});

test('a directory that is listed anew keeps what is held below it, unless it has another name', async () => {
  const { mount, called, gone, later } = library();
  await names(mount, '/hall/left');
  const seq = mount.feed(0).at(-1)?.seq ?? 0;
  later();
  expect(await names(mount, '/hall')).toEqual(['left', 'right']);
  expect(gone(seq)).toEqual([]);
  called.set('left', 'west');
  later();
  expect(await names(mount, '/hall')).toEqual(['right', 'west']);
  expect(gone(seq)).toEqual(['/hall/left/b1.md']);
  expect(await names(mount, '/hall/west')).toEqual(['b1.md', 'search']);
});

test('each question has an answer of its own at each place, and is listed where it was asked', async () => {
  const { mount, held } = library();
  held.set('hall/left', ['b1', 'c1']);
  expect(await names(mount, '/hall/left/search/b')).toEqual(['b1.md', 'index.tsv']);
  expect(await names(mount, '/hall/left/search/c')).toEqual(['c1.md', 'index.tsv']);
  expect(await names(mount, '/hall/right/search/b')).toEqual(['b2.md', 'index.tsv']);
  expect(await names(mount, '/hall/left/search')).toEqual(['b', 'c']);
  expect(await names(mount, '/hall/right/search')).toEqual(['b']);
  expect(await names(mount, '/attic/left/search')).toEqual([]);
});

test('a question is asked as it is written, its answer again once it is old, and before it there is neither', async () => {
  const word = { matches: /^[a-z]+$/, example: 'count' };
  const { tracker, bench, mount, later } = opened({
    joints: [],
    params: { word },
    resources: [],
    inquiries: [
      {
        id: 'questions',
        about: { question: 'a question', answer: 'its answer' },
        question: '/asked/:word.txt',
        answer: '/asked/:word.tsv',
        ask: async (question, { client }: At) => {
          client.ask(question.trim());
          if (question.startsWith('wrong')) throw new ServiceFailure('invalid', 'ask otherwise');
          return {
            columns: ['n'],
            rows: [[String(client.tasks.length)]],
            lacking: 'only the first',
          };
        },
      },
    ],
  });
  for (const path of ['/asked/count.txt', '/asked/count.tsv'])
    expect((await failure(mount.lstat(path))).code).toBe('ENOENT');
  expect((await failure(mount.read('/asked/count.tsv'))).reason).toContain('write the question');
  await write(mount, '/asked/count.txt', 'how many\n');
  expect(tracker.told()).toEqual(['how many']);
  expect(await names(mount, '/asked')).toEqual(['count.tsv', 'count.txt']);
  expect((await mount.lstat('/asked/count.tsv')).type).toBe('file');
  expect(await text(mount, '/asked/count.tsv')).toBe('n\n0\n');
  expect(bench.notices.join()).toContain('/asked/count.txt: only the first');
  expect(tracker.told()).toEqual([]);
  tracker.add({ id: 't1' });
  later();
  expect(await text(mount, '/asked/count.tsv')).toBe('n\n1\n');
  expect(tracker.told()).toEqual(['how many']);
  const refused = await failure(mount.write?.('/asked/other.txt', Buffer.from('wrong\n')));
  expect(refused.reason).toContain('ask otherwise');
  await mount.unlink?.('/asked/count.txt');
  expect(await names(mount, '/asked')).toEqual([]);
});

/** One task wherever it is, which its team lists, too. */
const ofTask = joint({
  id: 'task',
  path: '/:team/tasks/:task',
  one: tasks as Resource<unknown>,
  of: [remarks] as unknown as Resource<unknown>[],
  list: async ({ client, params: { task } }: At) => {
    client.ask(`task ${task}`);
    return {
      of: {
        tasks: client.tasks.filter(({ id }) => id === task),
        remarks: client.remarks.filter((one) => one.task === task),
      },
    };
  },
});

test('a write that moved its record, and whose answer was lost, is settled where the record is now', async () => {
  const { tracker, mount } = opened({ joints: [ofTeam, ofTask] });
  tracker.add({ id: 't1', text: 'first' });
  tracker.loses = true;
  await put(mount, '/ENG/tasks/t1.md', 'team: ENG', 'team: OPS');
  expect(tracker.told().filter((one) => one.startsWith('PATCH'))).toEqual(['PATCH t1']);
  expect(mount.journal.list({}).map(({ state }) => state)).toEqual(['applied']);
  expect((await failure(mount.read('/ENG/tasks/t1.md'))).reason).toContain(
    'it is in OPS now: /OPS/tasks/t1.md of this mount',
  );
  expect(await text(mount, '/OPS/tasks/t1.md')).toContain('first');
});
