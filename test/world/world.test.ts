import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ConfigError, createWorld } from '../../entry/index.ts';
import { credential } from '../credentials/tokens.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

/** Runs a command that must succeed, and gives its stdout. */
const out = async (world: ReturnType<typeof testWorld>, command: string): Promise<string> => {
  const { stdout, stderr, exitCode } = await world.exec(command);
  expect(exitCode, `${command}: ${stderr}`).toBe(0);
  return stdout;
};

describe('what lives from one command to the next', () => {
  test('cwd, variables, functions, arrays, aliases and options carry over', async () => {
    const world = testWorld();
    await out(
      world,
      'mkdir d; cd d; x=1; a=(1 "two 3"); declare -A m=([k]="v w"); f() { echo "f:$1:$x"; }; shopt -s nullglob',
    );
    expect(
      await out(world, 'pwd; f 2; echo "${a[1]}" "${m[k]}"; shopt -q nullglob && echo on'),
    ).toBe('/workspace/d\nf:2:1\ntwo 3 v w\non\n');
  });

  test('a cwd that is given holds for that command alone', async () => {
    const world = testWorld();
    expect((await world.exec('pwd', { cwd: '/tmp' })).stdout).toBe('/tmp\n');
    expect(await out(world, 'pwd')).toBe('/workspace\n');
  });

  test('an exit ends the command, not what it had set', async () => {
    const world = testWorld();
    expect((await world.exec('cd /tmp; y=2; f() { echo "$y"; }; exit 3')).exitCode).toBe(3);
    expect(await out(world, 'pwd; f')).toBe('/tmp\n2\n');
  });
});

describe('a command that cannot be stopped by asking', () => {
  const spin =
    'seq 1 30000 > /tmp/a; seq 30001 60000 > /tmp/b; echo before; diff /tmp/a /tmp/b | tail -1; sort /tmp/a | uniq -c | tail -1; while :; do :; done';

  test('ends at its deadline, with what it had printed, and the world goes on', async () => {
    const world = testWorld({ mounts: { '/data': 'mem' } });
    await out(
      world,
      'cd /data; keep=me; arr=(a b); f() { echo func; }; echo text > /data/file; ln -s file link; mkdir sub; chmod 600 file',
    );
    const result = await world.exec(`echo printed; ${spin}`, { timeoutMs: 600 });
    expect(result.exitCode).toBe(124);
    expect(result.stdout).toContain('printed\n');
    expect(result.stderr).toMatch(/dirigent: stopped after 0\.6 s/);
    expect(await out(world, 'pwd; echo "$keep ${arr[1]}"; f; cat link; ls; stat -c %a file')).toBe(
      '/data\nme b\nfunc\ntext\nfile\nlink\nsub\n600\n',
    );
  });

  test('ends soon after its signal, and only that command', async () => {
    const world = testWorld();
    await world.exec('true');
    const stop = new AbortController();
    const begun = Promise.withResolvers<void>();
    const running = world.exec('echo a; while :; do :; done', {
      signal: stop.signal,
      onOutput: () => begun.resolve(),
    });
    await begun.promise;
    stop.abort();
    const result = await running;
    expect(result.exitCode).toBe(130);
    expect(result.stdout).toBe('a\n');
    expect(await out(world, 'echo still here')).toBe('still here\n');
  });

  test('a sleep is stopped too', async () => {
    const world = testWorld();
    const result = await world.exec('echo a; sleep 30; echo b', { timeoutMs: 300 });
    expect(result).toMatchObject({ exitCode: 124, stdout: 'a\n' });
  });
});

describe('a command that is not begun', () => {
  test('does nothing when its signal came before its turn', async () => {
    const world = testWorld();
    const stop = new AbortController();
    const first = world.exec('sleep 0.2');
    const second = world.exec('echo x > /workspace/queued', { signal: stop.signal });
    stop.abort();
    await first;
    expect(await second).toMatchObject({ stdout: '', exitCode: 130 });
    const third = await world.exec('echo x > /workspace/late', { signal: AbortSignal.abort() });
    expect(third).toMatchObject({ stdout: '', exitCode: 130 });
    expect(await out(world, 'ls /workspace')).toBe('');
  });

  test('is refused with the name of what cannot be used', async () => {
    const world = testWorld();
    await expect(world.exec('pwd', { cwd: '/nowhere' })).rejects.toThrow(/ENOENT.*\/nowhere/);
    await expect(world.exec('pwd', { cwd: '/harness/AGENTS.md' })).rejects.toThrow(
      /ENOTDIR.*AGENTS\.md/,
    );
    await expect(world.exec('pwd', { cwd: 'x' })).rejects.toThrow(/cwd must be absolute/);
    await expect(world.exec('pwd', { timeoutMs: Number.NaN })).rejects.toThrow(/timeoutMs/);
    await expect(world.exec('pwd', { time: 1 } as never)).rejects.toThrow(/"time"/);
    await expect(world.exec(42 as never)).rejects.toThrow(/must be a text/);
  });
});

