/** What people in a channel are asked: requests for approval and questions, each with what came of it below. */
import { randomBytes } from 'node:crypto';
import type { Approval } from '../../policy/approval.ts';
import type { Question } from '../../policy/question.ts';
import type { QueuedTurn } from '../queue/turn.ts';
import type { Service } from '../service.ts';
import type { ChannelLedger, PostDraft } from './ledger.ts';
import { OBSERVER, questionPosts, questionPurpose, settledText } from './questions.ts';
import { answeredText, askedText, tooLongText } from './words.ts';

/** What it works with. */
export interface AskingParts {
  channel: string;
  ledger: ChannelLedger;
  decisions: Service['decisions'];
  /** Is a text shown whole, and as it is? */
  shows(text: string): boolean;
  post(draft: PostDraft): void;
}

/** Asks, and says under what was asked what was answered. */
export class Asking {
  readonly #parts: AskingParts;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Puts the questions of a turn to a thread. */
  questions(turn: QueuedTurn, thread: string): void {
    const { channel, ledger, decisions, shows } = this.#parts;
    for (const { draft, meanings } of questionPosts(turn, thread, decisions, shows))
      ledger.post(channel, draft, meanings);
  }

  /** Asks whoever may approve, and says of all that was asked what came of it. */
  settleAll(turn: QueuedTurn): void {
    const { channel, ledger, decisions } = this.#parts;
    const came = ledger.openMessage(channel, turn.sourceId);
    for (const id of turn.approvals) {
      const approval = decisions.approval(OBSERVER, id);
      const asked = ledger.find(channel, `approval:${id}`);
      if (asked !== null) this.close(approval);
      else if (approval.state === 'pending' && came !== null) this.#ask(approval, came.thread);
    }
    for (const id of turn.questions) this.settle(decisions.question(OBSERVER, id));
  }

  close({ id, state, answeredBy }: Approval): void {
    if (state !== 'pending')
      this.replace(`approval:${id}`, `answered:${id}`, answeredText(state, answeredBy));
  }

  settle(question: Question): void {
    if (question.state !== 'pending')
      this.replace(questionPurpose(question), `settled:${question.id}`, settledText(question));
  }

  /** Under what was asked stands what came of it, and no button. */
  replace(shown: string, purpose: string, text: string): void {
    const { channel, ledger, post } = this.#parts;
    const asked = ledger.find(channel, shown);
    if (asked === null) return;
    const { thread } = asked;
    post({ purpose, thread, text: `${asked.text}\n\n${text}`, edits: asked.purpose });
  }

  #ask(approval: Approval, thread: string): void {
    const { channel, ledger, shows } = this.#parts;
    const { id, digest } = approval;
    const whole = askedText(approval);
    const isWhole = shows(whole);
    const decisions = isWhole ? (['allow', 'deny'] as const) : (['deny'] as const);
    const meanings = decisions.map((decision) => {
      const token = randomBytes(12).toString('hex');
      return { token, id, digest, decision };
    });
    const buttons = meanings.map(({ token, decision }) => ({
      token,
      label: decision === 'allow' ? 'Allow' : 'Deny',
    }));
    const text = isWhole ? whole : tooLongText(approval);
    ledger.post(channel, { purpose: `approval:${id}`, thread, text, buttons }, meanings);
  }
}
