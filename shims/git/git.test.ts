/** git in a world: what the machine's git makes of it, what is refused, and what is never run. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory, testWorld } from '../../test/world/harness.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** A world whose /workspace is a directory of the host, and what the host's git says there. */
function besideGit() {
  const directory = join(temporaryDirectory(), 'w');
  mkdirSync(directory);
  const env = {
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@x.y',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@x.y',
  };
  const world = testWorld({ mounts: { '/workspace': directory } });
  const host = (...args: string[]): string => {
    const ran = spawnSync('git', args, {
      cwd: directory,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: directory, ...env },
    });
    return ran.stdout + ran.stderr;
  };
  return { directory, world, host };
}

const START = `git init -q -b main; echo a > a; mkdir d; echo b > d/b; chmod +x d/b; ln -s a l; git add .; git commit -qm one`;

describe.skipIf(!hasGit)('beside the machine’s git', () => {
  test('it finds a repository of ours whole and clean, and we read what it packed', async () => {
    const { world, host } = besideGit();
    await world.exec(
      `${START}; git switch -q -c side; echo c >> a; git commit -qam two; git tag -a v1 -m tag`,
    );
    await world.exec(
      'git switch -q main; echo e > e; git add e; git commit -qm three; git merge -q side -m four',
    );
    expect(host('fsck', '--strict', '--full')).not.toMatch(/error|warning|missing|dangling/);
    expect(host('status', '--porcelain')).toBe('');
    expect(host('log', '--format=%s')).toBe(
      'four\nthree\ntwo\none\n'.replace('three\ntwo', 'three\ntwo'),
    );
    host('gc', '-q');
    host('pack-refs', '--all');
    const ours = await world.exec(
      'git log --format=%s; git status -s; git show v1:d/b; git branch; git tag; cat l',
    );
    expect(ours.stdout.split('\n').sort()).toEqual(
      ['four', 'three', 'two', 'one', 'b', '* main', '  side', 'v1', 'a', 'c', ''].sort(),
    );
    expect(ours.stderr).toBe('');
  });
});

test('hooks, pagers, filters, monitors and aliases of a repository are never run', async () => {
  const { directory, world } = besideGit();
  await world.exec(START);
  for (const hook of ['pre-commit', 'post-commit', 'post-checkout', 'commit-msg', 'pre-rebase']) {
    mkdirSync(join(directory, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(directory, '.git', 'hooks', hook), '#!/bin/sh\necho RAN > ran\n', {
      mode: 0o755,
    });
  }
  writeFileSync(
    join(directory, '.git', 'config'),
    `[core]\n\tbare = false\n\tfsmonitor = touch ran\n\tpager = touch ran\n\thooksPath = .git/hooks\n\tsshCommand = touch ran\n[alias]\n\tx = !touch ran\n[filter "f"]\n\tclean = touch ran\n\tsmudge = touch ran\n[diff "f"]\n\ttextconv = touch ran\n\tcommand = touch ran\n[include]\n\tpath = /etc/passwd\n`,
  );
  writeFileSync(join(directory, '.gitattributes'), '* filter=f diff=f\n');
  const ran = await world.exec(
    'echo x >> a; git status; git diff; git log -p; git add -A; git commit -m m; git switch -c b; git x; git config -l; ls',
  );
  expect(existsSync(join(directory, 'ran'))).toBe(false);
  expect(ran.stdout).not.toContain('root:');
  expect(ran.stderr).toContain("git: 'x' is not a git command here");
});

/** An object as git keeps it, written past all checks. */
function writeObject(directory: string, type: string, content: Buffer): string {
  const data = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const oid = createHash('sha1').update(data).digest('hex');
  const place = join(directory, '.git', 'objects', oid.slice(0, 2));
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, oid.slice(2)), deflateSync(data));
  return oid;
}

