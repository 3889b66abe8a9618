/** Writes on their way: what is checked, what is sent, and what is noted of what came of it. */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change, ServiceRequest } from '../../changes/change.ts';
import { ChangeJournal } from '../../changes/journal.ts';
import { FsError } from '../../errors.ts';
import { type FailureKind, type FailureOptions, ServiceFailure } from '../client/failure.ts';
import type { PlannedCall, ProgramOutput } from '../contract/program.ts';
import { choice, line, list, prose, shown } from '../record/fields.ts';
import { type RecordType, renderRecord, type Values } from '../record/record.ts';
import type { Params, Route } from '../table/route.ts';
import { type Match, RouteTable } from '../table/table.ts';
import { Writer } from './writer.ts';

const NOTE: RecordType = {
  name: 'note',
  fields: {
    id: shown('its name'),
    title: line('a title', { access: 'create', required: true }),
    state: choice(['open', 'closed'], { access: 'edit' }),
    tags: list('tags', { access: 'create' }),
    body: prose('what it says'),
  },
};
const bytesOf = (text: string) => new TextEncoder().encode(text);
const digestOf = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('hex');
const fails = (kind: FailureKind, options?: FailureOptions) =>
  new ServiceFailure(kind, `it failed as ${kind}`, options);

/** A service of notes, files and a program, which can fail at a request, before or after it is carried out. */
function desk({ stage = false, together = false, repeatable = false } = {}) {
  const notes = new Map<string, Values>([
    ['1', { id: '1', title: 'one', state: 'open', body: 'text\n' }],
    ['2', { id: '2', title: 'two', state: 'open', body: '' }],
  ]);
  /** What is held of them. */
  const held = new Map([...notes].map(([id, values]) => [id, { ...values }]));
  const files = new Map([
    ['dir/a', 'a'],
    ['dir/b', 'b'],
  ]);
  let version = 1;
  const sent: ServiceRequest[] = [];
  const kept: (string | null)[] = [];
  const failures: { before?: Error; after?: Error }[] = [];
  const looking: Error[] = [];
  const carriedOut = async (request: ServiceRequest, act: () => void) => {
    sent.push(request);
    const { before, after } = failures.shift() ?? {};
    if (before !== undefined) throw before;
    act();
    if (after !== undefined) throw after;
  };
  const look = () => {
    const failure = looking.shift();
    if (failure !== undefined) throw failure;
  };
  const id = (params: Params) => params['id'] ?? '';
  const note: Route = {
    pattern: '/notes/:id.md',
    type: 'file',
    about: 'a note',
    elsewhere: () => 'it was put away',
    edit: {
      record: () => NOTE,
      current: (params) => {
        const values = held.get(id(params));
        return values === undefined ? null : { values, version: `v${version}` };
      },
      refresh: async (params) => {
        look();
        const values = notes.get(id(params));
        if (values === undefined) held.delete(id(params));
        else held.set(id(params), { ...values });
      },
      check: async (_, { title }) => {
        look();
        return title === 'taken' ? [{ field: 'title', message: 'there is one' }] : [];
      },
      normal: (_, values) =>
        'title' in values ? { ...values, title: String(values['title']).trim() } : values,
      request: (params, delta) => ({ method: 'PATCH', url: id(params), body: delta }),
      send: async (params, request) => {
        await carriedOut(request, () => {
          version += 1;
          const values = { ...notes.get(id(params)), ...(request.body as Values) };
          notes.set(id(params), values);
          held.set(id(params), values);
        });
        return { path: `/notes/${id(params)}.md`, url: 'http://desk/1' };
      },
    },
    remove: {
      request: (params) => ({ method: 'DELETE', url: id(params), body: null }),
      send: (params, request) => carriedOut(request, () => notes.delete(id(params))),
      gone: async (params) => {
        look();
        return !notes.has(id(params));
      },
    },
  };
  const made: Route = {
    pattern: '/notes/new.md',
    type: 'file',
    about: 'makes one',
    hidden: true,
    create: {
      record: NOTE,
      check: async (_, values) => {
        look();
        return values['title'] === 'taken' ? [{ field: 'title', message: 'there is one' }] : [];
      },
      request: (_, values, key) => ({ method: 'POST', url: 'notes', body: { ...values, key } }),
      send: async (_, request) => {
        await carriedOut(request, () => notes.set('3', { ...(request.body as Values), id: '3' }));
        return { path: '/notes/3.md' };
      },
      repeatable,
      find: async () => {
        look();
        return notes.has('3') ? { path: '/notes/3.md' } : null;
      },
    },
  };
  const name = (params: Params) => `dir/${params['file']}`;
  const contentOf = ({ body }: ServiceRequest) =>
    body === null ? null : bytesOf((body as { text: string }).text);
  const file: Route = {
    pattern: '/dir/:file',
    type: 'file',
    about: 'a file',
    replace: {
      refresh: async (params) => {
        look();
        const text = files.get(name(params));
        return text === undefined ? null : digestOf(bytesOf(text));
      },
      versionOf: digestOf,
      check: (_, bytes) => (bytes?.length === 0 ? 'it is empty' : null),
      request: (params, bytes, base) => ({
        method: bytes === null ? 'DELETE' : 'PUT',
        url: `${name(params)} onto ${base?.slice(0, 4) ?? 'nothing'}`,
        body: bytes === null ? null : { text: Buffer.from(bytes).toString() },
      }),
      keep: (_, bytes) => void kept.push(bytes === null ? null : Buffer.from(bytes).toString()),
      contentOf,
      send: async (params, request) => {
        await carriedOut(request, () => {
          const bytes = contentOf(request);
          if (bytes === null) files.delete(name(params));
          else files.set(name(params), Buffer.from(bytes).toString());
        });
        return { path: `/${name(params)}` };
      },
    },
  };
  const below = () => new Map([...files].map(([one, text]) => [one, digestOf(bytesOf(text))]));
  let listed = below();
  const directory: Route = {
    pattern: '/dir',
    type: 'directory',
    about: 'files',
    removeTree: {
      files: () => listed,
      refresh: async () => {
        look();
        return { files: below(), onto: 'head' };
      },
      request: (_, all, onto) => ({ method: 'POST', url: `rm onto ${onto}`, body: [...all] }),
      made: ({ url }) => url.startsWith('rm '),
      overtaken: ({ status }) => status === 409,
      keep: () => void kept.push('nothing below'),
      send: async (_, request) => {
        await carriedOut(request, () => files.clear());
        return { path: '/dir' };
      },
    },
  };
  const outputOf = (text: string): ProgramOutput => ({
    stdout: bytesOf(text),
    stderr: '',
    exitCode: 0,
  });
  const program: Route = {
    pattern: '/bin/ring',
    type: 'file',
    about: 'a program',
    program: {
      plan: (_, { args }) => {
        if (args[0] === '--help') return outputOf('help\n');
        if (args[0] === 'odd') throw fails('invalid');
        return {
          program: 'ring',
          effect: args[0] === 'look' ? 'reads' : 'changes',
          request: { method: 'POST', url: 'ring', body: args },
          shown: `ring ${args.join(' ')}`,
          ...(args[0] === 'own' && { show: (answer) => outputOf(`own ${answer}\n`) }),
        };
      },
      send: async (_, request) => {
        await carriedOut(request, () => undefined);
        return (request.body as string[]).at(-1);
      },
      show: (answer) => ({ ...outputOf(`rang ${answer}\n`), stderr: 'on the way\n' }),
    },
  };
  const routes: Route[] = [
    { pattern: '/notes', type: 'directory', about: 'notes' },
    { pattern: '/bin', type: 'directory', about: 'programs' },
    directory,
    note,
    made,
    file,
    program,
  ];
  const table = new RouteTable(routes, {
    id: { matches: /^\d+$/, example: '1' },
    file: { matches: /^[a-z]+$/, example: 'a' },
  });
  const journal = new ChangeJournal(':memory:');
  onTestFinished(() => journal.close());
  const groups: number[] = [];
  const writer = new Writer({
    name: 'desk',
    title: 'Desk',
    table,
    journal,
    stage,
    now: () => new Date('2026-01-31T10:00:00Z'),
    together: together
      ? async (requests) => {
          groups.push(requests.length);
          const { before, after } = failures.shift() ?? {};
          if (before !== undefined) throw before;
          if (after !== undefined) {
            for (const { url, body } of requests)
              notes.set(url, { ...notes.get(url), ...(body as Values) });
            throw after;
          }
        }
      : undefined,
  });
  journal.attach('desk', writer);
  const at = (path: string): Match => {
    const match = table.match(path);
    if (match === null) throw new Error(`${path} is in no row`);
    return match;
  };
  const textOf = (of: string, changed: Values = {}) =>
    renderRecord(NOTE, { ...notes.get(of), ...changed });
  const edit = (of: string, changed: Values | string, base = textOf(of)) => {
    const path = `/notes/${of}.md`;
    const text = typeof changed === 'string' ? changed : textOf(of, changed);
    return writer.edit(path, at(path), text, { text: base, version: 'v1' });
  };
  const create = (text: string) => writer.create('/notes/new.md', at('/notes/new.md'), text);
  const remove = (of: string) => {
    const path = `/notes/${of}.md`;
    return writer.remove(path, at(path), { text: textOf(of), version: 'v1' });
  };
  const put = (of: string, text: string | null, was: string | null) =>
    writer.replace(
      `/dir/${of}`,
      at(`/dir/${of}`),
      text === null ? null : bytesOf(text),
      async () => (was === null ? null : { bytes: bytesOf(was), version: digestOf(bytesOf(was)) }),
    );
  const all = () => journal.list({ mount: 'desk' });
  const states = () => all().map(({ path, op, state }) => `${op} ${path} ${state}`);
  const only = (): Change => {
    const [one, ...others] = all();
    if (one === undefined || others.length > 0) throw new Error(`${states()}`);
    return one;
  };
  const relist = () => {
    listed = below();
  };
  const plan = (...args: string[]) =>
    writer.plan('/bin/ring', at('/bin/ring'), { name: 'ring', args, stdin: new Uint8Array() });
  const world = { notes, held, files, sent, kept, failures, looking, groups, relist };
  return {
    ...world,
    journal,
    writer,
    at,
    textOf,
    edit,
    create,
    remove,
    put,
    plan,
    states,
    only,
    all,
  };
}

