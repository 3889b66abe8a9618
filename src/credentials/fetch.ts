/**
 * A fetch that puts the credential that is good now in the place of the one that
 * a client was made with, and asks again, once, where a service refuses it.
 */
import { concealedFetch } from '../conceal.ts';
import type { Renewable } from './credential.ts';

type Fetch = typeof globalThis.fetch;

/** @param first what the client was made with, as it stands in its requests */
export function renewingFetch(first: string, credential: Renewable, send: Fetch = fetch): Fetch {
  return async (input, init) => {
    const value = await credential.current();
    const answer = await sendWith(value);
    if (answer.status !== 401 || !isRepeatable(init?.body)) return answer;
    const other = await credential.other(value);
    if (other === null) return answer;
    await answer.body?.cancel();
    return sendWith(other);

    function sendWith(now: string): Promise<Response> {
      // What a client's own concealment knows is what it was made with.
      return concealedFetch(send, [now])(...withCredential(input, init, first, now));
    }
  };
}

const isRepeatable = (body: unknown): boolean =>
  body === undefined || body === null || typeof body === 'string' || body instanceof Uint8Array;

function withCredential(
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
  first: string,
  now: string,
): Parameters<Fetch> {
  if (now === first) return [input, init];
  const headers = new Headers(init?.headers);
  for (const [name, value] of headers) headers.set(name, replaced(value, first, now));
  const address = input instanceof Request ? input : replacedInUrl(String(input), first, now);
  return [address, { ...init, headers }];
}

function replaced(value: string, first: string, now: string): string {
  const [, basic] = /^Basic (\S+)$/i.exec(value) ?? [];
  if (basic === undefined) return value.replaceAll(first, now);
  const text = Buffer.from(basic, 'base64').toString('utf8').replaceAll(first, now);
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

/** Some services take it as a parameter. */
function replacedInUrl(text: string, first: string, now: string): string {
  const url = new URL(text);
  for (const [name, value] of [...url.searchParams])
    if (value === first) url.searchParams.set(name, now);
  return url.href;
}
