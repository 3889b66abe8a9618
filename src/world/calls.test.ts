/** What worker and supervisor ask each other: each question gets its own answer, and each failure arrives as what it was. */
import { describe, expect, it } from 'vitest';
import type { Buffers } from '../disk/buffers.ts';
import { ConfigError, FsError } from '../errors.ts';
import type { ActingContext } from '../policy/context.ts';
import { answerJobs } from './background/answers.ts';
import { AskedJobs } from './background/asked.ts';
import { answerBuffer, BufferCalls } from './buffer-calls.ts';
import { answerCredential, CredentialCalls, credentialsOf } from './credential-calls.ts';
import { changedBy, changedPaths, FS_METHODS, type FsCall } from './fs-call.ts';
import { programsOf } from './host-programs.ts';
import { makeCalls } from './make-calls.ts';
import { PendingCalls, WorkerGone } from './pending-calls.ts';
import { ProgramRuns } from './program-runs.ts';
import type { EndedProgram, FromWorker, ToWorker } from './protocol.ts';
import { revive, wire } from './wire-errors.ts';
import { WorkerHost } from './worker-host.ts';
import { WorkerPrograms } from './worker-programs.ts';

const context = { actor: 'assistant', turn: null } as ActingContext;
const failure = new FsError('EACCES', {
  path: '/a',
  op: 'open',
  rule: 'a rule',
  reason: 'because',
});
const settled = () => new Promise(setImmediate);

describe('an error on its way', () => {
  it.each([
    [failure],
    [new FsError('ENOENT', { path: '/a', op: 'stat' })],
    [new ConfigError('mounts./x', 'is wrong')],
    [new ConfigError('', 'is wrong')],
    [new TypeError('a bug')],
  ])('arrives as what it was: %s', (error) => {
    const arrived = revive(structuredClone(wire(error)));
    expect(arrived.message).toBe(error.message);
    if (error instanceof TypeError) return expect(arrived).toBeInstanceOf(Error);
    expect(arrived.constructor).toBe(error.constructor);
    for (const part of ['code', 'path', 'op', 'rule', 'reason'] as const)
      expect(arrived[part as keyof Error]).toBe(error[part as keyof Error]);
  });

  it('says what was thrown that is no error, and leaves out what it has not', () => {
    expect(wire('a word')).toEqual({ message: 'a word' });
    expect(wire(new FsError('ENOENT', { path: '/a', op: 'stat' }))).toEqual({
      code: 'ENOENT',
      path: '/a',
      op: 'stat',
    });
    expect(revive({ config: 'a', message: 'b: is wrong' })).toMatchObject({
      path: '',
      message: 'b: is wrong',
    });
  });
});

describe('the files that a program has open', () => {
  const asked = (buffers?: Buffers) => {
    const calls: BufferCalls = new BufferCalls((message) => {
      void answerBuffer(buffers, message as never, (answer) => calls.receive(answer as never));
    });
    return calls.buffers({ reads: true, writes: false });
  };

  it('are read and written there, each question with its own answer', async () => {
    const written: string[] = [];
    const buffers = asked({
      reads: true,
      writes: true,
      read: async (path) => {
        if (path === '/slow') await settled();
        if (path === '/no') throw failure;
        return `text of ${path}`;
      },
      write: async (path, text) => void written.push(`${path} ${text}`),
    });
    expect([buffers.reads, buffers.writes]).toEqual([true, false]);
    const all = Promise.all([buffers.read('/slow'), buffers.read('/a')]);
    expect(await all).toEqual(['text of /slow', 'text of /a']);
    expect(await buffers.write('/b', 'x')).toBeUndefined();
    expect(written).toEqual(['/b x']);
    await expect(buffers.read('/no')).rejects.toMatchObject({ code: 'EACCES', reason: 'because' });
  });

  it('are none where nobody has any', async () => {
    await expect(asked().read('/a')).rejects.toThrow('has no files open');
  });
});

