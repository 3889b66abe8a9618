/** What keeps a long conversation within the model's window, and what outlives it. */
import { describe, expect, test } from 'vitest';
import { HEADINGS } from '../../src/agent/compaction.ts';
import { redacted } from '../../src/agent/redact.ts';
import { NO_REMINDER, promisesReminder } from '../../src/agent/reminder.ts';
import {
  type ChatRequest,
  calls,
  lastText,
  type Reply,
  says,
  textOf,
} from '../stand-ins/model/index.ts';
import { agentNamed, testAgent } from './support.ts';

const agents = new Map([
  ['assistant', agentNamed('assistant')],
  ['compact', agentNamed('compact', { prompt: 'You summarise.' })],
]);
const instructions = [
  {
    path: '/harness/AGENTS.md',
    text: '# Work\n\nhow\n\n## Session Startup\n\nRead /memory first.\n\n## Style\n\nshort\n\n## Red Lines\n\nNever push.\n',
  },
];

const systemOf = (request: ChatRequest): string => String(request.messages[0]?.content);
const isSummary = (request: ChatRequest): boolean => systemOf(request) === 'You summarise.';
const isFlush = (request: ChatRequest): boolean => systemOf(request).includes('keep the memory');
const last = (request: ChatRequest): string => lastText(request.messages);

/** Each answer is long; a summary repeats the facts `fact-N` that it was given. */
function forgetful(request: ChatRequest): Reply {
  if (isFlush(request))
    return says('- The user likes tea.\nchatter\n- token=ghp_abcdefghijklmnop1234');
  if (isSummary(request)) {
    const facts = [...new Set(last(request).match(/fact-\d+/g))];
    return says(`## Summary\n${facts.join(' ')}\n\n## Decisions\nkey sk-abcdefghijklmnop stays`);
  }
  return says(`noted ${'word '.repeat(8000)}`);
}

/** A window that three or four of those answers fill; 16,384 of it are kept free. */
const long = {
  view: { agents, instructions },
  contextWindow: 60_000,
  config: { mounts: { '/memory': 'mem' } },
};

describe('H compaction', () => {
  test('H compaction twice: the second summary tells what the first one kept, and the log loses nothing', async () => {
    const agent = await testAgent(forgetful, long);
    for (let turn = 1; turn <= 12; turn++) {
      expect((await agent.run(`remember fact-${turn}`)).status).toBe('done');
    }
    const compactions = agent.world.session.entries().filter(({ type }) => type === 'compaction');
    expect(compactions.length).toBeGreaterThanOrEqual(2);
    const sent = agent.model.requests.at(-1)?.messages.map(textOf).join('\n') ?? '';
    for (let turn = 1; turn <= 12; turn++) expect(sent).toMatch(new RegExp(`fact-${turn}\\b`));
    expect(agent.messages().filter(({ role }) => role === 'user')).toHaveLength(12);
    // The last two turns are verbatim, and no system message stands among the messages.
    const users = agent.model.requests.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(users.slice(-2).map(textOf)).toEqual(['remember fact-11', 'remember fact-12']);
    expect(
      agent.model.requests.at(-1)?.messages.filter(({ role }) => role === 'system'),
    ).toHaveLength(1);
  });

  test('H eight headings, no secrets, and the standing sections of AGENTS.md', async () => {
    const agent = await testAgent(forgetful, long);
    for (let turn = 1; turn <= 6; turn++) await agent.run(`remember fact-${turn}`);
    const [compaction] = agent.world.session.entries().filter(({ type }) => type === 'compaction');
    const summary = String(compaction?.['summary']);
    const places = HEADINGS.map((heading) => summary.indexOf(`## ${heading}\n`));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(summary).not.toContain('sk-abc');
    expect(summary).toContain('Read /memory first.');
    expect(summary).toContain('Never push.');
    expect(summary).not.toContain('short');
  });

  test('H before it, durable facts go to /memory by date; nothing of that is in the conversation', async () => {
    const agent = await testAgent(forgetful, {
      ...long,
      now: () => new Date('2026-03-04T05:06:07Z'),
    });
    for (let turn = 1; turn <= 6; turn++) await agent.run(`remember fact-${turn}`);
    const { stdout } = await agent.world.exec('cat /memory/*');
    expect(stdout).toMatch(/^- The user likes tea\.\n- token=\[redacted\]\n/);
    expect((await agent.world.exec('ls /memory')).stdout).toBe('2026-03-04.md\n');
    expect(JSON.stringify(agent.messages())).not.toContain('tea');
  });

  test('H AI SDK 7: a summary is a message of the user, since no system message may stand inside', async () => {
    const agent = await testAgent(forgetful, long);
    for (let turn = 1; turn <= 6; turn++) await agent.run(`remember fact-${turn}`);
    const [system, summary, ...rest] = agent.model.requests.at(-1)?.messages ?? [];
    expect([system?.role, summary?.role]).toEqual(['system', 'user']);
    expect(summary === undefined ? '' : textOf(summary)).toContain('in summary:');
    expect(rest.map(({ role }) => role)).not.toContain('system');
  });

  test('H where it fails, the turn goes on', async () => {
    const agent = await testAgent(
      (request) =>
        isSummary(request) || isFlush(request)
          ? { status: 400, message: 'no' }
          : forgetful(request),
      long,
    );
    for (let turn = 1; turn <= 6; turn++) {
      expect((await agent.run(`remember fact-${turn}`)).status).toBe('done');
    }
    const names = agent.world.session.entries().map((entry) => entry['name']);
    expect(names).toContain('turn/compaction-failed');
  });
});

