/** A command by SSH, and the terminal of a client: what is typed, what is printed, and the status. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import { describe, expect, test } from 'vitest';
import { FsError } from '../../errors.ts';
import type { VisitExecOptions } from '../door.ts';
import { ran } from '../testing.ts';
import { runSshCommand, runSshScript, type SshCommand } from './command.ts';
import { MalformedPacket } from './sftp-packets.ts';
import { statusOf, Unsupported } from './sftp-status.ts';
import { SshTerminal } from './terminal.ts';

/** The end of a channel that the server has: what is typed, and what was printed on each stream. */
function channelOf(typed?: string) {
  const printed = { out: '', err: '' };
  const input = new PassThrough();
  if (typed !== undefined) input.end(typed);
  const channel = Object.assign(input, {
    write: (data: Uint8Array | string) => {
      printed.out += data.toString();
      return true;
    },
    stderr: {
      write: (data: Uint8Array | string) => {
        printed.err += data.toString();
        return true;
      },
    },
  }) as unknown as ServerChannel;
  return { channel, printed };
}

/** Runs a command, or what is typed as a script, and gives all that came of it. */
async function run(
  how: 'command' | 'script',
  text: string,
  {
    typed,
    most = 10,
    exec = async () => ran('out\n', 'err\n', 3),
  }: { typed?: string; most?: number; exec?: SshCommand['exec'] } = {},
) {
  const { channel, printed } = channelOf(how === 'script' ? text : typed);
  const calls: [string, VisitExecOptions][] = [];
  const given: SshCommand = {
    channel,
    exec: (command, options) => {
      calls.push([command, options]);
      return exec(command, options);
    },
    env: { LANG: 'C' },
    signal: new AbortController().signal,
    most,
  };
  const status = await (how === 'script' ? runSshScript(given) : runSshCommand(text, given));
  const [[command = '', { stdin, onOutput: _, ...options } = {}] = []] = calls;
  return { status, ...printed, command, stdin: stdin?.toString(), options, calls: calls.length };
}

describe('a command', () => {
  test('is run anew, with what it may read, and prints what it prints once', async () => {
    const reads = await run('command', 'cat', {
      typed: '0123456789',
      exec: async (_, { onOutput }) => {
        onOutput?.('stdout', Buffer.from('ou'));
        onOutput?.('stderr', Buffer.from(''));
        return ran('out\n', 'err\n', 3);
      },
    });
    expect(reads).toEqual({
      status: 3,
      out: 'out\n',
      err: 'err\n',
      command: 'cat',
      stdin: '0123456789',
      options: { fresh: true, env: { LANG: 'C' }, signal: expect.any(AbortSignal) },
      calls: 1,
    });
  });

  test('that reads nothing does not wait for the end of its stdin', async () => {
    const { stdin, status } = await run('command', 'ls');
    expect([stdin, status]).toEqual([undefined, 3]);
  });

  test('that gets too much, or cannot be run, ends with 126 and the sentence', async () => {
    expect(await run('command', 'cat', { typed: '0123456789+' })).toMatchObject({
      status: 126,
      out: '',
      err: expect.stringContaining('stdin has 10 bytes at most; put the file there by sftp\n'),
      calls: 0,
    });
    const exec = async () => {
      throw new FsError('EACCES', { path: 'bash', op: 'call', reason: 'not \x1b[1mallowed' });
    };
    const refused = await run('command', 'ls', { exec });
    expect([refused.status, refused.err]).toEqual([126, expect.stringMatching(/^dirigent: .*\n$/)]);
    expect(refused.err).toContain('not \\u001b[1mallowed');
  });

  test('that is a script is what comes on stdin, to its end', async () => {
    expect(await run('script', 'ls\npwd\n')).toMatchObject({
      status: 3,
      command: 'ls\npwd\n',
      stdin: undefined,
      out: 'out\n',
    });
    expect(await run('script', '0123456789+')).toMatchObject({ status: 126, calls: 0 });
  });
});

/** A terminal, and what passed through it. */
function terminal(size = { columns: 100, rows: 30 }) {
  const printed: string[] = [];
  let isFull = false;
  const channel = Object.assign(new EventEmitter(), {
    destroyed: false,
    writable: true,
    write: (data: Uint8Array) => {
      printed.push(Buffer.from(data).toString());
      return !isFull;
    },
  });
  const of = new SshTerminal(channel as unknown as ServerChannel, 'xterm', size);
  const got: string[] = [];
  for (const event of ['interrupt', 'hangup', 'end', 'resize'])
    of.on(event, () => got.push(`<${event}>`));
  of.on('data', (bytes: Buffer) => got.push(bytes.toString()));
  const type = (text: string) => channel.emit('data', Buffer.from(text));
  const fill = (full: boolean) => {
    isFull = full;
  };
  return { of, channel, printed, got, type, fill };
}

