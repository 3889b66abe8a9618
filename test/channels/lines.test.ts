/** What somebody decides on in a channel has no line that runs out of its block. */
import { expect, test } from 'vitest';
import type { Approval } from '../../src/policy/approval.ts';
import type { Question } from '../../src/policy/question.ts';
import { questionPosts } from '../../src/serve/channels/questions.ts';
import { askedText } from '../../src/serve/channels/words.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';

/** Three hundred characters, whose end is what matters. */
const words = `${'word '.repeat(58)}THE-END-OF`;
const run = `${'x'.repeat(290)}THE-END-OF`;

/** The longest line of a message; a blank may hang at its end. */
const longest = (text: string): number =>
  Math.max(...text.split('\n').map((line) => [...line.trimEnd()].length));

test('a request for approval is broken where its path, its reason or a line of its patch is long', () => {
  const operation = { op: 'create', path: `/workspace/${run}` };
  const approval = {
    ...{ id: '01', session: '01', digest: 'd', actor: 'ana', people: [], answeredBy: null },
    ...{ ...operation, operations: [operation], origin: 'shell', rule: run, reason: words },
    ...{ change: `--- a\n+++ b\n@@ -0,0 +1 @@\n+${run}\n`, state: 'pending', scope: null },
    ...{ prefix: null, createdAt: 0, answeredAt: null, expiresAt: 1 },
  } as unknown as Approval;
  const text = askedText(approval);
  expect(longest(text)).toBeLessThanOrEqual(100);
  expect(text.replaceAll('\n', '').length).toBeGreaterThan(4 * 300);
});

test('a plan and a choice are broken where their words, an option or a path is long', () => {
  const asked = (form: object): string => {
    const question = {
      ...{ id: '01hzy0000000000000000000aa', session: '01', digest: 'd', actor: 'ana' },
      ...{ state: 'pending', question: words, form, untrusted: [], answer: null },
      ...{ answeredBy: null, createdAt: 0, answeredAt: null, expiresAt: 1, origin: 'shell' },
    } as unknown as Question;
    const decisions = { question: () => question, answerQuestion: () => question };
    const turn = { questions: [question.id] } as unknown as QueuedTurn;
    return questionPosts(turn, 'thread', decisions, () => true)[0]?.draft.text ?? '';
  };
  const plan = asked({
    kind: 'plan',
    scope: { writes: [{ path: `/workspace/${run}`, operations: ['write'] }], tools: [run] },
  });
  const choice = asked({ kind: 'choice', options: [words, 'no'] });
  for (const text of [plan, choice]) expect(longest(text)).toBeLessThanOrEqual(100);
  expect(plan.replaceAll('\n', '').length).toBeGreaterThan(3 * 300);
  expect(choice.replaceAll('\n', '').length).toBeGreaterThan(2 * 300);
});
