/**
 * The deployment's own code between a conversation and its models: it may
 * filter, redact and add, or refuse. It fails closed: where a hook throws, is
 * late or answers what cannot be sent, nothing is. What it changed is in the log.
 */
import { createHash } from 'node:crypto';
import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { inTime } from '../parts/in-time.ts';
import type { Transcript } from './transcript.ts';

/** A message, as models are sent it. */
export interface HookedMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** A text of the system; of others, parts such as `{ type: 'text', text }` and `{ type: 'tool-result', … }`. */
  content: string | readonly { type: string; [field: string]: unknown }[];
  [field: string]: unknown;
}

/** Whose request or input it is. */
export interface HookedBy {
  agent: string;
  session: string;
  /** As the user names it. */
  model: string;
}

/** What the module of `parts.conversation` has. A call that takes longer than 5 s is a refusal. */
export interface ConversationHooks {
  /**
   * Before each request to a model: of turns, of sub-agents, of summaries and of the memory. What it
   * gives is sent in the place of the messages; nothing leaves them as they are.
   */
  request(
    request: HookedBy & { messages: readonly HookedMessage[] },
    options: { signal: AbortSignal },
  ): RequestAnswer | undefined | Promise<RequestAnswer | undefined>;
  /** Before what a turn is asked, or what is said to it meanwhile, is kept. */
  input?(
    input: HookedBy & { text: string },
    options: { signal: AbortSignal },
  ): InputAnswer | undefined | Promise<InputAnswer | undefined>;
}

/** `refuse`: a sentence for the person. */
export type RequestAnswer = { refuse: string } | { messages: readonly HookedMessage[] };
/** What becomes of a turn's input. `refuse`: a sentence for the person. */
export type InputAnswer = { refuse: string } | { text: string };

/** A hook refused, or failed; the message is for the person. */
export class HookFault extends Error {
  override readonly name = 'HookFault';
}

const TIMEOUT_MS = 5_000;

const refusal = z.strictObject({ refuse: z.string().min(1) });
const part = z.looseObject({ type: z.string() });
const requestAnswer = z.union([
  refusal,
  z.strictObject({
    messages: z
      .array(
        z.union([
          z.looseObject({ role: z.literal('system'), content: z.string() }),
          z.looseObject({ role: z.enum(['user', 'assistant', 'tool']), content: z.array(part) }),
        ]),
      )
      .min(1),
  }),
]);
const inputAnswer = z.union([refusal, z.strictObject({ text: z.string().min(1) })]);

/** The hooks of a deployment, for the requests and the input of one turn. */
export class TurnHooks {
  readonly #hooks: ConversationHooks;
  readonly #by: HookedBy;
  readonly #transcript: Pick<Transcript, 'append'>;
  /** Digests of messages that the log has from earlier requests. */
  readonly #logged = new Set<string>();

  constructor(hooks: ConversationHooks, by: HookedBy, transcript: Pick<Transcript, 'append'>) {
    this.#hooks = hooks;
    this.#by = by;
    this.#transcript = transcript;
  }

  /** What is kept of an input. @throws HookFault */
  async input(text: string): Promise<string> {
    const { input } = this.#hooks;
    if (input === undefined) return text;
    const answer = await ask(inputAnswer, (signal) =>
      input.call(this.#hooks, { ...this.#by, text }, { signal }),
    );
    if (answer === undefined || answer.text === text) return text;
    requireMarks(text, answer.text);
    this.#append({ on: 'input', before: digestOf(text), after: digestOf(answer.text) });
    return answer.text;
  }

  /** What is sent. @throws HookFault */
  async request(messages: readonly HookedMessage[]): Promise<readonly HookedMessage[]> {
    const given = structuredClone(messages);
    const answer = await ask(requestAnswer, (signal) =>
      this.#hooks.request({ ...this.#by, messages: given }, { signal }),
    );
    if (answer === undefined) return messages;
    const sent = answer.messages as readonly HookedMessage[];
    requirePairs(messages, sent);
    requireMarks(JSON.stringify(messages), JSON.stringify(sent), goneResults(messages, sent));
    this.#log(messages, sent);
    return sent;
  }

  /** By the digests of what was there, it can be told what was left out, and what was put where. */
  #log(before: readonly HookedMessage[], after: readonly HookedMessage[]): void {
    const were = before.map((message) => digestOf(JSON.stringify(message)));
    const are = after.map((message) => digestOf(JSON.stringify(message)));
    if (were.join() === are.join()) return;
    const places = new Map(were.map((digest, index) => [digest, index]));
    // A place in what there was, or the digest of what was put in.
    const sent = are.map((digest) => places.get(digest) ?? digest);
    const added = Object.fromEntries(
      are.flatMap((digest, index) =>
        places.has(digest) || this.#logged.has(digest) ? [] : [[digest, after[index]]],
      ),
    );
    for (const digest of Object.keys(added)) this.#logged.add(digest);
    const left = were.flatMap((digest, index) =>
      are.includes(digest) ? [] : [{ place: index, digest, role: before[index]?.role }],
    );
    this.#append({ on: 'request', model: this.#by.model, sent, added, left });
  }

