/** Requests to a server's address, and to no other: its credentials go along with each. */
import { SdkHttpError } from '@modelcontextprotocol/client';
import { LONGEST_MESSAGE } from './stdio.ts';

/**
 * A fetch that stays where it was sent, and whose answers end.
 * @param onBytes told of what comes in and goes out
 */
export function boundedFetch(
  fetch: typeof globalThis.fetch,
  { origin }: URL,
  onBytes: (count: number) => void,
): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new Error(`${url.origin} was not asked: the server is ${origin}`);
    if (typeof init?.body === 'string') onBytes(Buffer.byteLength(init.body));
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304) {
      await answer.body?.cancel();
      throw new Error(
        'it leads elsewhere, which is not followed: give the address that it leads to',
      );
    }
    const { body } = answer;
    if (body === null) return answer;
    const isStream = answer.headers.get('content-type')?.includes('event-stream') === true;
    const { status, statusText, headers } = answer;
    return new Response(body.pipeThrough(counted(isStream, onBytes)), {
      status,
      statusText,
      headers,
    });
  };
}

/** Ends an answer that is too long; of a stream of events, an event. */
function counted(isStream: boolean, onBytes: (count: number) => void) {
  let length = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes(chunk.length);
      const end = isStream ? chunk.lastIndexOf(10) : -1;
      length = end < 0 ? length + chunk.length : chunk.length - end;
      if (length > LONGEST_MESSAGE)
        controller.error(new Error(`an answer of more than ${LONGEST_MESSAGE / 1024 / 1024} MiB`));
      else controller.enqueue(chunk);
    },
  });
}

/** The status that a request was refused with; null for other failures. */
export const statusOf = (error: unknown): number | null =>
  error instanceof SdkHttpError ? (error.status ?? null) : null;
