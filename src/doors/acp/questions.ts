/** Questions of the agent, as an editor puts them to the person there: as a form, or as a choice of options. */
import type {
  AgentContext,
  ElicitationPropertySchema,
  RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import { isFsError, sentenceOf } from '../../errors.ts';
import {
  allowedAnswer,
  provenance,
  QUESTION_KINDS,
  type Question,
  type QuestionForm,
  type QuestionKind,
} from '../../policy/question.ts';
import { escapeLine, escapeText } from '../../visible.ts';
import type { Visit } from '../door.ts';
import { text } from './updates.ts';

/** What an editor without forms can ask: it has buttons, of which one is pressed. */
const BY_BUTTONS: readonly QuestionKind[] = ['confirm', 'choice'];

/** The kinds of questions that an editor can put. */
export const kindsOf = (hasForms: boolean): readonly QuestionKind[] =>
  hasForms ? QUESTION_KINDS : BY_BUTTONS;

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
  let words = wordsOf(asked);
  for (let left = TRIES; left > 0; left--) {
    const value = await put(client, visit.session, asked, words);
    // Who gave up the turn has not answered: the question stays, for dirigent questions.
    if (value === undefined) return;
    try {
      await visit.questions.answer(asked, value);
      return;
    } catch (error) {
      if (!isFsError(error, 'EINVAL')) throw error;
      words = `${wordsOf(asked)}\n\n${sentenceOf(error)}`;
    }
  }
  await visit.questions.answer(asked, null);
}

const NAME = 'answer';

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
      properties: { [NAME]: fieldOf(asked.form) },
      required: [NAME],
    },
  });
  if (response.action === 'decline') return null;
  if (response.action !== 'accept') return undefined;
  const { content } = response as { content?: Record<string, unknown> | null };
  return content?.[NAME] ?? null;
}

function fieldOf(form: QuestionForm): ElicitationPropertySchema {
  const { kind, options = [], min, max, whole = false } = form;
  const about = { title: 'Answer', description: escapeLine(allowedAnswer(form)) };
  switch (kind) {
    case 'confirm':
      return { ...about, type: 'boolean' };
    case 'choice':
      return { ...about, type: 'string', enum: [...options] };
    case 'choices':
      return {
        ...about,
        type: 'array',
        items: { type: 'string', enum: [...options] },
        ...(min === undefined ? {} : { minItems: min }),
        ...(max === undefined ? {} : { maxItems: max }),
      };
    case 'number':
      return {
        ...about,
        type: whole ? 'integer' : 'number',
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { maximum: max }),
      };
    case 'date':
      return { ...about, type: 'string', format: 'date' };
    default:
      return { ...about, type: 'string', minLength: min ?? 1, maxLength: max ?? 10_000 };
  }
}

const DECLINE = 'decline';

async function byButtons(
  client: AgentContext,
  sessionId: string,
  asked: Question,
  words: string,
): Promise<unknown> {
  const values = asked.form.kind === 'confirm' ? [true, false] : (asked.form.options ?? []);
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
      ...values.map((value, index) => ({
        optionId: String(index),
        name: typeof value === 'boolean' ? (value ? 'Yes' : 'No') : escapeLine(value),
        kind: value === false ? ('reject_once' as const) : ('allow_once' as const),
      })),
      { optionId: DECLINE, name: 'Do not answer', kind: 'reject_once' },
    ],
  };
  const { outcome } = await client.request(methods.client.session.requestPermission, request);
  if (outcome.outcome === 'cancelled') return undefined;
  return outcome.optionId === DECLINE ? null : values[Number(outcome.optionId)];
}

/** The agent's words, and whose they may be. */
const wordsOf = (asked: Question): string =>
  [
    `${escapeLine(asked.actor)} asks; an answer allows nothing by itself.`,
    escapeText(asked.question),
    escapeText(provenance(asked)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
