/** A sandbox as the AI SDK and eve have one: its commands and files, and which visits stay open. */
import { describe, expect, test } from 'vitest';
import { FsError } from '../../errors.ts';
import type { Visit, VisitExecOptions } from '../door.ts';
import { filesInMemory, ran } from '../testing.ts';
import { inWords } from './files.ts';
import { ParkedVisits } from './parking.ts';
import { startProcess } from './process.ts';
import { sandboxOf } from './session.ts';

type Exec = (command: string, options: VisitExecOptions) => ReturnType<Visit['exec']>;

/** A sandbox over files in memory, whose commands this runs. */
function sandbox(exec: Exec = async () => ran()) {
  const fs = filesInMemory();
  return { fs, of: sandboxOf({ session: '01', fs, exec, close: async () => undefined } as never) };
}

async function textOf(stream: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('the files of a sandbox', () => {
  test('are written whole, with their directory, from text, bytes or a stream', async () => {
    const { of, fs } = sandbox();
    await of.writeTextFile({ path: 'd/a', content: 'ü\n2\n3' });
    await of.writeTextFile({ path: '/workspace/b', content: 'b', encoding: 'UTF8' });
    await of.writeBinaryFile({ path: 'c', content: Uint8Array.of(0, 255) });
    await of.writeFile({
      path: 's',
      content: ReadableStream.from([Buffer.from('x'), Buffer.from('y')]),
    });
    expect(await fs.readFile('/workspace/d/a')).toBe('ü\n2\n3');
    expect(await of.readTextFile({ path: 's' })).toBe('xy');
    expect([...((await of.readBinaryFile({ path: 'c' })) ?? [])]).toEqual([0, 255]);
    expect(await textOf(await of.readFile({ path: 'd/a' }))).toBe('ü\n2\n3');
    expect(() => of.writeTextFile({ path: 'l', content: 'x', encoding: 'latin1' })).toThrow(
      expect.objectContaining({
        code: 'EINVAL',
        reason: 'text is written as UTF-8, not as latin1',
      }),
    );
    await of.writeBinaryFile({ path: 'l', content: Uint8Array.of(0xfc) });
    expect(await of.readTextFile({ path: 'l', encoding: 'latin1' })).toBe('ü');
  });

  test.each<[object, string]>([
    [{}, '1\n2\n3\n'],
    [{ startLine: 2 }, '2\n3\n'],
    [{ endLine: 2 }, '1\n2'],
    [{ startLine: 2, endLine: 2 }, '2'],
    [{ startLine: 9 }, ''],
  ])('are read with %j', async (lines, text) => {
    const { of } = sandbox();
    await of.writeTextFile({ path: 'a', content: '1\n2\n3\n' });
    expect(await of.readTextFile({ path: 'a', ...lines })).toBe(text);
  });

  test('that are not there are null, and every other failure is told with its reason', async () => {
    const { of, fs } = sandbox();
    const path = 'none';
    expect(await of.readFile({ path })).toBeNull();
    expect(await of.readBinaryFile({ path })).toBeNull();
    expect(await of.readTextFile({ path })).toBeNull();
    expect(await of.stat?.({ path })).toBeNull();
    expect(await of.listDirectory?.({ path })).toBeNull();
    expect(await of.deleteFile?.({ path })).toBe(false);
    await fs.mkdir('/workspace/d');
    await expect(of.readTextFile({ path: 'd' })).rejects.toThrow('EISDIR');
    await expect(of.deleteFile?.({ path: 'd' })).rejects.toThrow('EISDIR');
    await expect(of.writeTextFile({ path: 'd', content: '' })).rejects.toThrow('EISDIR');
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(of.readBinaryFile({ path, abortSignal: aborted })).rejects.toThrow('stopped');
  });

  test('are listed and looked at, links as links in a list, and deleted', async () => {
    const { of, fs } = sandbox();
    await of.writeTextFile({ path: 'd/a', content: 'abc' });
    await fs.symlink('a', '/workspace/d/l');
    await fs.mkdir('/workspace/d/e');
    expect(await of.stat?.({ path: 'd/l' })).toEqual({ type: 'file', size: 3 });
    expect(await of.stat?.({ path: 'd' })).toMatchObject({ type: 'directory' });
    const listed = await of.listDirectory?.({ path: 'd' });
    expect(listed?.map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
      'a file',
      'e directory',
      'l symlink',
    ]);
    expect(await of.deleteFile?.({ path: 'd/l' })).toBe(true);
    expect(await of.stat?.({ path: 'd/a' })).toEqual({ type: 'file', size: 3 });
    expect(await of.stat?.({ path: 'd/l' })).toBeNull();
  });
});

test('a reason is part of what a failure says; what has none is as it was', async () => {
  const fail = (more: object) => () =>
    Promise.reject(new FsError('EACCES', { path: '/a', op: 'open', ...more }));
  await expect(inWords(fail({ reason: 'a rule says no' }))).rejects.toThrow(
    /EACCES: permission denied, open '\/a': a rule says no$/,
  );
  await expect(inWords(fail({}))).rejects.toThrow(/open '\/a'$/);
  await expect(inWords(() => Promise.reject(new TypeError('fault')))).rejects.toThrow('fault');
});

