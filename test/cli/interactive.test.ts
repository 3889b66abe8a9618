/** The session at a terminal, over a world that is not one: what is typed, run and shown. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Change } from '../../src/changes/index.ts';
import { runInteractive } from '../../src/cli/interactive.ts';
import { Output } from '../../src/cli/output.ts';
import type { ExecOptions, ExecResult, World } from '../../src/world/world.ts';
import { temporaryDirectory } from '../world/harness.ts';

/** Runs a session: what is typed is written line by line, when a prompt has asked for it. */
async function session(
  typed: string[],
  exec: (command: string, options: ExecOptions) => Partial<ExecResult>,
  dryRun = false,
  changes: Pick<Change, 'state'>[] = [],
): Promise<{ status: number; out: string; err: string; state: string; prompts: string }> {
  const input = new PassThrough();
  const shown = new PassThrough();
  let prompts = '';
  shown.on('data', (data: Buffer) => {
    prompts += data.toString();
  });
  const state = temporaryDirectory();
  let requests = 0;
  const world: Pick<World, 'exec' | 'usage' | 'cwd' | 'state' | 'dryRun' | 'changes'> = {
    dryRun,
    changes: { list: async () => changes as Change[] } as World['changes'],
    cwd: '/workspace',
    state,
    usage: () => ({ '/mnt/github': { requests, bytes: requests * 1000 } }),
    exec: async (command, options = {}) => {
      const given = exec(command, options);
      requests += given.requests ?? 0;
      const bytes = (text: string | undefined) => Buffer.from(text ?? '');
      return {
        stdout: '',
        stderr: '',
        exitCode: 0,
        requests: 0,
        cwd: '/workspace',
        exited: false,
        refused: [],
        read: null,
        writes: [],
        ...given,
        stdoutBytes: bytes(given.stdout),
        stderrBytes: bytes(given.stderr),
      };
    },
  };
  const printed = { out: '', err: '' };
  const put = (key: 'out' | 'err') => async (data: string | Uint8Array) => {
    printed[key] += Buffer.from(data).toString();
    return true;
  };
  const output = new Output({
    out: put('out'),
    err: put('err'),
    errIsTerminal: false,
    outIsTerminal: true,
  });
  const running = runInteractive({
    world: world as World,
    input,
    prompts: shown,
    output,
    suggest: (command) => `dirigent ${command}`,
    history: join(state, 'history'),
  });
  for (const text of typed) {
    await sleep(60);
    input.write(text);
  }
  return { status: await running, ...printed, state, prompts };
}

test('lines are run as they were typed; an open command goes on; Ctrl-D leaves with the last status', async () => {
  const ran: string[] = [];
  const { status, err, state, prompts } = await session(
    ['echo a\r', 'for i in 1; do\r', 'echo $i\r', 'done\r', '\x04'],
    (command) => {
      ran.push(command);
      return { exitCode: ran.length + 4 };
    },
  );
  expect(ran).toEqual(['echo a', 'for i in 1; do\necho $i\ndone']);
  expect(status).toBe(6);
  expect(err).toBe('exit\n');
  expect(prompts).toContain('/workspace');
  expect(prompts).toContain('> ');
  expect(readFileSync(join(state, 'history'), 'utf8')).toBe(
    'echo a\nfor i in 1; do\necho $i\ndone\n',
  );
});

test('exit leaves with its status, and nothing that follows is run', async () => {
  const ran: string[] = [];
  const { status } = await session(['exit 3\recho never\r'], (command) => {
    ran.push(command);
    return { exitCode: 3, exited: true };
  });
  expect(status).toBe(3);
  expect(ran).toEqual(['exit 3']);
});

test('Ctrl-C at the prompt forgets the line, and the lines before it that it continues', async () => {
  const ran: string[] = [];
  await session(['echo "open\r', 'more\x03', 'echo b\r', '\x04'], (command) => {
    ran.push(command);
    return {};
  });
  expect(ran).toEqual(['echo b']);
});

test('what a command cost is said after it, on stderr, and only then', async () => {
  const { out, err } = await session(['ls\r', 'pwd\r', '\x04'], (command) =>
    command === 'ls' ? { stdout: 'x\n', requests: 2 } : { stdout: '/workspace' },
  );
  expect(out).toBe('x\n/workspace');
  expect(err).toBe('\x1b[2m2 requests, 2.0 kB\x1b[0m\n\nexit\n');
});

test('a failure of the world ends the command and not the session', async () => {
  let count = 0;
  const { status, err } = await session(['one\r', 'two\r', '\x04'], () => {
    if (count++ === 0) throw new Error('the worker of this world ended');
    return { exitCode: 5 };
  });
  expect(err).toContain('dirigent: the worker of this world ended\n');
  expect(status).toBe(5);
});

test('a dry run is seen at the prompt', async () => {
  const { prompts } = await session(['\x04'], () => ({}), true);
  expect(prompts).toContain('(dry run) \x1b[1m/workspace\x1b[0m$ ');
});

test('what became of each write is a line: staged, made, changed, unknown; a failure said it itself', async () => {
  const write = { op: 'update', path: '/workspace/issues/12.md', summary: 'close #12' } as const;
  const { err } = await session(['ls\r', '\x04'], () => ({
    writes: [
      { ...write, id: '01a', state: 'pending' },
      { ...write, id: '01b', state: 'applied', url: 'https://example.com/12' },
      { ...write, id: '01c', state: 'applied', op: 'create', path: '/workspace/issues/201.md' },
      { ...write, id: '01d', state: 'applied', op: 'create', path: '/mnt/x/3.md' },
      { ...write, id: '01e', state: 'applied', op: 'delete', summary: 'remove 4.md' },
      { ...write, id: '01f', state: 'applied', summary: 'edit #3 (title)' },
      { ...write, id: '01g', state: 'unknown' },
      { ...write, id: '01h', state: 'failed' },
      { ...write, id: '01i', state: 'conflict' },
    ],
  }));
  expect(err.split('\n')).toEqual([
    'staged: close #12; "dirigent changes apply 01a" sends it',
    'closed #12  https://example.com/12',
    'made issues/201.md',
    'made /mnt/x/3.md',
    'removed 4.md',
    'edited #3 (title)',
    'unknown: close #12; "dirigent changes settle 01g" asks what came of it',
    'exit',
    '',
  ]);
});

test('of hundreds of writes some are named, and the rest are counted', async () => {
  const writes = Array.from({ length: 200 }, (_, index) => ({
    id: `${index}`,
    op: 'create' as const,
    state: 'applied' as const,
    path: `/workspace/${index}.md`,
    summary: '',
  }));
  const { err } = await session(['ls\r', '\x04'], () => ({ writes }));
  const lines = err.trimEnd().split('\n').slice(0, -1);
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('… and 190 more; "dirigent changes" lists them');
});

test('whoever leaves is told of what is staged and was not sent, however they leave', async () => {
  const changes = [{ state: 'pending' }, { state: 'applied' }, { state: 'pending' }] as const;
  for (const typed of ['\x04', 'exit\r']) {
    const { err } = await session([typed], () => ({ exited: true }), false, [...changes]);
    expect(err).toContain('2 changes wait to be sent: "dirigent changes" lists');
  }
  const { err } = await session(['\x04'], () => ({}), false, changes.slice(1, 2));
  expect(err).toBe('exit\n');
});
