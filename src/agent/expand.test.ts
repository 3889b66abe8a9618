/** What a message stands for, what an agent may do on whose behalf, and what a prompt says. */
import { describe, expect, test } from 'vitest';
import type { Verification } from '../citations/verify.ts';
import { PERSON, personAuthor } from '../policy/author.ts';
import type { Entry } from '../session/entry.ts';
import { onBehalfOf, within, without } from './bounds.ts';
import { objectionTo } from './citing.ts';
import { conversationText } from './conversation-text.ts';
import { commandIn, expandPrompt } from './expand.ts';
import type { AgentView, HarnessView, RuleView } from './harness-view.ts';
import { systemPrompt } from './prompt.ts';
import { adoptUnansweredCalls } from './recover.ts';
import { pathsOf, RuleBook } from './rules.ts';
import { StructuredAnswer } from './structured-answer.ts';
import type { AgentTool } from './tool.ts';

const HARNESS = {
  commands: new Map([
    [
      'fix',
      {
        name: 'fix',
        parts: [{ text: 'Fix $1:\n' }, { line: 'git diff' }, { text: '($ARGUMENTS)' }],
      },
    ],
  ]),
} as unknown as HarnessView;
const SKILLS = [
  { name: 'commit', path: '/harness/skills/commit/SKILL.md', body: '\nsteps\n', description: 'd' },
];

