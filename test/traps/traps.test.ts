/**
 * The thirteen traps of just-bash that a shell over mounts falls into, each with
 * what it does here instead. All through `createWorld`, as a user would meet it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type ExecResult, type World } from '../../entry/index.ts';

let root: string;
let server: Server;
/** One that takes requests and never answers. */
let silent: Server;
let world: World;
/** What the service answers with. */
let answer: { status: number; headers?: Record<string, string> } = { status: 500 };

/** The port of a server that now listens on loopback. */
async function listen(one: Server): Promise<number> {
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  const address = one.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function close(one: Server): Promise<void> {
  one.closeAllConnections();
  await new Promise((resolve) => one.close(resolve));
}

const run = (command: string): Promise<ExecResult> =>
  world.exec(command, { cwd: '/workspace', timeoutMs: 20_000 });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'dirigent-traps-'));
  for (const name of ['docs', 'docs/dir', 'state']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'docs', 'a.txt'), 'alpha\n');
  writeFileSync(join(root, 'docs', 'dir', 'b.txt'), 'beta\n');
  server = createServer((_request, response) => {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify({ message: 'no' }));
  });
  silent = createServer(() => undefined);
  const service = async (one: Server) => ({
    source: 'github:o/r',
    baseUrl: `http://127.0.0.1:${await listen(one)}`,
  });
  world = createWorld({
    state: join(root, 'state'),
    operationTimeoutMs: 1500,
    mounts: {
      '/m': `${join(root, 'docs')}:ro`,
      '/mem': 'mem',
      '/grow': 'mem:append',
      '/svc': await service(server),
      '/silent': await service(silent),
    },
  });
});

afterAll(async () => {
  await world.close();
  await Promise.all([server, silent].map(close));
  rmSync(root, { recursive: true });
});

describe('T1: a redirection that fails ends its command, not the script', () => {
  test.each(['>', '>>', '2>', '&>', '>|', '<>', '&>>'])('%s', async (operator) => {
    const { stdout, stderr, exitCode } = await run(
      `echo before; echo x ${operator} /harness/x; echo "status $?"`,
    );
    expect(stdout).toBe('before\nstatus 1\n');
    expect(stderr).toContain('bash: /harness/x: Permission denied\n');
    expect(stderr).toMatch(/^dirigent: \/harness is mounted ro/m);
    expect(exitCode).toBe(0);
  });

  test('of a group, a function, a loop, a here-document, in eval and in source', async () => {
    const { stdout } = await run(
      `{ echo a; } > /harness/x; echo $?; f() { echo; }; f > /harness/x || echo or
for i in 1; do echo; done > /harness/x; echo $?
cat > /harness/x <<X
text
X
echo $?; eval 'echo a > /harness/x; echo in'; echo 'echo a > /harness/x; echo src' > s; . ./s; exec > /harness/x; echo end`,
    );
    expect(stdout).toBe('1\nor\n1\n1\nin\nsrc\nend\n');
  });
});

describe('T2: a redirection writes once', () => {
  // Nothing there may be written twice: a file that is there can only grow.
  test('a new file of a mount that can only grow', async () => {
    const { stdout, stderr } = await run(
      'echo a > /grow/f; cat /grow/f; seq 3 > /grow/g; wc -l < /grow/g',
    );
    expect(stderr).toBe('');
    expect(stdout).toBe('a\n3\n');
  });

  test('appending appends once, and an empty file is made all the same', async () => {
    const { stdout } = await run(
      'echo a > w; echo b >> w; cat w; : > w; wc -c < w; false > w2; [ -e w2 ] && echo made',
    );
    expect(stdout).toBe('a\nb\n0\nmade\n');
  });
});

describe('T3: mounts work although the interpreter forbids scripts what they need', () => {
  test('a mount that needs timers and the network is reached from builtins', async () => {
    answer = { status: 401 };
    const { stderr } = await run('cat < /svc/o/r/issues/1.md; cat /svc/o/r/issues/1.md');
    expect(stderr).not.toContain('No such file');
    expect(stderr).not.toMatch(/blocked|defense/i);
  });
});

