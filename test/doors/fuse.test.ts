/** A mounted world: what programs of the host do in it, through the kernel. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as github from '../../mounts/github/testing.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { mountedWorld, NO_FUSE } from './mounted.ts';

if (NO_FUSE !== null) process.stderr.write(`test/doors/fuse.test.ts: ${NO_FUSE}\n`);

const ISSUES = '/mnt/gh/octo/hello/issues';

/** A world with a repository whose issues can be written. */
async function withIssues() {
  const service = await startGithubStandIn({ seed: github.seed({ issues: 3, commentsEach: 0 }) });
  onTestFinished(() => service.close());
  const mounted = await mountedWorld(
    {
      mounts: {
        '/mnt/gh': {
          source: 'github:octo/hello:rw',
          baseUrl: service.url,
          tokenEnv: 'GITHUB_TOKEN',
        },
      },
    },
    { env: { GITHUB_TOKEN: github.TOKEN } },
  );
  const patches = async () =>
    (await service.requests()).filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  return { ...mounted, service, patches };
}

describe.skipIf(NO_FUSE !== null)('a mounted world', () => {
  test('what a program writes is the world’s, and what a command writes is the program’s', async () => {
    const { ok, sh, world } = await mountedWorld();
    expect(await ok('echo one > a; echo two >> a; cat a; ls')).toBe('one\ntwo\na\n');
    expect((await world.exec('cat /workspace/a; echo three >> /workspace/a')).stdout).toBe(
      'one\ntwo\n',
    );
    // A world that does not answer soon, on a busy machine, has said what it said before.
    const seen = { timeout: 60_000 };
    await expect.poll(() => ok('cat a; wc -c < a'), seen).toBe('one\ntwo\nthree\n14\n');
    expect((await world.exec('rm /workspace/a')).exitCode).toBe(0);
    await expect.poll(() => sh('cat a'), seen).toMatchObject({ stdout: '', status: 1 });
    expect(await ok('echo anew >> a; cat a')).toBe('anew\n');
  });

  test('a name that is no UTF-8 is refused, and stands for no other file', async () => {
    const { ok, sh, world } = await mountedWorld();
    await ok('mkdir d');
    const python = (body: string) => sh(`python3 -c '${body}'`);
    const tried = [
      'open(b"d/a\\xff", "w").write("x")',
      'os.mkdir(b"d/\\xfe")',
      'os.symlink(b"\\xfe", b"d/l")',
      'os.symlink(b"a", b"d/\\xfe")',
      'os.rename(b"kept", b"d/\\xfe")',
      'os.mknod(b"d/\\xfe")',
    ];
    await ok('echo kept > kept');
    const script = tried.map((one) => `try(lambda: ${one})`).join('\n');
    const said = await python(`import errno, os
def try_(what):
    try: what(); print("done")
    except OSError as error: print(errno.errorcode[error.errno])
${script.replaceAll('try(', 'try_(')}
print(os.getxattr("d", "user.dirigent.error").decode())`);
    expect(said).toMatchObject({ status: 0, stderr: '' });
    expect(said.stdout).toMatch(/^(?:EINVAL\n){6}.*bytes that are none/s);
    expect((await world.exec('ls -A /workspace/d; cat /workspace/kept')).stdout).toBe('kept\n');
  });

  test('what programs have open takes a part of the memory, however many files they open', async () => {
    const { sh, ok } = await mountedWorld();
    const { status, stdout } = await sh(`python3 -c '
import errno, os
files = []
try:
    for n in range(9):
        files.append(os.open(str(n), os.O_RDWR | os.O_CREAT))
        os.unlink(str(n))
        os.ftruncate(files[-1], 2 ** 30)
except OSError as error: print(errno.errorcode[error.errno])
'`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'EFBIG\n' });
    // What was closed is not counted any more.
    expect(await ok('echo text > a; cat a')).toBe('text\n');
  });

  test('a mount that has the world to itself believes what it saw until somebody else comes', async () => {
    const { ok, sh, world, alone } = await mountedWorld();
    const command = async (script: string) =>
      expect(await world.exec(script)).toMatchObject({ exitCode: 0 });
    await ok('mkdir d; echo 1 > d/a; echo 1 > b; mkdir -p e/f; echo 1 > e/f/g');
    for (const round of ['2', '3']) {
      await alone();
      // What is there, and what is not, is known by now.
      await ok('cat d/a b e/f/g > /dev/null; for n in 1 2 3 4; do test ! -e d/n$n; done');
      await command(`cd /workspace; echo ${round} > d/a; echo ${round} > d/n1; rm b; mv e/f e/h`);
      // The kernel is told of it, which takes a busy machine its time.
      await expect
        .poll(async () => (await sh('cat d/a d/n1; ls; cat e/h/g')).stdout)
        .toBe(`${round}\n${round}\nd\ne\n1\n`);
      // The kernel believes in a name for a second.
      await expect
        .poll(() => sh('test ! -e e/f && test ! -e b'), { timeout: 20_000 })
        .toMatchObject({ status: 0 });
      await alone();
      await ok(
        'rm d/n1; mv e/h e/f; echo 1 > b; touch d/n2; test -e d/n2; rm d/n2; test ! -e d/n2',
      );
      expect((await world.exec('ls /workspace /workspace/d /workspace/e')).stdout).toBe(
        '/workspace:\nb\nd\ne\n\n/workspace/d:\na\n\n/workspace/e:\nf\n',
      );
    }
  });

  test('what the policy comes to deny is read no more, however often it was read before, and the refusal is logged', async () => {
    const deployment = temporaryDirectory();
    for (const name of ['harness', 'files']) mkdirSync(join(deployment, name));
    const policy = join(deployment, 'harness/policy.yaml');
    writeFileSync(policy, 'sandbox: full\n');
    writeFileSync(join(deployment, 'files/a'), 'of the disk\n');
    const { ok, sh, world, alone } = await mountedWorld(
      { mounts: { '/workspace': 'mem', '/files': './files' } },
      { deployment },
    );
    await ok('echo in memory > b; cat b');
    await ok('cat ../files/a');
    expect((await sh('cat b ../files/a')).stdout).toBe('in memory\nof the disk\n');
    await alone();
    expect((await sh('cat b ../files/a')).stdout).toBe('in memory\nof the disk\n');
    writeFileSync(
      policy,
      'sandbox: full\nrules:\n  - { name: no more, decision: deny, op: read, path: [/workspace/b, /files/a] }\n',
    );
    for (const path of ['b', '../files/a'])
      await expect
        .poll(() => sh(`cat ${path}`), { timeout: 20_000 })
        .toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('denied') });
    const refused = () =>
      world.session
        .entries()
        .flatMap(
          ({ data }) => (data as { refused?: { path: string; rule: string }[] })?.refused ?? [],
        )
        .filter(({ rule }) => rule.includes('no more'));
    // It is logged once no more comes.
    await expect
      .poll(() => new Set(refused().map(({ path }) => path)), { timeout: 20_000 })
      .toEqual(new Set(['/workspace/b', '/files/a']));
    // What it allows is read as before.
    writeFileSync(policy, 'sandbox: full\n');
    await expect
      .poll(() => sh('cat b ../files/a'), { timeout: 20_000 })
      .toMatchObject({
        status: 0,
        stdout: 'in memory\nof the disk\n',
      });
  });

  test('what the policy refuses of new files is refused when they are made, after others were made', async () => {
    const deployment = temporaryDirectory();
    mkdirSync(join(deployment, 'harness'));
    writeFileSync(
      join(deployment, 'harness/policy.yaml'),
      'sandbox: full\nrules:\n  - { name: no keys, decision: deny, op: create, path: /workspace/**/*.key }\n',
    );
    const { ok, sh, world, alone } = await mountedWorld(
      { mounts: { '/workspace': 'mem' } },
      { deployment },
    );
    await alone();
    await ok('mkdir d; echo 1 > d/a; echo 2 > d/b; touch d/c');
    // A shell hears of a file that it cannot make, and not of one that it cannot close.
    expect(await sh(': > d/a.key')).toMatchObject({ stderr: expect.stringContaining('denied') });
    expect(await ok('ls d')).toBe('a\nb\nc\n');
    expect((await world.exec('cat /workspace/d/*')).stdout).toBe('1\n2\n');
  });

  test('what a program has closed while the mount ends is in the world, and what it has open by then', async () => {
    const { at, mount, world, alone, trouble } = await mountedWorld();
    await alone();
    // Its directory is its own: a mount that a program stands in does not end.
    const script = `
import sys, os
at = sys.argv[1]; os.mkdir(at)
held = open(at + '/held', 'w'); held.write('held'); held.flush()
for n in range(100000):
  try:
    with open(f'{at}/{n}', 'w') as f: f.write(str(n))
  except OSError: break
  print(n, flush=True)
`;
    const program = spawn('python3', ['-c', script, `${at}/workspace/d`], { cwd: '/' });
    const ended = once(program, 'close');
    let closed = '';
    const begun = new Promise<void>((resolve) =>
      program.stdout.on('data', (data: Buffer) => {
        closed += String(data);
        if (closed.split('\n').length > 20) resolve();
      }),
    );
    await begun;
    await mount.close();
    await ended;
    const names = closed.trim().split('\n');
    const read = await Promise.all(
      names.map((name) => world.fs.readFile(`/workspace/d/${name}`).catch(String)),
    );
    expect(read).toEqual(names);
    expect(await world.fs.readFile('/workspace/d/held')).toBe('held');
    expect(trouble).toEqual([]);
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(at);
  });

  test('an open file lives on without its name, and under a new one', async () => {
    const { ok } = await mountedWorld();
    const script = `
import os
f = open('u', 'w+'); f.write('x' * 10); f.flush(); os.unlink('u'); f.seek(0)
print(f.read(), os.fstat(f.fileno()).st_nlink, os.listdir('.'))
os.ftruncate(f.fileno(), 4); print(os.fstat(f.fileno()).st_nlink, os.fstat(f.fileno()).st_size)
f.close()
f = open('a', 'w'); f.write('1'); f.flush(); os.mkdir('d'); os.rename('a', 'd/b'); f.write('2'); f.close()
print(open('d/b').read())
old = open('d/b'); open('new', 'w').write('other'); os.replace('new', 'd/b')
print(old.read(), open('d/b').read())
`;
    expect(await ok(`python3 - <<'P'\n${script}P`)).toBe('xxxxxxxxxx 0 []\n0 4\n12\n12 other\n');
  });

  test.each(['memory', 'disk'])(
    'two names that a command gave a file of %s are one file to programs, which can make none',
    async (kind) => {
      const onDisk = { mounts: { '/workspace': `${temporaryDirectory()}:rw` } };
      const { ok, sh, world } = await mountedWorld(kind === 'disk' ? onDisk : {});
      expect((await world.exec('cd /workspace; echo one > a; ln a b')).exitCode).toBe(0);
      const script = `
import os
a = open('a', 'a'); a.write('two\\n'); a.flush()
print(os.fstat(a.fileno()).st_nlink, os.stat('b').st_size, os.stat('b').st_nlink, repr(open('b').read()))
os.unlink('a'); a.write('three\\n'); a.flush(); print(os.fstat(a.fileno()).st_nlink); a.close()
print(repr(open('b').read()), os.stat('b').st_nlink, os.listdir('.'))
`;
      expect(await ok(`python3 - <<'P'\n${script}P`)).toBe(
        "2 8 2 'one\\ntwo\\n'\n1\n'one\\ntwo\\nthree\\n' 1 ['b']\n",
      );
      const refused = await sh('ln b c');
      expect(refused).toMatchObject({ status: 1 });
      expect(refused.stderr).toContain('Operation not permitted');
      expect(await ok('getfattr --only-values -n user.dirigent.error .')).toContain('ln -s');
      await ok(
        'git init -q r; cd r; git config user.email a@b.c; git config user.name n; echo 1 > f; git add f; git commit -qm 1; git clone -q . ../clone; diff f ../clone/f',
      );
    },
  );

  test('the flags of open and rename hold', async () => {
    const { ok } = await mountedWorld();
    const script = `
import os, ctypes, errno
def fails(work):
  try: work(); return 'no'
  except OSError as e: return errno.errorcode[e.errno]
open('f', 'w').write('abc')
print(fails(lambda: os.open('f', os.O_CREAT | os.O_EXCL | os.O_WRONLY)))
print(fails(lambda: os.open('f', os.O_DIRECTORY)), fails(lambda: os.open('.', os.O_WRONLY)))
fd = os.open('f', os.O_WRONLY | os.O_APPEND); os.pwrite(fd, b'd', 0); os.close(fd); print(open('f').read())
os.truncate('f', 2); print(open('f').read()); os.truncate('f', 4); print(open('f', 'rb').read())
open('g', 'w').write('g')
libc = ctypes.CDLL(None, use_errno=True)
print(libc.renameat2(-100, b'g', -100, b'f', 1), errno.errorcode[ctypes.get_errno()])
os.mkdir('d'); open('d/x', 'w').close()
print(fails(lambda: os.rmdir('d')), fails(lambda: os.rename('g', 'd')), fails(lambda: os.rename('d', 'g')))
print(fails(lambda: os.link('d', 'e')), fails(lambda: os.rename('f', '/tmp/f')), fails(lambda: os.mkfifo('p')))
os.utime('g', ns=(1_500_000_000_123_456_789, 1_600_000_000_987_654_321)); s = os.stat('g')
print(s.st_atime_ns, s.st_mtime_ns); os.chmod('g', 0o751); print(oct(os.stat('g').st_mode))
`;
    expect((await ok(`python3 - <<'P'\n${script}P`)).trim().split('\n')).toEqual([
      'EEXIST',
      'ENOTDIR EISDIR',
      'abcd',
      'ab',
      "b'ab\\x00\\x00'",
      '-1 EEXIST',
      'ENOTEMPTY EISDIR ENOTDIR',
      'EPERM EXDEV EPERM',
      '1500000000123456789 1600000000987654321',
      '0o100751',
    ]);
  });

  test('an editor’s write of a record is one request, and what it puts beside it is never sent', async () => {
    const { ok, sh, patches, trouble } = await withIssues();
    const edited = async (script: string) => {
      const before = (await patches()).length;
      await ok(script, ISSUES);
      return (await patches()).slice(before).map(({ method, url }) => `${method} ${url}`);
    };
    const once = ['PATCH /repos/octo/hello/issues/1'];
    expect(await edited(`sed -i 's/^title: .*/title: by sed/' 1.md`)).toEqual(once);
    expect(
      await edited(`vim -es -u NONE -c '%s/^title: .*/title: by vim/' -c wq 1.md < /dev/null`),
    ).toEqual(once);
    const replace = `python3 -c "
import os, tempfile
text = open('1.md').read().replace('by vim', 'by python')
fd, name = tempfile.mkstemp(dir='.'); os.write(fd, text.encode()); os.close(fd); os.replace(name, '1.md')"`;
    expect(await edited(replace)).toEqual(once);
    expect(await edited('echo more >> 1.md')).toEqual(once);
    expect(await ok('grep ^title: 1.md; tail -1 1.md', ISSUES)).toBe('title: by python\nmore\n');
    expect(await edited('echo note > 1.md.tmp; cp 1.md copy; rm 1.md.tmp')).toEqual([]);
    expect(await ok('ls -d *.md copy', ISSUES)).toBe('1.md\n2.md\n3.md\ncopy\n');
    // A record is not given away for a name that its service has not.
    expect(await sh('mv 2.md backup', ISSUES)).toMatchObject({ status: 1 });
    expect(trouble).toEqual([]);
  });

  test('what a command wrote is seen where its size and its time are those of before', async () => {
    const { ok, world } = await mountedWorld();
    const write = (text: string) => world.exec(`echo ${text} > a; touch -d 2001-01-01 a`);
    for (const text of ['one', 'two']) {
      expect(await write(text)).toMatchObject({ exitCode: 0 });
      await expect
        .poll(() => ok('cat a; stat -c %Y a'), { timeout: 60_000 })
        .toMatch(`${text}\n978307200\n`);
    }
  });

  test('what a write changes elsewhere in its mount is seen at once, also where time and size stay', async () => {
    const { ok } = await withIssues();
    const made = (title: string) =>
      ok(
        `printf -- '---\\ntitle: ${title}\\n---\\n' > new.md; cat .last; head -2 index.tsv`,
        ISSUES,
      );
    for (const number of [4, 5, 6]) {
      const [last, , newest] = (await made(`by ${number}`)).split('\n');
      expect(last).toBe(`${ISSUES}/${number}.md`);
      expect(newest).toContain(`${number}\topen\tby ${number}`);
    }
    expect(await ok('ls *.md', ISSUES)).toBe('1.md\n2.md\n3.md\n4.md\n5.md\n6.md\n');
  });

  test('touch makes a file of a service that is not there, and cp -p a copy', async () => {
    const { ok, patches } = await withIssues();
    const script = 'touch notes.txt; stat -c %s notes.txt; cp -p "$0" copy.txt';
    expect(await ok(`sh -c '${script}' /etc/passwd`, `${ISSUES}/../files`)).toBe('0\n');
    const sent = (await patches()).map(({ method, url }) => `${method} ${url}`);
    // The empty one is sent behind the program, once nobody has it open.
    expect(sent).toContain('PUT /repos/octo/hello/contents/copy.txt');
  });

  test('a record that is wrong fails the close, is not sent, and says why', async () => {
    const { sh, ok, patches } = await withIssues();
    const refused = await sh(`printf -- '---\\nstate: maybe\\n---\\n' | tee 2.md`, ISSUES);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('Invalid argument');
    expect(await patches()).toEqual([]);
    const said = await ok('getfattr --only-values -n user.dirigent.error 2.md', ISSUES);
    expect(said).toContain('state');
    expect(await ok('cat .error', ISSUES)).toContain('state');
    expect(await ok('grep ^state: 2.md', ISSUES)).toBe('state: open\n');
  });

  test('the size of a record is what reading it gives, before it was read', async () => {
    const { ok } = await withIssues();
    const sizes = await ok(
      `stat -c %s *.md; cat 1.md | wc -c; cat 2.md | wc -c; cat 3.md | wc -c`,
      ISSUES,
    );
    const [a, b, c, ...read] = sizes.trim().split('\n');
    expect(read).toEqual([a, b, c]);
    expect(await ok('tar cf - *.md | tar tf -', ISSUES)).toBe('1.md\n2.md\n3.md\n');
    expect(await ok(`getfattr --only-values -n user.dirigent.origin 1.md`, ISSUES)).toBe(
      'github /mnt/gh',
    );
  });

  test('a mode that forbids a write forbids it to programs', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'a.md'), 'text\n');
    const { sh, ok } = await mountedWorld({ mounts: { '/mnt/docs': `${directory}:ro` } });
    const tried = await sh('echo x > a.md; rm a.md; touch b; mkdir d', '/mnt/docs');
    expect(tried.stderr.match(/Permission denied|Read-only/g)).toHaveLength(4);
    expect(await ok('cat a.md; ls', '/mnt/docs')).toBe('text\na.md\n');
    expect(readFileSync(join(directory, 'a.md'), 'utf8')).toBe('text\n');
  });

  test('grep with a query alone searches by meaning where that can be, and is the system’s elsewhere', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'release.md'), 'Releases are made by pushing a tag.\n');
    writeFileSync(join(directory, 'cat.md'), 'The cat sat on the mat.\n');
    const { sh, mount } = await mountedWorld({ mounts: { '/mnt/docs': `${directory}:ro` } });
    const found = (script: string, cwd: string) =>
      sh(script, cwd, { PATH: `${mount.shims}:${process.env['PATH']}` });
    expect((await found('grep "how is a release made"', '/mnt/docs')).stdout).toBe(
      'release.md:1:Releases are made by pushing a tag.\n',
    );
    expect((await found(`grep "release made" ${mount.directory}/mnt/docs`, '/tmp')).stdout).toBe(
      `${mount.directory}/mnt/docs/release.md:1:Releases are made by pushing a tag.\n`,
    );
    expect(await found('grep -n cat cat.md; echo x | grep x', '/mnt/docs')).toMatchObject({
      stdout: '1:The cat sat on the mat.\nx\n',
      stderr: '',
    });
    const literal = await found('echo hay > h; grep hay h; grep needle h', '/workspace');
    expect(literal).toMatchObject({ stdout: 'hay\n', stderr: '', status: 1 });
  });

  test('a directory that has files of the world in it cannot be where it is mounted', async () => {
    const { checkDirectory } = await import('../../src/doors/fuse/directory.ts');
    const root = temporaryDirectory();
    mkdirSync(join(root, 'in/it'), { recursive: true });
    const used = [{ directory: join(root, 'in'), what: 'mounted at /mnt/docs' }];
    for (const at of ['in/it', 'in', '.'])
      await expect(checkDirectory(join(root, at), used)).rejects.toThrow(/mounted at \/mnt\/docs/);
    await expect(checkDirectory(join(root, 'none'), used)).rejects.toThrow(/mkdir -p/);
    writeFileSync(join(root, 'file'), '');
    await expect(checkDirectory(join(root, 'file'), used)).rejects.toThrow(/no directory/);
    expect(readdirSync(root)).toEqual(['file', 'in']);
  });
});