describe('a message', () => {
  const expand = async (text: string, result: object = { text: '[$1]' }) => {
    const lines: string[] = [];
    const run = async (line: string) => {
      lines.push(line);
      return result as { text: string };
    };
    return { lines, ...(await expandPrompt(text, HARNESS, SKILLS as never, run as never)) };
  };

  test('brings a skill, with what it is to be applied to', async () => {
    const skill =
      '<skill name="commit" location="/harness/skills/commit/SKILL.md">\nsteps\n</skill>';
    expect((await expand('$commit')).text).toBe(skill);
    expect(await expand('$commit  all of it\nnow ')).toEqual({
      ...{ lines: [], text: `${skill}\n\nall of it\nnow`, untrusted: [], rules: [] },
    });
  });

  test('brings a command, with what its lines print as it is', async () => {
    expect(await expand("/fix a 'b c'")).toEqual({
      lines: [
        expect.stringMatching(/^ARGUMENTS=.*a '?.*b c.* bash -c 'git diff' '?\/fix'? '?a'? 'b c'$/),
      ],
      text: "Fix a:\n[$1](a 'b c')",
      ...{ untrusted: [], rules: [] },
    });
    const marked = await expand('/fix', { text: 'x', untrusted: ['/mnt/t'], rules: ['r'] });
    expect([marked.untrusted, marked.rules]).toEqual([['/mnt/t'], ['r']]);
    expect(marked.text).toMatch(/<untrusted .*\/mnt\/t[\s\S]*x[\s\S]*<\/untrusted/);
  });

  test.each(['/none a', '$none', 'say /fix', '/ fix', '/fix!', '', '$'])(
    'that is %j is left as it is',
    async (text) => {
      expect(await expand(text)).toEqual({ lines: [], text, untrusted: [], rules: [] });
    },
  );

  test('calls a command by its name alone', () => {
    expect(commandIn('/fix x', HARNESS)?.name).toBe('fix');
    for (const text of ['$fix', 'fix', '/none']) expect(commandIn(text, HARNESS)).toBeNull();
  });
});

describe('an agent', () => {
  const agent = (more: Partial<AgentView> = {}) =>
    ({
      name: 'a',
      filesystem: 'read-write',
      skills: null,
      allowsTool: () => true,
      ...more,
    }) as AgentView;
  const plan = (path: string) => ({
    writes: [{ path, operations: ['write' as const] }],
    tools: [],
  });

  test('within another one’s rights has none that either lacks, and acts for all of its people', () => {
    const both = within(
      agent({
        skills: ['x', 'y'],
        tools: [{ b: false }],
        plans: [plan('/1')],
        people: ['bob', 'ann'],
        onBehalfOf: ['r'],
        allowsTool: (name) => name !== 'b',
      }),
      agent({
        skills: ['y', 'z'],
        tools: [{ a: false }],
        plans: [plan('/2')],
        people: ['ann'],
        onBehalfOf: ['q'],
        filesystem: 'read-only',
        allowsTool: (name) => name !== 'a',
      }),
    );
    expect(both).toMatchObject({
      name: 'a',
      skills: ['y'],
      filesystem: 'read-only',
      tools: [{ a: false }, { b: false }],
    });
    expect([both.plans, both.people, both.onBehalfOf]).toEqual([
      [plan('/2'), plan('/1')],
      ['ann', 'bob'],
      ['q', 'r'],
    ]);
    expect(['a', 'b', 'c'].map((name) => both.allowsTool(name))).toEqual([false, false, true]);
    expect(within(agent({ skills: ['x'] }), agent()).skills).toEqual(['x']);
    expect(within(agent(), agent({ skills: ['x'] })).skills).toEqual(['x']);
    const plain = within(agent(), agent());
    expect([plain.skills, plain.tools, plain.plans, plain.people, plain.onBehalfOf]).toEqual([
      null,
      [],
      [],
      [],
      [],
    ]);
  });

  test('does what somebody wrote within what they may do; a person is asked by nobody’s rules', () => {
    const acting = onBehalfOf(agent(), {
      ...{ actors: ['user', 'reader'], people: ['ann'] },
      rights: { filesystem: 'append', tools: [{ bash: false }], skills: [] },
    });
    expect(acting).toMatchObject({
      onBehalfOf: ['reader'],
      people: ['ann'],
      filesystem: 'append',
      skills: [],
    });
    expect(['bash', 'read'].map((name) => acting.allowsTool(name))).toEqual([false, true]);
    expect(onBehalfOf(agent(), PERSON)).toMatchObject({
      onBehalfOf: [],
      people: [],
      filesystem: 'read-write',
    });
    expect(onBehalfOf(agent(), personAuthor('ann')).onBehalfOf).toEqual(['ann']);
  });

  test('without some of its tools has the others', () => {
    const less = without(agent({ tools: [{ a: false }], allowsTool: (name) => name !== 'a' }), {
      'web_*': false,
    });
    expect(less.tools).toEqual([{ a: false }, { 'web_*': false }]);
    expect(['a', 'web_get', 'read'].map((name) => less.allowsTool(name))).toEqual([
      false,
      false,
      true,
    ]);
    expect(without(agent(), { b: false }).tools).toEqual([{ b: false }]);
  });
});

describe('a system prompt', () => {
  const environment = {
    agent: 'a',
    cwd: '/workspace',
    mounts: ['/mnt/x', '/mnt/y'],
    session: 's',
    now: new Date('2026-01-02T03:00Z'),
  };
  const tool = (name: string, more = {}) =>
    ({ name, description: 'Does it. And more.', ...more }) as unknown as AgentTool;
  const parts = {
    base: ' Be.\n',
    tools: [],
    instructions: [],
    skills: SKILLS as never,
    environment,
  };

  test('has the agent’s text, its tools, what they call for, the instructions, the skills, and where it is', () => {
    const prompt = systemPrompt({
      ...parts,
      tools: [tool('bash', { guideline: 'Use it.' }), tool('x', { description: 'No end' })],
      instructions: [{ path: '/workspace/AGENTS.md', text: '\nObey.\n' }],
    });
    expect(prompt.split('\n\n')).toEqual([
      ...['Be.', '# Tools', '- bash: Does it.\n- x: No end', '# Guidelines', '- Use it.'],
      '<instructions from="/workspace/AGENTS.md">\nObey.\n</instructions>',
      ...[
        '# Skills',
        'Read a skill before you do what it is about.',
        '- commit: d (/harness/skills/commit/SKILL.md)',
      ],
      '# Environment',
      'You are the agent "a", in session s.\nThe date is 2026-01-02 (UTC).\nThe current directory is /workspace.\nMounted: /mnt/x, /mnt/y.',
    ]);
  });

  test('says nothing of what there is not, nor of skills that cannot be read', () => {
    const bare = systemPrompt({ ...parts, environment: { ...environment, mounts: [] } });
    expect(bare).toMatch(/^Be\.\n\n# Environment\n/);
    expect(bare).not.toContain('Mounted');
    for (const [name, has] of [
      ['read', true],
      ['bash', true],
      ['skill', true],
      ['write', false],
    ] as const)
      expect(systemPrompt({ ...parts, tools: [tool(name)] }).includes('# Skills')).toBe(has);
    expect(systemPrompt({ ...parts, tools: [tool('read')], skills: [] })).not.toContain('# Skills');
  });
});

describe('a rule', () => {
  const rule = (name: string, paths: string[] | null = ['/a/**']) =>
    ({ name, paths, path: `/harness/rules/${name}.md`, text: `${name}!` }) as RuleView;

  test('is told once, and again when it stands in the view no more', () => {
    const view = { messages: [] as unknown[] };
    const book = new RuleBook([rule('one'), rule('two')], { view: () => view as never });
    const told = book.tell(['one', 'none', 'two']);
    expect(told).toMatch(
      /^\n\n<rule from="\/harness\/rules\/one\.md" mark="([0-9a-f]{16})">\none!\n<\/rule mark="\1">\n\n<rule from="\/harness\/rules\/two\.md"/,
    );
    view.messages = [{ role: 'tool', content: told }];
    expect(book.tell(['one', 'two'])).toBe('');
    view.messages = [];
    expect(book.tell(['two'])).toContain('two!');
    expect([book.tell(['none']), book.tell([])]).toEqual(['', '']);
    expect(pathsOf([rule('one'), rule('all', null)])).toEqual([{ name: 'one', paths: ['/a/**'] }]);
  });
});

describe('after a kill', () => {
  const adopted = (...entries: object[]) => {
    const appended: unknown[] = [];
    adoptUnansweredCalls({
      context: () => entries as Entry[],
      appendLater: (entry: unknown) => void appended.push(entry),
    } as never);
    return appended;
  };
  const begun = (callId: string, input: unknown = { a: 1 }) => ({
    type: 'custom',
    name: 'turn/call',
    data: { callId, name: 'bash', input },
  });
  const message = (...ids: string[]) => ({
    type: 'message',
    message: {
      role: 'assistant',
      content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId })),
    },
  });

  test('a call that had begun, and whose answer is not in the log, is put there', () => {
    const call = (toolCallId: string, input: unknown) => ({
      type: 'tool-call',
      toolCallId,
      toolName: 'bash',
      input,
    });
    expect(
      adopted(begun('0'), message('1'), begun('1'), begun('2'), begun('3', 'x'), {
        type: 'custom',
        name: 'other',
        data: {},
      }),
    ).toEqual([
      {
        type: 'message',
        message: { role: 'assistant', content: [call('2', { a: 1 }), call('3', {})] },
      },
    ]);
    expect(adopted(begun('4', null))).toEqual([
      expect.objectContaining({ message: { role: 'assistant', content: [call('4', {})] } }),
    ]);
  });

  test('nothing is put there where nothing is lost', () => {
    for (const entries of [
      [],
      [begun('1'), message('1')],
      [message('1'), begun('1')],
      [{ type: 'message', message: { content: 'x' } }],
    ])
      expect(adopted(...entries)).toEqual([]);
  });
});