  #append(data: Record<string, unknown>): void {
    this.#transcript.append({ type: 'custom', name: 'turn/hook', data });
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

async function ask<A extends { refuse: string } | object>(
  schema: z.ZodType<A>,
  call: (signal: AbortSignal) => unknown,
): Promise<Exclude<A, { refuse: string }> | undefined> {
  let answer: unknown;
  try {
    answer = await inTime(TIMEOUT_MS, call);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new HookFault(`parts.conversation failed, and nothing was sent: ${what}`);
  }
  if (answer === undefined || answer === null) return undefined;
  const checked = schema.safeParse(answer);
  if (!checked.success)
    throw fault('it answered neither nothing, nor { refuse }, nor what is to stand in the place');
  if ('refuse' in checked.data)
    throw new HookFault(`parts.conversation refused it: ${checked.data.refuse}`);
  return checked.data as Exclude<A, { refuse: string }>;
}

const fault = (what: string): HookFault =>
  new HookFault(`parts.conversation gave what cannot be sent, and nothing was: ${what}`);

const MARK = /<\/?untrusted [^>]*?mark=\\?"([0-9a-f]{32})\\?">/g;

/** Text of a service keeps the marks that say so, unless its whole result is gone. @throws HookFault */
function requireMarks(before: string, after: string, gone = ''): void {
  const counts = (text: string): Map<string, number> => {
    const found = new Map<string, number>();
    for (const [, mark = ''] of text.matchAll(MARK)) found.set(mark, (found.get(mark) ?? 0) + 1);
    return found;
  };
  const kept = counts(after);
  const dropped = counts(gone);
  for (const [mark, count] of counts(before)) {
    if ((kept.get(mark) ?? 0) >= count - (dropped.get(mark) ?? 0)) continue;
    throw fault('the marks around text of a service are gone; change what stands between them');
  }
}

interface Ids {
  calls: Set<unknown>;
  results: Map<unknown, unknown>;
}

function idsOf(messages: readonly HookedMessage[]): Ids {
  const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const results = parts.filter(({ type }) => type === 'tool-result');
  return {
    calls: new Set(
      parts.flatMap((each) => (each.type === 'tool-call' ? [each['toolCallId']] : [])),
    ),
    results: new Map(results.map((each) => [each['toolCallId'], each])),
  };
}

/** The results of tools that are not sent, as one text. */
function goneResults(before: readonly HookedMessage[], after: readonly HookedMessage[]): string {
  const kept = idsOf(after).results;
  const gone = [...idsOf(before).results].filter(([id]) => !kept.has(id));
  return JSON.stringify(gone.map(([, result]) => result));
}

/** A call without its result, or a result without its call, is refused by every server. @throws HookFault */
function requirePairs(before: readonly HookedMessage[], after: readonly HookedMessage[]): void {
  const isWhole = ({ calls, results }: Ids): boolean =>
    calls.size === results.size && [...calls].every((id) => results.has(id));
  if (isWhole(idsOf(before)) && !isWhole(idsOf(after)))
    throw fault('a call of a tool stands without its result, or a result without its call');
}

/** The same model; what it is sent goes by the hooks. */
export function hookedModel<M extends Exclude<LanguageModel, string>>(
  model: M,
  hooks: TurnHooks,
): M {
  return new Proxy(model, {
    get(target, name) {
      // As in the budget's: the versions of the protocol differ in what comes out.
      const given: unknown = Reflect.get(target, name, target);
      if (typeof given !== 'function') return given;
      const send = given.bind(target) as (call: { prompt: HookedMessage[] }) => unknown;
      if (name !== 'doGenerate' && name !== 'doStream') return send;
      return async (call: { prompt: HookedMessage[] }) =>
        send({ ...call, prompt: [...(await hooks.request(call.prompt))] });
    },
  });
}
