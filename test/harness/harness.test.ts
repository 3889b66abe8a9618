/** The harness: its files, what is in force when, and what cannot be used. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Harness, type HarnessOptions, openHarness } from '../../src/harness/index.ts';
import { defaultHarness } from '../../src/world/plan.ts';
import { temporaryDirectory } from '../world/harness.ts';

const agent = (text: string): string => `---\ndescription: d\n---\n\n${text}\n`;

/** A harness directory with files, old enough to be whole. */
function directory(files: Record<string, string>): string {
  const own = temporaryDirectory();
  for (const [path, text] of Object.entries(files)) put(own, path, text, true);
  return own;
}

function put(own: string, path: string, text: string, old = false): void {
  mkdirSync(dirname(join(own, path)), { recursive: true });
  writeFileSync(join(own, path), text);
  if (old) utimesSync(join(own, path), new Date(0), new Date(Date.now() - 10_000));
}

async function open(own: string | null, more: Partial<HarnessOptions> = {}): Promise<Harness> {
  const harness = await openHarness({ own, defaults: defaultHarness(), ...more });
  onTestFinished(() => harness.close());
  return harness;
}

describe('the files of a deployment', () => {
  test('C filename is identity: a leading _ skips a file, defaults lie underneath', async () => {
    const own = directory({
      'agents/mine.md': agent('mine'),
      'agents/_draft.md': 'broken',
      'agents/assistant.md': agent('not the default'),
      'skills/commit/SKILL.md': '---\ndescription: how to commit\n---\nsteps',
      'prompts/fix.md': 'Fix $1.',
      'tools/count.sh': '#!/bin/bash\n# ---\n# description: counts\n# ---\nwc\n',
    });
    const { agents, skills, prompts, tools, errors, agentsMd } = await (await open(own)).current();
    expect(errors).toEqual([]);
    expect([...agents.keys()].sort()).toEqual(['assistant', 'compact', 'mine', 'researcher']);
    expect(agents.get('assistant')?.prompt).toBe('not the default');
    expect(skills.get('commit')).toMatchObject({ location: '/harness/skills/commit/SKILL.md' });
    expect([prompts.get('fix')?.template, tools.get('count')?.description]).toEqual([
      'Fix $1.',
      'counts',
    ]);
    expect(agentsMd).toContain('Red Lines');
  });

  test('C agents are markdown with frontmatter: a description, a filesystem, a model, tools and skills, with defaults', async () => {
    const own = directory({
      'agents/a.md': agent('a'),
      'agents/b.md': `---
description: b
filesystem: {/workspace: read-write, /memory: append, "*": ro}
model: some/model
tools: {"*": false, read: true}
skills: []
---
b`,
    });
    const { agents } = await (await open(own)).current();
    expect(agents.get('a')).toEqual({
      name: 'a',
      description: 'd',
      filesystem: 'read-write',
      model: 'auto',
      tools: {},
      skills: null,
      prompt: 'a',
    });
    expect(agents.get('b')).toMatchObject({
      filesystem: { '/workspace': 'read-write', '/memory': 'append', '*': 'read-only' },
      model: 'some/model',
      tools: { '*': false, read: true },
      skills: [],
    });
  });

  test.each([
    ['agents/x.md', 'no fields', /must begin with a line/],
    ['agents/x.md', '---\nfilesystem: rw\n---\nx', /description/],
    ['agents/x.md', '---\ndescription: d\nfilesystem: all\n---\nx', /filesystem/],
    ['agents/x.md', '---\ndescription: d\ntool: {}\n---\nx', /tool/],
    ['agents/x.md', '---\ndescription: d\n---\n', /system prompt/],
    ['agents/x y.md', agent('x'), /no name/],
    ['agents/user.md', agent('x'), /the person at the shell/],
    ['skills/x/SKILL.md', '---\nname: y\ndescription: d\n---\nx', /its directory is called x/],
    ['prompts/x.md', '', /empty/],
    ['tools/x.sh', 'echo', /no header/],
    ['tools/x.sh', '# ---\n# description: d\n# input: {type: array}\n# ---\n', /input/],
    ['tools/x.ts', 'export default {}', /harness\.tools/],
    ['policy.yaml', 'sandbox: open', /sandbox/],
  ])(
    'C filename is identity, a broken file is reported: %s that says %j',
    async (path, text, message) => {
      const { agents, errors } = await (await open(directory({ [path]: text }))).current();
      expect(errors).toEqual([{ path, message: expect.stringMatching(message) }]);
      expect(agents.has('assistant')).toBe(true);
    },
  );

  test('a link that leads out of the harness is not read', async () => {
    const own = directory({ 'agents/a.md': agent('a') });
    writeFileSync(join(temporaryDirectory(), 'secret'), agent('secret'));
    const elsewhere = temporaryDirectory();
    put(elsewhere, 'secret.md', agent('secret'), true);
    symlinkSync(join(elsewhere, 'secret.md'), join(own, 'agents', 'b.md'));
    const { agents, errors } = await (await open(own)).current();
    expect([agents.has('b'), errors[0]?.path]).toEqual([false, 'agents/b.md']);
  });

  test('not to copy: agent-written TypeScript is never imported into the host', async () => {
    const mark = join(temporaryDirectory(), 'ran');
    const code = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\n`;
    const own = directory({ 'tools/evil.ts': code, 'tools/evil2.mjs': code });
    const { hostTools, tools, errors } = await (await open(own)).current();
    const found = [...tools.keys()].filter((name) => name.startsWith('evil'));
    expect([hostTools.size, found.length, errors.length]).toEqual([0, 0, 2]);
    expect(existsSync(mark)).toBe(false);
  });

  test("the deployer's tools are modules of the host that the config names, reloaded by the next turn", async () => {
    const module = (text: string) =>
      `export default { description: 'd', input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, execute: ({ n }: { n: number }) => ${text} };\n`;
    const own = directory({ 'tools/double.ts': module('n * 2') });
    const file = join(own, 'tools', 'double.ts');
    const harness = await open(own, { hostTools: [file] });
    const first = (await harness.current()).hostTools.get('double');
    expect(await first?.execute({ n: 4 }, {})).toBe(8);
    expect(first?.input.safeParse({ n: 'x' }).success).toBe(false);
    put(own, 'tools/double.ts', module('n * 2000'));
    const second = (await harness.current()).hostTools.get('double');
    expect(await second?.execute({ n: 4 }, {})).toBe(8000);
    put(own, 'tools/double.ts', 'export default {');
    const { hostTools, errors } = await harness.current();
    expect(await hostTools.get('double')?.execute({ n: 1 }, {})).toBe(2000);
    expect(errors).toMatchObject([{ path: 'tools/double.ts' }]);
  });
});

describe('edits', () => {
  test('C edits are in force on the next turn, never in the middle of one', async () => {
    const own = directory({ 'agents/a.md': agent('one') });
    const harness = await open(own);
    const turn = await harness.current();
    put(own, 'agents/a.md', agent('two'));
    expect(turn.agents.get('a')?.prompt).toBe('one');
    const next = await harness.current();
    expect([next.agents.get('a')?.prompt, next.version]).toEqual(['two', 2]);
    expect(await harness.current()).toBe(next);
  });

  test('C a broken file keeps the last good version in force, is told, and so is its mending', async () => {
    const own = directory({ 'agents/a.md': agent('good') });
    const told: string[] = [];
    const harness = await open(own, { onErrors: (_, text) => void told.push(text) });
    await harness.current();
    put(own, 'agents/a.md', 'broken');
    const deadline = Date.now() + 10_000;
    while (told.length === 0 && Date.now() < deadline) await sleep(20);
    expect(told[0]).toMatch(/^\/harness\/agents\/a\.md: .*\n.*last versions/);
    const next = await harness.current();
    expect([next.agents.get('a')?.prompt, next.errors.length]).toEqual(['good', 1]);
    put(own, 'agents/a.md', agent('mended'));
    expect((await harness.current()).agents.get('a')?.prompt).toBe('mended');
    expect(told.at(-1)).toBe('');
  });

  test('200 in a burst: a turn sees the last one whole, and none half-written', async () => {
    const own = directory({ 'agents/a.md': agent('start') });
    const harness = await open(own);
    const seen = new Set<string | undefined>();
    const text = (index: number) => agent(`edit ${index} ${'x'.repeat(5_000)} end ${index}`);
    const writing = (async () => {
      for (let index = 0; index < 200; index++) {
        const whole = text(index);
        // Half of it, and then the rest, as some editors write.
        writeFileSync(join(own, 'agents', 'a.md'), whole.slice(0, whole.length / 2));
        if (index % 10 === 0) await sleep(1);
        writeFileSync(join(own, 'agents', 'a.md'), whole);
      }
    })();
    await writing;
    seen.add((await harness.current()).agents.get('a')?.prompt);
    expect([...seen]).toEqual([`edit 199 ${'x'.repeat(5_000)} end 199`]);
  });

  test('a half-written file waits for its rest, and a rename takes the old name away', async () => {
    const own = directory({ 'agents/a.md': agent('one'), 'agents/b.md': agent('b') });
    const harness = await open(own);
    await harness.current();
    put(own, 'agents/a.md', '---\ndescrip');
    const taking = harness.current();
    await sleep(15);
    put(own, 'agents/a.md', agent('whole'));
    expect((await taking).agents.get('a')?.prompt).toBe('whole');
    put(own, 'agents/a.md', '---\ndescrip');
    expect((await harness.current()).agents.get('a')?.prompt).toBe('whole');
    renameSync(join(own, 'agents', 'b.md'), join(own, 'agents', 'c.md'));
    const { agents } = await harness.current();
    expect([agents.has('b'), agents.get('c')?.prompt]).toEqual([false, 'b']);
  });

  test('a policy that is taken away stays in force', async () => {
    const own = directory({ 'policy.yaml': 'approval: never\n' });
    const harness = await open(own);
    await harness.current();
    rmSync(join(own, 'policy.yaml'));
    const { policy, errors } = await harness.current();
    expect([policy.text, policy.isDefault]).toEqual(['approval: never\n', false]);
    expect(errors).toMatchObject([{ path: 'policy.yaml' }]);
  });
});

test('the package has no fault in its own harness', async () => {
  const { errors, agents } = await (await open(null)).current();
  expect(errors).toEqual([]);
  expect(agents.get('compact')?.prompt).toContain('## Risks/Concerns');
  expect(readFileSync(join(defaultHarness(), 'AGENTS.md'), 'utf8')).toContain('/harness/proposals');
});
