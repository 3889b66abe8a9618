/** What an agent asks a person, the answers that it may get, and how they are read. */
import type { Asked } from './asked-journal.ts';
import { asTime, fieldLines } from './field-lines.ts';
import type { Origin } from './gate.ts';
import { type PlanScope, scopeText } from './plan.ts';

/** What is answered: free text; yes or no; one of the options, or several; a number; a day. */
export const QUESTION_KINDS = ['text', 'confirm', 'choice', 'choices', 'number', 'date'] as const;

/** A plan is a question, too: may this be done, and this be changed by it? */
export const FORM_KINDS = [...QUESTION_KINDS, 'plan'] as const;
export type FormKind = (typeof FORM_KINDS)[number];

/** The form of an answer. */
export interface QuestionForm {
  kind: FormKind;
  /** Of a plan: what may be changed once it is approved. */
  scope?: PlanScope;
  /** Of `choice` and `choices`. */
  options?: readonly string[];
  /** Of a number, its least and its most; of `text` in characters; of `choices`, how many. */
  min?: number;
  max?: number;
  /** Of a number: it has no fraction. */
  whole?: boolean;
  /** Of a date, the first and the last: `2026-11-28`. */
  from?: string;
  to?: string;
}

export const PLAN_DECISIONS = ['approve', 'reject', 'change'] as const;

/** What a person says to a plan; `change`: not so, but as the comment says. */
export interface PlanVerdict {
  decision: (typeof PLAN_DECISIONS)[number];
  comment?: string | undefined;
}

export type AnswerValue = string | number | boolean | readonly string[] | PlanVerdict;

export const QUESTION_STATES = ['pending', 'answered', 'declined', 'expired'] as const;
/**
 * - `pending`: nobody has answered;
 * - `answered`; or `declined`: a person does not want to;
 * - `expired`: nobody has answered in time.
 */
export type QuestionState = (typeof QUESTION_STATES)[number];

/** What a question is made of. */
export interface QuestionDraft {
  /** In the agent's words, which may be those of a text that it has read. */
  question: string;
  form: QuestionForm;
  /** The services whose text the agent had read when it asked. */
  untrusted: readonly string[];
}

/** A row of the journal. */
export interface Question extends QuestionDraft, Asked {
  actor: string;
  origin: Origin;
  state: QuestionState;
  answer: AnswerValue | null;
}

/** How a person answers; null: they do not want to. */
export interface QuestionAnswer {
  value: unknown;
  by?: string;
}

/** An answer that has the form, or what is wrong with it and what is allowed. */
export type CheckedAnswer = { value: AnswerValue } | { fault: string };

/** Where nothing else is said. Characters. */
const MOST_TEXT = 10_000;

/** Has an answer the form that was asked for? It is as a program gives it; what was typed: {@link readAnswer}. */
export function checkAnswer(form: QuestionForm, given: unknown): CheckedAnswer {
  const value = CHECKS[form.kind](form, given);
  return value === undefined ? { fault: `it should be ${allowedAnswer(form)}` } : { value };
}

const CHECKS: Readonly<
  Record<FormKind, (form: QuestionForm, given: unknown) => AnswerValue | undefined>
> = {
  text: ({ min = 1, max = MOST_TEXT }, given) =>
    typeof given === 'string' && given.trim().length >= min && given.length <= max
      ? given.toWellFormed()
      : undefined,
  confirm: (_, given) => (typeof given === 'boolean' ? given : undefined),
  choice: ({ options = [] }, given) => options.find((option) => option === given),
  choices: ({ options = [], min = 0, max = options.length }, given) => {
    if (!Array.isArray(given) || !given.every((each) => options.includes(each))) return undefined;
    const chosen = options.filter((option) => given.includes(option));
    return chosen.length >= min && chosen.length <= max ? chosen : undefined;
  },
  number: (
    { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, whole = false },
    given,
  ) =>
    typeof given === 'number' &&
    Number.isFinite(given) &&
    given >= min &&
    given <= max &&
    (!whole || Number.isInteger(given))
      ? given
      : undefined,
  date: ({ from = '', to = '9999-12-31' }, given) =>
    typeof given === 'string' && isDay(given) && given >= from && given <= to ? given : undefined,
  plan: (_, given) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
    const { decision, comment = '' } = given as { decision?: unknown; comment?: unknown };
    const known = PLAN_DECISIONS.find((each) => each === decision);
    if (known === undefined || typeof comment !== 'string' || comment.length > MOST_TEXT)
      return undefined;
    if (known === 'change' && comment.trim() === '') return undefined;
    return comment === ''
      ? { decision: known }
      : { decision: known, comment: comment.toWellFormed() };
  },
};

/** What was said to a plan; null where nothing was. */
export function verdictOf({ form, answer }: Pick<Question, 'form' | 'answer'>): PlanVerdict | null {
  return form.kind === 'plan' ? (answer as PlanVerdict | null) : null;
}

