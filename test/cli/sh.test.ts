import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { cli, startCli } from './run-cli.ts';

describe('what one command prints and how it ends is the command’s own', () => {
  test('stdout, stderr and status', async () => {
    const { stdout, stderr, status } = await cli(['sh', '-c', 'echo out; echo err >&2; exit 7']);
    expect({ stdout: stdout.toString(), stderr, status }).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      status: 7,
    });
  });

  test('every byte survives, through stdin and stdout', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const { stdout } = await cli(['sh', '-c', 'cat'], { stdin: bytes });
    expect(stdout.equals(bytes)).toBe(true);
  });

  test('a megabyte leaves whole through a pipe', async () => {
    const { stdout } = await cli(['sh', '-c', 'seq 200000 | head -c 1000000']);
    expect(stdout.length).toBe(1_000_000);
  });

  test('--json prints one object, and keeps the status', async () => {
    const { stdout, status } = await cli(['sh', '--json', '-c', 'echo a; echo b >&2; exit 4']);
    expect(JSON.parse(stdout.toString())).toEqual({
      stdout: 'a\n',
      stderr: 'b\n',
      exitCode: 4,
      mounts: {},
    });
    expect(status).toBe(4);
  });

  test('nobody reading stdout is no error to report', async () => {
    const child = startCli(['sh', '-c', 'echo hi']);
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    expect(await once(child, 'close')).toEqual([141, null]);
    expect(stderr).toBe('');
  });
});

describe('where a script comes from', () => {
  test('a file, whose stdin is ours', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'script.sh'), '#!/bin/bash\nread -r line\necho "got $line"\n');
    const { stdout } = await cli(['sh', 'script.sh'], { cwd: directory, stdin: 'a line\n' });
    expect(stdout.toString()).toBe('got a line\n');
  });

  test('stdin, when nothing else is named', async () => {
    const { stdout, status } = await cli(['sh'], {
      stdin: 'x=1\nfor i in 1 2; do\necho $x$i\ndone\nexit 3\n',
    });
    expect(stdout.toString()).toBe('11\n12\n');
    expect(status).toBe(3);
  });
});

describe('a pipe that stays open', () => {
  test('does not hold up a command that cannot read it', async () => {
    const { stdout, status } = await cli(
      ['sh', '-c', 'ls /harness; cat /harness/AGENTS.md | wc -l'],
      {
        stdin: null,
      },
    );
    expect(stdout.toString()).toMatch(/^AGENTS\.md\nagents\n(?:[a-z.]+\n)+\d+\n$/);
    expect(status).toBe(0);
  });

  test('is waited for by a command that may read it, and nothing that comes late is lost', async () => {
    const child = startCli(['sh', '-c', 'cat'], { stdin: null });
    let stdout = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    await sleep(1200);
    child.stdin.end('late\n');
    await once(child, 'close');
    expect(stdout).toBe('late\n');
  });
});

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s ends a command, with what it had printed and status %i',
    async (signal, wanted) => {
      const child = startCli(['sh', '-c', 'echo before; sleep 60; echo after']);
      let stdout = '';
      child.stdout.on('data', (data) => {
        stdout += data;
      });
      await vi.waitFor(() => expect(stdout).toBe('before\n'), { timeout: 15_000 });
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([wanted, null]);
      expect(stdout).toBe('before\n');
    },
  );
});

