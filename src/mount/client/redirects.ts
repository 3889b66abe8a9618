/**
 * Redirects, followed by hand. `fetch` would send the caller's own headers, such
 * as a key, and the body of a 307 to wherever an answer points; here what is sent
 * stays with the origin (scheme, host and port) that it was meant for.
 */

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** More of them lead nowhere. */
const MOST = 5;

/** A redirect that is not followed. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused';
  readonly status: number;
  /** Did the redirect stand for the answer, so that what was asked for may have been done? */
  readonly done: boolean;

  constructor(status: number, why: string) {
    super(`it answered ${status}, a redirect ${why}`);
    this.status = status;
    this.done = status === 303;
  }
}

export interface RedirectOptions {
  /** What sends; the global one by default. */
  fetch?: typeof fetch | undefined;
  /** A read may be followed to another origin, without any header of the caller. */
  followsElsewhere?: boolean | undefined;
  /** Looks at a redirect within the origin before it is followed, and throws where it is not to be. */
  onRedirect?: ((redirect: Redirect) => Promise<void>) | undefined;
}

/** A redirect within the origin. */
export interface Redirect {
  status: number;
  from: URL;
  to: URL;
  /** What was sent, headers included. */
  request: RequestInit;
}

/**
 * Sends a request, and follows redirects within its origin.
 * @throws RedirectRefused; what `fetch` and `onRedirect` throw
 */
export async function fetchWithinOrigin(
  input: string | URL,
  init: RequestInit = {},
  { fetch: send = fetch, followsElsewhere = false, onRedirect }: RedirectOptions = {},
): Promise<Response> {
  let url = new URL(input);
  let request: RequestInit = init;
  for (let followed = 0; ; followed++) {
    const answer = await send(url.href, { ...request, redirect: 'manual' });
    const location = answer.headers.get('location');
    if (!REDIRECTS.has(answer.status) || location === null) return answer;
    await answer.body?.cancel();
    const { status } = answer;
    if (followed === MOST) throw new RedirectRefused(status, `after ${MOST} others`);
    if (!URL.canParse(location, url.href))
      throw new RedirectRefused(status, 'to what is no address');
    const next = new URL(location, url);
    if (next.origin === url.origin) await onRedirect?.({ status, from: url, to: next, request });
    request = nextRequest(request, status, next.origin === url.origin, next, followsElsewhere);
    url = next;
  }
}

/** As `fetch`, for clients that take one. */
export function withinOrigin(inner?: typeof fetch): typeof fetch {
  return async (input, init) => {
    if (!(input instanceof Request)) return fetchWithinOrigin(input, init, { fetch: inner });
    const { method, headers, body, signal, url } = new Request(input, init);
    const whole = body === null ? {} : { body: await new Response(body).arrayBuffer() };
    return fetchWithinOrigin(url, { method, headers, signal, ...whole }, { fetch: inner });
  };
}

function nextRequest(
  request: RequestInit,
  status: number,
  within: boolean,
  next: URL,
  followsElsewhere: boolean,
): RequestInit {
  const method = (request.method ?? 'GET').toUpperCase();
  const reads = method === 'GET' || method === 'HEAD';
  if (!within && !(reads && followsElsewhere && /^https?:$/.test(next.protocol))) {
    throw new RedirectRefused(
      status,
      `to ${next.origin}: nothing was sent there; if that is where the service is now, name its address`,
    );
  }
  if (!within) {
    const { signal } = request;
    return { method, ...(signal == null ? {} : { signal }) };
  }
  // After these `fetch` reads what it was to write, and the write would seem to be done.
  if (status === 303 && !reads) throw new RedirectRefused(status, 'in answer to a write');
  if (method === 'POST' && (status === 301 || status === 302))
    throw new RedirectRefused(status, 'of a POST, which would become a read');
  return request;
}