test('a literal in every line of a long text is found, numbered, counted and told in order', async () => {
  const world = testWorld();
  await world.exec("seq -f 'line %g of many' 1 90000 > /tmp/long");
  const text = await world.fs.readFile('/tmp/long');
  expect(text.length).toBeGreaterThan(1024 * 1024);
  const lines = text.split('\n').slice(0, -1);
  const numbered = lines.map((line, index) => `${index + 1}:${line}\n`).join('');
  // By then there was enough to search for the quick way.
  for (let time = 0; time < 2; time++) {
    const { stdout, exitCode } = await world.exec('grep -n line /tmp/long');
    expect([exitCode, stdout === numbered]).toEqual([0, true]);
  }
  expect((await world.exec('grep -c many /tmp/long; grep -m 2 -n 77 /tmp/long')).stdout).toBe(
    '90000\n77:line 77 of many\n177:line 177 of many\n',
  );
});

describe('bytes', () => {
  test('every byte value survives stdin, pipes, files and stdout', async () => {
    const world = testWorld();
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const echoed = await world.exec('cat | cat', { stdin: bytes });
    expect(Buffer.from(echoed.stdoutBytes)).toEqual(Buffer.from(bytes));
    await world.exec('cat > /workspace/all.bin', { stdin: bytes });
    expect(Buffer.from(await world.fs.readFileBuffer('/workspace/all.bin'))).toEqual(
      Buffer.from(bytes),
    );
  });

  test('UTF-8 text comes back as text', async () => {
    expect(await out(testWorld(), 'echo "grüße 日本 🎉"')).toBe('grüße 日本 🎉\n');
  });
});

describe('the world that every agent has', () => {
  test('/dev/null is a null device', async () => {
    expect(await out(testWorld(), 'echo x > /dev/null; cat /dev/null; wc -c < /dev/null')).toBe(
      '0\n',
    );
  });

  test.each([
    ['rm /usr/bin/grep', '/usr/bin/grep'],
    ['rm -rf /bin', '/bin'],
    ['echo x > /bin/ls', '/bin/ls'],
    ['echo x > /harness/AGENTS.md', '/harness/AGENTS.md'],
    ['echo x >> /session/log.jsonl', '/session/log.jsonl'],
    ['sed -i s/a/b/ /session/log.jsonl', '/session/log.jsonl'],
    ['echo x > /foo', '/foo'],
  ])('%s is refused, says so, and the commands still work', async (command, path) => {
    const world = testWorld();
    const { exitCode, stderr } = await world.exec(command);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(path);
    expect(stderr).toMatch(/Permission denied|Device or resource busy/);
    expect(stderr).toContain('dirigent: ');
    expect(await out(world, 'echo abc | grep b && cat /harness/AGENTS.md | wc -l')).toMatch(
      /^abc\n\d+\n$/,
    );
  });

  test('a refused redirect is said as bash says it, and the script goes on', async () => {
    const world = testWorld();
    const { stdout, stderr, exitCode } = await world.exec(
      'echo a > /harness/x; echo "status $?"; echo b',
    );
    expect(stdout).toBe('status 1\nb\n');
    expect(stderr).toContain('bash: /harness/x: Permission denied\n');
    expect(exitCode).toBe(0);
  });

  test('writing into a missing directory fails', async () => {
    const { stderr, exitCode } = await testWorld().exec('echo a > /workspace/none/file');
    expect(stderr).toBe('bash: /workspace/none/file: No such file or directory\n');
    expect(exitCode).toBe(1);
  });

  test('no credential and no variable of the host is in its environment', async () => {
    const token = credential('ghp_', 'environment');
    const world = testWorld({}, { env: { GITHUB_TOKEN: token, HOME: '/root' } });
    expect(await out(world, 'env; set; declare -p')).not.toMatch(new RegExp(`${token}|/root`));
  });
});

