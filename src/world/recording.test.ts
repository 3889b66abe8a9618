/** What a world writes into its session, and what it keeps of /workspace. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import type { Change } from '../changes/index.ts';
import { FsError } from '../errors.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import { USER } from '../policy/context.ts';
import { BlobStore } from '../session/blobs.ts';
import type { SessionLog } from '../session/log.ts';
import { JobFiles } from './background/files.ts';
import { leaveJobs } from './background/left.ts';
import { Mirrors } from './mirrors.ts';
import { OutboxWriter } from './outbox.ts';
import type { MountSpec } from './protocol.ts';
import { CHANGED, type CommandEnd, Recorder, SCHEDULE_STEP } from './recorder.ts';
import { WorkerRecords } from './worker-records.ts';
import { trackWorkspace, type WorkspaceTracker } from './workspace.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

type Row = Record<string, unknown>;

/** A session in memory, which can fail. */
function recording(workspace: WorkspaceTracker | null = null) {
  const entries: Row[] = [];
  const events: unknown[] = [];
  const ended: string[] = [];
  const failing: { record?: Error; keep?: Error } = {};
  const session = {
    leaf: null,
    record: async (draft: Row) => {
      if (failing.record !== undefined) throw failing.record;
      return `id${entries.push(draft)}`;
    },
    keepLong: async (value: unknown) => {
      if (failing.keep !== undefined) throw failing.keep;
      return value;
    },
    emit: (event: unknown) => events.push(event),
    close: () => ended.push('session'),
  };
  const recorder = new Recorder(session as never);
  recorder.track(workspace);
  return { recorder, entries, events, failing, ended };
}
const person = { actor: USER, origin: 'shell' } as const;
const text = (said: string, latin1 = false) => ({ text: said, latin1 });
const end = (more: Partial<CommandEnd> = {}): CommandEnd => ({
  stdout: text('out'),
  stderr: text(''),
  spent: {},
  requests: 0,
  cwd: '/workspace',
  ...more,
});
const result = (more: object = {}) => ({
  exitCode: 0,
  changed: [],
  stopped: false,
  refused: [],
  ...more,
});
const tracker = (more: Partial<WorkspaceTracker> = {}): WorkspaceTracker => ({
  touched: () => undefined,
  before: async () => 'snapshot',
  after: async () => ({ snapshot: 'later', changed: [{ path: '/workspace/a', after: 'h' }] }),
  close: () => undefined,
  ...more,
});

