/** A question of an agent, as doors put it to a person by a form. */
import { scopeText } from '../policy/plan.ts';
import {
  allowedAnswer,
  PLAN_DECISIONS,
  provenance,
  type Question,
  type QuestionForm,
} from '../policy/question.ts';
import { escapeLine, escapeText } from '../visible.ts';

/** The agent's words, and whose they may be. */
export const questionWords = (asked: Question): string =>
  [
    asked.form.scope === undefined
      ? `${escapeLine(asked.actor)} asks; an answer allows nothing by itself.`
      : `${escapeLine(asked.actor)} proposes a plan, which changes this and nothing else:\n\n${escapeText(scopeText(asked.form.scope))}`,
    escapeText(asked.question),
    escapeText(provenance(asked)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');

/** The one field of a form that takes the answer. */
export function answerField(form: QuestionForm) {
  const { kind, options = [], min, max, whole = false } = form;
  const about = { title: 'Answer', description: escapeLine(allowedAnswer(form)) };
  switch (kind) {
    case 'confirm':
      return { ...about, type: 'boolean' as const };
    case 'choice':
      return { ...about, type: 'string' as const, enum: [...options] };
    case 'choices':
      return {
        ...about,
        type: 'array' as const,
        items: { type: 'string' as const, enum: [...options] },
        ...(min === undefined ? {} : { minItems: min }),
        ...(max === undefined ? {} : { maxItems: max }),
      };
    case 'number':
      return {
        ...about,
        type: whole ? ('integer' as const) : ('number' as const),
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { maximum: max }),
      };
    case 'plan':
      return { ...about, type: 'string' as const, enum: [...PLAN_DECISIONS] };
    case 'date':
      return { ...about, type: 'string' as const, format: 'date' as const };
    default:
      return { ...about, type: 'string' as const, minLength: min ?? 1, maxLength: max ?? 10_000 };
  }
}
