import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
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
  for (let tries = 0; tries < 200 && isAlive(pid); tries++) await sleep(100);
  return !isAlive(pid);
}

const git = () =>
  spawnSync('git', ['status', '--short', 'examples'], { cwd: ROOT }).stdout.toString();

/** The demo over a state of its own. */
function demo() {
  const state = temporaryDirectory();
  const options = { main, env: { DIRIGENT_DEMO_STATE: state, DIRIGENT_MODEL: 'builtin/extract' } };
  return {
    state,
    start: (...args: string[]) => startCli(args, options),
    run: async (...args: string[]) => {
      const { stdout, stderr, status } = await cli(args, options);
      return { stdout: stdout.toString(), stderr, status };
    },
  };
}

/** The processes of the services of a demo: the one that starts them, and those it started. */
function servicesOf(state: string): number[] {
  const hosts = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && commandLine(pid).includes(`services.ts\0${state}\0`));
  return [...hosts, ...hosts.flatMap(childrenOf)];
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

test('a command in the demo: only its output, its status, and services to look at', async () => {
  const before = git();
  const { stdout, stderr, status } = await demo().run(
    '-c',
    'ls /mnt; ls /mnt/github /mnt/linear/teams; ls /harness/AGENTS.md; exit 5',
  );
  expect(stderr).toBe('');
  expect(stdout).toBe(
    [
      'docs\ngithub\nlinear\nnotion\n/mnt/github:\n@me\nREADME.md\nharbor\nsearch\n\n',
      '/mnt/linear/teams:\nINC\nPLT\n/harness/AGENTS.md\n',
    ].join(''),
  );
  expect(status).toBe(5);
  expect(git()).toBe(before);
}, 60_000);

test('what is written lasts from start to start, in every service and in /workspace', async () => {
  const { run } = demo();
  const plt = '/mnt/linear/teams/PLT/issues';
  const written = await run(
    '-c',
    `printf -- '---\\ntitle: Kept\\n---\\nText\\n' > /mnt/github/harbor/quay-cli/issues/new.md
     cat /mnt/github/harbor/quay-cli/issues/.last
     printf -- '---\\ntitle: Kept, too\\n---\\nText\\n' > ${plt}/new.md; cat ${plt}/.last
     page=$(ls -d /mnt/notion/*.md | grep -v README | head -1); echo "And this." >> "$page"; echo "$page"
     echo mine > /workspace/note`,
  );
  expect({ ...written, stdout: '' }).toEqual({ stdout: '', stderr: '', status: 0 });
  const [issue = '', linear = '', page = ''] = written.stdout.trim().split('\n');
  // The services have ended by then, and start again.
  await sleep(3_000);
  const read = await run(
    '-c',
    `grep -h ^title: ${issue} ${linear}; tail -1 '${page}'; cat /workspace/note`,
  );
  expect(read.stdout).toBe('title: Kept\ntitle: Kept, too\nAnd this.\nmine\n');
  const again = await run(
    '-c',
    `printf -- '---\\ntitle: Next\\n---\\n' > /mnt/github/harbor/quay-cli/issues/new.md
     cat /mnt/github/harbor/quay-cli/issues/.last`,
  );
  expect(again.stdout).toBe('/mnt/github/harbor/quay-cli/issues/102.md\n');
  let anew = await run('--fresh', '-c', `cat ${issue}; ls /workspace`);
  // It may still be running for the command before, and goes on for a while after each that asks.
  while (anew.stderr.includes('runs in another terminal')) {
    await sleep(3_000);
    anew = await run('--fresh', '-c', `cat ${issue}; ls /workspace`);
  }
  expect(anew.stdout).toBe('');
  expect(anew.stderr).toContain('No such file or directory');
}, 120_000);

test('every command of the command line acts on the state of the demo', async () => {
  const { run } = demo();
  const issue = '/mnt/github/harbor/quay-cli/issues/10.md';
  const close = `sed -i 's/^state: open/state: closed/' ${issue}`;
  expect(await run('sh', '--dry-run', '-c', close)).toMatchObject({ status: 0, stderr: '' });
  const listed = await run('changes');
  expect(listed.stdout).toContain('pending');
  const [change = ''] = /^[0-9a-z]{26}/m.exec(listed.stdout) ?? [];
  expect((await run('changes', 'apply', change)).stdout).toContain('applied');
  expect((await run('-c', `grep ^state: ${issue}`)).stdout).toBe('state: closed\n');
  expect((await run('session', 'ls')).stdout.trim().split('\n').length).toBeGreaterThan(1);
  const none = { status: 0, stderr: '' };
  await run(
    '-c',
    'mkdir -p /harness/proposals/prompts; echo Hi > /harness/proposals/prompts/hi.md',
  );
  expect((await run('harness', 'diff')).stdout).toContain('+Hi');
  expect(await run('harness', 'accept', 'prompts/hi.md')).toMatchObject(none);
  expect((await run('-c', 'cat /harness/prompts/hi.md')).stdout).toBe('Hi\n');
  expect(await run('approvals')).toMatchObject(none);
  expect(await run('schedule')).toMatchObject(none);
  expect(await run('sync', '/mnt/linear')).toMatchObject(none);
  expect((await run('--help')).stdout).toContain('usage: ');
  expect(await run('changes', 'nothing')).toMatchObject({ status: 2 });
}, 120_000);

test('two terminals meet the same services at the same time', async () => {
  const { run, start } = demo();
  const open = start('-c', 'echo ready; sleep 60');
  await once(open.stdout, 'data');
  const path = '/mnt/linear/teams/PLT/issues';
  const made = await run(
    '-c',
    `printf -- '---\\ntitle: Seen\\n---\\n' > ${path}/new.md; cat ${path}/.last`,
  );
  expect((await run('-c', `grep -h ^title: ${made.stdout.trim()}`)).stdout).toBe('title: Seen\n');
  expect((await run('--fresh', '-c', 'true')).stderr).toContain('runs in another terminal');
}, 120_000);

test('an agent answers a question in the demo world, without a key, with places that exist', async () => {
  const { stdout, stderr, status } = await demo().run(
    'run',
    'Why do webhook deliveries arrive late?',
  );
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout).toMatch(/^— \/mnt\/\S+\.md:\d+/m);
}, 60_000);

test.runIf(process.platform === 'linux').each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s nothing of the demo runs on',
  async (signal) => {
    const { state, start } = demo();
    const child = start('-c', 'cat /mnt/github/README.md > /dev/null; echo ready; sleep 60');
    let said = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    while (!said.includes('ready')) await once(child.stdout, 'data');
    const services = servicesOf(state);
    expect(services.filter(isAlive)).toHaveLength(4);
    child.kill(signal);
    await once(child, 'close');
    for (const pid of services) expect(await gone(pid)).toBe(true);
  },
  60_000,
);
