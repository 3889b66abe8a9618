/** `dirigent sh` on a terminal: a prompt, and what carries over from line to line. */
import { constants } from 'node:os';
import { bold, dim, type VisibleText, visible, visibleMessage, visibleName } from '../visible.ts';
import type { ExecOptions, World } from '../world/world.ts';
import { complete } from './completion.ts';
import { formatCost } from './cost.ts';
import { type AskedApprovals, askLater, askPerson, type Desk, keepForLater } from './desk.ts';
import { hints } from './did-you-mean.ts';
import { appendHistory, HISTORY_LIMIT, readHistory, trimHistory } from './history.ts';
import { LineReader, type TerminalInput } from './line-reader.ts';
import type { Output } from './output.ts';
import { Printer } from './printer.ts';
import { showProgress } from './progress.ts';
import { CommandTerminal } from './terminal.ts';
import { whatWaits, writeLines } from './writes.ts';

/** What the prompt needs of a world. */
export interface InteractiveWorld
  extends Pick<World, 'exec' | 'usage' | 'cwd' | 'dryRun' | 'commands'> {
  fs: Pick<World['fs'], 'readdir' | 'readdirWithFileTypes'>;
  changes: Pick<World['changes'], 'list'>;
  approvals: AskedApprovals;
}

/** A terminal that is not this process's own: what a signal of the process, or its environment, is elsewhere. */
export interface RemoteTerminal {
  /** Listens for Ctrl-C at a command, and for the end of the terminal. @returns ends it */
  onInterrupt(listener: () => void): () => void;
  env: Readonly<Record<string, string | undefined>>;
}

export interface InteractiveOptions {
  world: InteractiveWorld;
  /** The terminal. */
  input: TerminalInput;
  /** Where prompts go; bash's go to stderr, too. */
  prompts: NodeJS.WritableStream;
  output: Output;
  /** The line that runs another command on this world. */
  suggest: (command: string) => string;
  /** Where requests for approval come in. */
  desk?: Desk;
  /** The file of the lines typed before; null where none are kept. */
  history: string | null;
  /** Absent where the terminal is this process's own. */
  remote?: RemoteTerminal;
}

const NEWLINE = 0x0a;

/** Runs the session, and gives the status that it ends with. */
export async function runInteractive(options: InteractiveOptions): Promise<number> {
  const { world, history: file, remote } = options;
  if (file !== null) trimHistory(file);
  const reader = readerOf(options);
  const stopListening = remote === undefined ? exitOnSignals(reader) : () => undefined;
  let status = 0;
  try {
    for (;;) {
      await askLater(options.desk, world, { output: options.output, reader });
      const typed = await readCommand(reader, world, (line) => {
        if (file !== null) appendHistory(file, line);
      });
      if (typed.text.trim() !== '') {
        const ran = await reader.lend(() => runLine(options, typed.text, reader));
        status = ran.status;
        if (ran.exited) return await leave(options, status);
      }
      if (typed.ended) {
        await options.output.err(visible`exit\n`);
        return await leave(options, status);
      }
      if (typed.interrupted) status = 128 + constants.signals.SIGINT;
    }
  } finally {
    reader.close();
    stopListening();
  }
}

/** Runs one command at the terminal, and gives its status. */
export async function runAtTerminal(options: InteractiveOptions, command: string): Promise<number> {
  const reader = readerOf(options);
  try {
    return (await reader.lend(() => runLine(options, command, reader))).status;
  } finally {
    reader.close();
  }
}

function readerOf({ world, input, prompts, history }: InteractiveOptions): LineReader {
  return new LineReader({
    input,
    output: prompts,
    history: history === null ? [] : readHistory(history),
    historySize: HISTORY_LIMIT,
    complete: (text) => complete(text, world.cwd, world),
  });
}

/** Says what is left behind, and gives the status. */
async function leave(options: InteractiveOptions, status: number): Promise<number> {
  const { world, output, suggest } = options;
  try {
    const left = whatWaits(await world.changes.list(), suggest);
    if (left !== null) await output.err(visible`${left}\n`);
  } catch (error) {
    // It is no part of what was asked for; the session ends as it would.
    await output.err(visible`dirigent: the changes cannot be read: ${String(error)}\n`);
  }
  return status;
}

