/** What tests of the door for MCP share. */
import type { Approval } from '../../policy/approval.ts';
import type { Question } from '../../policy/question.ts';
import type { Visit } from '../door.ts';
import { type CallHooks, Calls } from './calls.ts';
import type { McpClient } from './client.ts';

export const approvalOf = (
  id: string,
  createdAt = Date.now(),
  change: string | null = null,
): Approval =>
  ({
    id,
    createdAt,
    change,
    digest: `d${id}`,
    actor: 'a',
    people: [],
    op: 'write',
    path: '/a',
    operations: [{ op: 'write', path: '/a' }],
    reason: 'it is asked',
  }) as unknown as Approval;

export const questionOf = (form: Question['form'], question = 'Which?'): Question =>
  ({ id: 'q', digest: 'dq', actor: 'a', form, question, untrusted: [] }) as unknown as Question;

/** A client whose session has these requests for approval. */
export function client(...pending: Approval[]) {
  const answered: unknown[] = [];
  const visit = {
    approvals: {
      pending: async () => pending,
      decide: async (...given: unknown[]) => void answered.push(given),
    },
    questions: {
      pending: async () => [],
      answer: async (...given: unknown[]) => void answered.push(given),
    },
  } as unknown as Visit;
  const calls = new Calls<never>(visit);
  return { calls, visit, answered, of: { visit, calls } as unknown as McpClient };
}

/** A call that is led from outside. */
export function led(calls: Calls<never>) {
  const ended = Promise.withResolvers<string>();
  let hooks: CallHooks | undefined;
  const call = calls.begin('asked', (given) => {
    hooks = given;
    return ended.promise as Promise<never>;
  });
  if (hooks === undefined) throw new Error('it has not begun');
  return { call, hooks, ended };
}
