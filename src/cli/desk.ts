/** Asking a person at the terminal, while whoever asks waits: requests for approval, and questions. */
import type { Approval } from '../policy/approval.ts';
import type { Asked } from '../policy/asked-journal.ts';
import type { Question } from '../policy/question.ts';
import { type VisibleText, visible } from '../visible.ts';
import type { World } from '../world/world.ts';
import { answerOf, choices, question } from './approvals-inline.ts';
import type { LineReader, TerminalInput } from './line-reader.ts';
import type { Output } from './output.ts';
import { questionPrompt, questionShown, typedAnswer } from './questions-inline.ts';
import { stopOnKeys } from './stop-keys.ts';

/** The requests for approval, as whoever asks a person needs them. */
export type AskedApprovals = Pick<World['approvals'], 'get' | 'answer'>;

/** What can be asked of a person, and answered. */
export interface AskingWorld {
  approvals: AskedApprovals;
  /** Absent where no agent asks. */
  questions?: Pick<World['questions'], 'get' | 'answer'>;
}

/** Takes what people are asked from a world to whoever can ask a person. */
export interface Desk {
  onAsked(asked: Approval | Question): void;
  /** What background jobs have asked for while nothing else ran. */
  later?: (Approval | Question)[];
  /** Set while something is asked: told of what was answered, wherever that was. */
  onAnswered?: ((asked: Asked) => void) | undefined;
}

/** What a person is asked with. */
export interface Asking {
  output: Output;
  reader: LineReader;
  /** Esc, Ctrl-C and Ctrl-D stop what asks; the request stays. */
  stop: AbortController;
  desk: Desk;
}

/** Asks the person at the terminal until there is an answer, and passes it on. */
export async function askPerson(
  asked: Approval | Question,
  { approvals, questions }: AskingWorld,
  asking: Asking,
): Promise<void> {
  if (!('question' in asked)) {
    return ask(asked.id, asking, {
      get: approvals.get,
      shown: question,
      prompt: choices,
      read: (typed, approval) => {
        const answer = answerOf(typed, approval);
        return answer === null ? null : () => approvals.answer(approval.id, answer);
      },
    });
  }
  if (questions === undefined) return;
  return ask(asked.id, asking, {
    get: questions.get,
    shown: questionShown,
    prompt: questionPrompt,
    read: (typed, each) => {
      const answer = typedAnswer(each, typed);
      if ('fault' in answer) return visible`${answer.fault}\n`;
      return () => questions.answer(each.id, answer);
    },
  });
}

/** How one kind of request is put. */
interface Kind<Each extends Asked> {
  get(id: string): Promise<Each | null>;
  shown(asked: Each, columns: number | undefined): VisibleText;
  prompt(asked: Each): VisibleText;
  /** Gives the answer that was typed; or says why it is none; null: it is asked again without a word. */
  read(typed: string, asked: Each): (() => Promise<unknown>) | VisibleText | null;
}

async function ask<Each extends Asked>(
  id: string,
  { output, reader, stop, desk }: Asking,
  { get, shown, prompt, read }: Kind<Each>,
): Promise<void> {
  const asked = await get(id);
  // Answered elsewhere meanwhile, or by the answer before.
  if (asked?.state !== 'pending' || stop.signal.aborted) return;
  const withdrawn = new AbortController();
  desk.onAnswered = (answered) => {
    if (answered.id === id) withdrawn.abort();
  };
  await output
    .whileAsking(async (say) => {
      await say(shown(asked, output.columns('stderr')));
      for (;;) {
        const reading = await reader.ask(prompt(asked), withdrawn.signal);
        if (reading === 'withdrawn') {
          const answered = await get(id);
          // The operation may have gone on already, and used it up.
          const state = answered?.state === 'used' ? 'allowed' : answered?.state;
          await say(visible`answered elsewhere: ${state ?? 'it is gone'}\n`);
          return;
        }
        if (typeof reading === 'string') return stop.abort();
        const answer = read(reading.line, asked);
        if (typeof answer === 'function') {
          desk.onAnswered = undefined;
          await answer();
          return;
        }
        if (answer !== null) await say(answer);
      }
    })
    .finally(() => {
      desk.onAnswered = undefined;
    });
}

/** Nothing runs but background jobs: what they ask for is kept for {@link askLater}. */
export function keepForLater(desk: Desk): void {
  desk.later ??= [];
  desk.onAsked = (asked) => {
    if (asked.state === 'pending') desk.later?.push(asked);
    else desk.onAnswered?.(asked);
  };
}

/** Before the next prompt: asks what has been kept. Esc leaves the request as it is. */
export async function askLater(
  desk: Desk | undefined,
  world: AskingWorld,
  { output, reader }: Pick<Asking, 'output' | 'reader'>,
): Promise<void> {
  if (desk === undefined) return;
  keepForLater(desk);
  for (let asked = desk.later?.shift(); asked !== undefined; asked = desk.later?.shift()) {
    const asking = { output, reader, desk, stop: new AbortController() };
    const one = asked;
    await reader.lend(() => askPerson(one, world, asking));
  }
}

/** What a turn asks while it runs, and the keys that stop it. */
export interface Attending {
  onAsked(asked: Approval | Question): void;
  /** Waits for what is being asked, and leaves the keys. */
  end(): Promise<void>;
}

/** Attends to a turn at the terminal: the keys stop it, except while they answer what it asks. */
export function attendTurn(
  input: TerminalInput,
  world: AskingWorld,
  asking: Asking,
  told: (work: () => Promise<void>) => Promise<void> = (work) => work(),
): Attending {
  const { reader, stop, desk } = asking;
  const watchKeys = () =>
    stopOnKeys(
      input,
      () => stop.abort(),
      (typed) => reader.typed(typed),
    );
  let release = watchKeys();
  let last = Promise.resolve();
  return {
    onAsked: (asked) => {
      if (asked.state !== 'pending') return desk.onAnswered?.(asked);
      // One at a time; while it is asked the keys are its answer.
      last = last.then(async () => {
        release();
        await told(() => askPerson(asked, world, asking));
        release = watchKeys();
      });
    },
    end: async () => {
      await last;
      release();
    },
  };
}