/** Ctrl-C is a signal there. */
const OWN_TERMINAL: RemoteTerminal = {
  onInterrupt: (listener) => {
    process.on('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  },
  env: process.env,
};

/** The directory; and whether what is written is sent. */
function promptOf({ cwd, dryRun }: Pick<World, 'cwd' | 'dryRun'>): VisibleText {
  return visible`${dryRun ? '(dry run) ' : ''}${bold(visibleName(cwd))}$ `;
}

interface Typed {
  text: string;
  ended: boolean;
  interrupted: boolean;
}

/** Reads lines until they are a whole command. */
async function readCommand(
  reader: LineReader,
  world: Pick<World, 'cwd' | 'dryRun'>,
  remember: (line: string) => void,
): Promise<Typed> {
  let text = '';
  let prompt = promptOf(world);
  for (;;) {
    const pending = reader.read(prompt);
    // While the user types: it loads just-bash's parser.
    const { isIncomplete } = await import('./incomplete.ts');
    const reading = await pending;
    if (reading === 'interrupted') return { text: '', ended: false, interrupted: true };
    if (reading === 'ended') return { text, ended: true, interrupted: false };
    if (reading.line.trim() !== '') remember(reading.line);
    text += reading.line;
    if (!isIncomplete(text)) return { text, ended: false, interrupted: false };
    text += '\n';
    prompt = visible`> `;
  }
}

async function runLine(
  { world, output, desk, suggest, input, remote }: InteractiveOptions,
  text: string,
  reader: LineReader,
): Promise<{ status: number; exited: boolean }> {
  const stop = new AbortController();
  const onInterrupt = (): void => {
    if (!terminal.ownsKeys) stop.abort();
  };
  const stopListening = (remote ?? OWN_TERMINAL).onInterrupt(onInterrupt);
  const progress = showProgress(output);
  let asking = Promise.resolve();
  if (desk !== undefined) {
    desk.onAsked = (asked) => {
      if (asked.state !== 'pending') return desk.onAnswered?.(asked);
      progress.stop();
      // One at a time.
      asking = asking.then(() => askPerson(asked, world, { output, reader, stop, desk }));
    };
  }
  const before = world.usage();
  const printer = new Printer(output, () => stop.abort());
  const terminal = new CommandTerminal({
    input,
    output,
    reader,
    env: (remote ?? OWN_TERMINAL).env,
    editor: remote === undefined,
    stop,
    settle: () => {
      progress.stop();
      return printer.settle();
    },
  });
  const onOutput: ExecOptions['onOutput'] = (stream, bytes) => {
    progress.stop();
    printer.print(stream, bytes);
  };
  try {
    const running = world.exec(text, { signal: stop.signal, onOutput, terminal });
    const result = await running.finally(() => progress.stop());
    await printer.finish(result);
    // The prompt is drawn from the first column on, over what is there.
    if (printer.last !== undefined && printer.last !== NEWLINE) await output.err(visible`\n`);
    if (result.stderr !== '') {
      for (const hint of await hints(result.stderr, world))
        await output.err(visible`dirigent: did you mean ${visibleName(hint)}?\n`);
    }
    for (const line of writeLines(result.writes, world.cwd, suggest))
      await output.err(visible`${line}\n`);
    const cost = formatCost(before, world.usage());
    if (cost !== null) await output.err(visible`${dim(visible`${cost}`)}\n`);
    return { status: result.exitCode, exited: result.exited };
  } catch (error) {
    // The session goes on: the world says what became of that one command.
    const message = error instanceof Error ? error.message : String(error);
    await output.err(visible`dirigent: ${visibleMessage(message)}\n`);
    return { status: 1, exited: false };
  } finally {
    if (desk !== undefined) keepForLater(desk);
    stopListening();
  }
}

/** A terminal that goes away, or a supervisor, ends the session; the terminal is left as it was. */
function exitOnSignals(reader: LineReader): () => void {
  const listeners = (['SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const onSignal = (): void => {
      try {
        reader.close();
      } finally {
        // Of a terminal that is gone nothing can be set any more.
        process.exit(128 + constants.signals[signal]);
      }
    };
    process.once(signal, onSignal);
    return () => void process.off(signal, onSignal);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}
