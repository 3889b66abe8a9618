/** One channel of an SSH client: what it asks for is done, or refused, and it ends with a status. */
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Session } from 'ssh2';
import { describe, expect, test } from 'vitest';
import type { Visit, VisitExecOptions } from '../door.ts';
import { filesInMemory, ran } from '../testing.ts';
import { type Person, SshSession, type SshSessionOptions } from './session.ts';
import type { SshTerminal } from './terminal.ts';

/** A channel, as the server has it, and what came of it. */
function channelOf(typed = '') {
  const got = { out: '', err: '', status: null as number | null, ended: false };
  // As ssh2 makes them: they are open until both ends have closed them.
  const input = new PassThrough({ autoDestroy: false });
  input.end(typed);
  const channel = Object.assign(input, {
    write: (data: Uint8Array | string) => {
      got.out += data.toString();
      return true;
    },
    stderr: {
      write: (data: string) => {
        got.err += data;
        return true;
      },
    },
    exit: (status: number) => {
      got.status = status;
    },
    end: () => {
      got.ended = true;
      channel.emit('done');
    },
  });
  Object.defineProperty(channel, 'writable', { value: true });
  return { channel, got };
}

/** A session of a client, and what it asks for. */
function session({
  exec = async () => ran('out\n', '', 3),
  mayHaveTerminal = true,
  enter,
}: {
  exec?: (command: string, options: VisitExecOptions) => ReturnType<Visit['exec']>;
  mayHaveTerminal?: boolean;
  enter?: SshSessionOptions['enter'];
} = {}) {
  const log: string[] = [];
  const calls: [string, VisitExecOptions][] = [];
  const terminals: SshTerminal[] = [];
  const ending = Promise.withResolvers<number>();
  const visit = {
    exec: (command: string, options: VisitExecOptions) => {
      calls.push([command, options]);
      return exec(command, options);
    },
    fs: filesInMemory(),
    mounts: [],
    [Symbol.asyncDispose]: async () => void log.push('left'),
  } as unknown as Visit;
  const wire = new EventEmitter();
  const of = new SshSession(wire as unknown as Session, {
    enter:
      enter ??
      (async (onApproval) => {
        log.push(`entered${onApproval === undefined ? '' : ' to be asked'}`);
        return visit;
      }),
    person: (terminal): Person => {
      terminals.push(terminal);
      return {
        onApproval: () => undefined,
        run: async (_, command) => {
          log.push(`runs ${command}`);
          return ending.promise;
        },
      };
    },
    mayHaveTerminal,
    limits: { connections: 1, waiting: 1, loginMs: 1, tries: 1, channels: 1, stdinBytes: 100 },
  });
  /** What the client is answered. */
  const ask = (event: string, info: object = {}): string => {
    let answer = 'none';
    const says = (what: string) => () => {
      answer = what;
    };
    wire.emit(event, says('yes'), says('no'), info);
    return answer;
  };
  const start = (event: string, info: object = {}, typed = '') => {
    const { channel, got } = channelOf(typed);
    wire.emit(
      event,
      () => channel,
      () => undefined,
      info,
    );
    return { channel, got, done: once(channel, 'done') };
  };
  return { of, wire, ask, start, log, calls, terminals, ending };
}

test('a client sets how it wants to be written to, and nothing else', async () => {
  const { ask, start, calls } = session();
  const set = (key: string, val: string) => ask('env', { key, val });
  expect([set('LANG', 'C'), set('LC_ALL', 'C'), set('TZ', 'UTC'), set('NO_COLOR', '1')]).toEqual(
    Array.from({ length: 4 }, () => 'yes'),
  );
  expect(set('COLORTERM', 'x'.repeat(200))).toBe('yes');
  expect([
    set('PATH', '/x'),
    set('LC_', 'x'),
    set('XLANG', 'x'),
    set('TZ', 'x'.repeat(201)),
  ]).toEqual(Array.from({ length: 4 }, () => 'no'));
  const { got, done } = start('exec', { command: 'ls' });
  await done;
  expect(got).toEqual({ out: 'out\n', err: '', status: 3, ended: true });
  expect(calls[0]?.[0]).toBe('ls');
  expect(calls[0]?.[1].env).toEqual({
    LANG: 'C',
    LC_ALL: 'C',
    TZ: 'UTC',
    NO_COLOR: '1',
    COLORTERM: 'x'.repeat(200),
  });
});

