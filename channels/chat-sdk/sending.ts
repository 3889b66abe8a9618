/** What is sent by an adapter of the Chat SDK, and what its failures mean. */
import type { AdapterPostableMessage, CardElement } from 'chat';
import { NotSent, type OutgoingMessage } from '../../src/serve/channels/index.ts';

/** A message as the SDK has it. */
export function postable({ text, buttons, files }: OutgoingMessage): AdapterPostableMessage {
  const uploads = files.map(({ name, bytes }) => ({ filename: name, data: Buffer.from(bytes) }));
  const more = uploads.length === 0 ? {} : { files: uploads };
  if (buttons.length === 0) return { markdown: text, ...more };
  const card: CardElement = {
    type: 'card',
    children: [
      { type: 'text', content: text },
      {
        type: 'actions',
        children: buttons.map(({ token, label }) => ({ type: 'button', id: token, label })),
      },
    ],
  };
  return { card, ...more };
}

/** Nothing was sent to a machine that cannot be reached. */
const UNREACHED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const UNREACHED_MS = 5_000;
const LIMITED_MS = 30_000;

/** Errors of adapters by which a service has refused a message: it has not arrived. */
const REFUSALS: ReadonlySet<string> = new Set([
  'AUTH_FAILED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'VALIDATION_ERROR',
]);

/** An error of an adapter as the contract has it: {@link NotSent} where that is certain, else the error itself. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, retryAfter } = error as Error & { code?: unknown; retryAfter?: unknown };
  if (code === 'RATE_LIMITED') {
    const ms = typeof retryAfter === 'number' ? retryAfter * 1_000 : LIMITED_MS;
    return new NotSent('the service takes no more just now', ms, error);
  }
  if (typeof code === 'string' && REFUSALS.has(code))
    return new NotSent(error.message, null, error);
  for (let cause: unknown = error; cause instanceof Error; cause = causeOf(cause))
    if (UNREACHED.has((cause as NodeJS.ErrnoException).code))
      return new NotSent('the service cannot be reached', UNREACHED_MS, error);
  return error;
}

const causeOf = (error: Error): unknown =>
  error.cause ?? (error as Error & { originalError?: unknown }).originalError;

/** The SDK puts emoji in the place of such a word: a text that has one is not shown as it is. */
export const hasPlaceholder = (text: string): boolean => /\{\{emoji:/i.test(text);
