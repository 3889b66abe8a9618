/** Programs of the host in a world, and what they try there. Skipped, with a sentence, where bubblewrap or FUSE is missing. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { NO_FUSE } from './mounted.ts';

const NO_BWRAP =
  spawnSync('bwrap', ['--version']).status === 0 ? null : 'bubblewrap is not installed';
const MISSING = NO_FUSE ?? NO_BWRAP;
if (MISSING !== null) process.stderr.write(`no programs of the host are tried: ${MISSING}\n`);

const SECRET = 'a-secret-of-the-host';

function worldOf(): { world: World; deployment: string } {
  const deployment = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  mkdirSync(join(deployment, 'notes'));
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(join(deployment, 'notes', 'kept.md'), 'kept\n');
  writeFileSync(join(deployment, 'host-file'), SECRET);
  writeFileSync(
    join(deployment, 'harness', 'policy.yaml'),
    'sandbox: full\napproval: never\nrules:\n  - name: no secrets\n    decision: deny\n    path: /workspace/closed/**\n    actor: assistant\n',
  );
  const world = createWorld(
    {
      mounts: { '/notes': './notes:ro' },
      programs: { host: ['python3', 'git', 'node', 'sh'] },
      env: { GREETING: 'hello' },
    },
    { deployment, env: { ...process.env, DIRIGENT_SECRET: SECRET } },
  );
  return { world, deployment };
}

describe.skipIf(MISSING !== null)('a program of the host', () => {
  const { world, deployment } = worldOf();
  afterAll(async () => {
    await world.close();
    rmSync(deployment, { recursive: true, force: true });
  });
  const run = async (command: string, timeoutMs = 60_000) => {
    const { stdout, stderr, exitCode } = await world.exec(command, { timeoutMs });
    return { stdout, stderr, exitCode };
  };
  const python = (code: string, timeoutMs?: number) =>
    run(`run python3 - <<'EOF'\n${code}\nEOF`, timeoutMs);

  test('reads and writes files of the world, its stdin and its arguments, and has its status', async () => {
    const told = await run(
      `mkdir -p d; cd d; echo text > in; echo typed | run python3 -c 'import sys, os; open("out", "w").write(open("in").read().upper()); print(sys.stdin.read(), sys.argv[1:], os.getcwd(), os.environ["GREETING"]); sys.exit(3)' 'a b' c; s=$?; cat out; exit $s`,
    );
    expect(told).toEqual({
      stdout: "typed\n ['a b', 'c'] /workspace/d hello\nTEXT\n",
      stderr: '',
      exitCode: 3,
    });
    await run('cd /workspace');
  });

  test('is git with repositories, links and modes, and node with modules', async () => {
    const made = await run(
      'mkdir r && cd r && run git init -q && echo a > f && ln -s /workspace/r/f l && run git add -A && run git -c user.name=a -c user.email=a@b commit -qm one && run git status --porcelain && run git log --format=%s && run sh -c "cat l"; cd ..',
    );
    expect(made).toEqual({ stdout: 'one\na\n', stderr: '', exitCode: 0 });
    const node = await run(
      `echo 'export const n = 2;' > n.mjs; run node --input-type=module -e 'import { n } from "/workspace/n.mjs"; console.log(n + 1)'`,
    );
    expect(node).toMatchObject({ stdout: '3\n', exitCode: 0 });
  });

  test('is bound by modes and by the policy, in the name of whoever runs it, and the refusal has its rule', async () => {
    const refused = await python('open("/notes/kept.md", "w")');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('PermissionError');
    expect(refused.stderr).toContain('/notes is mounted ro');
    await run('mkdir closed; echo x > closed/f');
    const context = { actor: 'assistant' };
    const asAgent = await world.exec('run sh -c "cat closed/f"', { context });
    expect(asAgent.exitCode).toBe(1);
    expect(asAgent.stderr).toContain('no secrets');
    expect(asAgent.refused).toContainEqual(
      expect.objectContaining({ path: '/workspace/closed/f', rule: 'policy no secrets' }),
    );
    expect(await run('run sh -c "cat closed/f"')).toMatchObject({ stdout: 'x\n', exitCode: 0 });
  });

  test('has what it changed in the log, under its command', async () => {
    await run('run sh -c "echo 1 > logged; rm logged; echo 2 > kept"');
    const end = world.session.entries().findLast(({ type }) => type === 'bash_end');
    expect(JSON.stringify(end?.['changed'])).toContain('/workspace/kept');
  });

  test('sees no file, no variable and no process of the host', async () => {
    const files = [deployment, '/root', '/home', '/var', '/etc/shadow', '/sys', '/run'];
    const told = await python(`
import os
for path in ${JSON.stringify([...files, join(deployment, 'host-file')])}:
    try:
        print(path, os.listdir(path) if os.path.isdir(path) else open(path).read())
    except OSError:
        pass
print(sorted(os.environ))
print([pid for pid in os.listdir('/proc') if pid.isdigit() and int(pid) > 60])
for pid in os.listdir('/proc'):
    if pid.isdigit():
        for name in ('cmdline', 'environ', 'root/etc/hostname'):
            try:
                print(open('/proc/' + pid + '/' + name).read())
            except OSError:
                pass
`);
    expect(told.stdout).not.toContain(SECRET);
    expect(told.stdout).not.toContain('vitest');
    expect(told.stdout).not.toContain(tmpdir());
    expect(told.stdout).not.toMatch(/^\/(?:root|home|var|sys|run|etc)/m);
    expect(told.stdout).toContain("['GREETING', 'HOME', 'LANG', 'OLDPWD', 'PATH', 'PWD', 'USER']");
    expect(told.stdout).toMatch(/^\[\]$/m);
  });

  test('reaches no network, no socket of the host, and makes no namespace of its own', async () => {
    const server = createServer((socket) => socket.end(SECRET));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const told = await python(`
import ctypes, os, socket
def attempt(name, act):
    try:
        print(name, 'got', act())
    except Exception as error:
        print(name, type(error).__name__)
attempt('loopback', lambda: socket.create_connection(('127.0.0.1', ${port}), 2).recv(99))
attempt('outside', lambda: socket.create_connection(('1.1.1.1', 53), 2))
attempt('vsock', lambda: socket.socket(40, socket.SOCK_STREAM))
attempt('memfd', lambda: os.memfd_create('x'))
libc = ctypes.CDLL(None, use_errno=True)
for name, act in (('unshare', lambda: libc.unshare(0x10000000)), ('mount', lambda: libc.mount(b'a', b'/tmp', b'tmpfs', 0, None)), ('chroot', lambda: libc.chroot(b'/tmp')), ('setuid', lambda: libc.setuid(0))):
    print(name, act())
attempt('usr', lambda: open('/usr/x', 'w'))
attempt('root', lambda: os.mkdir('/x'))
attempt('sysrq', lambda: open('/proc/sysrq-trigger', 'w').write('x'))
`);
    server.close();
    expect(told.stdout.trim().split('\n')).toEqual([
      'loopback ConnectionRefusedError',
      'outside OSError',
      'vsock OSError',
      'memfd PermissionError',
      'unshare -1',
      'mount -1',
      'chroot -1',
      'setuid -1',
      'usr OSError',
      'root OSError',
      expect.stringMatching(/^sysrq \w+Error$/),
    ]);
  });

  const BOMBS: readonly [name: string, code: string, said: RegExp][] = [
    ['memory', 'a = []\nwhile True: a.append(bytearray(1 << 24))', /MemoryError|of memory/],
    [
      'memory of many processes',
      'import os, time\nfor i in range(20): os.fork() or (bytearray(b"x" * (200 << 20)), time.sleep(60))\ntime.sleep(60)',
      /MiB of memory/,
    ],
    [
      'shared memory',
      'import mmap\na = []\nwhile True:\n  m = mmap.mmap(-1, 1 << 26)\n  for i in range(0, 1 << 26, 4096): m[i] = 1\n  a.append(m)',
      /of memory/,
    ],
    [
      'processes',
      'import os\nwhile True: os.fork()',
      /processes|Resource temporarily|BlockingIOError/,
    ],
    [
      'output',
      'import sys\nwhile True: sys.stdout.write("x" * 100000)',
      /printed more than 32 MiB/,
    ],
    [
      'a file in /dev/shm',
      'f = open("/dev/shm/x", "wb")\nwhile True: f.write(b"x" * (1 << 20))',
      /No space left/,
    ],
  ];
  test.each(BOMBS)(
    'that takes too much %s is ended, and the shell goes on',
    async (_name, code, said) => {
      const told = await python(code, 120_000);
      expect(told.exitCode).not.toBe(0);
      expect(told.stderr).toMatch(said);
      expect(await run('echo on')).toMatchObject({ stdout: 'on\n', exitCode: 0 });
    },
  );

  test('that spins, with what it started, ends at the deadline of its command, and by timeout', async () => {
    const mark = `spin-${process.pid}`;
    const spin = `run sh -c 'sleep 1000 & while :; do :; done' ${mark}`;
    const late = await run(spin, 3_000);
    expect(late.exitCode).not.toBe(0);
    expect(late.stderr).toMatch(/deadline|killed|timed out/);
    expect(await run(`timeout 2 ${spin}; echo $?`)).toMatchObject({
      stdout: '124\n',
      exitCode: 0,
    });
    const processes = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    expect(processes.split('\n').filter((line) => line.includes(mark))).toEqual([]);
  });

  test('leaves no mount and no directory behind', async () => {
    await run('run sh -c true');
    const own = `dirigent-program-${process.pid}-`;
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(own))).toEqual([]);
    const mounts = spawnSync('cat', ['/proc/mounts'], { encoding: 'utf8' }).stdout;
    expect(mounts).not.toContain(own);
    expect(existsSync(join(deployment, 'notes', 'kept.md'))).toBe(true);
  });
});
