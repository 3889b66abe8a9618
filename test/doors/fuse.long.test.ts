/** Programs that people use, in a mounted world; and random operations beside a directory of the host. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { mountedWorld, NO_FUSE } from './mounted.ts';

if (NO_FUSE !== null) process.stderr.write(`test/doors/fuse.long.test.ts: ${NO_FUSE}\n`);

const MAIN = join(import.meta.dirname, '../../entry/main.ts');
const OPERATIONS = join(import.meta.dirname, 'random-operations.py');

/** A world whose /workspace is in memory, or a directory of the host. */
const KINDS = ['memory', 'disk'] as const;

const worldOn = (kind: (typeof KINDS)[number]) =>
  mountedWorld(kind === 'memory' ? {} : { mounts: { '/workspace': `${temporaryDirectory()}:rw` } });

describe.skipIf(NO_FUSE !== null)('a mounted world', () => {
  test.each([
    ['memory', 100_000],
    ['disk', 100_000],
  ] as const)(
    'random operations on %s answer as in a directory of the host, %i of them',
    async (kind, count) => {
      const { sh } = await worldOn(kind);
      const beside = join(temporaryDirectory(), 'beside');
      const seed = Math.floor(Math.random() * 1e9);
      mkdirSync(beside);
      const said = await sh(`mkdir t; python3 ${OPERATIONS} ${seed} ${count} ${beside} "$PWD/t"`);
      expect(said).toMatchObject({
        stdout: `seed ${seed}: ${count} operations, 0 differences\n`,
        status: 0,
      });
    },
    1_800_000,
  );

  test.each(KINDS)(
    'git, npm, Python, tar, rsync and rg work on %s',
    async (kind) => {
      const { sh } = await worldOn(kind);
      const does = async (script: string) => {
        const said = await sh(`set -e; export HOME=$PWD; ${script}`);
        expect(said).toMatchObject({ status: 0 });
        return said.stdout;
      };
      await does(
        `git init -q -b main r && cd r && git config user.email a@b.c && git config user.name n
       for i in $(seq 200); do echo "line $i of many" > f$i; done
       git add . && git commit -qm one && git clone -q . ../clone && git gc -q && git fsck`,
      );
      expect(await does('cd clone && git status --short && ls | wc -l')).toBe('200\n');
      expect(await does('diff -r --exclude=.git r clone && rg -c line clone | wc -l')).toBe(
        '200\n',
      );
      expect(
        await does(
          'tar cf a.tar clone && mkdir x && tar xf a.tar -C x && diff -r clone x/clone && echo same',
        ),
      ).toBe('same\n');
      expect(await does('rsync -a clone/ y/ && rsync -ai clone/ y/ && echo twice')).toBe('twice\n');
      await does(
        `mkdir -p p/dep && cd p && echo '{"name":"dep","version":"1.0.0","main":"i.js"}' > dep/package.json
       echo 'module.exports = 42' > dep/i.js && echo '{"name":"p","version":"1.0.0"}' > package.json
       npm install --offline --no-audit --no-fund ./dep`,
      );
      expect(await does('cd p && node -p "require(\'dep\')"')).toBe('42\n');
      await does(`mkdir py && for i in 1 2 3; do echo "def f(): return $i" > py/m$i.py; done
      python3 -m compileall -q py && cd py && python3 -c 'import m1, m2, m3; assert m3.f() == 3'`);
      expect(await does('ls py/__pycache__ | wc -l')).toBe('3\n');
      await does(`printf 'a\\nb\\n' > v && vim -es -u NONE -c '%s/a/A/' -c wq v && grep -q A v`);
    },
    600_000,
  );

  test.skipIf(process.getuid?.() !== 0)(
    'somebody who is not root mounts a world, which nobody else can enter',
    async () => {
      const [uid, gid] = [65_534, 65_534];
      // Those of tests are their user's alone.
      const home = mkdtempSync('/tmp/dirigent-test-user-');
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      mkdirSync(join(home, 'world'));
      for (const path of [home, join(home, 'world')]) {
        chownSync(path, uid, gid);
        chmodSync(path, 0o755);
      }
      const script = `id -u; pwd; echo text > a; cat a; stat -c %u a; ln -s /workspace/a l; cat l
      touch ready; while [ -e ready ]; do sleep 0.05; done`;
      const child = spawn(
        process.execPath,
        [MAIN, 'mount', join(home, 'world'), '--', 'sh', '-c', script],
        { cwd: home, uid, gid, env: { PATH: '/usr/bin:/bin', HOME: home, XDG_STATE_HOME: home } },
      );
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].on('data', (data: Buffer) => {
          said[name] += String(data);
        });
      const ended = once(child, 'exit');
      const inside = [
        'setpriv',
        ['--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', '--', 'rm'],
      ] as const;
      await expect
        .poll(() => said.stdout + said.stderr, { timeout: 60_000 })
        .toMatch(/text\n\d+\ntext/);
      const run = promisify(execFile);
      await expect
        .poll(() =>
          run('stat', [join(home, 'world/workspace')]).catch((error: Error) => error.message),
        )
        .toContain('Permission denied');
      await expect
        .poll(
          () =>
            run(inside[0], [...inside[1], join(home, 'world/workspace/ready')]).then(
              () => 'removed',
              String,
            ),
          { timeout: 20_000 },
        )
        .toBe('removed');
      expect(await ended).toEqual([0, null]);
      expect(said).toEqual({
        stdout: `${uid}\n${join(home, 'world/workspace')}\ntext\n${uid}\ntext\n`,
        stderr: '',
      });
      expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(home);
    },
    120_000,
  );

  test('what was closed is there when the process that served it is killed, and nothing stays mounted', async () => {
    const { world, mount, ok } = await worldOn('memory');
    await ok('echo kept > a; for i in $(seq 50); do echo $i > f$i; done');
    process.kill(mount.server, 'SIGKILL');
    expect(await mount.ended).toBe(false);
    expect((await world.exec('cat a f50')).stdout).toBe('kept\n50\n');
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(mount.directory);
  }, 60_000);

  test('a mount whose process is killed with libfuse’s helper is unmounted by its door', async () => {
    const { mount, ok } = await worldOn('memory');
    await ok('echo kept > a');
    const [helper] = processesOf(process.pid, mount.directory);
    expect(helper?.what).toBe('helper');
    for (const pid of [helper?.pid ?? 0, mount.server]) process.kill(pid, 'SIGKILL');
    expect(await mount.ended).toBe(false);
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(mount.directory);
  }, 60_000);

  test('what stays mounted when all of its processes are killed at once is unmounted by the next mount', async () => {
    const base = temporaryDirectory();
    const at = join(base, 'world');
    mkdirSync(at);
    const mounts = (script: string) =>
      spawn(process.execPath, [MAIN, 'mount', at, '--', 'sh', '-c', script], {
        cwd: base,
        env: { PATH: process.env.PATH, HOME: base, XDG_STATE_HOME: base },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const door = mounts('echo ready; exec sleep 600');
    await once(door.stdout, 'data');
    const ended = once(door, 'exit');
    // libfuse's helper unmounts when the server has ended: it goes first.
    const processes = processesOf(door.pid ?? 0, at);
    expect(processes.map(({ what }) => what)).toEqual(['helper', 'server', 'program', 'door']);
    // The door is not to clean up after those that go before it.
    process.kill(door.pid ?? 0, 'SIGSTOP');
    for (const { pid } of processes) process.kill(pid, 'SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(readFileSync('/proc/self/mounts', 'utf8')).toContain(at);
    const next = mounts('echo text > a; cat a');
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      next[name].on('data', (data: Buffer) => {
        said[name] += String(data);
      });
    expect(await once(next, 'close')).toEqual([0, null]);
    expect(said).toEqual({ stdout: 'text\n', stderr: '' });
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(at);
  }, 120_000);
});

/** The processes of a mount, in the order in which none can clean up after another. */
function processesOf(door: number, directory: string): { pid: number; what: string }[] {
  const found: { pid: number; what: string }[] = [{ pid: door, what: 'door' }];
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const pid = Number(name);
    let words: string[];
    let status: string;
    try {
      words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      status = readFileSync(`/proc/${name}/status`, 'utf8');
    } catch {
      // It has ended since.
      continue;
    }
    if (words[0]?.startsWith('fusermount') === true && words.includes(directory))
      found.push({ pid, what: 'helper' });
    else if (status.includes(`\nPPid:\t${door}\n`))
      found.push({
        pid,
        what: words.some((word) => word.includes('server')) ? 'server' : 'program',
      });
  }
  const order = ['helper', 'server', 'program', 'door'];
  return found.sort((a, b) => order.indexOf(a.what) - order.indexOf(b.what));
}
