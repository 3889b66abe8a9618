/** `dirigent questions`: what agents ask, and a person's answers. */
import { userInfo } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { scopeText } from '../policy/plan.ts';
import {
  allowedAnswer,
  answerText,
  provenance,
  type Question,
  questionFields,
  readAnswer,
} from '../policy/question.ts';
import { joined, type VisibleText, visible, visibleLines } from '../visible.ts';
import type { WorldQuestions } from '../world/world.ts';
import { resolveId } from './ids.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import type { QuestionsArguments } from './policy-options.ts';

/** Runs `dirigent questions`, and gives its exit status. */
export async function runQuestions(
  options: QuestionsArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  return actOnQuestions(world.questions, options, output);
}

/** What `questions` does, on any journal. */
export async function actOnQuestions(
  questions: WorldQuestions,
  options: QuestionsArguments,
  output: Output,
): Promise<number> {
  const { verb, json, answer } = options;
  const print = (value: unknown, text: VisibleText): Promise<boolean> =>
    json ? output.json(value, 2) : output.out(text);
  if (verb === 'list') {
    const list = (await questions.list(options.all ? undefined : 'pending')).toReversed();
    const none = options.all ? visible`no questions\n` : visible`nothing waits for an answer\n`;
    await print(list, list.length === 0 ? none : joined(list.map(row)));
    return 0;
  }
  const chosen = choose((await questions.list()).toReversed(), options);
  if (chosen.length === 0) {
    await output.err(visible`dirigent: nothing waits for an answer\n`);
    return 1;
  }
  let status = 0;
  for (const asked of chosen) {
    if (verb === 'show') {
      await print(asked, wholeText(asked, output.columns('stdout')));
      continue;
    }
    const value = answer === undefined ? { value: null } : readAnswer(asked.form, answer);
    const fault =
      asked.state !== 'pending'
        ? `is ${asked.state}, not pending`
        : 'fault' in value
          ? `has no such answer: ${value.fault}`
          : null;
    if (fault !== null || 'fault' in value) {
      await output.err(visible`dirigent: question ${asked.id} ${fault ?? ''}\n`);
      status = 1;
      continue;
    }
    const by = userInfo().username;
    const now = await questions.answer(asked.id, { ...value, by });
    await print(now, now === null ? visible`` : visible`${outcome(now)}\n`);
  }
  return status;
}

/**
 * Which questions are meant.
 * @param list the newest first
 * @throws FsError where an id names none, or several; then nothing is answered
 */
function choose(
  list: readonly Question[],
  { verb, ids, last, given }: QuestionsArguments,
): Question[] {
  if (last) return list.filter(({ state }) => verb === 'show' || state === 'pending').slice(0, 1);
  const byId = new Map(list.map((asked) => [asked.id, asked]));
  const named = ids.map((typed) =>
    resolveId([...byId.keys()], typed, {
      what: 'question',
      names: suggested(given, 'questions list --all'),
      describe: (id) => `${byId.get(id)?.state}  ${byId.get(id)?.question}`,
    }),
  );
  return [...new Set(named)].flatMap((id) => byId.get(id) ?? []);
}

const row = ({ id, state, actor, question, form }: Question): VisibleText =>
  visible`${id}  ${state}  ${actor}  ${question}\n    ${allowedAnswer(form)}\n`;

/** Fields, then its words: indented, so that none of them passes for a field. */
const wholeText = (asked: Question, columns: number | undefined): VisibleText =>
  joined([
    visibleLines(questionFields(asked), { columns }),
    visibleLines(asked.form.scope === undefined ? '' : `\n${scopeText(asked.form.scope)}\n`, {
      prefix: '  ',
      columns,
    }),
    visibleLines(`\n${asked.question.trimEnd()}\n`, { prefix: '  ', columns }),
    visibleLines(provenance(asked) === '' ? '' : `\n${provenance(asked)}\n`, { columns }),
  ]);

const outcome = ({ id, state, answer }: Question): string =>
  answer === null ? `${id} ${state}` : `${id} ${state}: ${answerText(answer)}`;
