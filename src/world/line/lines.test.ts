/** Lines to a world's worker: when it may answer, in whose name, and what is known of what it was asked. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../test/temporary-directory.ts';
import { FsError } from '../../errors.ts';
import type { Acting } from '../../policy/acting.ts';
import { contextOf } from '../../policy/context.ts';
import type { FsAnswer, FsCall } from '../fs-call.ts';
import { WorkerGone } from '../pending-calls.ts';
import { wire } from '../wire-errors.ts';
import { LineClient } from './client.ts';
import { Lines, type LineUse } from './lines.ts';
import type { LineFromWorker, LineNews, LineToWorker } from './protocol.ts';
import { ServedLines } from './served.ts';

const address = { socket: '/s', secret: '00' };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The lines of a world whose worker does nothing by itself. */
function lines(use: Partial<LineUse> = {}, call: (message: object) => unknown = () => undefined) {
  const posted: LineToWorker[] = [];
  const log: string[] = [];
  const of = new Lines({
    call: async (message) => {
      log.push(`call ${message.type}`);
      return call(message);
    },
    post: (message) => posted.push(message),
    during: async (holder, work) => {
      log.push(`begins ${holder === undefined ? 'alone' : 'held'}`);
      await work();
      log.push('ends');
    },
    read: () => void log.push('read'),
  });
  const line = of.add({
    touched: (path) => log.push(`touched ${path}`),
    changed: (paths) => log.push(`changed ${paths.join()}`),
    ...use,
  });
  const step = (each: LineFromWorker['step'], id = 1) =>
    of.receive({ type: 'line', line: id, step: each });
  return { of, line, posted, log, step };
}

describe('a line', () => {
  test('is used from the first question until no more come', async () => {
    const { of, posted, log, step } = lines();
    expect(of.areIdle).toBe(true);
    step('asks');
    await settled();
    expect([of.areIdle, posted, log]).toEqual([
      false,
      [{ type: 'line-go', line: 1 }],
      ['begins alone'],
    ]);
    // The rules were edited: it asks again, and the use is the same.
    step('asks');
    await settled();
    expect(posted).toHaveLength(2);
    step('rests');
    await settled();
    expect([of.areIdle, log.slice(-2)]).toEqual([true, ['read', 'ends']]);
    step('asks', 9);
    expect(of.areIdle).toBe(true);
  });

  test('waits for what comes first, and asks in the name of whoever acts', async () => {
    const before = Promise.withResolvers<void>();
    const context = contextOf({ actor: 'ana' });
    const { posted, step } = lines({ before: () => before.promise, acting: () => context });
    step('asks');
    await settled();
    expect(posted).toEqual([]);
    before.resolve();
    await settled();
    expect(posted).toEqual([{ type: 'line-go', line: 1, context }]);
    step('rests');
  });

  test('that rests before it may go is not told to go', async () => {
    const before = Promise.withResolvers<void>();
    const { posted, step } = lines({ before: () => before.promise });
    step('asks');
    step('rests');
    before.resolve();
    await settled();
    expect(posted).toEqual([]);
  });

  test('goes on in another name, once its agent may do other than it could', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let actor = 'ana';
    const { posted, log, step } = lines({ acting: () => contextOf({ actor }) });
    step('asks');
    await vi.advanceTimersByTimeAsync(50);
    expect([posted.length, log.filter((each) => each === 'read').length]).toEqual([1, 2]);
    actor = 'ben';
    await vi.advanceTimersByTimeAsync(50);
    expect(posted).toEqual([
      expect.objectContaining({ context: expect.objectContaining({ actor: 'ana' }) }),
      expect.objectContaining({ context: expect.objectContaining({ actor: 'ben' }) }),
    ]);
    step('rests');
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is opened by another worker where one has ended; what that had begun is not known', async () => {
    let tries = 0;
    const { of, line } = lines({ rules: () => '/rules' }, (message) => {
      expect(message).toMatchObject({ type: 'line', line: 1, address, rules: '/rules' });
      const { begun } = message as { begun: Int32Array };
      if (++tries === 1) throw new WorkerGone('it has ended', false);
      Atomics.store(begun, 0, 7);
    });
    expect(await line.open(address)).toEqual({
      begun: 7,
      message: expect.stringContaining('the line to this world was cut'),
    });
    of.lost('the worker was ended');
    expect((await line.open(address)).message).toBe('the worker was ended');
    expect((await line.open(address)).message).toContain('was cut');
    expect(tries).toBe(4);
    line.close();
    await expect(line.open(address)).rejects.toThrow('this line was closed');
    const broken = lines({}, () => {
      throw new Error('no such world');
    });
    await expect(broken.line.open(address)).rejects.toThrow('no such world');
  });

  test('tells whoever watches what it read, changed, waits for, and failed of', async () => {
    const told: unknown[] = [];
    const { of, log, step } = lines({
      watch: {
        onParked: () => told.push('waits'),
        onRead: (points) => told.push(points),
        onChanged: (paths) => told.push(paths),
        onFailed: (error) => told.push((error as Error).message),
      },
    });
    const news = (each: LineNews, line = 1) => of.told(line, each);
    step('waits');
    news({ touched: ['/a', '/b'] });
    news({ read: ['/mnt/t'], changed: [] });
    const failed = wire(new FsError('EACCES', { path: '/a', op: 'open' }));
    news({ read: [], changed: ['/a'], failed });
    news({ read: ['x'], changed: [] }, 9);
    expect(log).toEqual(['touched /a', 'touched /b', 'changed /a']);
    expect(told).toEqual(['waits', ['/mnt/t'], [], ['/a'], "EACCES: permission denied, open '/a'"]);
  });

  test('that nobody waits for any more is ended, also where that was so before it was there', async () => {
    const stop = new AbortController();
    const { line, posted, log, step } = lines({ watch: { signal: stop.signal } });
    step('asks');
    await settled();
    stop.abort();
    expect(posted.at(-1)).toEqual({ type: 'line-abort', line: 1 });
    await line.open(address);
    expect(posted.filter(({ type }) => type === 'line-abort')).toHaveLength(2);
    line.close();
    await settled();
    expect(posted.at(-1)).toEqual({ type: 'line-end', line: 1 });
    expect(log.slice(-2)).toEqual(['read', 'ends']);
    const other = new AbortController();
    const closed = lines({ watch: { signal: other.signal } });
    closed.line.close();
    other.abort();
    expect(closed.posted).toEqual([{ type: 'line-end', line: 1 }]);
  });
});

