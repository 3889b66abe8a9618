/** What the scripted model answers: a reply a request, each a list of parts in the order of the stream. */

/** One piece of a streamed answer. */
export type ReplyPart =
  | { text: string }
  /** A call of a tool; `args` as text is sent as it is, well-formed or not. */
  | { call: string; args?: unknown; id?: string }
  /** The stream waits for it before it goes on; a number is ms. */
  | { wait: number | Promise<unknown> }
  /** The connection breaks. */
  | { cut: true };

/** An answer to one request. */
export interface Reply {
  /** Above 399 it is an error, and has no parts. */
  status?: number;
  headers?: Record<string, string>;
  /** Of an error: what is wrong. */
  message?: string;
  parts?: readonly ReplyPart[];
  /** What the model says why it stopped; by default what is true. */
  finish?: 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error';
  usage?: { input: number; output: number };
}

/** A message of a request, as chat completions have it. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** A request, as it came. */
export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools?: { function: { name: string; description?: string; parameters: unknown } }[];
  stream?: boolean;
}

/** Replies in order, the last one again and again; or a reply made from each request. */
export type Script = readonly Reply[] | ((request: ChatRequest, index: number) => Reply);

/** A reply that only speaks. */
export const says = (...text: string[]): Reply => ({ parts: text.map((each) => ({ text: each })) });

/** A reply that calls tools. */
export const calls = (...all: [name: string, args: unknown][]): Reply => ({
  parts: all.map(([call, args]) => ({ call, args })),
});

/** The text of a message. */
export function textOf({ content }: ChatMessage): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => part.text ?? '').join('');
}

/** The text of the last message, whoever's it is; empty where there is none. */
export function lastText(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  return last === undefined ? '' : textOf(last);
}

/** What was last said to the model, tools aside; empty where nothing was. */
export function lastSaid(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last === undefined ? '' : textOf(last);
}

export function replyTo(script: Script, request: ChatRequest, index: number): Reply {
  if (typeof script === 'function') return script(request, index);
  const reply = script[Math.min(index, script.length - 1)];
  if (reply === undefined) throw new Error('the script of the model is empty');
  return reply;
}
