/**
 * A deployment that another program drives, by JSON lines: a request a line,
 * an answer for each with its `id`, and between them what happens in the
 * sessions that the program speaks to.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ConfigError, isFsError, sentenceOf } from '../errors.ts';
import { APPROVAL_SCOPES } from '../policy/approval.ts';
import { USER } from '../policy/context.ts';
import type { FeedEvent } from './feed.ts';
import { hasEnded, type QueuedTurn, toldTurn } from './queue/turn.ts';
import type { Caller } from './rights.ts';
import type { Service } from './service.ts';

const id = z.union([z.string(), z.number()]).optional();
const session = z.string();
const text = z
  .string()
  .min(1)
  .max(256 * 1024);
const shown = { approval: z.string(), digest: z.string() };

const requestSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('begin'), id, agent: z.string().optional() }),
  z.strictObject({
    do: z.literal('submit'),
    id,
    session: session.optional(),
    text,
    key: z.string().min(1).max(200).optional(),
    model: z.string().optional(),
    plan: z.boolean().optional(),
  }),
  z.strictObject({ do: z.literal('steer'), id, session, text, key: z.string().optional() }),
  z.strictObject({ do: z.literal('stop'), id, session }),
  z.strictObject({ do: z.literal('approve'), id, ...shown }),
  z.strictObject({
    do: z.literal('reply'),
    id,
    question: z.string(),
    digest: z.string(),
    value: z.json(),
  }),
  z.strictObject({
    do: z.literal('answer'),
    id,
    ...shown,
    decision: z.enum(['allow', 'deny']),
    scope: z.enum(APPROVAL_SCOPES).optional(),
    prefix: z.string().optional(),
  }),
]);
type Request = z.output<typeof requestSchema>;

/** Whoever started it is the person in charge. */
const CALLER: Caller = { actor: USER, role: 'owner', agent: null };

export interface StdioOptions {
  service: Service;
  /** Lines, without their ends. */
  lines: AsyncIterable<string>;
  /** Writes one line, and waits until it can be followed by another. */
  write(value: object): Promise<unknown>;
  /** Ends it before its time. */
  signal: AbortSignal;
}

/** Serves until the lines have ended, and what was asked for has ended or is parked. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const conversation = new StdioConversation(options);
  const ended = new Promise<'ended'>((resolve) =>
    options.signal.addEventListener('abort', () => resolve('ended'), { once: true }),
  );
  const reading = options.lines[Symbol.asyncIterator]();
  while (!options.signal.aborted) {
    const next = await Promise.race([reading.next(), ended]);
    if (next === 'ended' || next.done === true) break;
    if (next.value.trim() !== '') await conversation.take(next.value);
  }
  await Promise.race([conversation.idle(), ended]);
  await conversation.close();
}

class StdioConversation {
  readonly #options: StdioOptions;
  readonly #ended = new AbortController();
  /** Sessions that are followed. */
  readonly #followed = new Map<string, Promise<void>>();
  /** Messages that have not ended. */
  readonly #open = new Set<string>();
  #onIdle: (() => void) | null = null;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Carries out a request, and answers it. */
  async take(line: string): Promise<void> {
    const { write } = this.#options;
    let named: Request['id'];
    try {
      const request = requestSchema.parse(JSON.parse(line));
      named = request.id;
      await write({ id: named, result: this.#perform(request) });
    } catch (error) {
      await write({ id: named, error: saidOf(error) });
    }
  }

  /** Resolves once nothing more is to come by itself. */
  async idle(): Promise<void> {
    while (this.#open.size > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#followed.values());
  }

  #perform(request: Request): object {
    const { conversations, decisions } = this.#options.service;
    switch (request.do) {
      case 'begin': {
        const begun = conversations.create(CALLER, request.agent ?? null);
        this.#follow(begun.id);
        return { session: begun.id };
      }
      case 'submit':
        return this.#say(request.session ?? conversations.create(CALLER, null).id, request);
      case 'steer':
        return this.#say(request.session, { ...request, mode: 'steer' });
      case 'stop':
        return { stopped: conversations.stop(CALLER, request.session) };
      case 'approve':
        return decisions.decide(CALLER, request.approval, request.digest, { decision: 'allow' });
      case 'answer': {
        const { approval, digest, decision, scope, prefix } = request;
        return decisions.decide(CALLER, approval, digest, {
          decision,
          ...(scope === undefined ? {} : { scope }),
          ...(prefix === undefined ? {} : { prefix }),
        });
      }
      case 'reply': {
        const { question, digest, value } = request;
        return decisions.answerQuestion(CALLER, question, digest, value);
      }
    }
  }

  #say(
    to: string,
    said: {
      text: string;
      key?: string | undefined;
      model?: string | undefined;
      plan?: boolean | undefined;
      mode?: 'steer';
    },
  ): object {
    this.#follow(to);
    const { turn, ...rest } = this.#options.service.conversations.submit(CALLER, to, {
      text: said.text,
      key: said.key ?? randomUUID(),
      plan: said.plan ?? false,
      ...(said.mode === undefined ? {} : { mode: said.mode }),
      ...(said.model === undefined ? {} : { model: said.model }),
    });
    if (turn !== null) this.#note(turn);
    return { ...rest, session: to, message: turn === null ? null : toldTurn(turn) };
  }

  #follow(to: string): void {
    if (this.#followed.has(to)) return;
    const { signal } = this.#ended;
    const feed = this.#options.service.conversations.follow(CALLER, to, null, signal);
    this.#followed.set(to, this.#pass(to, feed));
  }

  async #pass(to: string, feed: AsyncGenerator<FeedEvent>): Promise<void> {
    for await (const event of feed) {
      const { write } = this.#options;
      if (event.kind === 'entry') await write({ session: to, entry: event.entry });
      else if (event.kind === 'passing') await write({ session: to, event: event.event });
      else {
        await write({ session: to, message: toldTurn(event.turn) });
        this.#note(event.turn);
      }
    }
  }

  #note(turn: QueuedTurn): void {
    if (hasEnded(turn) || turn.state === 'parked') this.#open.delete(turn.id);
    else this.#open.add(turn.id);
    if (this.#open.size === 0) this.#onIdle?.();
  }
}

function saidOf(error: unknown): { code: string; message: string } {
  if (isFsError(error)) return { code: error.code, message: sentenceOf(error) };
  if (error instanceof SyntaxError) return { code: 'EINVAL', message: 'the line is no JSON' };
  if (error instanceof z.ZodError)
    return { code: 'EINVAL', message: z.prettifyError(error).replaceAll('\n', ' ') };
  if (error instanceof ConfigError) return { code: 'EINVAL', message: error.message };
  throw error;
}
