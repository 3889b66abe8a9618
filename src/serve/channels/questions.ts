/**
 * Questions of an agent in a channel, plans among them: shown where they were asked, and answered there
 * by a button, or by `/answer`, which says which of them is meant where that is not certain.
 */
import { randomBytes } from 'node:crypto';
import { isFsError, sentenceOf } from '../../errors.ts';
import { scopeText } from '../../policy/plan.ts';
import {
  type AnswerValue,
  allowedAnswer,
  answerText,
  provenance,
  type Question,
  readAnswer,
} from '../../policy/question.ts';
import { escapeLine, escapeText } from '../../visible.ts';
import type { QueuedTurn } from '../queue/turn.ts';
import type { Caller } from '../rights.ts';
import type { Service } from '../service.ts';
import type { ChannelLedger, MeantButton, PostDraft } from './ledger.ts';
import { codeBlock } from './split.ts';
import { exactLines, proseLines } from './words.ts';

type Decisions = Pick<Service['decisions'], 'question' | 'answerQuestion'>;

/** What the channel itself may see: all that is asked, to show it where it was asked. */
export const OBSERVER: Caller = { actor: 'channel', role: 'viewer', agent: null };
/** What was shown is part of what a post is for: an answer is bound to it. */
const SHOWN = /^question:([^:]+):(.+)$/;
/** Of the end of an id: so much tells those apart that wait in one thread. */
const KEY = 6;
/** Discord has no more in a row. */
const MOST_BUTTONS = 5;
/** What no service reads anything into. */
const PLAIN_LABEL = /^[\p{L}\p{N}][\p{L}\p{N} ,'()+-]{0,39}$/u;

/** A question as it is posted, with what its buttons stand for. */
export interface QuestionPost {
  draft: PostDraft;
  meanings: readonly MeantButton[];
}

export const questionPurpose = ({ id, digest }: Pick<Question, 'id' | 'digest'>): string =>
  `question:${id}:${digest}`;

const keyOf = ({ id }: Pick<Question, 'id'>): string => id.slice(-KEY).toLowerCase();

/** What is shown of the questions that a turn waits for. @param shows is a text shown whole? */
export function questionPosts(
  { questions }: QueuedTurn,
  thread: string,
  decisions: Decisions,
  shows: (text: string) => boolean,
): QuestionPost[] {
  return questions
    .map((id) => decisions.question(OBSERVER, id))
    .filter(({ state }) => state === 'pending')
    .map((question) => {
      const { id, digest } = question;
      const text = textOf(question);
      // What was shown in part is answered where it is shown whole.
      if (!shows(text))
        return {
          draft: { purpose: `elsewhere:${id}:${digest}`, thread, text: TOO_LONG },
          meanings: [],
        };
      const answers = answersOf(question).map((each) => ({
        ...each,
        token: randomBytes(12).toString('hex'),
      }));
      return {
        draft: {
          purpose: questionPurpose(question),
          thread,
          text,
          buttons: answers.map(({ token, label }) => ({ token, label })),
        },
        meanings: answers.map(({ token, answer }) => ({
          token,
          id,
          digest,
          decision: 'answer',
          answer,
        })),
      };
    });
}

const TOO_LONG =
  '**The agent asks**\n\nWhat it asks is too long to be shown here. The console shows it and takes the answer, as `questions` does at the command line.';

/** The answers that can be given by pressing something. */
function answersOf({ form }: Question): { label: string; answer: AnswerValue }[] {
  const { kind, options = [] } = form;
  if (kind === 'confirm')
    return [
      { label: 'Yes', answer: true },
      { label: 'No', answer: false },
    ];
  if (kind === 'plan')
    return [
      { label: 'Approve', answer: { decision: 'approve' } },
      { label: 'Reject', answer: { decision: 'reject' } },
    ];
  if (kind !== 'choice' || options.length > MOST_BUTTONS) return [];
  return options.map((option, index) => ({
    label: PLAIN_LABEL.test(option) ? option : String(index + 1),
    answer: option,
  }));
}

function textOf(asked: Question): string {
  const { question, form } = asked;
  const from = provenance(asked);
  const { options = [], scope } = form;
  const listed = options.map((option, index) => `${index + 1}. ${escapeLine(option)}`).join('\n');
  const parts = [
    scope === undefined ? '**The agent asks**' : '**The agent proposes a plan**',
    codeBlock(proseLines(question)),
    ...(listed === '' ? [] : [codeBlock(exactLines(listed))]),
    ...(scope === undefined
      ? []
      : [
          'Approved, this may be changed, and nothing else:',
          codeBlock(exactLines(scopeText(scope))),
        ]),
    ...(from === '' ? [] : [escapeText(from)]),
    `Answer with \`/answer ${keyOf(asked)}\` and ${listed === '' ? allowedAnswer(form) : listedAnswer(form)}.`,
  ];
  return parts.join('\n\n');
}

const listedAnswer = ({ kind, min = 0, max, options = [] }: Question['form']): string =>
  kind === 'choice'
    ? 'one of these, or its number'
    : `${min} to ${max ?? options.length} of these, or their numbers`;

/** Under a question stands what came of it. */
export function settledText({ state, answer, answeredBy }: Question): string {
  const by = answeredBy === null ? '' : ` by ${escapeLine(answeredBy)}`;
  if (state === 'answered' && answer !== null)
    return `**Answered**${by}:\n\n${codeBlock(escapeText(answerText(answer)))}`;
  return state === 'declined' ? `**Declined**${by}.` : '**Expired**: nobody answered in time.';
}

/**
 * Answers a question that a thread was shown and that waits.
 * @returns what is said to whoever answered, and the question that was answered
 */
export function answerQuestion(
  typed: string,
  caller: Caller,
  shown: ReturnType<ChannelLedger['shownFor']>,
  decisions: Decisions,
): { said: string; answered?: Question } {
  const asked = shown.flatMap(({ purpose }) => {
    const [, id = '', digest = ''] = SHOWN.exec(purpose) ?? [];
    return id === '' ? [] : [{ question: decisions.question(OBSERVER, id), digest }];
  });
  const pending = asked.filter(({ question }) => question.state === 'pending');
  if (pending.length === 0) return { said: 'Nothing is asked here.' };
  const [, word = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(typed) ?? [];
  const named = asked.find(({ question }) => keyOf(question) === word.toLowerCase());
  const [only] = pending;
  const isCertain = pending.length === 1 && only !== undefined && wasAlone(only.question, asked);
  const meant = named ?? (isCertain ? only : undefined);
  if (meant === undefined) {
    const lines = pending.map(
      ({ question }) => `\`/answer ${keyOf(question)}\`: ${firstLine(question)}`,
    );
    return {
      said: `It is not certain which question you mean. Say it:\n\n${codeBlock(lines.join('\n'))}`,
    };
  }
  const { question, digest } = meant;
  if (question.state !== 'pending') return { said: 'That was answered already.' };
  const read = readAnswer(question.form, named === undefined ? typed : rest);
  if ('fault' in read) return { said: `This is no answer: ${escapeText(read.fault)}.` };
  return answerAs(caller, { id: question.id, digest, answer: read.value }, decisions);
}

/** Gives an answer, in the name of whoever has given it. */
export function answerAs(
  caller: Caller,
  { id, digest, answer }: { id: string; digest: string; answer: AnswerValue },
  decisions: Decisions,
): { said: string; answered?: Question } {
  try {
    return { said: 'Answered.', answered: decisions.answerQuestion(caller, id, digest, answer) };
  } catch (error) {
    if (!isFsError(error)) throw error;
    return { said: `This was not taken: ${escapeText(sentenceOf(error))}` };
  }
}

/** Waited no other one while it did? Whoever types may have that one before them. */
const wasAlone = (question: Question, asked: readonly { question: Question }[]): boolean =>
  asked.every(
    ({ question: other }) =>
      other.id === question.id || (other.answeredAt ?? other.expiresAt) < question.createdAt,
  );

const firstLine = ({ question }: Question): string =>
  escapeLine(question.split('\n')[0] ?? '').slice(0, 80);