/** A process on a line to a worker in this thread, which answers so. */
function connected(make: (calls: readonly FsCall[], acting: Acting) => Promise<FsAnswer>) {
  const told: LineNews[] = [];
  const log: string[] = [];
  const served: ServedLines = new ServedLines({
    send: (message) => {
      log.push(message.step);
      lines.receive(message);
    },
    tell: (_, news) => {
      told.push(news);
    },
    make: (acting, calls) => make(calls, acting),
    during: async (work) => work(),
  });
  const lines = new Lines({
    call: async (message) => served.open({ ...message, id: 1 }),
    post: (message) => served.receive(message as never),
    during: async (_, work) => work(),
    read: () => undefined,
  });
  const directory = temporaryDirectory();
  const line = lines.add({ touched: () => undefined, changed: () => undefined });
  let opened = 0;
  const client = new LineClient((at) => {
    opened += 1;
    return line.open(at);
  });
  client.useDirectory(directory);
  onTestFinished(() => {
    client.end(new Error('the test has ended'));
    line.close();
  });
  return { client, line, lines, told, log, opened: () => opened };
}

describe('a process on a line', () => {
  test('is answered in its order, with what the calls gave, or why one failed', async () => {
    const { client, told, opened, log } = connected(async (calls, { read }) => {
      const [[method, path = ''] = []] = calls as unknown as [string, string][];
      if (path === '/none') {
        const error = wire(new FsError('ENOENT', { path, op: 'open', reason: 'it is not' }));
        return { values: [], error };
      }
      if (path === '/fault') throw new TypeError('fault');
      if (method === 'readFileBuffer') read?.add('/mnt/t');
      return { values: calls.map(([name, ...rest]) => [name, rest[0]]) };
    });
    const both: FsCall[] = [
      ['lstat', '/a'],
      ['lstat', '/b'],
    ] as never;
    const [one, two] = await Promise.all([
      client.ask(both),
      client.ask([['readFileBuffer', '/c']] as never),
    ]);
    expect([one, two]).toEqual([
      [
        ['lstat', '/a'],
        ['lstat', '/b'],
      ],
      [['readFileBuffer', '/c']],
    ]);
    await expect(client.ask([['lstat', '/none']] as never)).rejects.toMatchObject({
      code: 'ENOENT',
      reason: 'it is not',
    });
    await expect(client.ask([['lstat', '/fault']] as never)).rejects.toThrow('fault');
    await client.ask([['writeFile', '/w', 'x']] as never);
    expect(told).toEqual([
      { read: ['/mnt/t'], changed: [] },
      { read: [], changed: [], failed: expect.objectContaining({ code: 'ENOENT' }) },
      { read: [], changed: [], failed: expect.anything() },
      { touched: ['/w'] },
      { read: [], changed: ['/w'] },
    ]);
    expect([opened(), client.waited, log[0]]).toEqual([1, 0, 'asks']);
    // Nothing more comes for a while, and that is said once.
    await expect.poll(() => log.at(-1)).toBe('rests');
  });

  test('that asks what is no call of files is told so', async () => {
    const { client } = connected(async () => ({ values: [1] }));
    await expect(client.ask([['frob', '/a']] as never)).rejects.toThrow(
      'what was asked on a line is no call of files',
    );
    expect(await client.ask([['lstat', '/a']] as never)).toEqual([1]);
  });

  test('whose line is closed is answered no more, and fails at once after its end', async () => {
    const never = Promise.withResolvers<FsAnswer>();
    const { client, line } = connected(() => never.promise);
    const asked = client.ask([['lstat', '/a']] as never);
    await expect.poll(() => client.waited).toBeGreaterThan(0);
    const ended = new Error('it was ended');
    client.end(ended);
    await expect(asked).rejects.toBe(ended);
    await expect(client.ask([['lstat', '/a']] as never)).rejects.toBe(ended);
    line.close();
    never.resolve({ values: [] });
  });
});