describe('T4: the true error reaches stderr and the status, whichever command met it', () => {
  test.each([
    'rm /m/a.txt',
    'rm -f /m/a.txt',
    'rm -rf /m/dir',
    'tee /m/a.txt < /dev/null',
    'sed -i s/a/b/ /m/a.txt',
    'chmod 600 /m/a.txt',
    'cp /m/a.txt /m/c.txt',
    'mv /m/a.txt /tmp/a.txt',
    'ln -s a /m/link',
    'mkdir -p /m/new',
    'touch /m/a.txt',
    'sort -o /m/a.txt /m/a.txt',
    'find /m/a.txt -delete',
    'truncate -s 0 /m/a.txt',
  ])('%s', async (command) => {
    const { stderr, exitCode } = await run(command);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('Permission denied');
    expect(stderr).toContain('dirigent: /m is mounted ro');
    expect((await run('cat /m/a.txt /m/dir/b.txt')).stdout).toBe('alpha\nbeta\n');
  });

  test.each(['cat', 'head', 'tail', 'grep x', 'wc', 'stat', 'ls', 'cp -t /tmp', 'diff /m/a.txt'])(
    '%s of a record of a service that limits the rate',
    async (command) => {
      answer = { status: 429, headers: { 'retry-after': '7' } };
      const { stderr, exitCode } = await run(`${command} /svc/o/r/issues/1.md`);
      expect(exitCode).not.toBe(0);
      expect(stderr).not.toContain('No such file');
      expect(stderr).toMatch(/^dirigent: .*(limit|again|429)/m);
    },
  );

  test('grep -r does not pass over a directory that fails', async () => {
    answer = { status: 500 };
    const { stderr, exitCode } = await run('grep -r word /svc/o/r/issues');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('/svc');
  });
});

describe('T5: messages name the path', () => {
  test.each(['/tmp/none', '/home/none', '/etc/none', '/var/none'])('%s', async (path) => {
    for (const command of ['cat', 'mkdir', 'ls', 'rm', 'head']) {
      const { stderr } = await run(`${command} ${path}/x`);
      expect(stderr, command).toContain(`${path}/x`);
      expect(stderr, command).not.toContain('<path>');
    }
  });
});

describe('T6: mounts are nested, and links lead over them', () => {
  test('a mount in a mount is listed, and a link to a file of another mount is followed', async () => {
    const { stdout } = await run(
      'ln -sf /m/a.txt over; cat over; ls -d /session/changes; ln -sfn /mem way; echo x > way/f; cat /mem/f; ls /',
    );
    expect(stdout).toMatch(/^alpha\n\/session\/changes\nx\n/);
    expect(stdout).toMatch(/^m$/m);
  });
});

describe('T7: a file is told from another', () => {
  test('cp onto another and onto itself', async () => {
    const { stdout, stderr } = await run(
      'echo 1 > p; echo 2 > q; cp p q; cat q; cp p p; echo $?; ln -f p h; cp p h; echo $?; [ p -ef h ] && echo same; mv p q; cat q',
    );
    expect(stdout).toBe('1\n1\n1\nsame\n1\n');
    expect(stderr).toContain("'p' and 'p' are the same file");
    expect(stderr).toContain("'p' and 'h' are the same file");
    expect(stderr).not.toContain('cannot safely determine');
  });
});

describe('T8: grep and rg go through text quickly', () => {
  test('a regular expression that backtracks without end elsewhere ends here', async () => {
    const { stdout, exitCode } = await run(
      "head -c 200000 /dev/zero | tr '\\0' a > long; grep -cE '(a|aa)+b' long; rg -c '(a+)+b' long; grep -c a long",
    );
    expect(stdout).toBe('0\n1\n');
    expect(exitCode).toBe(0);
  });
});