describe('a command of a sandbox', () => {
  test('is run anew in /workspace or below it, with what it is given', async () => {
    const calls: [string, VisitExecOptions][] = [];
    const { of } = sandbox(async (...call) => {
      calls.push(call);
      return ran('out', 'err', 3);
    });
    expect(await of.run({ command: 'a' })).toEqual({ exitCode: 3, stdout: 'out', stderr: 'err' });
    const abortSignal = new AbortController().signal;
    await of.run({ command: 'b', workingDirectory: 'd', env: { X: '1' }, abortSignal });
    expect(calls).toEqual([
      ['a', { fresh: true, cwd: '/workspace' }],
      ['b', { fresh: true, cwd: '/workspace/d', env: { X: '1' }, signal: abortSignal }],
    ]);
  });

  test('that is spawned is read while it runs, and to its end', async () => {
    const goOn = Promise.withResolvers<void>();
    const exec: Exec = async (_, { onOutput }) => {
      onOutput?.('stdout', Buffer.from('a'));
      onOutput?.('stdout', Buffer.from(''));
      await goOn.promise;
      onOutput?.('stderr', Buffer.from('x'));
      return ran('ab', 'xy', 4);
    };
    const started = startProcess({ exec }, 'c', {}, false);
    const reader = started.stdout.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('a');
    goOn.resolve();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('b');
    expect((await reader.read()).done).toBe(true);
    expect(await textOf(started.stderr)).toBe('xy');
    expect(await started.wait()).toEqual({ exitCode: 4 });
  });

  test('begins at the end of its stdin, if it gets one', async () => {
    const calls: VisitExecOptions[] = [];
    const exec: Exec = async (_, options) => {
      calls.push(options);
      return ran();
    };
    const started = startProcess({ exec }, 'c', { cwd: '/w' }, true);
    const writer = started.stdin.getWriter();
    await writer.write(Buffer.from('1'));
    await writer.write(Buffer.from('2'));
    expect(calls).toEqual([]);
    await writer.close();
    await started.wait();
    expect([String(calls[0]?.stdin), calls[0]?.cwd]).toEqual(['12', '/w']);
    await startProcess({ exec }, 'c', {}, false).wait();
    expect(calls[1]).not.toHaveProperty('stdin');
  });

  test.each(['kill', 'abort stdin', 'signal'])('is ended by %s', async (how) => {
    const exec: Exec = (_, { signal }) =>
      new Promise((resolve, reject) => {
        const end = () => (how === 'kill' ? reject(new Error('ended')) : resolve(ran('', '', 130)));
        if (signal?.aborted === true) end();
        signal?.addEventListener('abort', end);
      });
    const signal = new AbortController();
    const started = startProcess({ exec }, 'c', { signal: signal.signal }, true);
    if (how === 'kill') {
      await started.kill();
      await expect(started.wait()).rejects.toThrow('ended');
    } else {
      if (how === 'signal') signal.abort();
      else await started.stdin.abort();
      expect(await started.wait()).toEqual({ exitCode: 130 });
    }
    expect(await textOf(started.stdout)).toBe('');
  });
});

describe('visits of a provider', () => {
  /** Of so many at most, and what becomes of them. */
  function parked(most: number) {
    const log: string[] = [];
    let made = 0;
    const visits = new ParkedVisits(async (session) => {
      if (session === 'none') throw new FsError('ENOENT', { path: session, op: 'open' });
      const id = session === 'new' ? `s${++made}` : session;
      log.push(`enter ${session}`);
      return {
        session: id,
        exec: async (command: string) => {
          log.push(`${id} ${command}`);
          return ran();
        },
        fs: { stat: async (path: string) => `${id} ${path}` },
        close: async () => void log.push(`leave ${id}`),
      } as unknown as Visit;
    }, most);
    return { visits, log };
  }

  test('the one that was used longest ago is left, and entered again when it is used', async () => {
    const { visits, log } = parked(2);
    const one = await visits.open('new');
    const two = await visits.open('new');
    await one.exec('a');
    const three = await visits.open('new');
    expect(log).toEqual(['enter new', 'enter new', 's1 a', 'leave s2', 'enter new']);
    expect(await two.fs.stat('/x')).toBe('s2 /x');
    expect(log.slice(5)).toEqual(['leave s1', 'enter s2']);
    expect([one, two, three].map(({ session }) => session)).toEqual(['s1', 's2', 's3']);
    await three.close();
    await one.exec('b');
    expect(log.slice(7)).toEqual(['leave s3', 'enter s1', 's1 b']);
  });

  test('one that is in use is not left', async () => {
    const log: string[] = [];
    const going = Promise.withResolvers<void>();
    const visits = new ParkedVisits(
      async (session) =>
        ({
          session,
          exec: () => going.promise.then(() => ran()),
          close: async () => void log.push(`leave ${session}`),
        }) as unknown as Visit,
      1,
    );
    const one = await visits.open('a');
    const running = one.exec('sleep');
    await visits.open('b');
    expect(log).toEqual([]);
    going.resolve();
    await running;
    await visits.open('c');
    expect(log).toEqual(['leave a']);
  });

  test('one that cannot be entered is tried anew, and takes no place', async () => {
    const { visits, log } = parked(1);
    await expect(visits.open('none')).rejects.toThrow('ENOENT');
    const one = await visits.open('s');
    await one.exec('a');
    await one.close();
    await one.close();
    expect(log).toEqual(['enter s', 's a', 'leave s', 'leave s']);
  });
});
