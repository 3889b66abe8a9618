/** From a request to a reply: who asks, what they may still ask, which route answers. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { badCredentials, type Call, Moved, Refusal, type Reply } from './http.ts';
import { type RateLimits, rateHeaders, type Window } from './limits.ts';
import type { Account } from './model.ts';
import type { RouteTable } from './routes/table.ts';
import type { Store } from './store.ts';
import type { Upstream } from './upstream.ts';

/** A request as it came off the wire. */
export interface Incoming {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  text: string;
}

/** The parts an answer needs. */
export interface Parts {
  store: Store;
  limits: RateLimits;
  routes: RouteTable;
  upstream: Upstream;
  url: string;
  clock: () => number;
}

/** An answer ready to be written. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  data: Buffer;
  passedThrough: boolean;
}

/** The versions of the API that there are, the one first that is spoken with who names none. https://docs.github.com/rest/about-the-rest-api/api-versions */
const API_VERSION = '2022-11-28';
const API_VERSIONS = [API_VERSION, '2026-03-10'];

const RATE_DOCS = 'using-the-rest-api/rate-limits-for-the-rest-api';

/** The account a request signs in as. @throws Refusal 401 for a token that is not known */
function viewerOf(store: Store, headers: IncomingHttpHeaders): Account | null {
  const { authorization } = headers;
  if (authorization === undefined) return null;
  const token = /^(?:token|bearer)\s+(.+)$/i.exec(authorization)?.[1] ?? '';
  const login = store.tokens.get(token.trim());
  const account = login === undefined ? undefined : store.account(login);
  if (!account) throw badCredentials();
  return account;
}

/** https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#invalid-request-body */
function bodyOf(text: string): Record<string, unknown> {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'Problems parsing JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, 'Body should be a JSON object');
  }
  return { ...value };
}

/** Headers that every reply of the service has, whatever it says. */
export function commonHeaders(clock: () => number): Record<string, string> {
  const id = createHash('sha1').update(`${clock()}${Math.random()}`).digest('hex').toUpperCase();
  return {
    server: 'github.com',
    date: new Date(clock()).toUTCString(),
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': API_VERSION,
    'x-github-request-id': `${id.slice(0, 4)}:${id.slice(4, 9)}:${id.slice(9, 16)}:${id.slice(16, 23)}:${id.slice(23, 31)}`,
    'x-content-type-options': 'nosniff',
  };
}

/** `/repositories/{id}/…`, as Link headers have it, is `/repos/{owner}/{repo}/…`. */
export function canonicalPath(store: Store, path: string): string {
  const found = /^\/repositories\/(\d+)(\/.*)?$/.exec(path);
  const repo = found ? store.repositoryById(Number(found[1])) : undefined;
  return repo ? `/repos/${repo.fullName}${found?.[2] ?? ''}` : path;
}

/** A repository that had the name of this path before; undefined where the name is a repository's. */
function renamedPath(store: Store, path: string): string | undefined {
  const found = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path);
  const [, owner = '', name = '', rest = ''] = found ?? [];
  if (!found || store.repository(owner, name)) return undefined;
  const id = store.formerNames.get(`${owner}/${name}`.toLowerCase());
  return id === undefined ? undefined : `/repositories/${id}${rest}`;
}

function rateLimitReply(limits: RateLimits, viewer: string | null): Reply {
  const show = ({ limit, used, reset }: Window) => ({
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset,
  });
  const core = show(limits.window(viewer, 'core'));
  const search = show(limits.window(viewer, 'search'));
  return { status: 200, body: { resources: { core, search }, rate: core } };
}

/**
 * 304 for a GET whose validator still holds, else the reply with its validators.
 * https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate
 */
function conditional(request: Incoming, answer: Answer, lastModified: string | undefined): Answer {
  if (request.method !== 'GET' || answer.status !== 200) return answer;
  const hash = createHash('sha256')
    .update(request.headers.accept ?? '')
    .update(answer.data);
  const etag = `W/"${hash.digest('hex')}"`;
  const headers: Record<string, string> = {
    ...answer.headers,
    etag,
    'cache-control': request.headers.authorization
      ? 'private, max-age=60, s-maxage=60'
      : 'public, max-age=60, s-maxage=60',
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
    ...(lastModified === undefined
      ? {}
      : { 'last-modified': new Date(lastModified).toUTCString() }),
  };
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const match = request.headers['if-none-match'];
  const since = request.headers['if-modified-since'];
  const unchanged =
    match === undefined
      ? since !== undefined &&
        lastModified !== undefined &&
        Date.parse(lastModified) <= Date.parse(since)
      : match.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
  if (!unchanged) return { ...answer, headers };
  const { 'content-type': _type, ...rest } = headers;
  return { ...answer, status: 304, headers: rest, data: Buffer.alloc(0) };
}

