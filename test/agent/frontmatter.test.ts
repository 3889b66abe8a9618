/** Each field of an agent's file binds the agent: nothing is promised that the code does not keep. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openAgent } from '../../src/agent/open-agent.ts';
import { calls, says, textOf } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testModel } from './support.ts';

const NARROW = `---
description: does little
filesystem: {/workspace: append, "*": read-only}
model: openai/small
tools: {"*": false, bash: true, "re*": true, greet: true}
skills: [commit]
---
You are narrow.
`;

const GREET = '#!/bin/bash\n# ---\n# description: greets\n# ---\necho hello\n';

test('not to copy, frontmatter promises: model, tools, skills and filesystem of an agent all hold', async () => {
  const deployment = temporaryDirectory();
  const put = (path: string, text: string): void => {
    const file = join(deployment, 'harness', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  };
  put('agents/narrow.md', NARROW);
  put('skills/commit/SKILL.md', '---\ndescription: how to commit\n---\nsteps of a commit\n');
  put('skills/release/SKILL.md', '---\ndescription: how to release\n---\nsteps\n');
  put('tools/greet.sh', GREET);
  put('tools/shout.sh', GREET);
  const world = testWorld({ mounts: { '/memory': 'mem' } }, { deployment });
  await world.exec('echo old > /workspace/old');
  const model = await testModel(({ messages }, index) =>
    index === 0
      ? calls(
          ['bash', { command: 'echo new > /workspace/new; echo more >> /workspace/old' }],
          ['bash', { command: 'rm /workspace/old' }],
          ['bash', { command: 'echo x > /memory/x' }],
          ['write', { path: '/workspace/w', content: 'x' }],
          ['shout', {}],
          ['greet', {}],
        )
      : says(messages.length > 0 ? 'done' : ''),
  );
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/big' };
  const agent = await openAgent(world, { base: deployment, env });
  onTestFinished(() => agent.close());
  const { status } = await agent.run({ prompt: '$release now', agent: 'narrow' });
  expect(status).toBe('done');
  const [first, second] = model.requests;
  expect(first?.model).toBe('small');
  expect(first?.tools?.map((tool) => tool.function.name).sort()).toEqual([
    ...['bash', 'greet', 'read'],
    // One of the package's own, by the same glob.
    'recent',
  ]);
  const [system, prompt] = (first?.messages ?? []).map(textOf);
  expect(system).toMatch(/^You are narrow\./);
  expect(system).toContain('commit: how to commit');
  expect(system).not.toContain('release');
  // A skill that it has not is no skill to it.
  expect(prompt).toBe('$release now');
  const results = (second?.messages ?? []).filter(({ role }) => role === 'tool').map(textOf);
  expect(results[0]).toBe('[no output]');
  expect(results[1]).toContain('filesystem of agent narrow: /workspace/old is append for it');
  expect(results[2]).toContain('filesystem of agent narrow: /memory/x is read-only for it');
  expect(results[3]).toMatch(/there is no tool .{1,2}write/);
  expect(results[4]).toMatch(/there is no tool .{1,2}shout/);
  expect(results[5]).toBe('hello');
});
