import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cli, ROOT, startCli } from './run-cli.ts';

const main = join(ROOT, 'examples', 'demo', 'main.ts');

/** The processes that a process started. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isAlive = (pid: number): boolean => {
  try {
    // A zombie that nobody has waited for yet is gone, too.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 50 && isAlive(pid); tries++) await sleep(100);
  return !isAlive(pid);
}

const git = () =>
  spawnSync('git', ['status', '--short', 'examples'], { cwd: ROOT }).stdout.toString();

test('a command in the demo: only its output, its status, and services to look at', async () => {
  const before = git();
  const { stdout, stderr, status } = await cli(
    ['-c', 'ls /mnt; ls /mnt/github /mnt/linear/teams; ls /harness/AGENTS.md; exit 5'],
    { main },
  );
  expect(stderr).toBe('');
  expect(stdout.toString()).toBe(
    [
      'docs\ngithub\nlinear\nnotion\n/mnt/github:\nREADME.md\nharbor\n\n',
      '/mnt/linear/teams:\nINC\nPLT\n/harness/AGENTS.md\n',
    ].join(''),
  );
  expect(status).toBe(5);
  expect(git()).toBe(before);
}, 60_000);

test('an agent answers a question in the demo world, without a key, with places that exist', async () => {
  const { stdout, stderr, status } = await cli(['run', 'Why do webhook deliveries arrive late?'], {
    main,
    // Whoever runs the tests may have a key.
    env: { DIRIGENT_MODEL: 'builtin/extract' },
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout.toString()).toMatch(/^— \/mnt\/\S+\.md:\d+/m);
}, 60_000);

test.runIf(process.platform === 'linux').each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s nothing of the demo runs on',
  async (signal) => {
    const child = startCli(['-c', 'echo ready; cat /mnt/github/README.md > /dev/null; sleep 60'], {
      main,
    });
    const pid = child.pid ?? 0;
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    for (let tries = 0; tries < 200 && childrenOf(pid).length < 3; tries++) await sleep(50);
    const standIns = childrenOf(pid);
    expect(standIns.filter(isAlive)).toHaveLength(3);
    while (!said.includes('ready')) await once(child.stdout, 'data');
    child.kill(signal);
    await once(child, 'close');
    for (const standIn of standIns) expect(await gone(standIn)).toBe(true);
    if (signal === 'SIGTERM') {
      expect(readdirSync(join(ROOT, 'examples', 'demo', '.dirigent'))).not.toContain(String(pid));
    }
  },
  60_000,
);