function encode(reply: Reply): Answer {
  const headers: Record<string, string> = { ...reply.headers };
  let data: Buffer = Buffer.alloc(0);
  if (reply.bytes) {
    data = reply.bytes.data;
    headers['content-type'] = reply.bytes.contentType;
  } else if (reply.body !== undefined) {
    data = Buffer.from(JSON.stringify(reply.body));
    headers['content-type'] = 'application/json; charset=utf-8';
  }
  return { status: reply.status, headers, data, passedThrough: false };
}

async function passThrough(parts: Parts, request: Incoming): Promise<Answer> {
  const query = request.query.size > 0 ? `?${request.query}` : '';
  const passed = await parts.upstream.pass(
    {
      method: request.method,
      path: request.path + query,
      authorization: request.headers.authorization,
      body: request.text,
    },
    parts.url,
  );
  if (passed.status < 400) return { ...passed, passedThrough: true };
  const said: unknown = JSON.parse(passed.data.toString() || '{}');
  const message = said instanceof Object && 'message' in said ? String(said.message) : 'Not Found';
  return { ...encode(new Refusal(passed.status, message).toReply('')), passedThrough: true };
}

async function routed(
  parts: Parts,
  request: Incoming,
  viewer: Account | null,
  lag: number,
): Promise<{ answer: Answer; lastModified?: string }> {
  const { store, routes, limits, clock } = parts;
  if (request.path === '/rate_limit') {
    return { answer: encode(rateLimitReply(limits, viewer?.login ?? null)) };
  }
  const renamed = renamedPath(store, request.path);
  if (renamed !== undefined) {
    const query = request.query.size > 0 ? `?${request.query}` : '';
    const moved = new Moved({ method: request.method, url: parts.url }, `${renamed}${query}`);
    return { answer: encode(moved.toReply('')) };
  }
  const match = routes.find(request.method, request.path);
  if (!match) {
    if (!routes.isOwned(request.path)) return { answer: await passThrough(parts, request) };
    const what = `${request.method} ${request.path}`;
    const text = `The GitHub stand-in does not implement ${what}: add it to routes/.`;
    return { answer: encode(new Refusal(501, text).toReply('')) };
  }
  try {
    const call: Call = {
      method: request.method,
      path: request.path,
      params: match.params,
      query: request.query,
      accept: request.headers.accept ?? '',
      body: bodyOf(request.text),
      viewer,
      store,
      url: parts.url,
      docs: match.route.docs,
      view: (repo) => (lag > 0 ? repo.asOf(clock() - lag) : repo),
    };
    const reply = await match.route.handle(call);
    const answer = encode(reply);
    return reply.lastModified === undefined
      ? { answer }
      : { answer, lastModified: reply.lastModified };
  } catch (error) {
    if (error instanceof Refusal) return { answer: encode(error.toReply(match.route.docs)) };
    throw error;
  }
}

function exhausted(viewer: Account | null): Refusal {
  const who = viewer === null ? '127.0.0.1' : `user ID ${viewer.id}`;
  const text = `API rate limit exceeded for ${who}.`;
  return new Refusal(403, text, RATE_DOCS);
}

/**
 * Answers a request: authentication, rate limit, route, validators.
 * @param lag ms by which listings lag behind writes
 */
export async function answerRequest(parts: Parts, raw: Incoming, lag: number): Promise<Answer> {
  const { store, limits } = parts;
  const request = { ...raw, path: canonicalPath(store, raw.path) };
  const resource = request.path.startsWith('/search/') ? 'search' : 'core';
  const refuse = (refusal: Refusal, window: Window): Answer => {
    const answer = encode(refusal.toReply(''));
    return { ...answer, headers: { ...answer.headers, ...rateHeaders(window) } };
  };
  // https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#user-agent-required
  if (request.headers['user-agent'] === undefined) {
    const text = 'Request forbidden by administrative rules: a User-Agent header is required.';
    return refuse(new Refusal(403, text), limits.window(null, resource));
  }
  const version = request.headers['x-github-api-version'];
  if (version !== undefined && !API_VERSIONS.includes(String(version))) {
    const text = `The API version ${version} is not supported.`;
    return refuse(new Refusal(400, text), limits.window(null, resource));
  }
  let viewer: Account | null = null;
  try {
    viewer = viewerOf(store, request.headers);
  } catch (error) {
    if (error instanceof Refusal) return refuse(error, limits.window(null, resource));
    throw error;
  }
  const window = limits.window(viewer?.login ?? null, resource);
  const free = request.path === '/rate_limit' || request.path.startsWith('/__');
  if (!free && window.used >= window.limit) return refuse(exhausted(viewer), window);
  if (!free) window.used += 1;
  const { answer, lastModified } = await routed(parts, request, viewer, lag);
  const final = conditional(request, answer, lastModified);
  if (final.status === 304 && viewer !== null) window.used -= 1;
  const scopes: Record<string, string> =
    viewer === null ? {} : { 'x-oauth-scopes': 'repo, read:org' };
  return { ...final, headers: { ...final.headers, ...scopes, ...rateHeaders(window) } };
}