describe('credentials', () => {
  const request = {
    for: 'mount',
    name: '/mnt/x',
    service: 'x',
    variable: 'X',
    baseUrl: null,
  } as const;
  const asked = (source?: Parameters<typeof answerCredential>[0]) => {
    const calls: CredentialCalls = new CredentialCalls((message) => {
      void answerCredential(source, message as never, (answer) => calls.receive(answer as never));
    });
    return (rejected: boolean) => calls.ask(request, rejected);
  };

  it('are asked of their source, or there are none', async () => {
    const ask = asked(async () => ({
      credential: (_, { rejected }) => {
        if (rejected) throw new Error('no other');
        return { value: 'k' };
      },
    }));
    expect(await ask(false)).toEqual({ value: 'k', expiresAt: null });
    await expect(ask(true)).rejects.toThrow('no other');
    expect(await asked()(false)).toBeNull();
  });

  it('have a source that is loaded once, when the first is asked for', async () => {
    expect(credentialsOf(undefined)).toBeUndefined();
    const none = { name: 'credentials', module: './x', file: '/none.mjs', directory: '/' } as const;
    const load = credentialsOf({ ...none, options: undefined, env: {} });
    const first = load?.();
    expect(load?.()).toBe(first);
    await expect(first).rejects.toThrow('parts.credentials');
  });
});

describe('background jobs', () => {
  const asked = (answer?: Parameters<typeof answerJobs>[0]) => {
    const told: (readonly string[])[] = [];
    const jobs: AskedJobs = new AskedJobs(
      (message) => void answerJobs(answer, message as never, (back) => jobs.receive(back as never)),
      () => context,
      async (origins) => void told.push(origins),
    );
    return { jobs, told };
  };
  const job = (number: number, status: number | null, ...origins: string[]) =>
    ({ number, status, origins }) as never;

  it('are asked for in the name of whoever runs the command, who is told what ended ones have read', async () => {
    const seen: unknown[] = [];
    const { jobs, told } = asked(async (request, who) => {
      seen.push([request, who.actor]);
      if (request.op === 'list') return [job(1, 0, '/mnt/a'), job(2, null, '/mnt/b')];
      if (request.op === 'ended') return request.id === 1 ? job(1, 0, '/mnt/a', '/mnt/a') : null;
      return null;
    });
    expect(await jobs.list()).toHaveLength(2);
    expect(await jobs.ended(9)).toBeNull();
    expect(await jobs.ended(1)).toMatchObject({ number: 1 });
    expect(told).toEqual([['/mnt/a'], ['/mnt/a']]);
    await jobs.signal(1, 15);
    await jobs.forget([1, 2]);
    expect(seen).toEqual([
      [{ op: 'list' }, 'assistant'],
      [{ op: 'ended', id: 9 }, 'assistant'],
      [{ op: 'ended', id: 1 }, 'assistant'],
      [{ op: 'signal', number: 1, signal: 15 }, 'assistant'],
      [{ op: 'forget', numbers: [1, 2] }, 'assistant'],
    ]);
  });

  it('that have read nothing tell nothing, and those of no world are refused', async () => {
    const quiet = asked(async () => [job(1, 0)]);
    await quiet.jobs.list();
    expect(quiet.told).toEqual([]);
    await expect(asked().jobs.list()).rejects.toThrow('this world has no background jobs');
  });
});