describe('an answer by a schema', () => {
  const answer = () =>
    new StructuredAnswer({
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
    });

  test('is one JSON value that fits, in a fence or not', () => {
    for (const text of ['{"n":1}', ' {"n": 1}\n', '```json\n{"n":1}\n```', '```\n{"n":1}\n```\n']) {
      expect(answer().objectionTo(text)).toBeNull();
      expect(answer().outcomeOf('reader', text)).toEqual({ text: '{"n":1}' });
    }
    expect(answer().request).toContain('"required":["n"]');
  });

  test.each([
    ['{"n":"x"}', '- n: '],
    ['{}', '- n: '],
    ['7', '- the value: '],
    ['It is 7.', '- it is no JSON: '],
    ['```json\n{"n":1}\n``` So.', '- it is no JSON: '],
    [`"${'x'.repeat(32_000)}"`, '- it has 32002 characters, and may have 32000'],
  ])('%# that does not fit is told why, and asked for again', (text, fault) => {
    expect(answer().objectionTo(text)).toMatch(
      new RegExp(`^Your last message does not fit:\n${fault}`),
    );
    expect(answer().outcomeOf('reader', text)).toEqual({
      text: expect.stringContaining(`reader does not fit the schema:\n${fault}`),
      failed: true,
    });
  });

  test('has ten faults told at most; a schema that cannot be used is a fault', () => {
    const array = new StructuredAnswer({ type: 'array', items: { type: 'number' } });
    const words = JSON.stringify(Array(12).fill('x'));
    expect(array.objectionTo(words)?.match(/^- /gm)).toHaveLength(10);
    expect(array.objectionTo(JSON.stringify(Array(32_000 / 2 - 1).fill(7)))).toBeNull();
    expect(() => new StructuredAnswer({ type: 'nothing' })).toThrow('schema: ');
  });
});

test('a conversation as one text has its calls and results, and the two ends of what is long', () => {
  const result = (value: string) => ({
    type: 'tool-result',
    toolCallId: 'c',
    toolName: 'bash',
    output: { type: 'text', value },
  });
  expect(
    conversationText([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'well' },
          { type: 'tool-call', toolCallId: 'c', toolName: 'bash', input: { command: 'ls' } },
        ],
      },
      { role: 'tool', content: [result('a')] },
      { role: 'user', content: [{ type: 'image', image: 'x' }] },
    ] as never),
  ).toBe(
    'user: hi\n\nassistant: well\n[call bash] {"command":"ls"}\n\ntool: [result of bash] a\n\nuser: [image]',
  );
  const long = (length: number) =>
    conversationText([{ role: 'tool', content: [result('x'.repeat(length))] }] as never);
  expect([long(2_000).includes('left out'), long(2_001).includes('left out')]).toEqual([
    false,
    true,
  ]);
});

test('of an answer whose citations do not hold it is told which, and in nobody’s words but its own', () => {
  const citation = (verdict: string, more = {}) => ({
    path: '/a.md',
    place: '3',
    quotes: [' words '],
    verdict,
    fault: 'line 3 says something else',
    ...more,
  });
  const of = (...citations: object[]) => objectionTo({ citations } as unknown as Verification);
  expect(of()).toContain('has no citation');
  expect(of(citation('true'))).toBeNull();
  const said = of(citation('true'), citation('false'));
  expect(said?.match(/^- .*$/gm)).toEqual([
    expect.stringMatching(/\/a\.md.*3.* "words": line 3 says something else$/),
  ]);
});