describe('a command', () => {
  it('is an entry when it begins and one when it ends, with what is to be said and no more', async () => {
    const { recorder, entries, events } = recording();
    expect(await recorder.begin('ls', '/x', undefined, person)).toBe('id1');
    await recorder.begin('ls', '/x', 'call', { actor: 'helper', origin: 'mcp' } as never);
    await recorder.begin('ls', '/x', undefined, { ...person, origin: 'mcp' } as never);
    expect(entries).toEqual([
      { type: 'bash_start', command: 'ls', cwd: '/x' },
      {
        type: 'bash_start',
        command: 'ls',
        cwd: '/x',
        toolCallId: 'call',
        actor: 'helper',
        origin: 'mcp',
      },
      { type: 'bash_start', command: 'ls', cwd: '/x', actor: USER, origin: 'mcp' },
    ]);
    await recorder.end('id1', result(), end());
    expect(entries.at(-1)).toEqual({
      type: 'bash_end',
      start: 'id1',
      exitCode: 0,
      cwd: '/workspace',
      stdout: 'out',
      stderr: '',
      changed: [],
      requests: 0,
    });
    expect(events).toEqual([]);
    const refused = [{ path: '/y', op: 'open', code: 'EACCES', rule: 'r' }];
    const spent = { '/mnt/a': { requests: 2, bytes: 3 } };
    const much = end({ stdout: text('ÿ', true), spent, requests: 2 });
    await recorder.end('id1', result({ changed: ['/a'], refused, exitCode: 3 }), much);
    expect(entries.at(-1)).toMatchObject({
      exitCode: 3,
      stdoutEncoding: 'latin1',
      changed: [{ path: '/a' }],
      requests: 2,
      spent,
      refused,
    });
    expect(entries.at(-1)).not.toHaveProperty('stderrEncoding');
    expect(events).toEqual([{ type: CHANGED, paths: ['/a'] }]);
  });

  it('names the snapshots of /workspace where they are others, and why there is none', async () => {
    const touched: string[] = [];
    const lost = { fails: null as unknown };
    const { recorder, entries } = recording(
      tracker({
        touched: (path) => touched.push(path),
        before: async () => {
          if (lost.fails !== null) throw lost.fails;
          return 'snapshot';
        },
      }),
    );
    recorder.touched('/workspace/x');
    expect(touched).toEqual(['/workspace/x']);
    await recorder.begin('one', '/', undefined, person);
    await recorder.begin('two', '/', undefined, person);
    expect(entries.map(({ workspace }) => workspace)).toEqual(['snapshot', undefined]);
    await recorder.end('id1', result({ changed: ['/a'] }), end());
    expect(entries.at(-1)).toMatchObject({
      workspace: 'later',
      changed: [{ path: '/workspace/a', after: 'h' }],
    });
    await recorder.begin('three', '/', undefined, person);
    expect(entries.at(-1)).toMatchObject({ workspace: 'snapshot' });
    for (const [fails, why] of [
      [Object.assign(new Error(`${directory}/x`), { code: 'ENOSPC' }), 'the host answered ENOSPC'],
      [new FsError('EIO', { path: '/workspace', op: 'read', reason: 'it is odd' }), /it is odd/],
      [new Error('plain'), 'plain'],
      ['a word', 'a word'],
    ] as const) {
      lost.fails = fails;
      await recorder.begin('x', '/', undefined, person);
      const told = expect.stringMatching(why);
      expect(entries.at(-1)).toMatchObject({ workspaceLost: told });
    }
  });

  it('that could not be run ends as failed, and what it may have done is not known', async () => {
    const seen: unknown[] = [];
    const { recorder, entries } = recording(
      tracker({
        after: async (...given) => {
          seen.push(given);
          return { snapshot: null, changed: [] };
        },
      }),
    );
    await recorder.fail('id1', new Error('it is gone'), '/x');
    await recorder.fail('id1', 'a word', '/x');
    expect(entries.map(({ stderr }) => stderr)).toEqual([
      'dirigent: it is gone\n',
      'dirigent: a word\n',
    ]);
    expect(entries[0]).toMatchObject({ exitCode: 1, stdout: '', cwd: '/x' });
    expect(entries[0]).not.toHaveProperty('workspace');
    expect(seen[0]).toEqual([[], true]);
  });

  it('whose end could not be written is told of by the next one, once', async () => {
    const { recorder, failing, entries } = recording();
    failing.keep = new Error('the disk is full');
    await recorder.end('id1', result(), end());
    expect(entries).toEqual([]);
    delete failing.keep;
    expect(() => recorder.begin('ls', '/', undefined, person)).toThrow('the disk is full');
    await recorder.begin('ls', '/', undefined, person);
    failing.record = new Error('the log is gone');
    recorder.change({ id: 'c' } as Change);
    await new Promise(setImmediate);
    delete failing.record;
    await expect(recorder.beginJob('x &', '/', 1, person)).rejects.toThrow('the log is gone');
    expect(await recorder.beginJob('x &', '/', 1, person)).toBe('id2');
  });
});