test('H pruning: an older result of a tool is a stub in the view, and whole in the log', async () => {
  const big = calls(['bash', { command: 'seq 10000 16000' }]);
  const agent = await testAgent((request) =>
    request.messages.filter(({ role }) => role === 'tool').length < 8 ? big : says('done'),
  );
  await agent.run('x');
  const results = agent.model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(textOf(results[0] ?? { role: 'tool', content: '' })).toMatch(
    /^\[pruned \d+ bytes — re-run the tool if you need this output\]$/,
  );
  expect(textOf(results.at(-1) ?? { role: 'tool', content: '' })).toContain('10001\n10002');
  expect(agent.results().every((text) => text.includes('10001\n10002'))).toBe(true);
});

describe('H the reminder guard', () => {
  test('H adds its note, literally, where a promise has nothing behind it', async () => {
    const agent = await testAgent([says('Sure, I will remind you tomorrow.')]);
    const result = await agent.run('remind me');
    expect(result.text.endsWith(NO_REMINDER)).toBe(true);
    expect(NO_REMINDER).toBe(
      'Note: I did not schedule a reminder in this turn, so this will not trigger automatically.',
    );
    expect(agent.messages().at(-1)?.content).toBe(NO_REMINDER);
  });

  test('H says nothing where the schedule holds something, or nothing was promised', async () => {
    const scheduled = await testAgent([says("I'll remind you tomorrow.")], {
      scheduled: async () => ['tomorrow.md'],
    });
    expect((await scheduled.run('x')).text).not.toContain('Note:');
    const silent = await testAgent([says('The reminder in the code is a remainder.')]);
    expect((await silent.run('x')).text).not.toContain('Note:');
  });

  test.each([
    ["I'll ping you when it is done", true],
    ['I’ve set a reminder for Monday', true],
    ['Your reminder is scheduled', true],
    ['I will check back in an hour', true],
    ['You can remind me later', false],
    ['This reminds me of something', false],
  ])('%j promises: %s', (text, promises) => expect(promisesReminder(text)).toBe(promises));
});

test.each([
  'ghp_0123456789abcdefghij',
  'sk-proj-0123456789abcdef',
  'lin_api_0123456789abcdef',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc',
  'password: hunter2hunter2',
  'Authorization: Bearer abcdef0123456789',
])('a secret does not outlive its conversation: %s', (secret) => {
  const value = secret.split(/[ :]+/).at(-1) ?? '';
  expect(redacted(`before ${secret} after`)).not.toContain(value);
  expect(redacted(`before ${secret} after`)).toMatch(/^before .*after$/);
});