describe('programs of the host', () => {
  const end: EndedProgram = {
    stdout: new Uint8Array([1]),
    stderr: new Uint8Array(),
    exitCode: 3,
    read: ['/mnt/a'],
    changed: ['/workspace/x'],
    refused: [{ path: '/y', op: 'open', code: 'EACCES', rule: 'r' }],
  };
  const program = { name: 'jq' } as never;
  const linked = (run?: ConstructorParameters<typeof ProgramRuns>[0]) => {
    const sent: string[] = [];
    const host = new WorkerHost({ runProgram: run });
    const programs: WorkerPrograms = new WorkerPrograms((message) => {
      sent.push(message.type);
      host.receive(message, (answer) => programs.receive(answer as never));
    });
    const start = (signal?: AbortSignal, read?: Set<string>) =>
      programs.run(program, context, { signal, read });
    return { programs, host, sent, start };
  };

  it('give what they printed, and the command is told what they did', async () => {
    const { programs, start } = linked(async (_, acting) => {
      expect(acting()).toBe(context);
      return end;
    });
    const read = new Set<string>();
    const { stdout, stderr, exitCode } = end;
    expect(await start(undefined, read)).toEqual({ stdout, stderr, exitCode });
    await start();
    expect([...read]).toEqual(['/mnt/a']);
    const deeds = { changed: end.changed, refused: end.refused };
    const twice = Object.entries(deeds).map(([name, all]) => [name, [...all, ...all]]);
    expect(programs.take()).toEqual(Object.fromEntries(twice));
    expect(programs.take()).toEqual({ changed: [], refused: [] });
  });

  it('end when nobody waits for them, and with their command', async () => {
    const aborted: string[] = [];
    const { host, start, sent } = linked((_, __, signal) => {
      if (signal.aborted) aborted.push('before');
      signal.addEventListener('abort', () => aborted.push('meanwhile'));
      return new Promise(() => undefined);
    });
    const stop = new AbortController();
    const stopped = start(stop.signal);
    await settled();
    stop.abort();
    expect(await stopped).toMatchObject({ exitCode: 124 });
    expect(aborted).toEqual(['meanwhile']);
    expect(await start(AbortSignal.abort())).toMatchObject({ exitCode: 124 });
    void start();
    await settled();
    host.endPrograms();
    expect(aborted).toEqual(['meanwhile', 'meanwhile', 'meanwhile']);
    expect(sent).toEqual(['program', 'program-stop', 'program', 'program-stop', 'program']);
  });

  it('that cannot be started fail with the reason, and where nobody runs any', async () => {
    await expect(linked().start()).rejects.toThrow('runs no programs of the host');
    const failing = linked(() => Promise.reject(failure));
    await expect(failing.start()).rejects.toMatchObject({ code: 'EACCES' });
  });

  it('act with what holds at each moment, where it is told how', async () => {
    const acting: unknown[] = [];
    const runs = new ProgramRuns(
      async (_, now) => {
        acting.push(now());
        return end;
      },
      (given) => () => ({ ...given, actor: 'now' }),
    );
    const message = { type: 'program', run: 1, program, context } as never;
    const answers: ToWorker[] = [];
    runs.receive(message, (answer) => answers.push(answer));
    await settled();
    expect(acting).toMatchObject([{ actor: 'now' }]);
    expect(answers).toEqual([{ type: 'program-end', run: 1, end }]);
  });

  it('use the files of their world in one turn, and what they met there is told', async () => {
    const turns = new Set<string | null>();
    const acts: (() => ActingContext)[] = [];
    const run = programsOf(
      async () => async () => ({
        stdout: new Uint8Array(),
        stderr: Buffer.from('own\n'),
        exitCode: 0,
      }),
      (acting, watch) => {
        acts.push(acting);
        for (let n = 0; n < 2; n++) turns.add(acting().turn);
        watch.onRead?.(['/mnt/a', '/mnt/a']);
        watch.onChanged?.(['/x']);
        watch.onFailed?.(failure);
        watch.onFailed?.(failure);
        const other = (code: 'EPERM' | 'EBUSY' | 'EINVAL' | 'ENOENT', rule?: string) =>
          new FsError(code, { path: `/${code}`, op: 'open', ...(rule && { rule }) });
        watch.onFailed?.(other('EPERM', 'fixed'));
        watch.onFailed?.(other('EBUSY', 'busy'));
        watch.onFailed?.(other('EINVAL', 'form'));
        watch.onFailed?.(other('ENOENT', 'not there'));
        watch.onFailed?.(other('EPERM'));
        watch.onFailed?.(new Error('a bug'));
        return {} as never;
      },
      { mounts: [], hostDirectories: [] },
    );
    const ended = await run(program, () => context, new AbortController().signal);
    expect(turns.size).toBe(1);
    expect([...turns][0]).toMatch(/-/);
    expect([ended.read, ended.changed]).toEqual([['/mnt/a'], ['/x']]);
    expect(ended.refused).toEqual([
      { path: '/a', op: 'open', code: 'EACCES', rule: 'a rule' },
      { path: '/EPERM', op: 'open', code: 'EPERM', rule: 'fixed' },
      { path: '/EBUSY', op: 'open', code: 'EBUSY', rule: 'busy' },
      { path: '/EINVAL', op: 'open', code: 'EINVAL', rule: 'form' },
    ]);
    expect(Buffer.from(ended.stderr).toString()).toBe(
      'own\ndirigent: /a: because\ndirigent: /EPERM: fixed\ndirigent: /EBUSY: busy\ndirigent: /EINVAL: form\n',
    );
    await run(program, () => ({ ...context, turn: 'mine' }), new AbortController().signal);
    expect(acts.at(-1)?.().turn).toBe('mine');
  });

  it('that are refused again and again say so twenty times', async () => {
    const run = programsOf(
      async () => async () => ({ stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: 0 }),
      (_, watch) => {
        for (let n = 0; n < 30; n++)
          watch.onFailed?.(new FsError('EACCES', { path: `/${n}`, op: 'open', rule: 'r' }));
        return {} as never;
      },
      { mounts: [], hostDirectories: [] },
    );
    const { refused } = await run(program, () => context, new AbortController().signal);
    expect([refused.length, refused.at(-1)?.path]).toEqual([20, '/19']);
  });
});

