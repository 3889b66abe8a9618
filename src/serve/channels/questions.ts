/** Questions of an agent in a channel: shown where they were asked, and answered there by `/answer`. */
import { isFsError, sentenceOf } from '../../errors.ts';
import { allowedAnswer, provenance, type Question, readAnswer } from '../../policy/question.ts';
import { escapeText } from '../../visible.ts';
import type { QueuedTurn } from '../queue/turn.ts';
import type { Caller } from '../rights.ts';
import type { Service } from '../service.ts';
import type { ChannelLedger, PostDraft } from './ledger.ts';
import { codeBlock } from './split.ts';

type Decisions = Pick<Service['decisions'], 'question' | 'answerQuestion'>;

/** Sees every question, to show it where it was asked. */
const OBSERVER: Caller = { actor: 'channel', role: 'viewer', agent: null };
/** What was shown is part of what a post is for: an answer is bound to it. */
const SHOWN = /^question:([^:]+):(.+)$/;

/** What is shown of the questions that a turn waits for. @param shows is a text shown whole? */
export function questionPosts(
  { questions }: QueuedTurn,
  thread: string,
  decisions: Decisions,
  shows: (text: string) => boolean,
): PostDraft[] {
  return questions
    .map((id) => decisions.question(OBSERVER, id))
    .filter(({ state }) => state === 'pending')
    .map((question) => {
      const { id, digest } = question;
      const text = textOf(question);
      // What was shown in part is answered where it is shown whole.
      return shows(text)
        ? { purpose: `question:${id}:${digest}`, thread, text }
        : { purpose: `elsewhere:${id}:${digest}`, thread, text: TOO_LONG };
    });
}

const TOO_LONG =
  '**The agent asks**\n\nWhat it asks is too long to be shown here. The console shows it and takes the answer, as `questions` does at the command line.';

function textOf(asked: Question): string {
  const { question, form } = asked;
  const from = provenance(asked);
  const about = from === '' ? '' : `${escapeText(from)}\n\n`;
  return `**The agent asks**\n\n${codeBlock(escapeText(question))}\n\n${about}Answer with \`/answer\` and ${escapeText(allowedAnswer(form))}.`;
}

/** Answers the oldest question that a thread was shown and that waits. @returns what is said to whoever answered */
export function answerQuestion(
  typed: string,
  caller: Caller,
  shown: ReturnType<ChannelLedger['shownFor']>,
  decisions: Decisions,
): string {
  for (const { purpose } of shown) {
    const [, id = '', digest = ''] = SHOWN.exec(purpose) ?? [];
    const question = decisions.question(OBSERVER, id);
    if (question.state !== 'pending') continue;
    const read = readAnswer(question.form, typed);
    if ('fault' in read) return `This is no answer: ${escapeText(read.fault)}.`;
    try {
      decisions.answerQuestion(caller, id, digest, read.value);
      return 'Answered.';
    } catch (error) {
      if (!isFsError(error)) throw error;
      return `This was not taken: ${escapeText(sentenceOf(error))}`;
    }
  }
  return 'Nothing is asked here.';
}
