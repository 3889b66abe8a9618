/**
 * What the shell of a world asks of the background jobs, in the supervisor: a worker asks (asked.ts).
 * Apart from that, since this thread does not load the interpreter.
 */
import type { ActingContext } from '../../policy/context.ts';
import type { FromWorker, ToWorker } from '../protocol.ts';
import { wire } from '../wire-errors.ts';
import type { JobsRequest } from './asks.ts';

/** Answers what a command asks, in the name of whoever runs it. */
export type AnswerJobs = (request: JobsRequest, context: ActingContext) => Promise<unknown>;

/** The supervisor's side. */
export async function answerJobs(
  answer: AnswerJobs | undefined,
  { ask, request, context }: Extract<FromWorker, { type: 'jobs' }>,
  post: (answer: ToWorker) => void,
): Promise<void> {
  try {
    if (answer === undefined) throw new Error('this world has no background jobs');
    post({ type: 'jobs-answer', ask, value: await answer(request, context) });
  } catch (error) {
    post({ type: 'jobs-failed', ask, error: wire(error) });
  }
}