test.each(['..', '.git', '.GIT', '.', 'a/../../x'])(
  'a tree with the name %j writes nothing',
  async (name) => {
    const { directory, world } = besideGit();
    await world.exec(START);
    const before = await world.exec('cat .git/config; ls -A /workspace .git');
    const entry = (mode: string, path: string, oid: string) =>
      Buffer.concat([Buffer.from(`${mode} ${path}\0`), Buffer.from(oid, 'hex')]);
    const blob = writeObject(directory, 'blob', Buffer.from('evil\n'));
    const inner = writeObject(directory, 'tree', entry('100644', 'config', blob));
    const tree = writeObject(
      directory,
      'tree',
      name.includes('/') ? entry('100644', name, blob) : entry('40000', name, inner),
    );
    const person = 'A <a@x.y> 1700000000 +0000';
    const commit = writeObject(
      directory,
      'commit',
      Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nevil\n`),
    );
    for (const command of [
      `checkout ${commit}`,
      `reset --hard ${commit}`,
      `checkout ${commit} -- .`,
      `restore -s ${commit} .`,
      `cherry-pick ${commit}`,
      `cherry-pick -n ${commit}`,
      `rebase ${commit}`,
      `merge ${commit}`,
    ]) {
      const ran = await world.exec(`git ${command}`);
      expect([command, ran.exitCode]).not.toEqual([command, 0]);
    }
    expect(existsSync(join(directory, '..', 'config'))).toBe(false);
    expect((await world.exec('cat .git/config; ls -A /workspace .git')).stdout).toBe(before.stdout);
  },
);

test('a commit that takes a file away removes none outside of the working tree', async () => {
  const { directory, world } = besideGit();
  await world.exec(START);
  const victim = join(directory, '..', 'victim');
  writeFileSync(victim, 'keep\n');
  const entry = (mode: string, path: string, oid: string) =>
    Buffer.concat([Buffer.from(`${mode} ${path}\0`), Buffer.from(oid, 'hex')]);
  const blob = writeObject(directory, 'blob', Buffer.from('keep\n'));
  const above = writeObject(directory, 'tree', entry('100644', 'victim', blob));
  const tree = writeObject(directory, 'tree', entry('40000', '..', above));
  const empty = writeObject(directory, 'tree', Buffer.alloc(0));
  const commit = (of: string, parent: string) =>
    writeObject(
      directory,
      'commit',
      Buffer.from(
        `tree ${of}\n${parent}author A <a@x.y> 1 +0000\ncommitter A <a@x.y> 1 +0000\n\nevil\n`,
      ),
    );
  const first = commit(tree, '');
  const second = commit(empty, `parent ${first}\n`);
  writeFileSync(join(directory, '.git/refs/heads/main'), `${first}\n`);
  await world.exec('git rm -rq --cached .');
  for (const command of [
    `cherry-pick ${second}`,
    `cherry-pick -n ${second}`,
    `merge ${second}`,
    `rebase ${second}`,
    `reset --hard ${second}`,
    'stash',
    'clean -fdx',
  ]) {
    await world.exec(`git ${command}`);
    expect([command, existsSync(victim)]).toEqual([command, true]);
  }
});

test('paths that leave the working tree are refused', async () => {
  const world = testWorld();
  await world.exec(START);
  const outside = await world.exec('git add /tmp/x; git diff -- ../..; git mv a ../a; ls /');
  expect(outside.stderr.match(/is outside repository/g)).toHaveLength(3);
});

test('a repository whose .git leads elsewhere is not followed', async () => {
  const { directory, world } = besideGit();
  const other = join(directory, '..', 'other');
  mkdirSync(join(other, '.git'), { recursive: true });
  symlinkSync(join(other, '.git'), join(directory, '.git'));
  const linked = await world.exec('git status');
  expect(linked.exitCode).toBe(128);
  await world.exec('rm .git; echo "gitdir: /etc" > .git');
  const pointed = await world.exec('git status');
  expect(pointed.stderr).toContain('.git is a file or a link');
});

test('a mount that cannot be written is read, and refuses with its rule', async () => {
  const directory = join(temporaryDirectory(), 'r');
  mkdirSync(directory);
  await testWorld({ mounts: { '/workspace': directory } }).exec(START);
  const world = testWorld({ mounts: { '/mnt/r': `${directory}:ro` } });
  const read = await world.exec('cd /mnt/r; git log --format=%s; git status -s; git show HEAD:a');
  expect(read).toMatchObject({ stdout: 'one\na\n', stderr: '', exitCode: 0 });
  const refused = await world.exec(
    'cd /mnt/r; git commit --allow-empty -m x; git switch -c b; git add .',
  );
  expect(refused.stderr).toContain('/mnt/r is mounted ro');
  expect((await world.exec('cd /mnt/r; git log --format=%s; git branch')).stdout).toBe(
    'one\n* main\n',
  );
});

test('what it cannot do it refuses, and says what to do instead', async () => {
  const world = testWorld();
  await world.exec(START);
  for (const [command, says] of [
    ['clone https://example.com/x', '/mnt/github'],
    ['push', '/mnt/github'],
    ['rebase -i main', 'editor'],
    ['stash -p', 'keyboard'],
    ['clean -i', 'keyboard'],
    ['bisect start', 'git checkout'],
    ['log --graph', '--graph'],
    ['commit --allow-empty', '-m'],
    ['add -p', 'keyboard'],
    ['log main@{yesterday}', 'HEAD@{1}'],
  ]) {
    const ran = await world.exec(`git ${command}`);
    expect([command, ran.exitCode === 0, ran.stderr]).toEqual([
      command,
      false,
      expect.stringContaining(says ?? ''),
    ]);
  }
  const nowhere = await world.exec('cd /tmp; git status');
  expect(nowhere).toMatchObject({
    exitCode: 128,
    stderr: 'fatal: not a git repository (or any of the parent directories): .git\n',
  });
});

test('what is cleaned or stashed is a link itself, and never where it leads', async () => {
  const world = testWorld({});
  await world.exec('git init -q; echo a > f; git add .; git commit -qm one; mkdir /tmp/o');
  await world.exec('echo keep > /tmp/o/f; ln -s /tmp/o l; ln -s /tmp/o/f k');
  const stashed = await world.exec('git stash -uq; ls; cat /tmp/o/f; git stash pop -q; ls -l');
  expect(stashed.stdout).toMatch(/^f\nkeep\n[\s\S]* k -> \/tmp\/o\/f\n[\s\S]* l -> \/tmp\/o\n$/);
  expect((await world.exec('git clean -fd; ls; cat /tmp/o/f')).stdout).toBe(
    'Removing k\nRemoving l\nf\nkeep\n',
  );
});

test.each(['git apply', 'patch -p1'])(
  '%s refuses at once a line that is far behind the last',
  async (command) => {
    const world = testWorld({});
    await world.exec('git init -q; seq 3 > a');
    const stdin = '--- a/a\n+++ b/a\n@@ -9007199254740000,2 +1,2 @@\n-9\n+x\n 2\n';
    const { exitCode } = await world.exec(command, { stdin, timeoutMs: 60_000 });
    expect(exitCode).toBe(1);
    expect((await world.exec('cat a')).stdout).toBe('1\n2\n3\n');
  },
);

test('a patch makes no link, and writes through none', async () => {
  const world = testWorld({});
  await world.exec('git init -q; echo a > f; git add .; git commit -qm one; mkdir /tmp/o');
  const link =
    'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/tmp/o\n\\ No newline at end of file\n';
  const through = '--- /dev/null\n+++ b/l/x\n@@ -0,0 +1 @@\n+one\n';
  const made = await world.exec('git apply; ls', { stdin: link + through });
  expect(made.stdout).toBe('f\n');
  expect(made.stderr).toContain('l: a patch of a link is not applied here');
  await world.exec('ln -s /tmp/o l');
  const written = await world.exec('git apply; find /tmp/o -type f', { stdin: through });
  expect([written.stdout, written.stderr]).toEqual([
    '',
    "error: affected file 'l/x' is beyond a symbolic link\n",
  ]);
});

test('what is checked out goes to the place of a link, and never to where the link leads', async () => {
  const world = testWorld({});
  await world.exec('git init -q; echo a > f; mkdir d; echo b > d/f; git add .; git commit -qm one');
  for (const back of ['git checkout f d/f', 'git restore .', 'git reset -q --hard']) {
    await world.exec(
      'rm -rf f d /tmp/o; mkdir /tmp/o; echo keep > /tmp/o/f; ln -s /tmp/out f; ln -s /tmp/o d',
    );
    const { stdout } = await world.exec(`${back}; cat f d/f; find /tmp -name 'o*'; cat /tmp/o/f`);
    expect.soft(stdout, back).toBe('a\nb\n/tmp/o\nkeep\n');
  }
});

test.each([
  ['an index that ends early', 'head -c 20 .git/index > i; cp i .git/index; git status'],
  ['references in a circle', 'echo "ref: HEAD" > .git/HEAD; git log'],
])('%s is a fatal error of one line', async (_what, script) => {
  const world = testWorld({});
  await world.exec('git init -q; echo a > f; git add .; git commit -qm one');
  const { stderr, exitCode } = await world.exec(script);
  expect(stderr).toMatch(/^fatal: .+\n$/);
  expect(exitCode).toBe(128);
});
