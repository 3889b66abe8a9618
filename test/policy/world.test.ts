/** The policy of a world, by commands: what is allowed, refused and asked for. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ActingContext, type Answer, type Approval, ConfigError } from '../../entry/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

const AGENT: Partial<ActingContext> = { actor: 'assistant' };

interface Deployment {
  deployment: string;
  docs: string;
}

/** A deployment with a disk mount at /mnt/docs, and a policy. */
function deploy(policy?: string): Deployment {
  const deployment = temporaryDirectory();
  const docs = join(deployment, 'docs');
  mkdirSync(docs);
  writeFileSync(join(docs, 'a.md'), 'old\n');
  if (policy !== undefined) {
    mkdirSync(join(deployment, 'harness'));
    writeFileSync(join(deployment, 'harness', 'policy.yaml'), policy);
  }
  return { deployment, docs };
}

const mounts = { '/mnt/docs': './docs:rw' };

describe('without a policy of its own', () => {
  test('a deployment leaves the person at the shell what the mounts allow', async () => {
    const { deployment, docs } = deploy();
    const world = testWorld({ mounts }, { deployment });
    expect((await world.exec('echo new > /mnt/docs/a.md')).exitCode).toBe(0);
    expect(readFileSync(join(docs, 'a.md'), 'utf8')).toBe('new\n');
  });

  test('an agent writes its workspace, and is asked about the rest', async () => {
    const { deployment, docs } = deploy();
    const world = testWorld({ mounts }, { deployment });
    const run = (command: string) => world.exec(command, { context: AGENT });
    expect((await run('echo x > /workspace/x; rm /workspace/x; echo y > /tmp/y')).exitCode).toBe(0);
    const refused = await run('echo new > /mnt/docs/a.md');
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/policy sandbox workspace asks for approval/);
    const [approval] = await world.approvals.list('pending');
    expect(refused.stderr).toContain(`dirigent approvals allow ${approval?.id}`);
    expect(refused.refused).toMatchObject([{ path: '/mnt/docs/a.md', code: 'EACCES' }]);
    expect(readFileSync(join(docs, 'a.md'), 'utf8')).toBe('old\n');
    expect((await run('cat /mnt/docs/a.md')).stdout).toBe('old\n');
  });
});