/** What an operation fails with, as the caller of a mount sees it. */
async function refused(work: Promise<unknown>): Promise<FsError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof FsError) return error;
  throw error ?? new Error('it was not refused');
}

describe('an edit', () => {
  it('sends the fields that differ, as the service will show them, and is applied', async () => {
    const { edit, sent, only } = desk();
    await edit('1', { title: ' new ', body: 'text\n' });
    expect(sent).toEqual([{ method: 'PATCH', url: '1', body: { title: 'new' } }]);
    expect(only()).toMatchObject({
      op: 'update',
      state: 'applied',
      baseVersion: 'v1',
      result: { path: '/notes/1.md', url: 'http://desk/1' },
      error: null,
    });
    expect(only().sentAt).toBe(Date.parse('2026-01-31T10:00:00Z'));
  });

  it('of nothing leaves no change, and of what the service has already sends none', async () => {
    const { edit, sent, states, notes, textOf } = desk();
    await edit('1', {});
    expect(states()).toEqual([]);
    const base = textOf('1');
    notes.set('1', { ...notes.get('1'), state: 'closed' });
    await edit('1', { state: 'closed' }, base);
    expect(states()).toEqual(['update /notes/1.md applied']);
    expect(sent).toEqual([]);
  });

  it('asks for what is not held before it is written over', async () => {
    const { writer, at, held, sent, textOf, looking } = desk();
    const write = () =>
      writer.edit('/notes/1.md', at('/notes/1.md'), textOf('1', { title: 'x' }), null);
    held.clear();
    await write();
    expect(sent).toHaveLength(1);
    held.clear();
    looking.push(fails('network'));
    expect(await refused(write())).toMatchObject({ code: 'EIO', op: 'open', path: '/notes/1.md' });
  });

  it('of what is not there says where one is made', async () => {
    const { writer, at, textOf, states } = desk();
    const work = writer.edit('/notes/9.md', at('/notes/9.md'), textOf('1'), null);
    expect(await refused(work)).toMatchObject({
      code: 'ENOENT',
      op: 'open',
      reason:
        'Desk chooses the names of new records: write to new.md in this directory to make one',
    });
    expect(states()).toEqual([]);
  });

  it('that is wrong names every field that the type or the service refuses, and sends nothing', async () => {
    const { edit, sent, only, textOf } = desk();
    const text = textOf('1', { title: 'taken' }).replace('state: open', 'state: odd');
    const error = await refused(edit('1', text));
    expect(error).toMatchObject({ code: 'EINVAL', rule: 'schema of the record' });
    expect(error.reason).toMatch(/state: .*open.*; title: there is one; nothing was sent$/);
    expect(sent).toEqual([]);
    expect(only()).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('there is one'),
    });
  });

  it('that is wrong says so although the service cannot be asked; what is not, waits for that', async () => {
    const { edit, looking, textOf, states } = desk();
    looking.push(fails('network'));
    const text = textOf('1', { title: 'x' }).replace('state: open', 'state: odd');
    expect((await refused(edit('1', text))).code).toBe('EINVAL');
    looking.push(fails('network'));
    expect((await refused(edit('1', { title: 'x' }))).code).toBe('EIO');
    expect(states()).toEqual(['update /notes/1.md failed', 'update /notes/1.md failed']);
    const broken = await refused(edit('1', '---\nstate: [\n---\n'));
    expect([broken.code, broken.rule]).toEqual(['EINVAL', 'schema of the record']);
  });

  it('merges what only one side changed, and is a conflict where both did', async () => {
    const { edit, sent, notes, textOf, all } = desk();
    const base = textOf('1');
    notes.set('1', { ...notes.get('1'), state: 'closed' });
    await edit('1', textOf('1', { title: 'mine', state: 'open' }), base);
    expect(sent.map(({ body }) => body)).toEqual([{ title: 'mine' }]);
    notes.set('1', { ...notes.get('1'), title: 'theirs' });
    const mine = base.replace('title: one', 'title: other');
    const error = await refused(edit('1', mine, base));
    expect(error).toMatchObject({ code: 'ESTALE', path: '/notes/1.md' });
    expect(error.reason).toMatch(/^title changed on Desk since it was read, and here too: nothing/);
    const conflict = all().find(({ state }) => state === 'conflict');
    expect(conflict?.theirs).toBe(textOf('1'));
    expect(sent).toHaveLength(1);
  });

  it('of what is gone says so, and where it is now', async () => {
    const { edit, notes, textOf } = desk();
    const base = textOf('1');
    const text = textOf('1', { title: 'x' });
    notes.delete('1');
    expect(await refused(edit('1', text, base))).toMatchObject({
      code: 'ENOENT',
      op: 'write',
      reason: 'it is gone from Desk: it was put away',
    });
  });

  it('that the service has another version than is read again, merged and sent once more, and only once', async () => {
    const { edit, sent, failures, states } = desk();
    failures.push({ before: fails('stale') });
    await edit('1', { title: 'x' });
    expect(sent).toHaveLength(2);
    failures.push({ before: fails('stale') }, { before: fails('stale') });
    expect((await refused(edit('1', { title: 'y' }))).code).toBe('ESTALE');
    expect(states().sort()).toEqual(['update /notes/1.md applied', 'update /notes/1.md conflict']);
    expect(sent).toHaveLength(4);
  });

  it.each([
    ['invalid', 'EINVAL', 'failed'],
    ['forbidden', 'EACCES', 'failed'],
    ['limited', 'EAGAIN', 'failed'],
  ] as const)('that is refused as %s is %s, and %s', async (kind, code, state) => {
    const { edit, failures, only } = desk();
    failures.push({ before: fails(kind) });
    expect((await refused(edit('1', { title: 'x' }))).code).toBe(code);
    expect(only()).toMatchObject({ state, sentAt: null });
  });

  it('whose answer is lost was made where it is there, and else nobody can tell', async () => {
    const { edit, failures, sent, states, only, notes, looking } = desk();
    failures.push({ after: fails('network') });
    await edit('1', { title: 'x' });
    expect(states()).toEqual(['update /notes/1.md applied']);
    expect(sent).toHaveLength(1);
    for (const failing of [undefined, fails('server')]) {
      const other = desk();
      other.failures.push({ before: fails('timeout') });
      // Looked at before: what is to be refused, and what is there.
      if (failing) other.looking.push(undefined as never, undefined as never, failing);
      const error = await refused(other.edit('1', { title: 'x' }));
      expect(error).toMatchObject({ code: 'ETIMEDOUT' });
      expect(error.reason).toMatch(
        /^it failed as timeout; Desk did not say whether the change was made: it is kept as unknown/,
      );
      expect(other.only().state).toBe('unknown');
      expect(other.sent).toHaveLength(1);
    }
    expect([only().state, notes.get('1')?.['title'], looking]).toEqual(['applied', 'x', []]);
  });

  it('that fails by a fault of ours is no failure of the service’s', async () => {
    const { edit, failures } = desk();
    failures.push({ before: new TypeError('a bug') });
    await expect(edit('1', { title: 'x' })).rejects.toThrow(TypeError);
  });
});

