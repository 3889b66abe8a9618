/** `dirigent chat`: a conversation with an agent in the terminal. */
import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Worker } from 'node:worker_threads';
import type { Agent } from '../agent/open-agent.ts';
import type { TurnResult } from '../agent/turn.ts';
import { bold, dim, visible, visibleMessage } from '../visible.ts';
import type { World } from '../world/world.ts';
import type { ChatArguments } from './agent-options.ts';
import { UsageError } from './arguments.ts';
import { formatCost } from './cost.ts';
import { appendHistory, HISTORY_LIMIT, readHistory, trimHistory } from './history.ts';
import { type ApprovalDesk, askPerson } from './interactive.ts';
import { LineReader, type TerminalInput } from './line-reader.ts';
import { openWorld } from './open-world.ts';
import { type Output, promptStream } from './output.ts';
import { suggested } from './place.ts';
import { chosen, hostOf, showTurn } from './run-turn.ts';

const ESCAPE = 0x1b;
const CTRL_C = 0x03;

/** Runs `dirigent chat`, and gives its exit status. */
export async function runChat(
  options: ChatArguments,
  output: Output,
  worker: Worker,
): Promise<number> {
  if (!isatty(0)) {
    throw new UsageError(
      'chat',
      `chat needs a terminal; "${suggested(options.given, 'run')}" reads a prompt on stdin`,
    );
  }
  const opening = import('../agent/open-agent.ts');
  opening.catch(() => undefined);
  const desk: ApprovalDesk = { onApproval: () => undefined };
  const world = await openWorld(options, worker, output, {
    onApproval: (approval) => desk.onApproval(approval),
  });
  const { openAgent } = await opening;
  const agent = await openAgent(world, hostOf(options, output), world.agent);
  try {
    return await converse({
      world,
      agent,
      options,
      desk,
      input: process.stdin,
      prompts: promptStream(),
      output,
    });
  } finally {
    await agent.close();
  }
}

/** What a conversation needs; tests hand in streams for the terminal. */
export interface Conversation {
  world: World;
  agent: Agent;
  options: Pick<ChatArguments, 'agent' | 'model'>;
  /** Where requests for approval come in. */
  desk: ApprovalDesk;
  input: TerminalInput;
  prompts: NodeJS.WritableStream;
  output: Output;
}

/** Reads prompts and runs turns until the user ends it. */
export async function converse(conversation: Conversation): Promise<number> {
  const { world, options, input, prompts, output } = conversation;
  const file = join(world.state, 'chat-history');
  trimHistory(file);
  const reader = new LineReader({
    input,
    output: prompts,
    history: readHistory(file),
    historySize: HISTORY_LIMIT,
    complete: async (text) => [[], text],
  });
  const name = options.agent ?? 'assistant';
  await output.err(
    visible`${dim(visible`${name}, ${options.model ?? conversation.agent.defaultModel}; Esc stops a turn, Ctrl-D ends`)}\n`,
  );
  try {
    for (;;) {
      const reading = await reader.read(visible`${bold(visible`>`)} `);
      if (reading === 'interrupted') continue;
      if (reading === 'ended') {
        await output.err(visible`\nsession ${world.session.id}\n`);
        return 0;
      }
      const prompt = reading.line.trim();
      if (prompt === '') continue;
      appendHistory(file, prompt);
      await reader.lend(() => answer(conversation, prompt, reader));
    }
  } finally {
    reader.close();
  }
}

async function answer(
  conversation: Conversation,
  prompt: string,
  reader: LineReader,
): Promise<void> {
  const { world, agent, options, desk, input, output } = conversation;
  const stop = new AbortController();
  const watchKeys = () =>
    stopOnKeys(
      input,
      () => stop.abort(),
      (typed) => reader.typed(typed),
    );
  let release = watchKeys();
  let asking = Promise.resolve();
  desk.onApproval = (approval) => {
    if (approval.state !== 'pending') return desk.onAnswered?.(approval);
    // One question at a time; while it is asked the keys are its answer.
    asking = asking.then(async () => {
      release();
      await askPerson(approval, world, output, reader, stop, desk);
      release = watchKeys();
    });
  };
  const before = world.usage();
  try {
    const result = await showTurn(world, output, false, () =>
      agent.run({ prompt, signal: stop.signal, ...chosen(options) }),
    );
    if (result.error !== undefined && result.status !== 'budget') {
      await output.err(visible`dirigent: ${visibleMessage(result.error)}\n`);
    }
    const status = statusLine(result, formatCost(before, world.usage()));
    await output.err(visible`${dim(visible`${status}`)}\n`);
  } catch (error) {
    // The conversation goes on; the message says what to change.
    const message = error instanceof Error ? error.message : String(error);
    await output.err(visible`dirigent: ${visibleMessage(message)}\n`);
  } finally {
    desk.onApproval = () => undefined;
    await asking;
    release();
  }
}

/** `stopped · 3 steps · 1,234 tokens in, 56 out · 3 requests, 12 kB`. */
export function statusLine({ status, steps, usage }: TurnResult, cost: string | null): string {
  const count = (tokens: number): string => tokens.toLocaleString('en');
  return [
    ...(status === 'done' ? [] : [status]),
    `${steps} step${steps === 1 ? '' : 's'}`,
    `${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out`,
    ...(cost === null ? [] : [cost]),
  ].join(' · ');
}

/**
 * While a turn runs the keys are watched: Esc alone, or Ctrl-C. An arrow key
 * begins with the same byte, but more follow in the same chunk.
 */
function stopOnKeys(
  input: TerminalInput,
  onStop: () => void,
  onOther: (typed: string) => void,
): () => void {
  const onKeys = (chunk: Buffer | string): void => {
    const bytes = Buffer.from(chunk);
    if (bytes.includes(CTRL_C) || (bytes.length === 1 && bytes[0] === ESCAPE)) onStop();
    else onOther(bytes.toString());
  };
  input.setRawMode?.(true);
  input.on('data', onKeys);
  input.resume();
  process.on('SIGINT', onStop);
  return () => {
    process.off('SIGINT', onStop);
    input.off('data', onKeys);
    input.pause();
  };
}
