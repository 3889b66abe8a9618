/** A person's answer, by way of their client: what they are shown, and what they may say. */
import {
  type ElicitInputParams,
  type InputRequest,
  inputRequired,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import {
  type Answer,
  type Approval,
  actorText,
  approvalBody,
  describeOperation,
} from '../../policy/approval.ts';
import { escapeLine, escapeText } from '../../visible.ts';

/** The name that the question has among the input of a request: an answer to another one is none to it. */
const nameOf = (id: string): string => `approval-${id}`;

/** More than this is not put into a dialogue, which would hide the rest. Characters. */
const SHOWN = 20_000;

const ANSWERS = {
  once: { decision: 'allow', scope: 'once' },
  path: { decision: 'allow', scope: 'path' },
  no: { decision: 'deny' },
} as const satisfies Readonly<Record<string, Omit<Answer, 'by'>>>;

const SCHEMA = {
  type: 'object',
  properties: {
    answer: {
      type: 'string',
      title: 'Allow it?',
      enum: ['once', 'path', 'no'],
      enumNames: ['once, as it is shown', 'this path, for a day', 'no'],
    },
  },
  required: ['answer'],
} as const satisfies ElicitInputParams['requestedSchema'];

/** The input that a client is asked for: the question alone; null where it is too long to be shown whole. */
export function inputAbout(approval: Approval): Record<string, InputRequest> | null {
  const question = questionOf(approval);
  return question === null ? null : { [nameOf(approval.id)]: question };
}

/** With all that would be done, and its digest. */
function questionOf(approval: Approval): InputRequest | null {
  const { reason, digest, id } = approval;
  const body = escapeText(approvalBody(approval)).trimEnd();
  if (body.length > SHOWN) return null;
  const head = `${escapeLine(actorText(approval))} wants to ${describeOperation(approval)}\n${escapeLine(reason)}`;
  const message = [head, body, `approval ${id}, digest ${digest}`].filter((part) => part !== '');
  return inputRequired.elicit({ message: message.join('\n\n'), requestedSchema: SCHEMA as never });
}

const given = z.object({
  action: z.literal('accept'),
  content: z.object({ answer: z.enum(['once', 'path', 'no']) }),
});
const declined = z.object({ action: z.enum(['decline', 'cancel', 'accept']) });

/** What the client says that its person answered to a question; null where that is nothing that can be understood. */
export function answerIn(responses: unknown, id: string): Omit<Answer, 'by'> | null {
  const response = z.record(z.string(), z.unknown()).safeParse(responses).data?.[nameOf(id)];
  const accepted = given.safeParse(response).data;
  if (accepted !== undefined) return ANSWERS[accepted.content.answer];
  const refused = declined.safeParse(response).data;
  return refused === undefined || refused.action === 'accept' ? null : ANSWERS.no;
}
