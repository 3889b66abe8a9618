/** `dirigent run --server`: one turn on a server, its answer on stdout. */
import { constants } from 'node:os';
import { visible } from '../visible.ts';
import type { RunArguments } from './agent-options.ts';
import type { Output } from './output.ts';
import { attended, deskAt, promptOf } from './run-turn.ts';
import { sessionOn } from './served-session.ts';
import { showServedTurn, tellOutcome } from './served-turn.ts';
import { ServerClient } from './server-client.ts';
import { askedToEnd } from './signals.ts';

/** Runs `dirigent run` on a server, and gives its exit status. */
export async function runServedTurn(
  options: RunArguments & { server: string },
  output: Output,
): Promise<number> {
  const client = new ServerClient(options.server, process.env);
  const text = await promptOf(options);
  const session = await sessionOn(client, options);
  void askedToEnd().then(() => client.stop(session));
  const stop = new AbortController();
  stop.signal.addEventListener('abort', () => void client.stop(session), { once: true });
  const desk = attended(options, output) ? await deskAt(() => client, output, stop) : null;
  const message = { session, text, model: options.model, plan: options.plan };
  const turn = await showServedTurn(
    client,
    message,
    output,
    { quiet: options.json },
    desk?.onAsked,
  );
  const { state, outcome } = turn;
  if (options.json) await output.json({ session, ...outcome, state });
  else await tellOutcome(turn, output);
  if (!options.json && options.session === undefined && output.errIsTerminal)
    await output.err(visible`session ${session}\n`);
  if (state === 'stopped') return 128 + constants.signals.SIGINT;
  return outcome?.status === 'done' ? 0 : 1;
}
