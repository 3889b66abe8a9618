/** A question of an agent, as it is put to the person at the terminal. */

import { scopeText } from '../policy/plan.ts';
import { allowedAnswer, provenance, type Question, readAnswer } from '../policy/question.ts';
import { escapeLine, joined, type VisibleText, visible, visibleLines } from '../visible.ts';

/** Where the width of the terminal is not known. */
const COLUMNS = 80;
/** What is typed by somebody who does not want to answer. */
const SKIP = '/skip';

/** The question, as it is printed: what an agent wrote is indented, and broken before the terminal would. */
export function questionShown(asked: Question, columns = COLUMNS): VisibleText {
  const { actor, question, form } = asked;
  const layout = { prefix: '  ', columns };
  const what =
    form.kind === 'plan' ? 'proposes a plan' : 'asks (an answer allows nothing by itself)';
  const changes =
    form.scope === undefined
      ? ''
      : `What it would change, and nothing else:\n${scopeText(form.scope)}\n`;
  const options = (form.options ?? []).map((option, index) => `${index + 1}  ${option}\n`).join('');
  const from = provenance(asked);
  return joined([
    visibleLines(`${escapeLine(actor)} ${what}:\n`, { columns }),
    visibleLines(`${question.trimEnd()}\n`, layout),
    changes === '' ? visible`` : visibleLines(changes, { prefix: '  ', columns }),
    options === '' ? visible`` : visibleLines(options, { prefix: '    ', columns }),
    from === '' ? visible`` : visibleLines(`${from}\n`, { columns }),
  ]);
}

/** What may be typed. */
export function questionPrompt({ form }: Question): VisibleText {
  const { kind } = form;
  if (kind === 'choice') return visible`one of them, or ${SKIP}: `;
  if (kind === 'choices') return visible`those that apply, with commas between, or ${SKIP}: `;
  return visible`${allowedAnswer(form)}, or ${SKIP}: `;
}

/** What was typed, as an answer; or what is wrong with it. */
export function typedAnswer(
  { form }: Question,
  typed: string,
): { value: unknown; by: string } | { fault: string } {
  const by = 'the terminal';
  if (typed.trim() === SKIP) return { value: null, by };
  const answer = readAnswer(form, typed);
  return 'fault' in answer ? answer : { ...answer, by };
}
