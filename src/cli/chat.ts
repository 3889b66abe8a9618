/** `dirigent chat`: a conversation with an agent in the terminal. */
import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Worker } from 'node:worker_threads';
import type { TurnResult } from '../agent/turn-result.ts';
import { isMessage, textOf } from '../session/entry.ts';
import { bold, dim, visible, visibleLines, visibleMessage } from '../visible.ts';
import { spawnWorker } from '../world/spawn-worker.ts';
import type { ChatArguments } from './agent-options.ts';
import { UsageError } from './arguments.ts';
import { completeCall, outcomeOf } from './chat-commands.ts';
import type { Conversation } from './conversation.ts';
import { formatCost } from './cost.ts';
import { askLater, attendTurn, type Desk, keepForLater } from './desk.ts';
import { appendHistory, HISTORY_LIMIT, readHistory, trimHistory } from './history.ts';
import type { Installation } from './installation.ts';
import { LineReader, type Reading } from './line-reader.ts';
import { conversationBefore, openWorld } from './open-world.ts';
import { type Output, promptStream } from './output.ts';
import { suggested } from './place.ts';
import { chosen, hostOf, showTurn } from './run-turn.ts';

/** Runs `dirigent chat`, and gives its exit status. */
export async function runChat(
  options: ChatArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  if (!isatty(0)) {
    throw new UsageError(
      'chat',
      `chat needs a terminal; "${suggested(options.given, 'run')}" reads a prompt on stdin`,
    );
  }
  for (let [asked, thread] = [options, worker]; ; thread = spawnWorker()) {
    const end = await chatOnce(asked, output, installation, thread);
    if (end.resume === undefined) return end.status;
    asked = { ...asked, session: end.resume, latest: false };
  }
}

/** One session, until the user ends it or goes on with another one. */
async function chatOnce(
  options: ChatArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<End> {
  const opening = import('../agent/open-agent.ts');
  opening.catch(() => undefined);
  const desk: Desk = { onAsked: () => undefined };
  const world = await openWorld(options, installation, worker, output, {
    onApproval: (approval) => desk.onAsked(approval),
    onQuestion: (question) => desk.onAsked(question),
  });
  const { openAgent } = await opening;
  const agent = await openAgent(world, hostOf(options, output), world.agent);
  try {
    return await converse({
      world,
      agent,
      options: { agent: options.agent, model: options.model, plan: options.plan },
      desk,
      input: process.stdin,
      prompts: promptStream(),
      output,
      sessions: (name) => conversationBefore(world, name, options),
    });
  } finally {
    await agent.close();
    await world.close();
  }
}

/** How a conversation ended: with a status, or to go on in another session. */
export interface End {
  status: number;
  resume?: string;
}

/** Reads prompts and runs turns until the user ends it. */
export async function converse(conversation: Conversation): Promise<End> {
  const { world, options, input, prompts, output } = conversation;
  const file = join(world.state, 'chat-history');
  trimHistory(file);
  const reader = new LineReader({
    input,
    output: prompts,
    history: readHistory(file),
    historySize: HISTORY_LIMIT,
    complete: (text) => completeCall(text, conversation),
    marksPastes: true,
  });
  const name = options.agent ?? 'assistant';
  await output.err(
    visible`${dim(visible`${name}, ${options.model ?? conversation.agent.defaultModel}; Esc stops a turn, Ctrl-D ends, /help lists commands`)}\n`,
  );
  await recall(conversation);
  try {
    for (;;) {
      await askLater(conversation.desk, conversation.world, { output, reader });
      const reading = await readPrompt(reader);
      if (reading === 'interrupted') continue;
      if (reading === 'ended') {
        await output.err(visible`\n`);
        return await leave(conversation);
      }
      if (reading.line.trim() === '') continue;
      appendHistory(file, reading.line.replaceAll('\n', ' ').trim());
      const outcome = await outcomeOf(reading.line, conversation);
      if (outcome.do === 'say') await output.err(outcome.text);
      else if (outcome.do === 'end') return await leave(conversation);
      else if (outcome.do === 'resume') return { status: 0, resume: outcome.session };
      else await reader.lend(() => answer(conversation, reading.line.trim(), reader));
    }
  } finally {
    reader.close();
  }
}

async function leave({ world, output }: Conversation): Promise<End> {
  await output.err(visible`session ${world.session.id}\n`);
  return { status: 0 };
}

/** Lines until a prompt is whole: a paste is one, and a backslash at the end continues. */
export async function readPrompt(reader: LineReader): Promise<Reading> {
  let text = '';
  for (let prompt = visible`${bold(visible`>`)} `; ; prompt = visible`${dim(visible`…`)} `) {
    const reading = await reader.read(prompt);
    if (typeof reading === 'string') return reading;
    const { line, pasted = false } = reading;
    const continued = !pasted && /(?<!\\)(?:\\\\)*\\$/.test(line);
    text += continued ? line.slice(0, -1) : line;
    if (!pasted && !continued) return { line: text };
    text += '\n';
  }
}

/** Of what was said before so many messages are shown, and so many lines of each. */
const RECALLED = 4;
const RECALLED_LINES = 6;

/** What was said last in a session that is taken up again. */
async function recall({ world, output }: Conversation): Promise<void> {
  const said = world.session
    .context()
    .filter(isMessage)
    .filter(({ message: { role } }) => role === 'user' || role === 'assistant')
    .map(({ message }) => ({ role: message.role, text: textOf(message).trim() }))
    .filter(({ text }) => text !== '');
  for (const { role, text } of said.slice(-RECALLED)) {
    const lines = text.split('\n');
    const shown = lines.slice(0, RECALLED_LINES).join('\n');
    const more = lines.length > RECALLED_LINES ? '\n…' : '';
    const prefix = role === 'user' ? '> ' : '  ';
    await output.err(visible`${dim(visibleLines(`${shown}${more}`, { prefix }))}\n`);
  }
}

async function answer(
  conversation: Conversation,
  prompt: string,
  reader: LineReader,
): Promise<void> {
  const { world, agent, options, desk, input, output } = conversation;
  const stop = new AbortController();
  const attending = attendTurn(input, world, { output, reader, stop, desk });
  desk.onAsked = attending.onAsked;
  const before = world.usage();
  try {
    const result = await showTurn(world, output, {}, () =>
      agent.run({ prompt, signal: stop.signal, ...chosen(options) }),
    );
    if (result.error !== undefined && result.status !== 'budget') {
      await output.err(visible`dirigent: ${visibleMessage(result.error)}\n`);
    }
    if (result.planApproved === true && options.plan) {
      options.plan = false;
      await output.err(visible`the plan was approved; the next prompt is free of it (/plan)\n`);
    }
    const status = statusLine(result, formatCost(before, world.usage()));
    await output.err(visible`${dim(visible`${status}`)}\n`);
  } catch (error) {
    // The conversation goes on; the message says what to change.
    const message = error instanceof Error ? error.message : String(error);
    await output.err(visible`dirigent: ${visibleMessage(message)}\n`);
  } finally {
    keepForLater(desk);
    await attending.end();
  }
}

/** `stopped · 3 steps · 1,234 tokens in, 56 out · 3 requests, 12 kB`. */
function statusLine({ status, steps, usage }: TurnResult, cost: string | null): string {
  const count = (tokens: number): string => tokens.toLocaleString('en');
  return [
    ...(status === 'done' ? [] : [status]),
    `${steps} step${steps === 1 ? '' : 's'}`,
    `${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out`,
    ...(cost === null ? [] : [cost]),
  ].join(' · ');
}
