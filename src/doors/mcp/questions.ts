/** A question of an agent, by way of a client's form; its answer is checked by the journal. */
import { type InputRequest, inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Approval } from '../../policy/approval.ts';
import type { Question } from '../../policy/question.ts';
import { answerField, questionWords } from '../question-form.ts';
import { inputAbout } from './approvals.ts';

const nameOf = (id: string): string => `question-${id}`;

/** More than this is not put into a dialogue, which would hide the rest. Characters. */
const SHOWN = 20_000;

/** The form alone; null where the question is too long to be shown whole. */
function inputAsking(asked: Question, fault: string | null): Record<string, InputRequest> | null {
  const again = fault === null ? '' : `That was no answer: ${fault}\n\n`;
  const message = `${again}${questionWords(asked)}\n\nquestion ${asked.id}, digest ${asked.digest}`;
  if (message.length > SHOWN) return null;
  const comment = { type: 'string', title: 'Comment' };
  const requestedSchema = {
    type: 'object',
    properties: {
      answer: answerField(asked.form),
      ...(asked.form.kind === 'plan' ? { comment } : {}),
    },
    required: ['answer'],
  };
  return {
    [nameOf(asked.id)]: inputRequired.elicit({
      message,
      requestedSchema: requestedSchema as never,
    }),
  };
}

/**
 * The input that a client is asked for; null where what is asked is too long to be shown whole.
 * @param fault why what was answered last is no answer
 */
export const inputFor = (
  asked: Approval | Question,
  fault: string | null,
): Record<string, InputRequest> | null =>
  'form' in asked ? inputAsking(asked, fault) : inputAbout(asked);

const given = z.object({
  action: z.literal('accept'),
  content: z.object({ answer: z.unknown(), comment: z.string().optional() }),
});
const declined = z.object({ action: z.enum(['decline', 'cancel']) });

/** What a person answered; `value` null: they do not want to. Null where nothing can be understood. */
export function answerGiven(responses: unknown, { id, form }: Question): { value: unknown } | null {
  const response = z.record(z.string(), z.unknown()).safeParse(responses).data?.[nameOf(id)];
  if (declined.safeParse(response).success) return { value: null };
  const accepted = given.safeParse(response).data;
  if (accepted === undefined) return null;
  const { answer, comment } = accepted.content;
  if (form.kind !== 'plan') return { value: answer };
  return { value: { decision: answer, ...(comment === undefined ? {} : { comment }) } };
}
