/** Self-modification in its three settings, approvals over a crash, hooks, and the policy of the docs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../entry/index.ts';
import { acceptProposal, listProposals } from '../../src/harness/proposals.ts';
import { parsePolicy } from '../../src/policy/policy.ts';
import { defaultHarness } from '../../src/world/plan.ts';
import { cli, ROOT } from '../cli/run-cli.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const AGENT = { context: { actor: 'assistant' } };

function deployment(): string {
  const directory = temporaryDirectory();
  for (const name of ['harness', 'harness/tools', 'docs']) mkdirSync(join(directory, name));
  writeFileSync(join(directory, 'dirigent.config.ts'), 'export default {};\n');
  writeFileSync(join(directory, 'docs', 'a.md'), 'old\n');
  writeFileSync(join(directory, 'harness', 'AGENTS.md'), 'mine\n');
  writeFileSync(join(directory, 'harness', 'tools', 'host.ts'), 'export default {};\n');
  return directory;
}

test('C the deployer chooses: a harness that is read-only is changed by proposals alone', async () => {
  const directory = deployment();
  const state = join(directory, '.dirigent');
  const world = testWorld({ state }, { deployment: directory });
  const { stderr, exitCode } = await world.exec('echo x > /harness/AGENTS.md', AGENT);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('/harness/proposals')]);
  const proposed = await world.exec(
    'cd /harness/proposals; mkdir -p agents; echo yours > AGENTS.md; echo broken > agents/x.md; ln -s /etc/hostname tools',
    AGENT,
  );
  expect(proposed.stderr).toBe('');
  symlinkSync('/etc/hostname', join(state, 'proposals', 'secret.md'));
  const directories = {
    own: join(directory, 'harness'),
    defaults: defaultHarness(),
    proposals: join(state, 'proposals'),
  };
  const { proposals, errors } = listProposals(directories);
  expect(proposals.map(({ path, error }) => [path, error === null])).toEqual([
    ['AGENTS.md', true],
    ['agents/x.md', false],
  ]);
  expect(proposals[0]?.patch).toContain('-mine\n+yours');
  expect(errors.map(({ path }) => path)).toEqual(['secret.md', 'tools']);
  const [mine, broken] = proposals;
  for (const path of ['secret.md', '../AGENTS.md', 'nothing'])
    expect(() => acceptProposal(directories, path, mine?.digest ?? '')).toThrow(ConfigError);
  expect(() => acceptProposal(directories, 'agents/x.md', broken?.digest ?? '')).toThrow('broken');
  expect(() => acceptProposal(directories, 'AGENTS.md', broken?.digest ?? '')).toThrow('shown');
  acceptProposal(directories, 'AGENTS.md', mine?.digest ?? '');
  expect(readFileSync(join(directory, 'harness', 'AGENTS.md'), 'utf8')).toBe('yours\n');
  expect((await world.exec('cat /harness/AGENTS.md; ls /harness/proposals')).stdout).toBe(
    'yours\nagents\nsecret.md\ntools\n',
  );
});

test('C the deployer chooses: a harness that is read-write is the agent’s to change, but for the policy', async () => {
  const directory = deployment();
  const world = testWorld({ harness: { mode: 'rw' } }, { deployment: directory });
  const run = async (command: string) => (await world.exec(command, AGENT)).exitCode;
  expect(await run('echo x >> /harness/AGENTS.md; mkdir -p /harness/skills/a')).toBe(0);
  expect(await run('echo x >> /harness/agents/compact.md')).toBe(0);
  expect(readFileSync(join(directory, 'harness', 'agents', 'compact.md'), 'utf8')).toMatch(/x\n$/);
  expect(readFileSync(join(defaultHarness(), 'agents', 'compact.md'), 'utf8')).not.toMatch(/x\n$/);
  expect((await world.exec('rm /harness/agents/researcher.md', AGENT)).stderr).toContain('default');
  for (const command of [
    'echo "approval: never" > /harness/policy.yaml',
    'ln -s /workspace /harness/policy.yaml',
  ])
    expect(await run(command), command).not.toBe(0);
  expect(
    (await world.exec('echo broken > /harness/agents/y.md; cat /harness/.errors', AGENT)).stdout,
  ).toMatch(/^\/harness\/agents\/compact|^\/harness\/agents\/y\.md: /m);
});

test('C the deployer chooses: of a harness with named files the agent changes these, and no others', async () => {
  const directory = deployment();
  const world = testWorld(
    {
      harness: {
        mode: ['AGENTS.md', 'skills/**', 'tools/*.sh'],
        tools: ['./harness/tools/host.ts'],
      },
    },
    { deployment: directory },
  );
  const run = async (command: string) => (await world.exec(command, AGENT)).exitCode;
  expect(await run('echo x >> /harness/AGENTS.md')).toBe(0);
  expect(await run('mkdir -p /harness/skills/a && echo x > /harness/skills/a/SKILL.md')).toBe(0);
  expect(await run('echo x > /harness/tools/own.sh')).toBe(0);
  for (const command of [
    'echo x > /harness/policy.yaml',
    'echo x > /harness/agents/assistant.md',
    'echo x > /harness/tools/host.ts',
    'mv /harness/tools/own.sh /harness/tools/host.ts',
    'mkdir /harness/tools/node_modules',
    'mv /harness/tools /harness/away',
  ])
    expect(await run(command), command).toBe(1);
});

test('C approvals survive a crash: kill -9 of the process that asked, and is answered from another one', async () => {
  const directory = deployment();
  const script = fileURLToPath(new URL('./approvals-crash.ts', import.meta.url));
  const child = spawn(process.execPath, [script, directory], { cwd: ROOT });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  const id = data.toString().trim();
  child.kill('SIGKILL');
  await once(child, 'close');
  const answer = await cli(['approvals', 'allow', id, '--deployment', directory]);
  expect([answer.status, answer.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('allowed once'),
  ]);
  const state = join(directory, '.dirigent');
  const world = testWorld(
    { mounts: { '/mnt/docs': './docs:rw' }, state },
    { deployment: directory },
  );
  expect((await world.exec('printf other >> /mnt/docs/a.md', AGENT)).exitCode).toBe(1);
  expect((await world.exec('printf new >> /mnt/docs/a.md', AGENT)).exitCode).toBe(0);
  expect((await world.exec('printf new >> /mnt/docs/a.md', AGENT)).exitCode).toBe(1);
  expect(readFileSync(join(directory, 'docs', 'a.md'), 'utf8')).toBe('old\nnew');
  expect((await world.exec(`cat /session/approvals/${id}.md`)).stdout).toContain('state: used');
});

test('a hook blocks and redacts, before and after; one that throws blocks', async () => {
  const directory = deployment();
  writeFileSync(
    join(directory, 'hooks.ts'),
    `const text = (data: Uint8Array) => Buffer.from(data).toString();
export default {
  before({ op, path, data }: { op: string; path: string; data?: Uint8Array }) {
    if (path.endsWith('.lock')) return { block: 'lock files are not written' };
    if (path.endsWith('.throw')) throw new Error('no idea');
    if (data !== undefined) return { data: text(data).replaceAll('secret', '[redacted]') };
  },
  after({ op, data }: { op: string; data?: Uint8Array }) {
    if (op === 'read' && data !== undefined) return { data: text(data).replaceAll('old', 'OLD') };
  },
};
`,
  );
  const world = testWorld(
    { hooks: './hooks.ts', mounts: { '/mnt/docs': './docs:rw' } },
    { deployment: directory },
  );
  const blocked = await world.exec('echo x > /workspace/a.lock');
  expect([blocked.exitCode, blocked.stderr]).toEqual([1, expect.stringContaining('lock files')]);
  expect((await world.exec('echo x > /workspace/a.throw')).stderr).toContain('no idea');
  expect(existsSync(join(directory, 'workspace', 'a.lock'))).toBe(false);
  expect((await world.exec('echo a secret > /workspace/f; cat /workspace/f')).stdout).toBe(
    'a [redacted]\n',
  );
  expect((await world.exec('cat /mnt/docs/a.md; grep -r old /mnt/docs')).stdout).toBe('OLD\n');
});

test('the policy of the docs is one that can be used', () => {
  const page = readFileSync(join(ROOT, 'docs', 'policy.md'), 'utf8');
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const policy = parsePolicy(text, 'docs/policy.md');
  expect(policy.rules.map(({ name }) => name)).toEqual([
    'no secrets',
    'no orders from outside',
    'triage',
    'nothing in bulk',
    'destructive',
    'services',
  ]);
});
