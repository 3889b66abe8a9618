/** `dirigent run`: one turn, its answer on stdout. */
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { Worker } from 'node:worker_threads';
import type { Agent } from '../agent/open-agent.ts';
import type { TurnResult } from '../agent/turn-result.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { World } from '../world/world.ts';
import type { RunArguments } from './agent-options.ts';
import { UsageError } from './arguments.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { readToEnd } from './stdin.ts';
import { TurnPrinter } from './turn-printer.ts';

/** Runs `dirigent run`, and gives its exit status. */
export async function runTurnCommand(
  options: RunArguments,
  output: Output,
  worker: Worker,
): Promise<number> {
  const opening = import('../agent/open-agent.ts');
  opening.catch(() => undefined);
  const prompt = options.prompt ?? (await promptFromStdin());
  const world = await openWorld(options, worker, output);
  const { openAgent } = await opening;
  const agent = await openAgent(world, hostOf(options, output), world.agent);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => stop.abort());
  }
  const result = await showTurn(world, output, options.json, () =>
    agent.run({ prompt, signal: stop.signal, ...chosen(options) }),
  );
  if (options.json) await output.json(report(world, result));
  else {
    if (result.error !== undefined && result.status !== 'budget')
      await output.err(visible`dirigent: ${visibleMessage(result.error)}\n`);
    // For a person; programs have it of --json, and stderr is for what went wrong.
    if (options.session === undefined && output.errIsTerminal)
      await output.err(visible`session ${world.session.id}\n`);
  }
  await agent.close();
  return statusOf(result);
}

/** Where a deployment's modules start. */
export const hostOf = ({ deployment }: { deployment: string | undefined }, output: Output) => ({
  base: deployment ?? process.cwd(),
  env: process.env,
  onHarnessErrors: (text: string) => void output.err(visible`dirigent: ${visibleMessage(text)}\n`),
  onNotice: (text: string) => void output.err(visible`dirigent: ${text}\n`),
});

/** Agent and model as the command line names them. */
export const chosen = ({ agent, model }: Pick<RunArguments, 'agent' | 'model'>) => ({
  ...(agent === undefined ? {} : { agent }),
  ...(model === undefined ? {} : { model }),
});

/** Runs a turn and shows it. */
export async function showTurn(
  world: World,
  output: Output,
  quiet: boolean,
  run: () => ReturnType<Agent['run']>,
): Promise<TurnResult> {
  const printer = new TurnPrinter(output, quiet);
  const ended = new AbortController();
  const events = world.session.events({ signal: ended.signal });
  const shown = (async () => {
    for await (const event of events) printer.print(event);
  })();
  try {
    return await run();
  } finally {
    // What was told before is still in the stream.
    await new Promise((resolve) => setImmediate(resolve));
    ended.abort();
    await shown;
    await printer.finish();
  }
}

async function promptFromStdin(): Promise<string> {
  if (isatty(0)) throw new UsageError('run', 'give a prompt, or one on stdin');
  const text = new TextDecoder().decode(await readToEnd()).trim();
  if (text === '') throw new UsageError('run', 'the prompt is empty');
  return text;
}

const report = (world: World, result: TurnResult) => ({
  session: world.session.id,
  ...result,
  mounts: world.usage(),
});

function statusOf({ status }: TurnResult): number {
  if (status === 'done') return 0;
  return status === 'stopped' ? 128 + constants.signals.SIGINT : 1;
}
