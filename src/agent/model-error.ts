/** What a failed request to a model means to the person who has to act. */
import { APICallError, LoadAPIKeyError, RetryError } from 'ai';
import { HookFault } from './conversation-hooks.ts';

/** A sentence: what failed, and what to do. */
export function describeModelError(error: unknown, modelId: string): string {
  const cause = RetryError.isInstance(error) ? error.lastError : error;
  const tries = RetryError.isInstance(error) ? `, ${error.errors.length} times in a row` : '';
  if (cause instanceof HookFault) return cause.message;
  if (LoadAPIKeyError.isInstance(cause)) {
    return `${modelId} needs a key: ${cause.message}`;
  }
  if (APICallError.isInstance(cause)) {
    if ((cause.statusCode ?? 0) === 200) {
      return `the answer of ${modelId} broke off${adviceFor(undefined)}`;
    }
    const status = cause.statusCode === undefined ? 'no answer' : `status ${cause.statusCode}`;
    return `the server of ${modelId} gave ${status}${tries}: ${cause.message}${adviceFor(cause.statusCode)}`;
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return `${modelId} failed${tries}: ${message}`;
}

function adviceFor(status: number | undefined): string {
  if (status === 401 || status === 403) return '; check the key';
  if (status === 404) return '; check the name of the model and OPENAI_BASE_URL';
  if (status === 429) return '; try again later';
  if (status !== undefined && status < 500) return '';
  return '; the session is kept, so the turn can be tried again';
}
