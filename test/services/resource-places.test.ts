/** What follows of resources that are at more than one place, or are brought in step by more than a listing of their own. */
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  directories,
  identity,
  joint,
  openResourceMount,
  type Params,
  prose,
  type Resource,
  resource,
  type Scope,
  ServiceFailure,
  type ServiceRequest,
  type ServiceSpec,
  shown,
  type Upkeep,
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
  movedTo: (place) => {
    const { team = '', task = '' } = place.params;
    const elsewhere = ['ENG', 'OPS'].filter((one) => one !== team);
    const to = elsewhere.find(
      (one) => place.at({ team: one, task }).find(tasks as Resource<Task>) !== null,
    );
    return to === undefined ? null : { params: { team: to, task }, says: `it is in ${to} now` };
  },
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
        teams: client.teams.has(team) ? [{ key: team }] : [],
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
  tracker.teams.delete('ENG');
  later();
  await mount.readdir('/ENG/tasks').catch(() => undefined);
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

/** Keeps the tasks in step by itself, at whichever team each is; what it was asked for is told by its name. */
function keeping(
  tracker: () => Tracker,
  kept: string[],
): NonNullable<ServiceSpec<Tracker>['more']> {
  return ({ put, store: { replica, mount } }) => {
    const bring = (params: Params): void => {
      kept.push(params['task'] ?? `all of ${params['team']}`);
      const { tasks: all } = tracker();
      for (const one of all) put(tasks as Resource<Task>, { team: one.team }, one);
      const bucket = `tasks/${params['team']}`;
      for (const { key } of replica.all(mount, bucket))
        if (!all.some(({ id, team }) => id === key && team === params['team']))
          replica.remove(mount, bucket, key);
    };
    const own: Upkeep = {
      collection: 'own',
      ensure: async (params) => bring(params),
      look: async (params) => bring(params),
      put: (_params, raw) => {
        const { id, team } = taskSchema.parse(raw);
        put(tasks as Resource<Task>, { team }, raw);
        return replica.get(mount, `tasks/${team}`, id);
      },
    };
    const sync = async (params: Params) => bring(params);
    const collections = { own: { scope: ['team'], heldSince: () => null, sync } };
    return { routes: [], collections, upkeep: { tasks: own } };
  };
}

function keptByItself() {
  const kept: string[] = [];
  const made = opened({
    joints: [],
    resources: [teams, { ...tasks, with: [] }] as unknown as Resource<unknown>[],
    more: (parts) => keeping(() => made.tracker, kept)(parts),
  });
  return { ...made, kept };
}

test('records that are kept by the mount’s own means are asked for by these, listed, named and written', async () => {
  const { tracker, mount, kept } = keptByItself();
  tracker.add({ id: 't1', text: 'first' });
  expect(await names(mount, '/ENG/tasks')).toEqual(['t1.md']);
  expect(await text(mount, '/ENG/tasks/t1.md')).toContain('first');
  expect(new Set(kept)).toEqual(new Set(['all of ENG', 't1']));
  await put(mount, '/ENG/tasks/t1.md', 'state: open', 'state: done');
  expect(await text(mount, '/ENG/tasks/t1.md')).toContain('state: done');
  expect(tracker.tasks[0]?.state).toBe('done');
});

test('a write that moved its record, and whose answer was lost, is settled where the record is now', async () => {
  const { tracker, mount } = keptByItself();
  tracker.add({ id: 't1', text: 'first' });
  tracker.loses = true;
  await put(mount, '/ENG/tasks/t1.md', 'team: ENG', 'team: OPS');
  expect(tracker.told().filter((one) => one.startsWith('PATCH'))).toEqual(['PATCH t1']);
  expect(mount.journal.list({}).map(({ state }) => state)).toEqual(['applied']);
  expect((await failure(mount.read('/ENG/tasks/t1.md'))).reason).toContain('it is in OPS now');
  expect(await text(mount, '/OPS/tasks/t1.md')).toContain('first');
});
