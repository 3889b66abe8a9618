/** What the command line does with files keeps what is known of them: whose text they hold. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorld, type World } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { cli } from '../cli/run-cli.ts';
import { says, startModel } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { run } from './channels.ts';

const FROM = ['/mnt/svc'];

const SERVICE = `const FILE = Buffer.from('text of the service\\n');
const stat = (path) => ({ type: path === '/' ? 'directory' : 'file', mode: 0o644, size: FILE.length, mtime: new Date(0) });
export default () => ({
  kind: 'notes', searchable: false, hasLinks: () => false,
  lstat: async (path) => stat(path),
  readdir: async () => [{ name: 'a', type: 'file' }],
  read: async () => FILE,
});
`;

/** A deployment with a service of one file, as the command line finds it. */
function deployed() {
  const deployment = temporaryDirectory();
  for (const name of ['harness', 'workspace']) mkdirSync(join(deployment, name));
  const config = {
    mounts: { '/mnt/svc': 'module:./svc.mjs' },
    harness: { mode: 'rw' },
    search: { background: false },
  } as const;
  const put = (path: string, text: string) => writeFileSync(join(deployment, path), text);
  put('dirigent.config.mjs', `export default ${JSON.stringify(config)};\n`);
  put('svc.mjs', SERVICE);
  put('harness/policy.yaml', 'sandbox: full\nrules: [{name: rest, decision: allow}]\n');
  const open = (session?: string): World => {
    const which = session === undefined ? {} : { session };
    const world = createWorld(config as never, { deployment, ...which });
    onTestFinished(() => world.close());
    return world;
  };
  /** A command line about the deployment; gives stdout. */
  const dirigent = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, status } = await cli([...args, '--deployment', deployment]);
    expect(status, `${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout.toString();
  };
  return { deployment, open, dirigent };
}

/** What the model is sent as its system prompt. */
async function systemPrompt(world: World, base: string): Promise<string> {
  const model = await startModel(() => says('ok'));
  onTestFinished(() => model.close());
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/x' };
  const agent = await openAgent(world, { base, env }, {});
  await agent.run({ prompt: 'x' });
  await agent.close();
  return String(model.requests.at(-1)?.messages[0]?.content);
}

test('a marked file of the harness is in force once a person has accepted a proposal for it; one that is marked again is not', async () => {
  const { deployment, open, dirigent } = deployed();
  const first = open();
  const write = 'cat /mnt/svc/a > /dev/null; mkdir -p /harness/proposals';
  // Both are an agent's that has read the service: the file, and what it proposes for it.
  await run(
    first,
    `${write}; echo "not looked at" > /harness/AGENTS.md; echo "rule one" > /harness/proposals/AGENTS.md`,
    true,
  );
  expect(await systemPrompt(first, deployment)).not.toContain('not looked at');
  await first.close();
  await dirigent('harness', 'diff');
  expect(await dirigent('harness', 'accept', 'AGENTS.md')).toBe('AGENTS.md accepted\n');
  const world = open();
  expect(await systemPrompt(world, deployment)).toContain('rule one');
  expect((await run(world, 'cat /harness/AGENTS.md', true)).origins).toEqual([]);
  await run(world, 'cat /mnt/svc/a > /dev/null; echo "rule two" > /harness/AGENTS.md', true);
  expect(await systemPrompt(world, deployment)).not.toContain('rule two');
});

test('a proposal that was rejected leaves the mark on the file that it was for', async () => {
  const { deployment, open, dirigent } = deployed();
  const world = open();
  await run(
    world,
    'cat /mnt/svc/a > /dev/null; echo "not looked at" > /harness/AGENTS.md; echo x > /harness/proposals/AGENTS.md',
    true,
  );
  await dirigent('harness', 'diff');
  expect(await dirigent('harness', 'reject', 'AGENTS.md')).toBe('AGENTS.md rejected\n');
  expect((await run(world, 'cat /harness/AGENTS.md', true)).origins).toEqual(FROM);
  expect(await systemPrompt(world, deployment)).not.toContain('not looked at');
});

test.each([
  { of: 'a session whose /workspace is a directory', forked: false },
  { of: 'a fork, whose /workspace is in memory', forked: true },
])(
  'files that `session fork --in-place` takes back have the marks again that they had: $of',
  async ({ forked }) => {
    const { open, dirigent } = deployed();
    const parent = open();
    await run(parent, 'echo x > clean', true);
    const { leaf, id: parentId } = parent.session;
    await parent.close();
    const fork = ['session', 'fork', '--session', parentId, '--at', leaf ?? ''];
    const id = forked ? (await dirigent(...fork)).trim() : parentId;
    const before = open(id);
    await run(
      before,
      'cat /mnt/svc/a > text; mkdir names; echo x > "names/$(cat /mnt/svc/a)"',
      true,
    );
    const at = before.session.leaf ?? '';
    await run(before, 'echo mine > text; rm -r names; echo mine > later', true);
    expect((await run(before, 'cat text', true)).origins).toEqual([]);
    await before.close();
    await dirigent('session', 'fork', '--session', id, '--at', at, '--in-place');
    // In the session itself, and in any other that has the same directory.
    for (const session of forked ? [id] : [id, undefined]) {
      const world = open(session);
      expect((await run(world, 'cat text', true)).stdout).toContain('service');
      for (const look of ['cat text', 'ls names'])
        expect.soft((await run(world, look, true)).origins, look).toEqual(FROM);
      expect.soft((await run(world, 'cat clean', true)).origins).toEqual([]);
      await world.close();
    }
  },
);
