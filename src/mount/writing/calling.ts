/** Calls of programs: what is not known to read only is a change in the journal before it is sent, and is sent once. */
import type { Change, ServiceRequest } from '../../changes/change.ts';
import type { ChangeJournal } from '../../changes/journal.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { PlannedCall, ProgramInput, ProgramOutput } from '../contract/program.ts';
import type { Program, ProgramRequest } from '../table/route.ts';
import type { Match } from '../table/table.ts';
import type { Sending } from './sending.ts';

/** Of the answer of a staged call, so much is kept in the journal. Characters. */
const ANSWER_KEPT = 64 * 1024;

export interface CallingOptions {
  /** The mount's name in the journal. */
  name: string;
  /** What sentences call the service. */
  title: string;
  journal: ChangeJournal;
  stage: boolean;
  sending: Sending;
  /** Ends the change when the work fails, and makes the failure one of the path's. */
  guard(change: Change, work: () => Promise<void>): Promise<void>;
}

export class Calling {
  readonly #options: CallingOptions;

  constructor(options: CallingOptions) {
    this.#options = options;
  }

  /** @throws FsError what the service, or what is held of it, has against the call */
  plan(
    path: string,
    match: Match,
    program: Program,
    input: ProgramInput,
  ): PlannedCall | ProgramOutput {
    const planned = atPath(path, () => program.plan(match.params, input));
    if ('exitCode' in planned) return planned;
    const { effect, shown } = planned;
    const show = (answer: unknown) => planned.show?.(answer) ?? program.show(answer);
    return {
      program: planned.program,
      effect,
      shown,
      carryOut: async (signal) => {
        if (effect === 'reads') {
          return show(
            await this.#asked(path, () => program.send(match.params, planned.request, signal)),
          );
        }
        if (this.#options.stage) return this.#stage(path, planned);
        return show(await this.#call(path, match, program, planned, signal));
      },
    };
  }

  /** Makes a call that was staged. Its answer stays with the change: nobody waits for it any more. */
  async commit(change: Change, match: Match, program: Program): Promise<void> {
    const { request } = change;
    if (request === null) return;
    const answer = await this.#send(change, match, program, request, new AbortController().signal);
    const { stdout, stderr } = program.show(answer);
    const text = `${Buffer.from(stdout).toString()}${stderr}`;
    const kept = text.length > ANSWER_KEPT ? `${text.slice(0, ANSWER_KEPT)}…\n` : text;
    this.#options.journal.update(change.id, { result: { path: change.path, answer: kept } });
  }

  async #call(
    path: string,
    match: Match,
    program: Program,
    { request, shown }: ProgramRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { journal, name, guard } = this.#options;
    const change = journal.begin({ mount: name, path, op: 'call', mine: `${shown}\n` });
    let answer: unknown;
    await guard(change, async () => {
      answer = await this.#send(change, match, program, request, signal);
    });
    return answer;
  }

  async #send(
    change: Change,
    match: Match,
    program: Program,
    request: ServiceRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    let answer: unknown;
    await this.#options.sending.send(change, match, request, async () => {
      answer = await program.send(match.params, request, signal);
      return { path: change.path };
    });
    return answer;
  }

  /** Nobody can tell what it would have answered, so whoever called it is told that it was not. */
  #stage(path: string, { request, shown }: ProgramRequest): ProgramOutput {
    const { journal, name, title } = this.#options;
    const change = journal.begin({ mount: name, path, op: 'call', mine: `${shown}\n` });
    journal.stage(change.id, request, []);
    return {
      stdout: new Uint8Array(),
      stderr: `dirigent: the call is staged as change ${change.id}, and ${title} was not asked: there is no answer before it is applied\n`,
      exitCode: 1,
    };
  }

  async #asked<T>(path: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw error instanceof ServiceFailure ? error.at(path, 'call') : error;
    }
  }
}

function atPath<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ServiceFailure ? error.at(path, 'call') : error;
  }
}