describe('T9: what agents write is understood', () => {
  test.each([
    ['grep -rHnI --include "*.txt" --color=never alpha /m', '/m/a.txt:1:alpha\n'],
    ['printf "a\\nb\\n" | grep -e a -e b -A1 -s', 'a\nb\n'],
    ['cd /m; grep -r beta', 'dir/b.txt:beta\n'],
    ['printf "1 2" | xargs -n1 -I{} echo "<{}>"', '<1 2>\n'],
    ['seq 3 | head -n -1', '1\n2\n'],
    ['cd /m; ls a.txt dir/b.txt', 'a.txt\ndir/b.txt\n'],
    ['cd /m; shopt -s globstar; echo /m/**/*.txt', '/m/a.txt /m/dir/b.txt\n'],
    ['printf "a\\na\\n" | uniq -c', '      2 a\n'],
    ['diff <(echo a) <(echo b)', '1c1\n< a\n---\n> b\n'],
    ['cd /m; echo */; a=(*/); echo ${#a[@]}', 'dir/\n1\n'],
    ['realpath /m/dir/..; cmp /m/a.txt /m/a.txt && echo same', '/m\nsame\n'],
    ['trap "echo bye" EXIT; echo hi', 'hi\nbye\n'],
  ])('%s', async (command, stdout) => {
    expect((await run(command)).stdout).toBe(stdout);
  });

  test('/dev/null is a null device, and writing into a missing directory fails', async () => {
    const { stdout, stderr } = await run(
      'echo x > /dev/null; cp /m/a.txt /dev/null; wc -c < /dev/null; echo y > /workspace/none/f; echo $?; [ -e /workspace/none ] || echo none',
    );
    expect(stdout).toBe('0\n1\nnone\n');
    expect(stderr).toBe('bash: /workspace/none/f: No such file or directory\n');
  });
});

/** Runs a command that will not end, and checks what is left afterwards. */
async function stopped(command: string): Promise<void> {
  const own = createWorld({ state: mkdtempSync(join(root, 's-')), mounts: { '/mem': 'mem' } });
  try {
    await own.exec('cd /mem; echo kept > file; keep=me; list=(a "b c")');
    const result = await own.exec(`echo printed; ${command}`, { timeoutMs: 700 });
    // Without its fix this takes minutes, or does not end.
    expect(result).toMatchObject({ exitCode: 124, stdout: 'printed\n' });
    expect(result.stderr).toMatch(/^dirigent: stopped after 0\.7 s/m);
    const after = await own.exec('pwd; echo "$keep ${list[1]}"; cat file');
    expect(after.stdout).toBe('/mem\nme b c\nkept\n');
  } finally {
    await own.close();
  }
}

describe('T10: a command that spins is stopped at its deadline; T12: with what it had printed', () => {
  test.each([
    'while :; do :; done',
    'awk "BEGIN { while (1) x++ }"',
    'f() { f; }; while :; do (:); done',
  ])('%s', async (command) => stopped(command), 20_000);
});

describe('T11: a file operation that never answers is given up', () => {
  test.each([
    'cat < /silent/o/r/issues/1.md',
    'test -f /silent/o/r/issues/1.md',
    'cd /silent/o/r/issues',
    'echo /silent/o/r/issues/*',
  ])(
    '%s',
    async (command) => {
      const { stdout, stderr } = await run(`${command}; echo on`);
      expect(stdout).toMatch(/on\n$/);
      expect(stderr).toMatch(/timed out|no answer|did not answer/i);
      expect(stderr).not.toContain('No such file');
    },
    20_000,
  );
});

describe('T13: the commands cannot be changed, and looking for one asks no service', () => {
  test.each(['rm /usr/bin/grep', 'rm -rf /bin', 'echo x > /bin/ls', 'mv /bin/cat /tmp/cat'])(
    '%s',
    async (command) => {
      const { exitCode, stderr } = await run(command);
      expect(exitCode).not.toBe(0);
      expect(stderr).toMatch(/Permission denied|Device or resource busy/);
      expect((await run('echo abc | grep b; ls /m; cat /m/a.txt')).stdout).toBe(
        'abc\na.txt\ndir\nalpha\n',
      );
    },
  );

  test('a command that is not there costs no request', async () => {
    const { exitCode, requests } = await run('no-such-command; type ls; command -v cat');
    expect(exitCode).toBe(0);
    expect(requests).toBe(0);
  });
});