/** Is it a day of the calendar, as `2026-11-28`? */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** An answer as it was typed: options by their words or their numbers, `y` for yes. */
export function readAnswer(form: QuestionForm, typed: string): CheckedAnswer {
  const text = typed.trim();
  switch (form.kind) {
    case 'confirm': {
      const word = text.toLowerCase();
      const isYes = word === 'y' || word === 'yes';
      return checkAnswer(form, isYes || (word === 'n' || word === 'no' ? false : text));
    }
    case 'number':
      return checkAnswer(form, text === '' ? undefined : Number(text));
    case 'choice':
      return checkAnswer(form, optionOf(form, text));
    case 'choices': {
      const parts = form.options?.includes(text) ? [text] : text.split(',');
      const named = parts.map((part) => part.trim()).filter((part) => part !== '');
      return checkAnswer(
        form,
        named.map((part) => optionOf(form, part)),
      );
    }
    case 'plan': {
      const [, word = '', comment = ''] = /^(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
      // A sentence may begin with a letter that would be short for a decision.
      const isShort = word !== '' && comment === '';
      const decision = PLAN_DECISIONS.find((each) =>
        isShort ? each.startsWith(word) : each === word,
      );
      return checkAnswer(form, { decision, comment });
    }
    default:
      return checkAnswer(form, text);
  }
}

const optionOf = ({ options = [] }: QuestionForm, text: string): string | undefined =>
  options.find((option) => option === text) ??
  options.find((option) => option.toLowerCase() === text.toLowerCase()) ??
  (/^\d+$/.test(text) ? options[Number(text) - 1] : undefined);

/** What may be answered, in words. */
export function allowedAnswer(form: QuestionForm): string {
  const { kind, options = [], min, max, whole = false, from, to } = form;
  switch (kind) {
    case 'text':
      return `text of ${min ?? 1} to ${max ?? MOST_TEXT} characters`;
    case 'confirm':
      return 'yes or no';
    case 'choice':
      return `one of: ${options.join(', ')}`;
    case 'choices':
      return `${min ?? 0} to ${max ?? options.length} of: ${options.join(', ')}`;
    case 'number':
      return `a ${whole ? 'whole ' : ''}number${between(min, max)}`;
    case 'date':
      return `a date such as 2026-11-28${between(from, to)}`;
    case 'plan':
      return 'approve, reject, or change with what is to be changed';
  }
}

function between(least?: string | number, most?: string | number): string {
  if (least === undefined) return most === undefined ? '' : `, at most ${most}`;
  return most === undefined ? `, at least ${least}` : `, from ${least} to ${most}`;
}

/** An answer in words. */
export function answerText(answer: AnswerValue): string {
  if (typeof answer === 'boolean') return answer ? 'yes' : 'no';
  if (typeof answer === 'object' && 'decision' in answer)
    return answer.comment === undefined ? answer.decision : `${answer.decision}: ${answer.comment}`;
  if (typeof answer === 'object') return answer.length === 0 ? '(none)' : answer.join(', ');
  return String(answer);
}

/** What became of a question, for its agent. */
export function outcomeText({ id, state, answer, answeredBy }: Question): string {
  const by = answeredBy === null ? '' : ` by ${answeredBy}`;
  switch (state) {
    case 'answered':
      return `answered${by}: ${answer === null ? '' : answerText(answer)}`;
    case 'declined':
      return `question ${id} was declined${by}: they do not want to answer; decide without, or stop`;
    case 'expired':
      return `nobody answered question ${id} in time`;
    default:
      return `nobody has answered question ${id} yet`;
  }
}

/** Where the words of a question may come from, for whoever is asked; empty where from nowhere but the agent. */
export function provenance({ untrusted }: Pick<Question, 'untrusted'>): string {
  return untrusted.length === 0
    ? ''
    : `The agent had read text of ${untrusted.join(', ')} before it asked: the words may be theirs.`;
}

/** The file of a question: fields, then its words. */
export function questionText(asked: Question): string {
  return `---\n${questionFields(asked)}---\n\n${asked.question.trimEnd()}\n`;
}

/** A line for each field, as YAML has it. */
export function questionFields(asked: Question): string {
  return fieldLines([
    ['id', asked.id],
    ['state', asked.state],
    ['allowed', allowedAnswer(asked.form)],
    ['changes', asked.form.scope === undefined ? null : scopeText(asked.form.scope)],
    ['answer', asked.answer === null ? null : answerText(asked.answer)],
    ['actor', asked.actor],
    ['origin', asked.origin],
    ['session', asked.session],
    ['untrusted', asked.untrusted.length === 0 ? null : asked.untrusted.join(' ')],
    ['answered_by', asked.answeredBy],
    ['created_at', asTime(asked.createdAt)],
    ['answered_at', asTime(asked.answeredAt)],
    ['expires_at', asTime(asked.expiresAt)],
  ]);
}
