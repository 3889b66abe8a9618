/** Who acts in a world, under which policy; and that a plain world loads nothing for it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import type { Change } from '../changes/index.ts';
import { MemoryMount } from '../memory-tree/mount.ts';
import { MountTable } from '../namespace/table.ts';
import type { PartSpec } from '../parts/config.ts';
import { PERSON } from '../policy/author.ts';
import { contextOf, copiedFrom, NETWORK } from '../policy/context.ts';
import type { ToolCallFacts } from '../policy/gate.ts';
import { UntrustedMarks } from '../policy/marks.ts';
import { nobodyYet, Policing, type PolicingOptions } from './policing.ts';
import type { JournalStep } from './protocol.ts';

const DENY = `sandbox: full
approval: never
rules:
  - { name: no tools, decision: deny, tool: deploy }
`;
const source = (text: string, isDefault = false) => ({ file: 'policy.yaml', text, isDefault });

/** A world's policing, with /w in memory and `outside`, of which the text comes from outside. */
function policing(more: Partial<PolicingOptions> = {}, outside = false) {
  const table = new MountTable();
  for (const point of outside ? ['/w', '/outside'] : ['/w'])
    table.attach({ point, mount: new MemoryMount(), access: { mode: 'rw' }, searchable: false });
  const directory = temporaryDirectory();
  const steps: JournalStep[] = [];
  const parked: number[] = [];
  const file = join(directory, 'changes.sqlite');
  const of = new Policing({
    table,
    policy: source(DENY, true),
    hooks: null,
    session: '01session',
    journal: ':memory:',
    marks: { file, session: '01session', ancestors: [], workspace: null },
    onStep: (step) => steps.push(step),
    onParked: (waiting) => parked.push(waiting),
    isOutside: (point) => point === '/outside',
    network: false,
    change: () => null,
    pointOf: (mount) => `/mnt/${mount}`,
    ...more,
  });
  onTestFinished(() => of.close());
  const keeper = of.keeperOf(nobodyYet('shell'));
  return { of, steps, parked, keeper, file };
}

const tool = (name: string): ToolCallFacts =>
  ({ name, host: false, readOnly: false, input: '{}' }) as ToolCallFacts;

describe('what there is to go by', () => {
  test('is the modes of the mounts alone in a plain world', async () => {
    const { of, keeper } = policing();
    await of.prepare(contextOf());
    expect(keeper()).toBeNull();
    expect(await of.permitTool({ context: contextOf() }, tool('deploy'))).toEqual({
      decision: 'allow',
      rule: '',
      reason: '',
    });
    expect(of.author()).toEqual(PERSON);
    // Nobody keeps anything of it.
    of.noteNetwork({ context: contextOf() }, 'https://h/');
    of.stepped({ id: '1', mount: 't' } as Change, '/mnt/t');
    await of.note(contextOf());
    expect(keeper()).toBeNull();
  });

  test.each([
    ['an agent', { actor: 'assistant' }],
    ['files that may only be read', { filesystem: 'read-only' as const }],
    ['a plan', { plans: [] }],
    ['text of a service in view', { untrustedRead: true }],
  ])('is more for %s', async (_, who) => {
    const { of, keeper } = policing();
    await of.prepare(contextOf(who));
    expect(keeper()).not.toBeNull();
    expect(keeper()).toBe(keeper());
  });

  test('is more with a policy, with mounts from outside, with the network, and with files that are marked', async () => {
    for (const { of, keeper } of [
      policing({ policy: source(DENY) }),
      policing({}, true),
      policing({ network: true }),
    ]) {
      await of.prepare(contextOf());
      expect(keeper()).not.toBeNull();
    }
    const marked = policing();
    const marks = new UntrustedMarks({
      file: marked.file,
      session: '01session',
      ancestors: [],
      workspace: null,
    });
    marks.mark({ scope: '01session', path: '/w/a' }, 'text', ['/mnt/t']);
    marks.close();
    await marked.of.prepare(contextOf());
    expect(marked.keeper()).not.toBeNull();
    // Once there is more, it stays.
    const { of, keeper } = policing();
    await of.prepare(contextOf({ actor: 'assistant' }));
    await of.prepare(contextOf());
    expect(keeper()).not.toBeNull();
  });

  test('is the deployment’s engine, where it has one', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'engine.mjs');
    writeFileSync(
      file,
      `export default () => ({ decide: (facts) => ({ decision: 'deny', reason: 'the engine says no' }) });\n`,
    );
    const engine: PartSpec = {
      name: 'policy',
      module: './engine.mjs',
      file,
      directory,
      options: {},
      env: {},
    };
    const { of, keeper } = policing({ engine });
    await of.prepare(contextOf());
    expect(keeper()).not.toBeNull();
    const gone = { ...engine, file: join(directory, 'none.mjs') };
    await expect(policing({ engine: gone }).of.prepare(contextOf())).rejects.toThrow();
  });
});