describe('the terminal of a client', () => {
  test.each([
    [
      { columns: 120, rows: 40 },
      { columns: 120, rows: 40 },
    ],
    [
      { columns: 0, rows: -1 },
      { columns: 80, rows: 24 },
    ],
    [
      { columns: 1.5, rows: Number.NaN },
      { columns: 80, rows: 24 },
    ],
    [
      { columns: 1000, rows: 1001 },
      { columns: 1000, rows: 1000 },
    ],
    [
      { columns: 1, rows: 1 },
      { columns: 1, rows: 1 },
    ],
  ])('that says it is %j has %j', (said, size) => {
    expect(terminal(said).of.size).toEqual(size);
  });

  test('keeps the size that it had where another one cannot be', () => {
    const { of, got } = terminal();
    of.resize({ columns: 0, rows: 10 });
    expect([of.size, got]).toEqual([{ columns: 100, rows: 10 }, ['<resize>']]);
  });

  test('begins each line at the first column, whatever the pieces', async () => {
    const { of, printed } = terminal();
    for (const piece of ['a\nb\r\nc', '\r', '\n', 'd', '\n', Buffer.from('\n\n')])
      expect(await of.write(piece)).toBe(true);
    expect(printed.join('')).toBe('a\r\nb\r\nc\r\nd\r\n\r\n\r\n');
  });

  test('holds up whoever prints while the client does not read, until it does or is gone', async () => {
    const { of, channel, fill } = terminal();
    fill(true);
    const writing = of.write('x');
    const settled = await Promise.race([writing, new Promise((resolve) => setImmediate(resolve))]);
    expect(settled).toBeUndefined();
    channel.emit('drain');
    expect(await writing).toBe(true);
    const last = of.write('x');
    channel.writable = false;
    channel.emit('close');
    expect([await last, await of.write('y')]).toEqual([false, false]);
    expect(channel.listenerCount('drain')).toBe(0);
    expect(channel.listenerCount('close')).toBe(1);
    const gone = terminal();
    gone.channel.destroyed = true;
    expect([await gone.of.write('x'), gone.printed]).toEqual([false, []]);
  });

  test('keeps what is typed until somebody reads', async () => {
    const { of, got, type } = terminal();
    type('a');
    type('b');
    expect(got).toEqual([]);
    of.resume();
    await Promise.resolve();
    expect(got).toEqual(['ab']);
    type('c');
    of.pause();
    type('d');
    expect(got).toEqual(['ab', 'c']);
  });

  test('takes Ctrl-C for an interrupt that forgets what was typed before, and as a key where keys are read', () => {
    const { of, got, type } = terminal();
    type('lost');
    type('lost\x03lost\x03kept');
    of.setRawMode(true).resume();
    type('\x03');
    of.setRawMode(false);
    type('\x03');
    expect(got).toEqual(['<interrupt>', 'kept\x03', '<interrupt>']);
  });

  test('says once that the client is gone, and ends for whoever reads', async () => {
    const { of, channel, got, type } = terminal();
    type('last');
    channel.emit('end');
    channel.emit('close');
    expect(got).toEqual(['<hangup>']);
    of.resume();
    await Promise.resolve();
    expect(got).toEqual(['<hangup>', 'last', '<end>']);
  });
});

describe('what became of a request by SFTP', () => {
  const failure = (code: FsError['code'], more: object = {}) =>
    statusOf(new FsError(code, { path: '/a', op: 'open', ...more }));
  test.each<[FsError['code'], number]>([
    ['ENOENT', 2],
    ['EACCES', 3],
    ['EPERM', 3],
    ['EROFS', 3],
    ['ENOSYS', 8],
    ['ENOTSUP', 8],
    ['EEXIST', 4],
  ])('%s is the code %i', (code, number) => expect(failure(code)?.code).toBe(number));

  test('is said in a sentence: what, where, why, and by which rule', () => {
    expect(failure('ENOENT')?.message).toBe('No such file or directory: /a');
    expect(failure('EACCES', { reason: 'not so' })?.message).toBe('Permission denied: /a: not so');
    expect(failure('EACCES', { rule: 'rule 3' })?.message).toBe('Permission denied: /a: rule 3');
    expect(failure('EACCES', { rule: 'rule 3', reason: 'not so' })?.message).toBe(
      'Permission denied: /a: not so (rule 3)',
    );
    expect(failure('EACCES', { rule: 'rule 3', reason: 'rule 3: not so' })?.message).toBe(
      'Permission denied: /a: rule 3: not so',
    );
    expect(failure('EINVAL', { path: '', reason: 'so\n' })?.message).toBe(
      '"Invalid argument: so\\n"',
    );
  });

  test('is a fault of the packet, or of what is not done here; any other one is ours', () => {
    expect(statusOf(new MalformedPacket('too short'))).toEqual({ code: 5, message: 'too short' });
    expect(statusOf(new Unsupported('not here'))).toEqual({ code: 8, message: 'not here' });
    expect(statusOf(new TypeError('ours'))).toBeNull();
    expect(statusOf('ours')).toBeNull();
  });
});
