/** Questions of the agent, as an editor puts them to the person there: as a form, or as a choice of options. */
import type { AgentContext, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { isFsError, sentenceOf } from '../../errors.ts';
import {
  FORM_KINDS,
  type FormKind,
  type Question,
  type QuestionForm,
} from '../../policy/question.ts';
import { escapeLine } from '../../visible.ts';
import type { Visit } from '../door.ts';
import { answerField, questionWords } from '../question-form.ts';
import { text } from './updates.ts';

/** What an editor without forms can ask: it has buttons, of which one is pressed. */
const BY_BUTTONS: readonly FormKind[] = ['confirm', 'choice', 'plan'];

/** The kinds of questions that an editor can put. */
export const kindsOf = (hasForms: boolean): readonly FormKind[] =>
  hasForms ? FORM_KINDS : BY_BUTTONS;

/** An editor whose forms hold nobody to their fields is asked so often. */
const TRIES = 3;

interface AskedAt {
  client: AgentContext;
  visit: Visit;
  hasForms: boolean;
}

/** Asks the person at the editor, and passes their answer on, if they give one. */
export async function putQuestion(
  { client, visit, hasForms }: AskedAt,
  asked: Question,
): Promise<void> {
  const put = hasForms ? byForm : byButtons;
  let words = questionWords(asked);
  for (let left = TRIES; left > 0; left--) {
    const value = await put(client, visit.session, asked, words);
    // Who gave up the turn has not answered: the question stays, for dirigent questions.
    if (value === undefined) return;
    try {
      await visit.questions.answer(asked, value);
      return;
    } catch (error) {
      if (!isFsError(error, 'EINVAL')) throw error;
      words = `${questionWords(asked)}\n\n${sentenceOf(error)}`;
    }
  }
  await visit.questions.answer(asked, null);
}

const NAME = 'answer';
const COMMENT = 'comment';

async function byForm(
  client: AgentContext,
  sessionId: string,
  asked: Question,
  message: string,
): Promise<unknown> {
  const response = await client.request(methods.client.elicitation.create, {
    mode: 'form',
    sessionId,
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        [NAME]: answerField(asked.form),
        ...(asked.form.kind === 'plan' ? { [COMMENT]: { type: 'string', title: 'Comment' } } : {}),
      },
      required: [NAME],
    },
  });
  if (response.action === 'decline') return null;
  if (response.action !== 'accept') return undefined;
  const { content } = response as { content?: Record<string, unknown> | null };
  const given = content?.[NAME] ?? null;
  if (asked.form.kind !== 'plan' || given === null) return given;
  const comment = content?.[COMMENT];
  return { decision: given, ...(typeof comment === 'string' ? { comment } : {}) };
}

const DECLINE = 'decline';

async function byButtons(
  client: AgentContext,
  sessionId: string,
  asked: Question,
  words: string,
): Promise<unknown> {
  const buttons = buttonsOf(asked.form);
  const request: RequestPermissionRequest = {
    sessionId,
    toolCall: {
      toolCallId: `question-${asked.id}`,
      title: `${escapeLine(asked.actor)} asks`,
      kind: 'think',
      status: 'pending',
      content: [{ type: 'content', content: text(words) }],
    },
    // None of them is a permission; the protocol has no other word for a button.
    options: [
      ...buttons.map(({ name, isNo = false }, index) => ({
        optionId: String(index),
        name: escapeLine(name),
        kind: isNo ? ('reject_once' as const) : ('allow_once' as const),
      })),
      { optionId: DECLINE, name: 'Do not answer', kind: 'reject_once' },
    ],
  };
  const { outcome } = await client.request(methods.client.session.requestPermission, request);
  if (outcome.outcome === 'cancelled') return undefined;
  return outcome.optionId === DECLINE ? null : buttons[Number(outcome.optionId)]?.value;
}

/** The buttons of a question. */
function buttonsOf(form: QuestionForm): { name: string; value: unknown; isNo?: boolean }[] {
  if (form.kind === 'plan')
    return [
      { name: 'Approve', value: { decision: 'approve' } },
      { name: 'Reject', value: { decision: 'reject' }, isNo: true },
    ];
  if (form.kind === 'confirm')
    return [
      { name: 'Yes', value: true },
      { name: 'No', value: false, isNo: true },
    ];
  return (form.options ?? []).map((option) => ({ name: option, value: option }));
}