describe('with nobody there to ask', () => {
  test('an operation is refused at once; allowed once, it passes once, with that content alone', async () => {
    const { deployment, docs } = deploy('rules: []');
    const world = testWorld({ mounts }, { deployment });
    const run = (command: string) => world.exec(command);
    expect((await run('echo new > /mnt/docs/a.md')).exitCode).toBe(1);
    expect((await run('echo new > /mnt/docs/a.md')).exitCode).toBe(1);
    const pending = await world.approvals.list('pending');
    // Opening the file empties it, which is a write of its own on a disk.
    expect(pending.length).toBe(1);
    for (const { id } of pending) await world.approvals.answer(id, { decision: 'allow' });
    expect((await run('printf other >> /mnt/docs/a.md')).exitCode).toBe(1);
    expect(readFileSync(join(docs, 'a.md'), 'utf8')).toBe('old\n');
  });

  test('C approval is a typed request: an answer for a path, or a prefix, holds for that and for nothing else', async () => {
    const { deployment } = deploy('rules: []');
    mkdirSync(join(deployment, 'other'));
    for (const file of ['docs/b.md', 'docs/c.md', 'other/b.md'])
      writeFileSync(join(deployment, file), 'old\n');
    const world = testWorld({ mounts: { ...mounts, '/mnt/other': './other:rw' } }, { deployment });
    const status = async (command: string) => (await world.exec(command)).exitCode;
    const allow = async (scope: 'path' | 'prefix') => {
      const asked = (await world.approvals.list('pending')).at(-1);
      await world.approvals.answer(asked?.id ?? '', { decision: 'allow', scope });
    };
    expect(await status('printf x >> /mnt/docs/a.md')).toBe(1);
    await allow('path');
    expect(await status('echo 1 > /mnt/docs/a.md; echo 2 >> /mnt/docs/a.md')).toBe(0);
    expect(await status('rm /mnt/docs/a.md')).toBe(1);
    expect(await status('echo 1 >> /mnt/docs/b.md')).toBe(1);
    await allow('prefix');
    expect(await status('echo 1 > /mnt/docs/c.md')).toBe(0);
    expect(await status('echo 1 > /mnt/other/b.md')).toBe(1);
    expect(await status('rm /mnt/docs/c.md')).toBe(1);
    expect(await status('ln -s ../other /mnt/docs/way; echo 1 > /mnt/docs/way/b.md')).toBe(1);
  });

  test('an answer about several operations holds for each on its own path, and below a prefix for the kinds asked for there', async () => {
    const { deployment } = deploy('rules: []');
    mkdirSync(join(deployment, 'docs', 'sub'));
    const world = testWorld({ mounts }, { deployment });
    const status = async (command: string) => (await world.exec(command)).exitCode;
    const allow = async (answer: Partial<Answer>) => {
      const asked = (await world.approvals.list('pending')).at(-1);
      return world.approvals.answer(asked?.id ?? '', { decision: 'allow', ...answer });
    };
    expect(await status('mv /mnt/docs/a.md /mnt/docs/sub/b.md')).toBe(1);
    await allow({ scope: 'path' });
    expect(await status('mv /mnt/docs/a.md /mnt/docs/sub/b.md')).toBe(0);
    // To make what was renamed, or to rename what was made, was not asked for.
    expect(await status('echo x > /mnt/docs/a.md')).toBe(1);
    expect(await status('mv /mnt/docs/sub/b.md /mnt/docs/sub/c.md')).toBe(1);
    await expect(allow({ scope: 'prefix', prefix: '/mnt/docs/other' })).rejects.toThrow(
      ConfigError,
    );
    await allow({ scope: 'prefix', prefix: '/mnt/docs/sub' });
    expect(await status('mv /mnt/docs/sub/b.md /mnt/docs/sub/d.md')).toBe(0);
    expect(await status('mv /mnt/docs/sub/d.md /mnt/docs/e.md')).toBe(1);
    // Who may write a file may not thereby make it one that can be run.
    expect(await status('echo y >> /mnt/docs/sub/d.md')).toBe(1);
    await allow({ scope: 'path' });
    expect(await status('echo y >> /mnt/docs/sub/d.md')).toBe(0);
    expect(await status('chmod 777 /mnt/docs/sub/d.md')).toBe(1);
  });

  test('what the policy denies to read is not shown in a request to change it', async () => {
    const { deployment, docs } = deploy(
      'rules: [{name: secret, decision: deny, op: read, path: /mnt/docs/a.md}]',
    );
    writeFileSync(join(docs, 'a.md'), 'hunter2\n');
    const world = testWorld({ mounts }, { deployment });
    for (const command of [
      'echo new > /mnt/docs/a.md',
      'rm /mnt/docs/a.md',
      'chmod 777 /mnt/docs/a.md',
    ])
      expect((await world.exec(command)).exitCode, command).toBe(1);
    expect(await world.approvals.list('pending')).toHaveLength(3);
    expect((await world.exec('cat /session/approvals/*')).stdout).not.toContain('hunter2');
  });

  test('what was denied is not asked again', async () => {
    const { deployment } = deploy('rules: []');
    const world = testWorld({ mounts }, { deployment });
    await world.exec('rm /mnt/docs/a.md');
    const [asked] = await world.approvals.list('pending');
    await world.approvals.answer(asked?.id ?? '', { decision: 'deny', by: 'ann' });
    const { stderr } = await world.exec('rm /mnt/docs/a.md');
    expect(stderr).toContain(`approval ${asked?.id} was denied by ann`);
    expect(await world.approvals.list('pending')).toEqual([]);
  });
});

describe('with somebody there to ask', () => {
  test('C only the parked call waits, its deadline with it; its siblings go on', async () => {
    const { deployment, docs } = deploy('rules: []');
    const asked: Approval[] = [];
    const parked = Promise.withResolvers<Approval>();
    const world = testWorld(
      { mounts },
      {
        deployment,
        onApproval: (approval) => {
          asked.push(approval);
          if (approval.state === 'pending') parked.resolve(approval);
        },
      },
    );
    const running = world.exec('printf new >> /mnt/docs/a.md; echo then', { timeoutMs: 1_500 });
    const approval = await parked.promise;
    expect(approval).toMatchObject({ op: 'append', path: '/mnt/docs/a.md', actor: 'user' });
    expect(approval.change).toContain('+new');
    await world.fsAs(AGENT).writeFile('/workspace/sibling', 'x');
    expect(await world.fs.readFile(`/session/approvals/${approval.id}.md`)).toContain(
      'state: pending',
    );
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(readFileSync(join(docs, 'a.md'), 'utf8')).toBe('old\n');
    await world.approvals.answer(approval.id, { decision: 'allow' });
    expect(await running).toMatchObject({ exitCode: 0, stdout: 'then\n', stderr: '' });
    expect(readFileSync(join(docs, 'a.md'), 'utf8')).toBe('old\nnew');
    expect(asked.map(({ state }) => state)).toEqual(['pending', 'allowed', 'used']);
    const logged = world.session.entries().filter(({ type }) => type === 'approval');
    expect(logged.map((entry) => (entry['approval'] as Approval).state)).toEqual([
      'pending',
      'allowed',
      'used',
    ]);
  });

  test('one answer is asked for a whole tree, and for a move over mounts', async () => {
    const { deployment, docs } = deploy('rules: []');
    mkdirSync(join(docs, 'sub'));
    for (const name of ['1', '2', '3']) writeFileSync(join(docs, 'sub', name), name);
    const asked: Approval[] = [];
    const world = testWorld(
      { mounts },
      {
        deployment,
        onApproval: (approval, { approvals }) => {
          if (approval.state !== 'pending') return;
          asked.push(approval);
          void approvals.answer(approval.id, { decision: 'allow' });
        },
      },
    );
    expect((await world.exec('mv /mnt/docs/sub /workspace/taken')).stderr).toBe('');
    expect(asked.map(({ op, path }) => `${op} ${path}`)).toEqual(['rename /mnt/docs/sub']);
    expect((await world.exec('cat /workspace/taken/*')).stdout).toBe('123');
    expect(existsSync(join(docs, 'sub'))).toBe(false);
  });

  test('a command that is interrupted while it waits changes nothing, and its request stays', async () => {
    const { deployment, docs } = deploy('rules: []');
    const stop = new AbortController();
    const world = testWorld({ mounts }, { deployment, onApproval: () => stop.abort() });
    const result = await world.exec('rm /mnt/docs/a.md', { signal: stop.signal });
    expect(result.exitCode).toBe(130);
    expect(existsSync(join(docs, 'a.md'))).toBe(true);
    expect(await world.approvals.list('pending')).toHaveLength(1);
  });

  test('a path that leads elsewhere once the answer comes is refused', async () => {
    const { deployment, docs } = deploy(
      'sandbox: full\nrules: [{decision: ask, path: /workspace/d/**}]',
    );
    const world = testWorld(
      { mounts },
      {
        deployment,
        onApproval: async (approval, { fs, approvals }) => {
          if (approval.state !== 'pending') return;
          await fs.mv('/workspace/d', '/workspace/e');
          await fs.symlink('/mnt/docs', '/workspace/d');
          await approvals.answer(approval.id, { decision: 'allow' });
        },
      },
    );
    await world.fs.mkdir('/workspace/d');
    const { stderr, exitCode } = await world.exec('printf x >> /workspace/d/a.md');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('changed while the approval')]);
    expect(readFileSync(join(docs, 'a.md'), 'utf8')).toBe('old\n');
  });
});

