/** Programs that others wrote, at the SSH door: OpenSSH's ssh, sftp and scp, sshfs, and rclone. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { generateKeyPair } from '../../src/doors/ssh/key-pair.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { testDoor } from './ssh-client.ts';

/** What is not installed is not tried, and the test's name says so. */
const has = (program: string): boolean =>
  spawnSync(program, ['-h'], { stdio: 'ignore' }).error === undefined;

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: closed, decision: deny, op: change, path: /workspace/closed/** }
`;

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The door is in this process: what it answers must not wait for the program's end. */
function ran(program: string, args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn(program, args, {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  });
  const out: Ran = { status: null, stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => {
    out.stdout += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    out.stderr += bytes.toString();
  });
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ ...out, status }));
  });
}

async function opened() {
  const key = generateKeyPair();
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'workspace', 'closed'), { recursive: true });
  const door = await testDoor(deployment, [`${key.public} ana`], { policy: POLICY });
  const own = temporaryDirectory();
  const identity = join(own, 'id');
  writeFileSync(identity, key.private, { mode: 0o600 });
  writeFileSync(join(own, 'known'), `[127.0.0.1]:${door.port} ${door.door.hostKey.public}\n`);
  // The host's key is known, and any other one would be refused.
  const options = [
    `IdentityFile=${identity}`,
    'IdentitiesOnly=yes',
    `UserKnownHostsFile=${join(own, 'known')}`,
    'StrictHostKeyChecking=yes',
    'BatchMode=yes',
  ];
  const flags = ['-F', '/dev/null', ...options.flatMap((option) => ['-o', option])];
  const source = join(own, 'source');
  mkdirSync(join(source, 'sub'), { recursive: true });
  writeFileSync(join(source, 'large'), randomBytes(3_000_000));
  writeFileSync(join(source, 'a name'), 'spaces\n');
  writeFileSync(join(source, 'sub', 'run'), '#!/bin/sh\n', { mode: 0o755 });
  return { port: String(door.port), deployment, own, options, flags, identity, source };
}

const same = (one: string, other: string): void => {
  expect(spawnSync('diff', ['-r', one, other]).stdout.toString()).toBe('');
};

test.skipIf(!has('ssh'))(
  'ssh (if it is installed): commands, stdin, status, a script',
  async () => {
    const { port, flags } = await opened();
    const ssh = (command: string[], input?: string) =>
      ran('ssh', [...flags, '-p', port, '127.0.0.1', ...command], input);
    expect(await ssh(['echo out; echo err >&2; exit 7'])).toEqual({
      status: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect((await ssh(['wc -c'], 'x'.repeat(1_000_000))).stdout).toBe('1000000\n');
    expect((await ssh([], 'X=2\necho $((X + 3))\n')).stdout).toBe('5\n');
    expect((await ssh(['head -c 20000000 /dev/zero | tr "\\0" x'])).stdout).toHaveLength(
      20_000_000,
    );
  },
  120_000,
);

test.skipIf(!has('scp'))(
  'sftp and scp (if they are installed): trees come and go as they are, and what is refused fails',
  async () => {
    const { port, flags, source, own, deployment } = await opened();
    const up = await ran('scp', [...flags, '-q', '-p', '-r', '-P', port, source, '127.0.0.1:up']);
    expect(up).toMatchObject({ status: 0, stderr: '' });
    same(source, join(deployment, 'workspace', 'up'));
    await ran('scp', [...flags, '-q', '-r', '-P', port, '127.0.0.1:up', join(own, 'back')]);
    same(source, join(own, 'back'));
    const refused = await ran('scp', [
      ...flags,
      '-P',
      port,
      join(source, 'a name'),
      '127.0.0.1:closed/x',
    ]);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/Permission denied/);
    const script =
      'mkdir d\nput "a name" d/a\nrename d/a d/b\nln d/b d/hard\nln -s b d/soft\nchmod 600 d/b\nls -1 d\nrm d/*\nrmdir d\n-put "a name" closed/x\n-rm missing\n';
    const listed = await ran(
      'sftp',
      [...flags, '-b', '-', '-P', port, '127.0.0.1'],
      `lcd ${source}\n${script}`,
    );
    expect(listed).toMatchObject({ status: 0 });
    expect(listed.stdout).toContain('d/b\nd/hard\nd/soft\n');
    expect(existsSync(join(deployment, 'workspace', 'd'))).toBe(false);
  },
  120_000,
);

test.skipIf(!has('sshfs') || !existsSync('/dev/fuse'))(
  'sshfs (if it can be mounted): programs read, write, rename and link',
  async () => {
    const { port, options, source, own } = await opened();
    const mounted = join(own, 'mounted');
    mkdirSync(mounted);
    const flags = [...options, 'idmap=user'].flatMap((option) => ['-o', option]);
    expect(await ran('sshfs', [...flags, '-p', port, '127.0.0.1:/', mounted])).toMatchObject({
      status: 0,
    });
    onTestFinished(() => void spawnSync('fusermount3', ['-u', mounted]));
    const script = `set -e; cd ${mounted}/workspace; cp -r ${source} tree; diff -r ${source} tree
    echo one > f; echo two >> f; sed -i s/one/ONE/ f; mkdir d; mv f d/; ln -s f d/l; cat d/l
    printf longer > d/t; printf x > d/t; cat d/t; truncate -s 3 d/t; wc -c < d/t; ln d/t d/u; stat -c %h d/u > /dev/null
    (echo no > closed/x) 2>/dev/null || echo refused; cat /dev/null closed/x 2>/dev/null || echo missing
    wc -c < ${mounted}/README.md; cat ${mounted}/README.md | wc -c; rm -r tree d; ls`;
    const { stdout, stderr, status } = await ran('bash', ['-c', script]);
    const lines = stdout.trimEnd().split('\n');
    const [size, read] = lines.splice(5, 2);
    expect({ lines, stderr, status, exact: size === read }).toEqual({
      lines: ['ONE', 'two', 'x3', 'refused', 'missing', 'closed'],
      stderr: '',
      status: 0,
      exact: true,
    });
  },
  120_000,
);

test.skipIf(!has('rclone'))(
  'rclone (if it is installed): copies, lists, checks and syncs',
  async () => {
    const { port, identity, source, own, deployment } = await opened();
    const config = join(own, 'rclone.conf');
    writeFileSync(
      config,
      `[d]\ntype = sftp\nhost = 127.0.0.1\nport = ${port}\nuser = x\nkey_file = ${identity}\n`,
    );
    const rclone = (...args: string[]) => ran('rclone', ['--config', config, ...args]);
    expect(await rclone('copy', source, 'd:/workspace/rc')).toMatchObject({ status: 0 });
    same(source, join(deployment, 'workspace', 'rc'));
    expect((await rclone('ls', 'd:/workspace/rc')).stdout).toMatch(/3000000 large/);
    expect(await rclone('check', '--download', source, 'd:/workspace/rc')).toMatchObject({
      status: 0,
    });
    writeFileSync(join(source, 'new'), 'new');
    expect(await rclone('sync', source, 'd:/workspace/rc')).toMatchObject({ status: 0 });
    expect(readFileSync(join(deployment, 'workspace', 'rc', 'new'), 'utf8')).toBe('new');
    expect((await rclone('copy', source, 'd:/workspace/closed')).status).not.toBe(0);
  },
  120_000,
);