describe('beside commands', () => {
  it('a job, a change and a step of the schedule have entries of their own', async () => {
    const { recorder, entries } = recording();
    await recorder.beginJob('x &', '/', 1, person);
    await recorder.beginJob('x &', '/', 2, { actor: 'helper', origin: 'shell' });
    const job = {
      stdout: text('o'),
      stderr: text('e'),
      requests: 1,
      exitCode: 0,
      changed: ['/a'],
      refused: [],
      interrupted: false,
      origins: [],
    };
    await recorder.endJob('id1', '/x', job);
    const refused = [{ path: '/y', op: 'open', code: 'EPERM', rule: 'r' }] as never;
    await recorder.endJob('id2', '/x', { ...job, refused, interrupted: true, origins: ['/mnt/a'] });
    const change = { id: 'c', base: 'b', mine: 'm', theirs: 't', state: 'applied' };
    recorder.change(change as Change);
    recorder.schedule({ id: 's' } as never);
    expect(entries).toEqual([
      { type: 'bash_start', command: 'x &', cwd: '/', job: 1 },
      { type: 'bash_start', command: 'x &', cwd: '/', job: 2, actor: 'helper', origin: 'shell' },
      {
        type: 'bash_end',
        start: 'id1',
        exitCode: 0,
        cwd: '/x',
        stdout: 'o',
        stderr: 'e',
        changed: [{ path: '/a' }],
        requests: 1,
      },
      expect.objectContaining({
        start: 'id2',
        refused,
        interrupted: true,
        untrusted: ['/mnt/a'],
      }),
      { type: 'change', change: { id: 'c', state: 'applied' } },
      { type: 'custom', name: SCHEDULE_STEP, data: { id: 's' } },
    ]);
  });

  it('the log is closed once what is being written is in it, also where the workspace fails', async () => {
    const gate = Promise.withResolvers<string>();
    const { recorder, entries, ended } = recording(
      tracker({
        before: () => gate.promise,
        close: () => {
          throw new Error('the disk is full');
        },
      }),
    );
    const beginning = recorder.begin('ls', '/', undefined, person);
    const closing = recorder.close();
    closing.catch(() => undefined);
    await new Promise(setImmediate);
    expect(ended).toEqual([]);
    gate.resolve('s');
    await beginning;
    await expect(closing).rejects.toThrow('the disk is full');
    expect([entries.length, ended]).toEqual([1, ['session']]);
  });
});

describe('the jobs of an earlier world', () => {
  const start = (id: string, job: number | undefined, more: Row = {}) => ({
    id,
    type: 'bash_start',
    command: `sleep ${id}`,
    ...(job !== undefined && { job }),
    ...more,
  });
  const endOf = (id: string, more: Row = {}) => ({
    id: `end ${id}`,
    type: 'bash_end',
    start: id,
    ...more,
  });
  function left(entries: Row[], ...jobs: number[]) {
    for (const job of jobs) new JobFiles(join(directory, 'jobs'), job).begin('x');
    const appended: Row[] = [];
    const session = { entries: () => entries, append: (draft: Row) => appended.push(draft) };
    const of = leaveJobs(session as unknown as SessionLog, join(directory, 'jobs'), ['/mnt/a']);
    return { ...of, appended };
  }

  it('are none where none has begun', () => {
    expect(left([start('a', 1)])).toEqual({ last: 0, notices: [], appended: [] });
  });

  it('are interrupted where they have no end, and whoever began them is told', () => {
    const entries = [
      start('a', 1),
      start('b', 2, { actor: 'helper', command: { head: 'long\u001b' } }),
    ];
    const { last, notices, appended } = left([...entries, endOf('b')], 1, 2, 7);
    expect(last).toBe(7);
    expect(appended).toEqual([
      expect.objectContaining({
        type: 'bash_end',
        start: 'a',
        exitCode: 143,
        interrupted: true,
        untrusted: ['/mnt/a'],
      }),
    ]);
    expect(notices).toEqual([
      {
        actor: USER,
        text: expect.stringMatching(
          /^dirigent: job 1 \(sleep a\) was interrupted.*\/session\/jobs\/1\//,
        ),
        origins: ['/mnt/a'],
      },
    ]);
    const status = (job: number) =>
      readFileSync(join(directory, 'jobs', String(job), 'status'), 'utf8');
    expect([status(1), status(2)]).toEqual(['interrupted\n', 'running\n']);
  });

  it('that were interrupted are told of until a line of whoever began them', () => {
    const interrupted = endOf('a', { interrupted: true, untrusted: ['/mnt/b'] });
    const told = (...entries: Row[]) =>
      left(entries, 1).notices.map(({ actor, origins }) => [actor, origins]);
    expect(told(start('a', 1), interrupted)).toEqual([[USER, ['/mnt/b']]]);
    expect(told(start('a', 1), interrupted, start('line', undefined))).toEqual([]);
    expect(told(start('a', 1), start('line', undefined), interrupted)).toHaveLength(1);
    expect(
      told(start('a', 1), interrupted, start('x', undefined, { actor: 'other' })),
    ).toHaveLength(1);
    expect(told(start('a', 1), interrupted, start('b', 2), endOf('b'))).toHaveLength(1);
    const quiet = endOf('a', { interrupted: true });
    expect(told(start('a', 1), quiet)).toEqual([[USER, []]]);
    const dirty = told(start('a', 1, { command: { head: 'a\nb' } }), quiet);
    expect(dirty).toHaveLength(1);
    expect(
      left([start('a', 1, { command: { head: 'a\nb' } }), quiet], 1).notices[0]?.text,
    ).not.toContain('a\nb');
  });
});

