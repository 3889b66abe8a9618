/**
 * What a harness must do, line by line (C: the core of the sandbox, H: the loop
 * around it), and where each line is tested: its words begin the name of a test
 * there. Then the jobs of a harness, each a file, and what others got wrong.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './cli/run-cli.ts';

/** The line, and the files whose tests bear its words. */
const LINES: readonly [line: string, ...files: string[]][] = [
  // The files of a deployment.
  ['C filename is identity', 'test/harness/harness.test.ts'],
  ['C agents are markdown with frontmatter', 'test/harness/harness.test.ts'],
  ['C the deployer chooses', 'test/policy/settings.test.ts'],
  ['C edits are in force on the next turn', 'test/harness/harness.test.ts'],
  ['C a broken file keeps the last good version', 'test/harness/harness.test.ts'],
  ['H prompt order', 'test/agent/prompt.test.ts'],
  ['H AGENTS.md', 'test/agent/labels.test.ts'],
  ["H a caller's own system prompt is used verbatim", 'test/agent/prompt.test.ts'],
  ['H $skill and /template', 'test/agent/prompt.test.ts'],
  ['H an unknown name stays untouched', 'test/agent/prompt.test.ts'],
  // The loop.
  ['H MAX_STEPS 100', 'test/agent/turn.test.ts'],
  ['H a tool runs when its call arrives', 'test/agent/turn.test.ts'],
  [
    'H a finish reason is not to be trusted',
    'test/agent/turn.test.ts',
    'test/session/views.test.ts',
  ],
  ['H no toolChoice', 'test/agent/turn.test.ts'],
  ['H four kinds of failure of a tool', 'test/agent/turn.test.ts'],
  ['H an error of the model ends the turn', 'test/agent/turn.test.ts'],
  ['H AI SDK 7', 'test/agent/models.test.ts', 'test/agent/context.test.ts'],
  // Context.
  ['H pruning', 'test/agent/context.test.ts', 'test/session/views.test.ts'],
  ['H compaction', 'test/agent/context.test.ts', 'test/session/views.test.ts'],
  ['H eight headings', 'test/agent/context.test.ts'],
  // Session.
  [
    'C JSONL',
    'test/session/log.test.ts',
    'test/session/schema.test.ts',
    'test/session/verify.test.ts',
  ],
  // Policy.
  ['C one gate', 'test/attacks/attacks.test.ts', 'test/policy/doors.test.ts'],
  ['C first match wins', 'src/policy/rules.test.ts'],
  ['C no match asks', 'src/policy/rules.test.ts'],
  ['C fail closed', 'test/policy/closed.test.ts'],
  ['C approval is a typed request', 'test/policy/world.test.ts'],
  ['C only the parked call waits', 'test/policy/world.test.ts', 'test/agent/turn.test.ts'],
  ['C approvals survive a crash', 'test/policy/settings.test.ts'],
  ['C sandbox mode and approval policy are two independent settings', 'src/policy/rules.test.ts'],
  [
    'C a sub-agent’s rights are the intersection',
    'src/policy/rights.test.ts',
    'test/agent/tools.test.ts',
  ],
  ['H the reminder guard', 'test/agent/context.test.ts'],
  // What others got wrong.
  ['not to copy: `$(…)`', 'test/harness/tools.test.ts'],
  ['not to copy: edit puts the new text in to the letter', 'test/agent/tools.test.ts'],
  [
    'not to copy: what a rule denies to read is read by no detour, links included',
    'test/policy/world.test.ts',
  ],
  ['not to copy: agent-written TypeScript is never imported', 'test/harness/harness.test.ts'],
  ['not to copy, frontmatter promises', 'test/agent/frontmatter.test.ts'],
  ['C JSONL, not to copy: a write cut', 'test/session/log.test.ts'],
  ['C JSONL, not to copy, one writer', 'test/session/log.test.ts'],
  ['C JSONL, not to copy: a broken line in the middle', 'test/session/verify.test.ts'],
  ['C JSONL, not to copy: an append writes its own line', 'test/session/log.test.ts'],
];

/** The jobs of a harness. */
const JOBS: Readonly<Record<string, string>> = {
  'accept and persist a turn': 'agent/turn.ts',
  credentials: 'agent/providers.ts',
  'model catalogue': 'agent/models.ts',
  'turn state': 'agent/transcript.ts',
  skills: 'agent/tools/skill.ts',
  'system prompt': 'agent/prompt.ts',
  'token stream': 'agent/answer.ts',
  'policy check': 'policy/gate.ts',
  approvals: 'policy/approvals.ts',
  budgets: 'agent/budget.ts',
  hooks: 'policy/hooks.ts',
  'session tree': 'session/tree.ts',
  compaction: 'agent/compaction.ts',
  'event stream': 'session/events.ts',
  'one OpenTelemetry trace': 'agent/trace.ts',
};

/** The names of the tests of a file, as far as they are written out. */
function namesIn(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [
    ...text.matchAll(/(?:test|describe|\))(?:\.each\S*)?\(\s*(['"`])([\s\S]*?)(?<!\\)\1/g),
  ].map(([, , name = '']) => name);
}

test.each(LINES)('there is a test called "%s"', (line, ...files) => {
  for (const file of files) {
    const names = namesIn(file);
    expect(names.length, file).toBeGreaterThan(0);
    expect(
      names.some((name) => name.startsWith(line)),
      `${file}: ${names.join('\n')}`,
    ).toBe(true);
  }
});

test.each(Object.entries(JOBS))('%s is a file, src/%s, that says what it does', (_, file) => {
  expect(readFileSync(join(ROOT, 'src', file), 'utf8')).toMatch(/^(?:import [^;]+;\n)*\n?\/\*\*/);
});
