/** Who sends a request: by a token, or by the cookie of a page that this server has sent. */
import type { ServerResponse } from 'node:http';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { HttpRefusal } from '../../doors/http/limits.ts';
import { csrfOf, type Principals, type ServePrincipal } from '../principals.ts';
import type { Caller } from '../rights.ts';

/** What the routes know of a request. */
export interface ServeEnv {
  Bindings: {
    /** The answer, as Node.js has it; absent where no socket is behind it. */
    outgoing?: Pick<ServerResponse, 'destroy'>;
  };
  Variables: {
    caller: Caller;
    /** What the cookie holds, where there is one. */
    cookie: string | null;
    /** May whoever has sent it come in still, as they were then? */
    isKnown: () => boolean;
  };
}

export type ServeApp = OpenAPIHono<ServeEnv>;

const COOKIE = 'dirigent';
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Lets nobody pass whom nobody knows. */
export const identify =
  (principals: Principals): MiddlewareHandler<ServeEnv> =>
  async (c, next) => {
    const [, token] = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const cookie = token === undefined ? (getCookie(c, COOKIE) ?? null) : null;
    const known = (): ServePrincipal | null => {
      if (token !== undefined) return principals.byToken(token);
      return cookie === null ? null : principals.byCookie(cookie);
    };
    const caller = known();
    if (caller === null) throw unknown(token !== undefined);
    // The browser sends the cookie with whatever any page has it send; this, only our own page knows.
    if (
      cookie !== null &&
      !SAFE.has(c.req.method) &&
      c.req.header('x-csrf-token') !== csrfOf(cookie)
    )
      throw new HttpRefusal(
        403,
        'a page sends the header x-csrf-token with this; /v1/me says what is in it',
      );
    c.set('caller', caller);
    c.set('cookie', cookie);
    c.set('isKnown', () => isSame(caller, known()));
    await next();
  };

/** Whoever was put out and let in again, or has another role now, comes in anew. */
const isSame = (before: ServePrincipal, now: ServePrincipal | null): boolean =>
  now !== null && JSON.stringify(now) === JSON.stringify(before);

/** Lets a browser in that has shown a token. @throws HttpRefusal 401 */
export function logIn(
  c: Context,
  principals: Principals,
  token: string,
): Caller & { csrf: string } {
  const caller = principals.byToken(token);
  if (caller === null) throw unknown(true);
  const { cookie, expiresAt } = principals.newCookie(caller);
  setCookie(c, COOKIE, cookie, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    expires: new Date(expiresAt),
    secure: isSecure(c),
  });
  return { ...caller, csrf: csrfOf(cookie) };
}

export function logOut(c: Context<ServeEnv>, principals: Principals): void {
  const cookie = c.get('cookie');
  if (cookie !== null) principals.endCookie(cookie);
  deleteCookie(c, COOKIE, { path: '/', secure: isSecure(c) });
}

/** Did the browser come by TLS? The proxy that has it says so. */
const isSecure = (c: Context): boolean => c.req.header('x-forwarded-proto') === 'https';

const unknown = (isGiven: boolean): HttpRefusal =>
  new HttpRefusal(
    401,
    'this server wants a token: send the header "Authorization: Bearer TOKEN"; whoever runs the server makes one by the command "serve token add NAME"',
    {
      headers: {
        'www-authenticate': `Bearer realm="dirigent"${isGiven ? ', error="invalid_token"' : ''}`,
      },
    },
  );

/**
 * Refuses pages of others, and names of this machine that others gave it: a browser says where a
 * page is from, and which host it believes to speak to.
 * @param origins further ones that may ask, such as that of a proxy
 * @param isOpen whether the server listens for other machines, whose names for it are not known
 */
export const refuseOthers =
  (origins: readonly string[], isOpen: boolean): MiddlewareHandler<ServeEnv> =>
  async (c, next) => {
    const host = c.req.header('host') ?? '';
    const isHost =
      isOpen || LOCAL.test(host) || origins.some((origin) => new URL(origin).host === host);
    const origin = c.req.header('origin');
    const isOrigin =
      origin === undefined ||
      origins.includes(origin) ||
      origin === `http://${host}` ||
      origin === `https://${host}`;
    if (!isHost || !isOrigin)
      throw new HttpRefusal(
        403,
        'pages of other servers are not served, and other names of this machine neither; --origin names one that may ask',
      );
    await next();
  };

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