describe('what a worker tells', () => {
  function told() {
    const steps: unknown[] = [];
    const printed: string[] = [];
    const mirrors = new Mirrors(
      [{ point: '/m', source: { kind: 'memory', initial: [] } } as unknown as MountSpec],
      undefined,
    );
    const records: WorkerRecords = new WorkerRecords(
      mirrors,
      (change, point) => {
        steps.push([change.id, point]);
        records.read();
      },
      (line, news) => steps.push([line, news]),
    );
    const connect = () => new OutboxWriter((message) => records.add(message));
    const begin = () =>
      records.begin((stream, bytes) => printed.push(`${stream} ${bytes.toString()}`));
    return { mirrors, records, steps, printed, connect, begin };
  }
  const change = (id: string, state = 'draft') => ({ id, state }) as unknown as Change;

  it('is kept for the command that runs: what it printed, and each change as it was last heard of', async () => {
    const { mirrors, records, steps, printed, connect, begin } = told();
    const outbox = connect();
    outbox.put({ kind: 'stdout', bytes: 'before' });
    records.read();
    begin();
    outbox.put({ kind: 'stdout', bytes: 'out' });
    outbox.put({ kind: 'stderr', bytes: 'err' });
    const write: MemoryOp = { op: 'write', path: '/a', data: Buffer.from('1'), at: 1, mode: 0o644 };
    outbox.put({ kind: 'memory', point: '/m', change: write });
    outbox.put({ kind: 'change', point: '/mnt/x', change: change('one') });
    outbox.put({ kind: 'change', point: '/mnt/x', change: change('job'), job: 3 });
    outbox.put({ kind: 'change', point: '/mnt/x', change: change('one', 'applied') });
    outbox.put({ kind: 'line', line: 4, news: { read: ['/mnt/x'] } as never });
    records.read();
    expect(printed).toEqual(['stdout out', 'stderr err']);
    expect(steps).toEqual([
      ['one', '/mnt/x'],
      ['job', '/mnt/x'],
      ['one', '/mnt/x'],
      [4, { read: ['/mnt/x'] }],
    ]);
    expect(records.writes).toEqual([{ change: change('one', 'applied'), point: '/mnt/x' }]);
    expect(Buffer.from(mirrors.at('/m')?.read('/a') ?? []).toString()).toBe('1');
    const { stdout, stderr } = await records.printed(' and more');
    expect([stdout, stderr].map((bytes) => Buffer.from(bytes).toString())).toEqual([
      'out',
      'err and more',
    ]);
    expect((await records.printed('')).stdout).toHaveLength(0);
    begin();
    expect(records.writes).toEqual([]);
  });

  it('is taken in to its last word when it ends, and the next one begins anew', async () => {
    const { records, printed, connect, begin } = told();
    begin();
    connect().put({ kind: 'stdout', bytes: 'last' });
    records.end();
    expect(printed).toEqual(['stdout last']);
    connect().put({ kind: 'stdout', bytes: 'new' });
    records.read();
    expect(printed).toEqual(['stdout last', 'stdout new']);
    begin();
    expect((await records.printed('')).stdout).toHaveLength(0);
  });
});