test('without a terminal a command is run, or what comes on stdin as a script; the visit is left', async () => {
  const { start, calls, log } = session();
  await start('exec', { command: 'cat' }, 'typed').done;
  await start('shell', {}, 'ls\n').done;
  expect(calls.map(([command, { stdin }]) => [command, stdin?.toString()])).toEqual([
    ['cat', 'typed'],
    ['ls\n', undefined],
  ]);
  expect(log).toEqual(['entered', 'left', 'entered', 'left']);
});

test('a signal ends a command, and so does the end of the channel', async () => {
  for (const [event, info, ends] of [
    ['signal', { name: 'INT' }, true],
    ['signal', { name: 'KILL' }, true],
    ['signal', { name: 'USR1' }, false],
    ['close', {}, true],
  ] as const) {
    const { of, ask, start, calls } = session({
      exec: (_, { signal }) =>
        new Promise((resolve) =>
          signal?.addEventListener('abort', () => resolve(ran('', '', 130))),
        ),
    });
    start('exec', { command: 'ls' });
    await expect.poll(() => calls).toHaveLength(1);
    ask(event, info);
    expect(calls[0]?.[1].signal?.aborted).toBe(ends);
    ask('close');
    await of.closed;
  }
});

describe('a terminal', () => {
  test('has the size and the kind that the client says, and takes its signals', async () => {
    const { ask, start, log, terminals, ending } = session();
    expect(ask('pty', { cols: 100, rows: 30, term: 'xterm' })).toBe('yes');
    expect(ask('window-change', { cols: 110, rows: 40 })).toBe('yes');
    const { got, done } = start('shell');
    await expect.poll(() => log).toEqual(['entered to be asked', 'runs null']);
    const [terminal] = terminals;
    expect([terminal?.size, terminal?.term]).toEqual([{ columns: 110, rows: 40 }, 'xterm']);
    ask('window-change', { cols: 120, rows: 50 });
    expect(terminal?.size).toEqual({ columns: 120, rows: 50 });
    let interrupted = 0;
    terminal?.on('interrupt', () => interrupted++);
    ask('signal', { name: 'INT' });
    expect(interrupted).toBe(1);
    ending.resolve(7);
    await done;
    expect([got.status, log.at(-1)]).toEqual([7, 'left']);
  });

  test('is dumb where nobody says what it is, and is not given to whoever may have none', async () => {
    const { ask, start, terminals, log, ending } = session();
    ask('pty', { cols: 80, rows: 24 });
    ending.resolve(0);
    await start('exec', { command: 'ls' }).done;
    expect([terminals[0]?.term, log[1]]).toEqual(['dumb', 'runs ls']);
    const other = session({ mayHaveTerminal: false });
    expect(other.ask('pty', { cols: 80, rows: 24 })).toBe('no');
    await other.start('exec', { command: 'ls' }).done;
    expect([other.terminals, other.calls.length]).toEqual([[], 1]);
  });
});

test('what goes wrong is said, and the status is 255', async () => {
  const { start } = session({ enter: () => Promise.reject(new Error('too \x1b[1mmany')) });
  const { got, done } = start('exec', { command: 'ls' });
  await done;
  expect(got).toMatchObject({ status: 255, err: 'dirigent: too \\u001b[1mmany\r\n' });
});

test('files are a subsystem, and there is no other one', async () => {
  const { ask, start, log } = session();
  expect(ask('subsystem', { name: 'shell' })).toBe('no');
  // INIT of SFTP 3.
  const init = Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]).toString('latin1');
  const { got, done } = start('subsystem', { name: 'sftp' }, init);
  await done;
  expect([got.status, got.out.includes('posix-rename@openssh.com'), log]).toEqual([
    0,
    true,
    ['entered', 'left'],
  ]);
});