describe('a staged edit', () => {
  it('waits with its request, and stands as long as the same is written', async () => {
    const { edit, sent, only } = desk({ stage: true });
    await edit('1', { title: 'x' });
    const first = only();
    expect(first).toMatchObject({
      state: 'pending',
      request: { method: 'PATCH', url: '1', body: { title: 'x' } },
    });
    await edit('1', { title: 'x' });
    expect(only().id).toBe(first.id);
    expect(sent).toEqual([]);
  });

  it('is dropped for another, from the same base, and taken back by its base', async () => {
    const { edit, all, textOf } = desk({ stage: true });
    await edit('1', { title: 'x' });
    await edit('1', { title: 'y' }, 'what was read is what was staged');
    const [one, two] = all().sort((a, b) => (a.id < b.id ? -1 : 1));
    expect([one?.state, one?.replacedBy, two?.state]).toEqual(['dropped', two?.id, 'pending']);
    expect([two?.base, two?.baseVersion]).toEqual([textOf('1'), 'v1']);
    await edit('1', {});
    expect(all().map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  it('is refused for what is gone', async () => {
    const { edit, notes, held, textOf } = desk({ stage: true });
    const [base, text] = [textOf('1'), textOf('1', { title: 'x' })];
    notes.delete('1');
    held.delete('1');
    expect(await refused(edit('1', text, base))).toMatchObject({ code: 'ENOENT' });
  });

  it('is applied once, against what is there by then', async () => {
    const { edit, journal, only, notes, sent } = desk({ stage: true });
    await edit('1', { title: 'x' });
    notes.set('1', { ...notes.get('1'), state: 'closed' });
    const { id } = only();
    expect(await journal.apply([id])).toEqual([{ id, state: 'applied' }]);
    expect(sent.map(({ body }) => body)).toEqual([{ title: 'x' }]);
    expect((await journal.apply([id]))[0]?.error).toBe('the change is applied, not pending');
  });

  it.each([
    [fails('limited'), 'pending'],
    [fails('auth'), 'pending'],
    [fails('network', { unsent: true }), 'pending'],
    [fails('timeout', { unsent: true }), 'pending'],
    [fails('server', { unsent: true }), 'pending'],
    [fails('protocol', { unsent: true }), 'pending'],
    [fails('invalid'), 'failed'],
    [fails('forbidden'), 'failed'],
    [fails('network'), 'unknown'],
  ])('that meets %s on its way is %s then', async (before, state) => {
    const { edit, journal, only, failures } = desk({ stage: true });
    await edit('1', { title: 'x' });
    failures.push({ before });
    const [applied] = await journal.apply([only().id]);
    expect(applied).toMatchObject({ state, error: expect.stringContaining(before.message) });
    expect(only().state).toBe(state);
  });

  it('goes on waiting where the service would not have it now', async () => {
    const { edit, journal, only, looking, writer } = desk({ stage: true });
    await edit('1', { title: 'x' });
    looking.push(fails('missing'));
    expect((await journal.apply([only().id]))[0]).toMatchObject({ state: 'failed' });
    await expect(writer.apply({ ...only(), state: 'pending' })).rejects.toMatchObject({
      code: 'ESTALE',
      reason: 'the change is failed, not pending; nothing was sent',
    });
  });
});

describe('a new record', () => {
  const TEXT = '---\ntitle: three\n---\nbody\n';

  it('is made with what was filled in, by the key of its change', async () => {
    const { create, sent, only, writer, notes } = desk();
    await create('---\ntitle: three\ntags: []\n---\n');
    const key = only().idempotencyKey;
    expect(sent).toEqual([{ method: 'POST', url: 'notes', body: { title: 'three', key } }]);
    expect(only()).toMatchObject({
      op: 'create',
      state: 'applied',
      result: { path: '/notes/3.md' },
    });
    expect(writer.last('/notes/new.md')?.id).toBe(only().id);
    expect(notes.has('3')).toBe(true);
  });

  it('that is wrong is refused by its type and by the service', async () => {
    const { create, sent, states } = desk();
    expect((await refused(create('---\ntitle:\n---\n'))).reason).toMatch(
      /title: .*; nothing was sent/,
    );
    expect((await refused(create('---\ntitle: taken\n---\n'))).reason).toContain('there is one');
    expect(sent).toEqual([]);
    expect(states()).toEqual(['create /notes/new.md failed', 'create /notes/new.md failed']);
  });

  it('whose answer is lost is looked for, and sent again only where it cannot be made twice', async () => {
    const { create, failures, sent, only } = desk();
    failures.push({ after: fails('network') });
    await create(TEXT);
    expect([only().state, only().result, sent.length]).toEqual([
      'applied',
      { path: '/notes/3.md' },
      1,
    ]);
    const lost = desk();
    lost.failures.push({ before: fails('network') });
    expect((await refused(lost.create(TEXT))).reason).toContain('is not sent again by itself');
    expect([lost.only().state, lost.sent.length]).toEqual(['unknown', 1]);
    const again = desk({ repeatable: true });
    again.failures.push({ before: fails('network') });
    await again.create(TEXT);
    expect([again.only().state, again.sent.length]).toEqual(['applied', 2]);
    const never = desk({ repeatable: true });
    never.failures.push({ before: fails('network') }, { before: fails('invalid') });
    expect((await refused(never.create(TEXT))).code).toBe('EINVAL');
    expect([never.only().state, never.sent.length]).toEqual(['unknown', 2]);
  });

  it('that was staged is checked once more when it is applied', async () => {
    const { create, journal, only, sent } = desk({ stage: true });
    await create(TEXT);
    expect([only().state, sent.length]).toEqual(['pending', 0]);
    await journal.apply([only().id]);
    expect([only().state, sent.length]).toEqual(['applied', 1]);
  });

  it('that is unknown is settled by asking, and nothing is sent', async () => {
    const { create, journal, failures, notes, only, sent, looking } = desk();
    failures.push({ before: fails('network') });
    await refused(create(TEXT));
    const { id } = only();
    looking.push(fails('network'));
    expect((await journal.settle([id]))[0]).toMatchObject({ state: 'unknown' });
    expect((await journal.settle([id]))[0]).toMatchObject({ state: 'unknown' });
    notes.set('3', {});
    expect(await journal.settle([id])).toEqual([{ id, state: 'applied' }]);
    expect(sent).toHaveLength(1);
  });
});

describe('a removal', () => {
  it('is sent with what was read, in the place of what was staged', async () => {
    const { remove, notes, only, textOf } = desk();
    const base = textOf('1');
    await remove('1');
    expect(only()).toMatchObject({ op: 'delete', state: 'applied', base, baseVersion: 'v1' });
    expect(notes.has('1')).toBe(false);
    const staged = desk({ stage: true });
    await staged.edit('1', { title: 'x' });
    await staged.remove('1');
    expect(staged.states().sort()).toEqual([
      'delete /notes/1.md pending',
      'update /notes/1.md dropped',
    ]);
    const [pending] = staged.all().filter(({ state }) => state === 'pending');
    await staged.journal.apply([pending?.id ?? '']);
    expect(staged.notes.has('1')).toBe(false);
  });

  it('whose answer is lost was made where it is gone', async () => {
    const gone = desk();
    gone.failures.push({ after: fails('network') });
    await gone.remove('1');
    expect(gone.only().state).toBe('applied');
    const there = desk();
    there.failures.push({ before: fails('network') });
    await refused(there.remove('1'));
    expect(there.only().state).toBe('unknown');
  });
});

describe('a file', () => {
  it('is written onto the version that was read, made, and removed', async () => {
    const { put, files, sent, states } = desk();
    await put('a', 'new', 'a');
    await put('c', 'made', null);
    await put('b', null, 'b');
    expect([...files]).toEqual([
      ['dir/a', 'new'],
      ['dir/c', 'made'],
    ]);
    expect(sent.map(({ url }) => url)).toEqual([
      `dir/a onto ${digestOf(bytesOf('a')).slice(0, 4)}`,
      'dir/c onto nothing',
      `dir/b onto ${digestOf(bytesOf('b')).slice(0, 4)}`,
    ]);
    expect(states().sort()).toEqual([
      'create /dir/c applied',
      'delete /dir/b applied',
      'update /dir/a applied',
    ]);
  });

  it('that is there already is not written, and one that never was is not removed', async () => {
    const { put, sent, states } = desk();
    await put('a', 'a', 'a');
    await put('c', null, null);
    expect([sent, states()]).toEqual([[], []]);
  });

  it('that cannot be written says why', async () => {
    const { put, only } = desk();
    expect(await refused(put('a', '', 'a'))).toMatchObject({
      code: 'EINVAL',
      reason: 'it is empty; nothing was sent',
    });
    expect(only().state).toBe('failed');
  });

  it('that changed since it was read is not written over, unless it is what was to be written', async () => {
    const { put, files, sent, kept, only } = desk();
    files.set('dir/a', 'theirs');
    expect((await refused(put('a', 'mine', 'a'))).reason).toMatch(/^it changed on Desk since/);
    expect(only().state).toBe('conflict');
    files.delete('dir/b');
    expect((await refused(put('b', 'mine', 'b'))).reason).toMatch(/^it was removed from Desk/);
    files.set('dir/b', 'mine');
    await put('b', 'mine', 'b');
    expect([sent, kept]).toEqual([[], ['mine']]);
  });

  it('is sent again where others changed in that moment, and not where it did', async () => {
    const { put, failures, sent, files } = desk();
    failures.push({ before: fails('invalid', { status: 409 }) });
    await put('a', 'mine', 'a');
    expect(sent).toHaveLength(2);
    const other = desk();
    const failure = fails('invalid', { status: 409 });
    other.failures.push({ before: failure });
    Object.defineProperty(failure, 'status', {
      get: () => {
        other.files.set('dir/a', 'theirs');
        return 409;
      },
    });
    expect((await refused(other.put('a', 'mine', 'a'))).code).toBe('ESTALE');
    expect([other.sent.length, files.get('dir/a')]).toEqual([1, 'mine']);
    const refusing = desk();
    refusing.failures.push({ before: fails('invalid', { status: 422 }) });
    expect((await refused(refusing.put('a', 'mine', 'a'))).code).toBe('EINVAL');
    expect(refusing.sent).toHaveLength(1);
  });

  it('whose answer is lost was written where it is there, and is sent again where not', async () => {
    const { put, failures, kept, sent, only } = desk();
    failures.push({ after: fails('network') });
    await put('a', 'mine', 'a');
    expect([only().state, kept, sent.length]).toEqual(['applied', ['mine'], 1]);
    const lost = desk();
    lost.failures.push({ before: fails('network') });
    await lost.put('a', 'mine', 'a');
    expect([lost.only().state, lost.sent.length]).toEqual(['applied', 2]);
  });

  it('that is staged again starts from what was read first, and is forgotten where that is wanted', async () => {
    const { put, all, journal, files } = desk({ stage: true });
    await put('a', 'one', 'a');
    await put('a', 'one', 'one');
    expect(all().map(({ state }) => state)).toEqual(['pending']);
    await put('a', 'two', 'one');
    const pending = all().find(({ state }) => state === 'pending');
    expect(pending).toMatchObject({ base: 'a', baseVersion: digestOf(bytesOf('a')), mine: 'two' });
    await journal.apply([pending?.id ?? '']);
    expect(files.get('dir/a')).toBe('two');
    await put('b', 'one', 'b');
    await put('b', 'b', 'one');
    expect(all().filter(({ state }) => state === 'pending')).toEqual([]);
  });

  it('that is no text is shown as what it is', async () => {
    const { writer, at, only } = desk();
    const bytes = new Uint8Array([0xff, 0xfe, 0]);
    await writer.replace('/dir/z', at('/dir/z'), bytes, async () => null);
    expect(only()).toMatchObject({ mine: 'binary, 3 bytes\n', base: null, op: 'create' });
  });
});

describe('a directory of files', () => {
  const removing = (of: ReturnType<typeof desk>) => of.writer.removeTree('/dir', of.at('/dir'));

  it('is removed as one change, where what is below it is what was listed', async () => {
    const of = desk();
    await removing(of);
    expect(of.sent).toEqual([{ method: 'POST', url: 'rm onto head', body: ['dir/a', 'dir/b'] }]);
    expect(of.only()).toMatchObject({ op: 'delete', state: 'applied' });
    expect(
      of
        .only()
        .base?.split('\n')
        .map((row) => row.split('\t')[0]),
    ).toEqual(['dir/a', 'dir/b', '']);
  });

  it('in which something changed is left, and that is named', async () => {
    const of = desk();
    of.files.set('dir/c', 'new');
    const error = await refused(removing(of));
    expect(error).toMatchObject({ code: 'ESTALE', op: 'rmdir' });
    expect(error.reason).toContain('(dir/c)');
    of.files.delete('dir/c');
    of.files.delete('dir/b');
    expect((await refused(removing(of))).reason).toContain('files below it were removed');
    expect(of.sent).toEqual([]);
  });

  it('that is gone already needs no request, and one that holds nothing no change', async () => {
    const of = desk();
    of.files.clear();
    await removing(of);
    expect([of.sent, of.kept, of.only().state]).toEqual([[], ['nothing below'], 'applied']);
    const empty = desk();
    empty.files.clear();
    empty.relist();
    await removing(empty);
    expect(empty.states()).toEqual([]);
  });

  it('is asked for again once where others were first, and settled where the answer is lost', async () => {
    const of = desk();
    of.failures.push({ before: fails('invalid', { status: 409 }) });
    await removing(of);
    expect([of.sent.length, of.files.size]).toEqual([2, 0]);
    const refusing = desk();
    refusing.failures.push({ before: fails('invalid') });
    expect((await refused(removing(refusing))).code).toBe('EINVAL');
    const lost = desk();
    lost.failures.push({ after: fails('network') });
    await removing(lost);
    expect([lost.sent.length, lost.kept, lost.only().state]).toEqual([
      1,
      ['nothing below'],
      'applied',
    ]);
  });

  it('that is staged takes the place of what is staged below it', async () => {
    const of = desk({ stage: true });
    await of.put('a', 'x', 'a');
    await removing(of);
    const [pending, ...others] = of.all().filter(({ state }) => state === 'pending');
    expect(others).toEqual([]);
    expect(pending?.request).toEqual({
      method: 'POST',
      url: 'rm onto null',
      body: ['dir/a', 'dir/b'],
    });
    const dropped = of.all().find(({ state }) => state === 'dropped');
    expect(dropped).toMatchObject({ path: '/dir/a', replacedBy: pending?.id });
    await of.journal.apply([pending?.id ?? '']);
    expect(of.files.size).toBe(0);
  });
});

describe('a call of a program', () => {
  const { signal } = new AbortController();
  const carriedOut = async (planned: PlannedCall | ProgramOutput) => {
    if ('exitCode' in planned) throw new Error('it was answered');
    const { stdout, stderr, exitCode } = await planned.carryOut(signal);
    return [Buffer.from(stdout).toString(), stderr, exitCode];
  };

  it('that reads is sent and leaves no change; words that are wrong are told at once', async () => {
    const { plan, states, sent } = desk();
    expect(plan('look', 'x')).toMatchObject({
      program: 'ring',
      effect: 'reads',
      shown: 'ring look x',
    });
    expect(await carriedOut(plan('look', 'x'))).toEqual(['rang x\n', 'on the way\n', 0]);
    expect([states(), sent.length]).toEqual([[], 1]);
    expect(plan('--help')).toMatchObject({ exitCode: 0 });
    expect(() => plan('odd')).toThrow(FsError);
  });

  it('that changes is a change before it is sent, once', async () => {
    const { plan, only, failures, sent, all } = desk();
    expect(await carriedOut(plan('own', 'y'))).toEqual(['own y\n', '', 0]);
    expect(only()).toMatchObject({ op: 'call', state: 'applied', mine: 'ring own y\n' });
    failures.push({ before: fails('network') });
    expect((await refused(carriedOut(plan('own')))).code).toBe('EIO');
    expect(sent).toHaveLength(2);
    expect(
      all()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['applied', 'unknown']);
  });

  it('that is staged has no answer before it is applied, and keeps it then', async () => {
    const { plan, only, sent, journal, failures } = desk({ stage: true });
    const [stdout, stderr, exitCode] = await carriedOut(plan('do', 'z'));
    expect([stdout, exitCode, sent]).toEqual(['', 1, []]);
    expect(stderr).toContain(`staged as change ${only().id}, and Desk was not asked`);
    expect(await carriedOut(plan('look', 'x'))).toEqual(['rang x\n', 'on the way\n', 0]);
    await journal.apply([only().id]);
    expect(only().result).toEqual({ path: '/bin/ring', answer: 'rang z\non the way\n' });
    failures.push({ before: fails('limited') });
    expect((await refused(carriedOut(plan('look')))).op).toBe('call');
  });

  it('keeps no more of a long answer than its beginning', async () => {
    const { plan, only, journal } = desk({ stage: true });
    await carriedOut(plan('do', 'z'.repeat(70_000)));
    await journal.apply([only().id]);
    const { answer = '' } = only().result ?? {};
    expect([answer.length, answer.endsWith('z…\n')]).toEqual([65_536 + 2, true]);
  });
});

describe('several changes together', () => {
  const staged = async () => {
    const of = desk({ stage: true, together: true });
    await of.edit('1', { title: 'x' });
    await of.edit('2', { title: 'y' });
    const [one, two] = of.all().sort((a, b) => (a.path < b.path ? -1 : 1)) as [Change, Change];
    return { ...of, one, two, apply: () => of.journal.apply([one.id, two.id]) };
  };

  it('go out in one go, and each is applied', async () => {
    const { apply, groups, states } = await staged();
    expect((await apply()).map(({ state }) => state)).toEqual(['applied', 'applied']);
    expect(groups).toEqual([2]);
    expect(states().every((one) => one.endsWith('applied'))).toBe(true);
  });

  it('of which one is what is there already need not be sent', async () => {
    const { apply, groups, notes } = await staged();
    notes.set('1', { ...notes.get('1'), title: 'x' });
    notes.set('2', { ...notes.get('2'), title: 'y' });
    expect((await apply()).map(({ state }) => state)).toEqual(['applied', 'applied']);
    expect(groups).toEqual([]);
  });

  it('of which one is wrong are not sent, and the others say on whom they wait', async () => {
    const { apply, groups, notes, one, two, journal } = await staged();
    notes.set('2', { ...notes.get('2'), title: 'theirs' });
    await apply();
    expect(groups).toEqual([]);
    expect(journal.get(two.id)?.state).toBe('conflict');
    expect(journal.get(one.id)).toMatchObject({
      state: 'pending',
      error: expect.stringContaining(`together with the change of /notes/2.md (${two.id})`),
    });
  });

  it('of which the service refuses one go on waiting, and it says which', async () => {
    const { apply, failures, journal, one, two } = await staged();
    failures.push({ before: fails('invalid', { request: 1 }) });
    await apply();
    expect(journal.get(two.id)).toMatchObject({ state: 'failed', sentAt: null });
    expect(journal.get(one.id)).toMatchObject({
      state: 'pending',
      sentAt: null,
      error: expect.stringContaining('that was refused'),
    });
  });

  it('that are refused as a whole go on waiting, all for the same reason', async () => {
    const { apply, failures, journal, one, two } = await staged();
    failures.push({ before: fails('limited') });
    await apply();
    for (const { id } of [one, two])
      expect(journal.get(id)).toMatchObject({
        state: 'pending',
        sentAt: null,
        error: 'nothing was changed: it failed as limited',
      });
  });

  it('whose answer is lost were made where one was, and else nobody can tell', async () => {
    const made = await staged();
    made.failures.push({ after: fails('network') });
    await made.apply();
    expect(made.states().every((one) => one.endsWith('applied'))).toBe(true);
    const lost = await staged();
    lost.failures.push({ before: fails('network') });
    await lost.apply();
    for (const { id } of [lost.one, lost.two])
      expect(lost.journal.get(id)).toMatchObject({
        state: 'unknown',
        sentAt: Date.parse('2026-01-31T10:00:00Z'),
        error: expect.stringContaining('with the 2 that were sent together'),
      });
  });

  it('of which another was first are not sent', async () => {
    const { writer, one, two, journal, groups } = await staged();
    journal.update(two.id, { state: 'dropped' });
    await writer.applyTogether?.([one, two]);
    expect(groups).toEqual([]);
    expect(journal.get(one.id)?.error).toContain('the change is dropped, not pending');
  });

  it('are no matter of a mount whose service takes one at a time', () => {
    expect(desk({ stage: true }).writer.applyTogether).toBeUndefined();
  });
});