describe('a policy', () => {
  const agent = { context: contextOf({ actor: 'assistant', origin: 'tool' }) };
  test('binds calls of tools, another one from when it is put in force', async () => {
    const { of } = policing({ policy: source(DENY) });
    expect(await of.permitTool(agent, tool('deploy'))).toMatchObject({
      decision: 'deny',
      rule: expect.stringContaining('no tools'),
    });
    expect((await of.permitTool(agent, tool('look'))).decision).not.toBe('deny');
    await of.use(source('sandbox: full\napproval: never\nrules: []\n'));
    expect((await of.permitTool(agent, tool('deploy'))).decision).not.toBe('deny');
    await expect(of.use(source('rules: 1\n'))).rejects.toThrow('policy.yaml');
    expect((await of.permitTool(agent, tool('deploy'))).decision).not.toBe('deny');
  });

  test('of the package binds agents, and not the person at the shell', async () => {
    const { of } = policing({ network: true });
    expect((await of.permitTool({ context: contextOf() }, tool('deploy'))).decision).toBe('allow');
    expect((await of.permitTool(agent, tool('deploy'))).decision).toBe('deny');
  });

  test('that cannot be read lets nobody act', async () => {
    const { of } = policing({ policy: source('rules: 1\n') });
    await expect(of.prepare(contextOf())).rejects.toThrow('policy.yaml');
    await expect(of.permitTool(agent, tool('look'))).rejects.toThrow('policy.yaml');
  });
});

describe('what people are asked', () => {
  test('is kept in one journal, and each step is told', async () => {
    const { of, steps } = policing();
    const approvals = await of.approvals();
    expect(await of.approvals()).toBe(approvals);
    const questions = await of.questions();
    expect(await of.questions()).toBe(questions);
    const draft = { question: 'Which?', form: { kind: 'text' as const }, untrusted: [] };
    const asked = await of.ask({ context: contextOf({ attended: false, actor: 'a' }) }, draft);
    expect(asked).toMatchObject({ question: 'Which?', session: '01session', actor: 'a' });
    expect(steps).toEqual([
      expect.objectContaining({
        type: 'question',
        question: expect.objectContaining({ id: asked.id }),
      }),
    ]);
    expect(questions.list().map(({ id }) => id)).toEqual([asked.id]);
  });

  test('is told while it waits, and no more when it is answered', async () => {
    const { of, parked, steps } = policing({
      policy: source(
        'sandbox: full\napproval: ask\nrules:\n  - { name: ask, decision: ask, tool: deploy }\n',
      ),
    });
    const acting = { context: contextOf({ actor: 'assistant', origin: 'tool', attended: true }) };
    const decision = of.permitTool(acting, tool('deploy'));
    await expect.poll(() => steps).toHaveLength(1);
    expect(parked).toEqual([1]);
    const journal = await of.approvals();
    const [asked] = journal.list();
    journal.answer(asked?.id ?? '', { decision: 'allow', by: 'ana' });
    expect((await decision).decision).toBe('allow');
    expect(parked).toEqual([1, 0]);
  });
});

test('what was read comes from the services that are outside, and from where it was copied', () => {
  const { of } = policing({}, true);
  expect(of.originsOf(['/w', '/outside', NETWORK, copiedFrom('/mnt/t')])).toEqual([
    '/outside',
    NETWORK,
    '/mnt/t',
  ]);
  expect(of.originsOf([])).toEqual([]);
});
