/** The tool `ask`: a question to the person, and their answer, in the form that was asked for. */
import { z } from 'zod';
import { isDay, outcomeText, QUESTION_KINDS, type QuestionForm } from '../../policy/question.ts';
import { isVisibleLine } from '../../visible.ts';
import { type AgentTool, defineTool } from '../tool.ts';

const option = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isVisibleLine, 'should be one line in which all is seen');
const day = z.string().refine(isDay, 'should be a day, as 2026-11-28');

/** Which of the fields say more about which kinds. */
const FIELDS: Readonly<Record<string, readonly QuestionForm['kind'][]>> = {
  options: ['choice', 'choices'],
  min: ['number', 'text', 'choices'],
  max: ['number', 'text', 'choices'],
  whole: ['number'],
  from: ['date'],
  to: ['date'],
};

const input = z
  .strictObject({
    question: z.string().trim().min(1).max(4_000).describe('All that they must know to answer it'),
    kind: z
      .enum(QUESTION_KINDS)
      .describe('text; confirm: yes or no; choice: one option; choices: several; number; date'),
    options: z.array(option).min(2).max(20).optional().describe('Of choice and choices'),
    min: z.number().optional().describe('Of number; of text in characters; of choices, how many'),
    max: z.number().optional(),
    whole: z.boolean().optional().describe('Of number: no fraction'),
    from: day.optional().describe('Of date: the first, as 2026-11-28'),
    to: day.optional(),
  })
  .superRefine((asked, context) => {
    const { kind, options, min, max, from, to } = asked;
    const fault = (path: string, message: string): void =>
      void context.addIssue({ code: 'custom', path: [path], message });
    for (const [field, kinds] of Object.entries(FIELDS))
      if (asked[field as keyof typeof asked] !== undefined && !kinds.includes(kind))
        fault(field, `belongs to ${kinds.join(', ')}, not to ${kind}`);
    if (options === undefined && (kind === 'choice' || kind === 'choices'))
      fault('options', `${kind} needs the options to choose from`);
    if (options !== undefined && new Set(options).size < options.length)
      fault('options', 'should differ from each other');
    if (min !== undefined && max !== undefined && min > max) fault('min', 'is above max');
    if (from !== undefined && to !== undefined && from > to) fault('from', 'is after to');
    if (kind === 'choices' && options !== undefined && (min ?? 0) > options.length)
      fault('min', `is above the ${options.length} options`);
  });

export const askTool: AgentTool = defineTool({
  name: 'ask',
  description:
    'Asks the person something that only they can decide or know, and gives their answer. It allows nothing: what needs approval is asked about by itself.',
  guideline:
    'Use `ask` where an answer changes what you do, and no file has it; one question at a time, not for what you can find out.',
  input,
  // It changes nothing; that it was asked stands in the journal before anybody is shown it.
  readOnly: true,
  run: async ({ question, ...form }, { access }) => {
    const asked = await access.ask(question, form as QuestionForm);
    const text = outcomeText(asked);
    if (asked.state !== 'pending') return { text, failed: asked.state !== 'answered' };
    return {
      text: `nobody is here to answer now: question ${asked.id} waits for them in /session/questions, and asked again once they have answered, it has their answer. Go on with what does not need it, and say in your answer what you would have asked.`,
      failed: true,
    };
  },
});