describe('the session', () => {
  test('each command is an entry before it runs and one after, and the agent reads its own past', async () => {
    const world = testWorld();
    await out(world, 'echo first > /workspace/f');
    const lines = (await out(world, 'cat /session/log.jsonl'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.type)).toEqual([
      'session',
      'bash_start',
      'bash_end',
      'bash_start',
    ]);
    expect(lines[2]).toMatchObject({
      exitCode: 0,
      changed: [{ path: '/workspace/f', before: null }],
    });
    expect(readFileSync(world.session.file, 'utf8')).toContain('echo first');
    expect(lines[2].prev).toBe(lines[1].hash);
  });
});

describe('two worlds in one process', () => {
  test('know nothing of each other', async () => {
    const [one, two] = [testWorld(), testWorld()];
    await Promise.all([
      out(one, 'cd /tmp; x=1; echo one > /tmp/f'),
      out(two, 'x=2; echo two > /tmp/f'),
    ]);
    expect(await out(one, 'pwd; echo $x; cat /tmp/f')).toBe('/tmp\n1\none\n');
    expect(await out(two, 'pwd; echo $x; cat /tmp/f')).toBe('/workspace\n2\ntwo\n');
  });
});

test.each([
  ['echo $HOME', '/workspace\n'],
  ['cat <<< $((1 << 40))', '1099511627776\n'],
  ['for x in $HOME; do echo $x; done', '/workspace\n'],
])('the first command of a world can look at its variables: %s', async (command, stdout) => {
  expect(await testWorld().exec(command)).toMatchObject({ stdout, stderr: '', exitCode: 0 });
});

describe('output', () => {
  // Several pieces in quick succession, and then nothing more for a long time.
  const pieces = 'echo one; ls -d /tmp; echo two; printf three';

  test.each([
    ['waits', 'sleep 600'],
    ['spins', "awk 'BEGIN { while (1) x++ }'"],
  ])('of a command that %s is told to the last byte while it runs', async (_what, rest) => {
    const world = testWorld();
    const stop = new AbortController();
    let told = '';
    const { exitCode, stdout } = await world.exec(`${pieces}; ${rest}`, {
      signal: stop.signal,
      onOutput: (_stream, bytes) => {
        told += Buffer.from(bytes).toString();
        if (told.endsWith('three')) stop.abort();
      },
    });
    expect(told).toBe('one\n/tmp\ntwo\nthree');
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: told });
  });
});

describe('a config', () => {
  test.each([
    [{ mounts: { '/./session': 'mem' } }, /absolute path without/],
    [{ mounts: { '//bin': 'mem' } }, /absolute path without/],
    [{ mounts: { '/../harness': 'mem' } }, /absolute path without/],
    [{ mounts: { '/data/': 'mem' } }, /final slash/],
    [
      { mounts: { '/c': { source: 'mem', mode: 'xx', more: 1 } } },
      /mounts\.\/c\.mode: .*\n.*mounts\.\/c\.more/,
    ],
    [
      {
        mounts: {
          '/c': { source: 'github', mode: 'rw', rules: [{ pattern: '**', mode: 'stage' }] },
        },
      },
      /stage holds for a whole mount/,
    ],
    [{ mounts: { '/harness': 'mem' } }, /mounts\.\/harness/],
    [{ mounts: { '/session/x': 'mem' } }, /\/session/],
    [{ mounts: { '/': 'mem' } }, /would hide/],
    [{ mounts: { '/x': 'nowhere' } }, /mounts\.\/x.*no source/],
    [{ mounts: { '/x': './missing-directory' } }, /missing-directory is not a directory/],
    [{ mounts: { x: 'mem' } }, /absolute/],
    [{ mount: {} }, /mount/],
    [{ mounts: { '/x': { source: 'mem', mode: 'rx' } } }, /mounts/],
  ])('%j is refused with its path', (config, message) => {
    const state = temporaryDirectory();
    expect(() => createWorld({ ...config, state } as never)).toThrow(ConfigError);
    expect(() => createWorld({ ...config, state } as never)).toThrow(message);
  });
});
