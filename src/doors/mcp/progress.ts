/** How a client that asks for it is told that a call goes on. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Call } from './calls.ts';

/** How often, ms. */
const EVERY_MS = 1_000;

/** Tells the client of a request about its call, about once a second, until it is stopped. */
export function reportProgress(
  { mcpReq }: ServerContext,
  call: Pick<Call<unknown>, 'began' | 'printed'>,
): { stop(): void } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { stop: () => undefined };
  const timer = setInterval(() => {
    const progress = Math.round((Date.now() - call.began.getTime()) / 1000);
    // What it printed is not quoted: a message of progress carries no label.
    const message = `running for ${progress} s, ${call.printed} bytes printed`;
    const told = mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    });
    // A client that has gone is told nothing, and its request ends by itself.
    told.catch(() => clearInterval(timer));
  }, EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
