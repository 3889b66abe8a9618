/** A turn on a server, shown as it runs. */
import { randomUUID } from 'node:crypto';
import type { Approval } from '../policy/approval.ts';
import type { Question } from '../policy/question.ts';
import { hasEnded, type QueuedTurn } from '../serve/queue/turn.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { Output } from './output.ts';
import type { ServerClient } from './server-client.ts';
import { type PrintedParts, TurnPrinter } from './turn-printer.ts';

/** What one message is said with. */
export interface ServedMessage {
  session: string;
  text: string;
  model: string | undefined;
  plan: boolean;
}

/**
 * Says something, and shows its turn until it has ended, or is parked. Others may be in the session:
 * what is said to them is not shown.
 * @param onAsked told of each request for approval and each question, and of its answer
 */
export async function showServedTurn(
  client: ServerClient,
  { session, text, model, plan }: ServedMessage,
  output: Output,
  how: PrintedParts,
  onAsked: (asked: Approval | Question) => void = () => undefined,
): Promise<QueuedTurn> {
  const printer = new TurnPrinter(output, how);
  const ended = new AbortController();
  const opened = Promise.withResolvers<void>();
  const said = opened.promise.then(() =>
    client.say(session, {
      text,
      key: randomUUID(),
      plan,
      ...(model === undefined ? {} : { model }),
    }),
  );
  // It is awaited below; what is said before is still followed.
  said.catch(() => ended.abort());
  let runs = false;
  let wasBroken = false;
  try {
    for await (const event of client.events(session, ended.signal, opened.resolve)) {
      if (event.kind === 'event') {
        if (runs) printer.print(event.event);
        const { type } = event.event;
        if (type === 'approval' || type === 'question')
          onAsked(event.event[type] as Approval | Question);
        continue;
      }
      const { id } = await said;
      wasBroken ||= event.kind === 'reopened';
      const turn = event.kind === 'turn' ? event.turn : await client.message(id);
      if (turn.id !== id) continue;
      runs = turn.state === 'running';
      if (!hasEnded(turn) && turn.state !== 'parked') continue;
      // What passed while nobody listened is not told again.
      const answer = turn.outcome?.text;
      if (wasBroken && answer !== undefined) printer.complete(answer);
      return turn;
    }
    return await said;
  } finally {
    ended.abort();
    await printer.finish();
  }
}

/** Says what went wrong, or what is waited for. */
export async function tellOutcome(
  { state, outcome, approvals, questions }: QueuedTurn,
  output: Output,
): Promise<void> {
  const [approval, question] = [approvals.at(-1) ?? '', questions.at(-1) ?? ''];
  if (state === 'parked') {
    // The later of the two: their ids are in the order of their times.
    const what = question > approval ? `question ${question}` : `approval ${approval}`;
    await output.err(
      visible`dirigent: the turn waits for ${what}, and goes on by itself once it is answered\n`,
    );
  } else if (outcome?.error !== undefined && outcome.status !== 'budget')
    await output.err(visible`dirigent: ${visibleMessage(outcome.error)}\n`);
}
