/** `dirigent chat --server`: a conversation on a server, in this terminal. */
import { isatty } from 'node:tty';
import { dim, visible, visibleMessage } from '../visible.ts';
import type { ChatArguments } from './agent-options.ts';
import { UsageError } from './arguments.ts';
import { readPrompt } from './chat.ts';
import { attendTurn, type Desk } from './desk.ts';
import { HISTORY_LIMIT } from './history.ts';
import { LineReader } from './line-reader.ts';
import { type Output, promptStream } from './output.ts';
import { sessionOn } from './served-session.ts';
import { showServedTurn, tellOutcome } from './served-turn.ts';
import { ServerClient } from './server-client.ts';

/** Runs `dirigent chat` on a server, and gives its exit status. */
export async function runServedChat(
  options: ChatArguments & { server: string },
  output: Output,
): Promise<number> {
  if (!isatty(0))
    throw new UsageError('chat', 'chat needs a terminal; run reads a prompt on stdin');
  const client = new ServerClient(options.server, process.env);
  const session = await sessionOn(client, options);
  const reader = new LineReader({
    input: process.stdin,
    output: promptStream(),
    history: [],
    historySize: HISTORY_LIMIT,
    complete: async (text) => [[], text],
    marksPastes: true,
  });
  await output.err(
    visible`${dim(visible`session ${session} on ${options.server}; Esc stops a turn, Ctrl-D ends`)}\n`,
  );
  try {
    for (;;) {
      const reading = await readPrompt(reader);
      if (reading === 'interrupted') continue;
      if (reading === 'ended') break;
      const text = reading.line.trim();
      if (text === '/plan') {
        options.plan = !options.plan;
        await output.err(
          visible`a plan ${options.plan ? 'comes first from now on' : 'is asked for no more'}\n`,
        );
      } else if (text !== '')
        await reader.lend(() => answer({ client, session, reader, output, options }, text));
    }
  } finally {
    reader.close();
  }
  await output.err(visible`\nsession ${session}\n`);
  return 0;
}

interface ServedConversation {
  client: ServerClient;
  session: string;
  reader: LineReader;
  output: Output;
  options: ChatArguments;
}

async function answer(
  { client, session, reader, output, options }: ServedConversation,
  text: string,
): Promise<void> {
  const stop = new AbortController();
  stop.signal.addEventListener('abort', () => void client.stop(session), { once: true });
  const desk: Desk = { onAsked: () => undefined };
  const asking = { output, reader, stop, desk };
  const attending = attendTurn(process.stdin, client, asking, (work) => told(output, work));
  const message = { session, text, model: options.model, plan: options.plan };
  await told(output, async () =>
    tellOutcome(await showServedTurn(client, message, output, {}, attending.onAsked), output),
  );
  await attending.end();
}

/** The conversation goes on; the message says what to change. */
async function told(output: Output, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await output.err(visible`dirigent: ${visibleMessage(message)}\n`);
  }
}