describe('a call that waits', () => {
  it('is answered by its id, and taken out then', async () => {
    const calls = new PendingCalls();
    expect([calls.newId(), calls.newId(), calls.isEmpty]).toEqual([1, 2, true]);
    const watch = {};
    const posted: number[] = [];
    const answer = calls.send(1, watch, () => posted.push(1));
    expect([posted, calls.has(1), calls.has(2), calls.isEmpty]).toEqual([[1], true, false, false]);
    expect(calls.watchOf(1)).toBe(watch);
    expect(calls.watchOf(2)).toBeUndefined();
    calls.take(1)?.resolve({ type: 'ready' } as unknown as FromWorker);
    expect(await answer).toEqual({ type: 'ready' });
    expect([calls.take(1), calls.isEmpty]).toEqual([undefined, true]);
  });

  it('fails with its worker, and was begun with or not', async () => {
    const calls = new PendingCalls();
    const all = [1, 2, 3].map((id) => calls.send(id, {}, () => undefined));
    calls.failAll('it is gone', 2);
    const failed = await Promise.allSettled(all);
    const reasons = failed.map((one) => (one as PromiseRejectedResult).reason as WorkerGone);
    expect(reasons.every((one) => one instanceof WorkerGone)).toBe(true);
    expect(reasons.map(({ begun }) => begun)).toEqual([true, true, false]);
    expect([reasons[0]?.message, calls.isEmpty]).toEqual(['it is gone', true]);
  });
});

describe('calls of the namespace', () => {
  it.each([
    [['readFile', '/a'], []],
    [['stat', '/a'], []],
    [['writeFile', '/a', '/b'], ['/a']],
    [['appendFile', '/a', 'x'], ['/a']],
    [['make', '/a', 'x'], ['/a']],
    [['mkdir', '/a'], ['/a']],
    [['rm', '/a', '/b'], ['/a']],
    [['chmod', '/a', 0o644], ['/a']],
    [['utimes', '/a', 1, 2], ['/a']],
    [
      ['cp', '/a', '/b'],
      ['/a', '/b'],
    ],
    [
      ['mv', '/a', '/b', '/c'],
      ['/a', '/b'],
    ],
    [
      ['symlink', '/a', '/b'],
      ['/a', '/b'],
    ],
    [
      ['link', '/a', '/b'],
      ['/a', '/b'],
    ],
  ] as [FsCall, string[]][])('%o changes %o', (call, paths) => {
    expect(changedPaths(call)).toEqual(paths);
    expect(FS_METHODS).toContain(call[0]);
  });

  it('have changed what was done of them, and made what they made', () => {
    const calls: FsCall[] = [
      ['mkdir', '/a'],
      ['make', '/b', 'x'],
      ['make', '/c', 'x'],
      ['rm', '/d'],
    ];
    const values = [undefined, { made: null }, { made: {} }];
    expect(changedBy(calls, values)).toEqual(['/a', '/c']);
    expect(changedBy(calls, [])).toEqual([]);
  });

  it('are made one after the other, each flushed, up to the first that fails', async () => {
    const done: string[] = [];
    const fs = {
      readFile: async (path: string) => {
        done.push(`read ${path}`);
        if (path === '/no') throw failure;
        return 'text';
      },
      flush: async () => void done.push('flush'),
    };
    const assembly = {
      fsFor: () => fs,
      policing: { prepare: async () => void done.push('prepare') },
    } as never;
    const acting = { context } as never;
    const calls: FsCall[] = [
      ['readFile', '/a'],
      ['readFile', '/no'],
      ['readFile', '/b'],
    ];
    expect(await makeCalls(assembly, acting, calls)).toEqual({
      values: ['text'],
      error: wire(failure),
    });
    expect(done).toEqual(['prepare', 'read /a', 'flush', 'read /no']);
    expect(await makeCalls(assembly, acting, calls.slice(0, 1))).toEqual({ values: ['text'] });
    const unusable = {
      fsFor: () => fs,
      policing: { prepare: () => Promise.reject(new ConfigError('policy.yaml', 'is wrong')) },
    } as never;
    await expect(makeCalls(unusable, acting, calls)).rejects.toThrow('policy.yaml: is wrong');
  });
});
