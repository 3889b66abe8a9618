/** `dirigent run`: one turn, its answer on stdout. */
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { Worker } from 'node:worker_threads';
import type { Agent } from '../agent/open-agent.ts';
import type { TurnResult } from '../agent/turn-result.ts';
import { certifiedAnswer, statusOf as citedStatus, reportLines } from '../citations/report.ts';
import { visible, visibleLines, visibleMessage } from '../visible.ts';
import type { World } from '../world/world.ts';
import type { RunArguments } from './agent-options.ts';
import { UsageError } from './arguments.ts';
import type { AskingWorld, Desk } from './desk.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { Output } from './output.ts';
import { askedToEnd } from './signals.ts';
import { readToEnd } from './stdin.ts';
import { type PrintedParts, printAnswer, TurnPrinter } from './turn-printer.ts';

/** Runs `dirigent run`, and gives its exit status. */
export async function runTurnCommand(
  options: RunArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const opening = import('../agent/open-agent.ts');
  opening.catch(() => undefined);
  const prompt = await promptOf(options);
  const stop = new AbortController();
  const desk = attended(options, output) ? await deskAt(() => world, output, stop) : null;
  const world = await openWorld(options, installation, worker, output, {
    ...(desk === null ? {} : { onQuestion: desk.onAsked }),
  });
  const { openAgent } = await opening;
  const agent = await openAgent(world, hostOf(options, output), world.agent);
  askedToEnd().then(() => stop.abort());
  const { cite, json } = options;
  // Until its citations are checked, an answer may be taken back.
  const result = await showTurn(world, output, { quiet: json, withheld: cite }, () =>
    agent.run({ prompt, signal: stop.signal, cite, ...chosen(options) }),
  );
  if (cite && !json) await printCited(output, result);
  if (json) await output.json(report(world, result));
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

/** Is somebody at the terminal who can be asked? What it reads and prints is not a program's then. */
export const attended = ({ json }: Pick<RunArguments, 'json'>, output: Output): boolean =>
  !json && isatty(0) && output.errIsTerminal;

/** Asks the person at the terminal, who has no prompt there before. */
export async function deskAt(
  world: () => AskingWorld,
  output: Output,
  stop: AbortController,
): Promise<Desk> {
  const [{ askPerson }, { answerReader }] = await Promise.all([
    import('./desk.ts'),
    import('./line-reader.ts'),
  ]);
  let last = Promise.resolve();
  const desk: Desk = {
    onAsked: (asked) => {
      if (asked.state !== 'pending') return desk.onAnswered?.(asked);
      last = last.then(async () => {
        const reader = answerReader();
        try {
          await reader.lend(() => askPerson(asked, world(), { output, reader, stop, desk }));
        } finally {
          reader.close();
        }
      });
    },
  };
  return desk;
}

/** Where a deployment's modules start. */
export const hostOf = ({ deployment }: { deployment: string | undefined }, output: Output) => ({
  base: deployment ?? process.cwd(),
  env: process.env,
  onHarnessErrors: (text: string) => void output.err(visible`dirigent: ${visibleMessage(text)}\n`),
  onNotice: (text: string) => void output.err(visible`dirigent: ${text}\n`),
});

/** Agent and model as the command line names them. */
export const chosen = ({ agent, model, plan }: Pick<RunArguments, 'agent' | 'model' | 'plan'>) => ({
  ...(plan ? { plan } : {}),
  ...(agent === undefined ? {} : { agent }),
  ...(model === undefined ? {} : { model }),
});

/** Runs a turn and shows it. */
export async function showTurn(
  world: World,
  output: Output,
  how: PrintedParts,
  run: () => ReturnType<Agent['run']>,
): Promise<TurnResult> {
  const printer = new TurnPrinter(output, how);
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

/** What was given, or is on stdin. @throws UsageError */
export const promptOf = async ({ prompt }: Pick<RunArguments, 'prompt'>): Promise<string> =>
  prompt ?? promptFromStdin();

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

/** The answer, and what came of its citations: a certificate, or on a terminal the report. */
async function printCited(output: Output, { text, citations }: TurnResult): Promise<void> {
  if (citations === undefined) {
    if (text !== '') await printAnswer(output, `${text.trimEnd()}\n`);
    return;
  }
  if (!output.outIsTerminal) {
    await printAnswer(output, certifiedAnswer(text, citations, new Date()));
    return;
  }
  await printAnswer(output, `${text.trimEnd()}\n`);
  await output.out(visibleLines(`\n${reportLines(citations).join('\n')}\n`));
}

function statusOf({ status, citations }: TurnResult): number {
  if (status === 'done') {
    return citations === undefined || citedStatus(citations) === 0 ? 0 : 1;
  }
  return status === 'stopped' ? 128 + constants.signals.SIGINT : 1;
}