describe('reading', () => {
  const policy = `
sandbox: full
rules:
  - name: secrets
    decision: deny
    op: read
    path: ["/workspace/**/.env", "/mnt/docs/secret"]
`;
  test('not to copy: what a rule denies to read is read by no detour, links included', async () => {
    const { deployment, docs } = deploy(policy);
    mkdirSync(join(docs, 'secret'));
    writeFileSync(join(docs, 'secret', 'f'), 'hunter2\n');
    const world = testWorld({ mounts }, { deployment });
    await world.fs.writeFile('/workspace/.env', 'PASSWORD=hunter2\n');
    for (const command of [
      'cat /workspace/.env',
      'ln -s .env /workspace/x; cat /workspace/x',
      'ln /workspace/.env /workspace/y && cat /workspace/y',
      'mv /workspace/.env /workspace/z && cat /workspace/z',
      'cp /workspace/.env /tmp/e && cat /tmp/e',
      'mv /mnt/docs/secret /tmp/s && cat /tmp/s/f',
      'grep -r hunter /workspace /mnt/docs',
      'head -c 100 < /workspace/.env',
      'source /workspace/.env; echo $PASSWORD',
      'tar -cf /tmp/t -C /workspace .env && strings /tmp/t',
      'cp -r /mnt/docs /tmp/copy; cat /tmp/copy/secret/f',
    ]) {
      const result = await world.exec(command);
      expect(result.stdout, command).not.toContain('hunter2');
      expect(
        result.refused.map(({ rule }) => rule),
        command,
      ).toContain('policy secrets');
      expect(result.stderr, command).toContain('policy secrets');
    }
    expect((await world.exec('grep hunter2 /mnt/docs')).stdout).not.toContain('hunter2');
    expect((await world.exec('cat /mnt/docs/a.md; ls -a /workspace')).stdout).toContain('old');
  });
});

describe('a policy that cannot be used', () => {
  test('stops the world before it does anything', async () => {
    const { deployment } = deploy('rules: [{decision: maybe}]');
    const world = testWorld({ mounts }, { deployment });
    const message = /policy\.yaml: the policy is not valid:\n {2}rules\[0\]\.decision/;
    await expect(world.exec('echo x > /workspace/x')).rejects.toThrow(message);
    await expect(world.exec('true')).rejects.toThrow(ConfigError);
    await expect(world.fs.writeFile('/workspace/x', 'x')).rejects.toThrow(message);
  });

  test('leaves the last good one in force when it comes by an edit, and is told', async () => {
    const { deployment } = deploy('approval: never');
    const file = join(deployment, 'harness', 'policy.yaml');
    const told: string[] = [];
    const world = testWorld(
      { mounts },
      { deployment, onHarnessError: ({ message }) => void told.push(message) },
    );
    const allowed = async () => (await world.exec('printf x >> /mnt/docs/a.md')).exitCode === 0;
    expect(await allowed()).toBe(false);
    writeFileSync(file, 'sandbox: f');
    expect(await allowed()).toBe(false);
    expect(told.join()).toContain('sandbox');
    writeFileSync(file, 'sandbox: full\n');
    expect(await allowed()).toBe(true);
  });
});