describe('/workspace', () => {
  it('on the disk is looked at whole at first and after a kill, and then where it was changed', async () => {
    const root = join(directory, 'root');
    mkdirSync(join(root, 'd'), { recursive: true });
    writeFileSync(join(root, 'a'), '1');
    const mount = {
      point: '/workspace',
      source: { kind: 'disk', root, hidden: [] },
    } as unknown as MountSpec;
    const blobs = new BlobStore(join(directory, 'blobs'));
    const open = () =>
      trackWorkspace(mount, {} as never, blobs, directory, null) as WorkspaceTracker;
    const workspace = open();
    const first = await workspace.before();
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await workspace.before()).toBe(first);
    writeFileSync(join(root, 'a'), 'two');
    writeFileSync(join(root, 'd/b'), '1');
    const paths = ['/workspace/a', '/workspace/d', '/workspace/d/b', '/tmp/x'];
    const { snapshot, changed } = await workspace.after(paths, false);
    expect(changed.map(({ path }) => path).sort()).toEqual([
      '/tmp/x',
      '/workspace/a',
      '/workspace/d',
      '/workspace/d/b',
    ]);
    expect(changed.find(({ path }) => path === '/workspace/a')).toMatchObject({
      before: expect.any(String),
      after: expect.any(String),
    });
    expect(changed.find(({ path }) => path === '/tmp/x')).toEqual({ path: '/tmp/x' });
    expect(await workspace.before()).toBe(snapshot);
    writeFileSync(join(root, 'c'), '1');
    expect(await workspace.before()).toBe(snapshot);
    workspace.touched('/workspace/c');
    const touched = await workspace.before();
    expect(touched).not.toBe(snapshot);
    writeFileSync(join(root, 'e'), '1');
    const killed = await workspace.after(['/workspace/c'], true);
    expect(killed.snapshot).not.toBe(touched);
    expect(killed.changed).toEqual([{ path: '/workspace/c' }]);
    expect((await workspace.after([], false)).snapshot).toBe(killed.snapshot);
    workspace.close();
    const again = open();
    expect(await again.before()).toBe(killed.snapshot);
    again.close();
  });

  it('in memory is followed by what its mount tells, and is none of another kind', async () => {
    const mirrors = new Mirrors(
      [{ point: '/workspace', source: { kind: 'memory', initial: [] } } as unknown as MountSpec],
      undefined,
    );
    const supervisor = {
      mirror: (point: string) => mirrors.at(point),
      takeTouched: (point: string) => mirrors.takeTouched(point),
    };
    const blobs = new BlobStore(join(directory, 'blobs'));
    const track = (source: object, from: string | null = null) =>
      trackWorkspace(
        { point: '/workspace', source } as never,
        supervisor as never,
        blobs,
        directory,
        from,
      );
    const workspace = track({ kind: 'memory' });
    expect(await workspace?.before()).toBeNull();
    const write = (path: string, text: string) =>
      mirrors.apply('/workspace', {
        op: 'write',
        path,
        data: Buffer.from(text),
        at: 1,
        mode: 0o644,
      });
    write('/a', '1');
    const { snapshot, changed } = (await workspace?.after(['/workspace/a', '/tmp/x'], true)) ?? {};
    expect(changed?.map(({ path }) => path)).toEqual(['/workspace/a', '/tmp/x']);
    expect(snapshot).toMatch(/^[0-9a-f]{64}$/);
    expect(await workspace?.before()).toBe(snapshot);
    write('/b', '1');
    expect(await workspace?.before()).not.toBe(snapshot);
    expect([
      track({ kind: 'service' }),
      trackWorkspace(undefined, {} as never, blobs, '', null),
    ]).toEqual([null, null]);
  });
});