describe('what cannot be used is refused before anything runs, with status 2 and what is allowed', () => {
  test.each<[string, string[], RegExp]>([
    [
      'an unknown option',
      ['sh', '--mout', 'x'],
      /--mout.*did you mean --mount.*allowed: .*--mount/s,
    ],
    ['no command', [], /say what to do: init, .*sh, run, .*chat, .* or completion/],
    ['an unknown command', ['launch'], /no command "launch".*sh, run/s],
    ['a mount without source', ['sh', '--mount', '/mnt/x', '-c', ':'], /PATH=SOURCE\[:MODE\]/],
    [
      'a source that is none',
      ['sh', '--mount', '/x=ftp', '-c', ':'],
      /"ftp" is no source.*github/s,
    ],
    ['a relative mount point', ['sh', '--mount', 'x=mem', '-c', ':'], /absolute path/],
    ['a mount that hides /session', ['sh', '--mount', '/session=mem', '-c', ':'], /hide \/session/],
    [
      'a mount hidden in /harness',
      ['sh', '--mount', '/harness/x=mem', '-c', ':'],
      /hidden in \/harness/,
    ],
    ['a mount over /bin', ['sh', '--mount', '/bin=mem', '-c', ':'], /hide \/bin/],
    ['a mount over everything', ['sh', '--mount', '/=mem', '-c', ':'], /hide/],
    [
      'a mount point given twice',
      ['sh', '--mount', '/x=mem', '--mount', '/x=mem', '-c', ':'],
      /twice/,
    ],
    ['-c given twice', ['sh', '-c', ':', '-c', ':'], /twice/],
    ['a command and a file', ['sh', '-c', ':', 'file'], /not both/],
    [
      'a missing directory',
      ['sh', '--mount', '/x=./nowhere', '-c', ':'],
      /nowhere is not a directory/,
    ],
    [
      'a deployment without config',
      ['sh', '--deployment', 'src', '-c', ':'],
      /dirigent\.config\.ts/,
    ],
    ['a missing script', ['sh', 'nowhere.sh'], /nowhere\.sh cannot be read/],
    ['an unknown verb', ['changes', 'undo'], /list, show, apply, drop/],
    ['apply of nothing', ['changes', 'apply'], /one ID or more/],
  ])('%s', async (_, args, message) => {
    const { stdout, stderr, status } = await cli(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout.toString()).toBe('');
    expect(status).toBe(2);
  });

  test('every fault of a config is named with its path', async () => {
    const directory = temporaryDirectory();
    writeFileSync(
      join(directory, 'dirigent.config.mjs'),
      'export default { mounts: { "/x": { source: "mem", mode: "wr" } }, timeoutMs: -1, colour: 1 };',
    );
    const { stderr, status } = await cli(['sh', '--deployment', directory, '-c', ':']);
    expect(stderr).toMatch(/mounts\.\/x/);
    expect(stderr).toMatch(/timeoutMs/);
    expect(stderr).toMatch(/colour/);
    expect(status).toBe(2);
  });
});

describe('mounts', () => {
  test('on the command line ./x is the user’s, in a config the deployment’s', async () => {
    const directory = temporaryDirectory();
    for (const name of ['user', 'deployment']) {
      mkdirSync(join(directory, name, 'data'), { recursive: true });
      writeFileSync(join(directory, name, 'data', 'who'), name);
    }
    writeFileSync(
      join(directory, 'deployment', 'dirigent.config.ts'),
      "import { defineConfig } from 'dirigent';\nexport default defineConfig({ mounts: { '/a': './data:ro', '/b': './data:ro' } });\n",
    );
    const { stdout, stderr } = await cli(
      [
        'sh',
        '--deployment',
        '../deployment',
        '--mount',
        '/b/=./data:ro',
        '-c',
        'cat /a/who /b/who',
      ],
      { cwd: join(directory, 'user') },
    );
    expect(stderr).toBe('');
    expect(stdout.toString()).toBe('deploymentuser');
  });

  test('/harness, /session and /bin cannot be changed', async () => {
    const { stdout } = await cli([
      'sh',
      '-c',
      'for d in /harness /session /bin; do echo x > $d/x 2>/dev/null && echo "wrote $d"; done; ls /harness/x /session/x /bin/x 2>/dev/null',
    ]);
    expect(stdout.toString()).toBe('');
  });
});

test('changes: the journal of plain worlds is there, and empty', async () => {
  expect((await cli(['changes'])).stdout.toString()).toBe('no changes\n');
  expect((await cli(['changes', 'list', '--json'])).stdout.toString()).toBe('[]\n');
  const shown = await cli(['changes', 'show', 'nothing']);
  expect(shown.stderr).toMatch(/no change "nothing"; "dirigent changes list" names them/);
  expect(shown.status).toBe(1);
});

test('--version and --help print on stdout and succeed', async () => {
  expect((await cli(['--version'])).stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = await cli(['sh', '--help']);
  expect(help.stdout.toString()).toMatch(/--mount PATH=SOURCE\[:MODE\]/);
  expect(help.status).toBe(0);
});
