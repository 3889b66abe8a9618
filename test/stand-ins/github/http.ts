/** Requests and replies as the route handlers see them, and the service's error shapes. */
import type { Account } from './model.ts';
import type { Listable, RepositoryState, Store } from './store.ts';

/** What a handler answers. `body` is sent as JSON; `bytes` as they are. */
export interface Reply {
  status: number;
  body?: unknown;
  bytes?: { data: Buffer; contentType: string };
  headers?: Record<string, string>;
  /** ISO 8601; sent as `Last-Modified`. */
  lastModified?: string;
}

/** A request, decoded. Names in `params` come from the route's pattern. */
export interface Call {
  method: string;
  path: string;
  params: Record<string, string>;
  query: URLSearchParams;
  accept: string;
  body: Record<string, unknown>;
  /** Who the token belongs to; null without a token. */
  viewer: Account | null;
  store: Store;
  /** The stand-in's own address, without a slash at the end. */
  url: string;
  /** The documentation page of the matched route, for error replies. */
  docs: string;
  /** A repository's issues and comments as listings show them at this moment. */
  view(repo: RepositoryState): Listable;
}

/** One row of the table of routes. `{name}` is one segment of a path, `{name+}` is the rest. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  pattern: string;
  /** Path of the page on docs.github.com/rest that describes the route. */
  docs: string;
  handle(call: Call): Reply | Promise<Reply>;
}

/** One entry of the `errors` array of a 422. */
export interface FieldError {
  resource: string;
  field: string;
  code: 'missing_field' | 'invalid' | 'custom' | 'already_exists' | 'missing' | 'unprocessable';
  message?: string;
  value?: unknown;
}

const DOCS = 'https://docs.github.com/rest';

/** A refusal in the service's shape. https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api */
export class Refusal extends Error {
  readonly status: number;
  readonly docs: string | null;
  readonly errors: (FieldError | string)[] | null;

  constructor(status: number, message: string, docs?: string, errors?: (FieldError | string)[]) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.docs = docs ?? null;
    this.errors = errors ?? null;
  }

  /** @param routeDocs page of the route that refused, used when the refusal names none */
  toReply(routeDocs: string): Reply {
    const page = this.docs ?? routeDocs;
    return {
      status: this.status,
      body: {
        message: this.message,
        ...(this.errors ? { errors: this.errors } : {}),
        documentation_url: page === '' ? DOCS : `${DOCS}/${page}`,
        status: String(this.status),
      },
    };
  }
}

/**
 * What stands elsewhere now: a read is answered 301, a write 307, and both name the place by the
 * repository's id (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects).
 */
export class Moved extends Refusal {
  readonly location: string;

  constructor(call: Pick<Call, 'method' | 'url'>, path: string) {
    super(call.method === 'GET' ? 301 : 307, 'Moved Permanently');
    this.location = `${call.url}${path}`;
  }

  override toReply(routeDocs: string): Reply {
    const { status, body } = super.toReply(routeDocs);
    const { location } = this;
    return { status, body: { ...(body as object), url: location }, headers: { location } };
  }
}

export const notFound = (): Refusal => new Refusal(404, 'Not Found');
export const gone = (): Refusal => new Refusal(410, 'This issue was deleted');
export const badCredentials = (): Refusal => new Refusal(401, 'Bad credentials', '');
export const invalid = (errors: FieldError[]): Refusal =>
  new Refusal(422, 'Validation Failed', undefined, errors);

/**
 * The repository a path names.
 * @throws Refusal 404 when it is missing, or private and the viewer may not see it: the service
 *   answers 404 and not 403, "to avoid confirming the existence of private repositories"
 *   (https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api)
 */
export function repositoryOf(call: Call): RepositoryState {
  const { owner = '', repo = '' } = call.params;
  const state = call.store.repository(owner, repo);
  if (!state) throw notFound();
  if (state.repository.private && !canPush(call, state)) throw notFound();
  return state;
}

/** Whether the viewer has push access. */
export function canPush(call: Call, repo: RepositoryState): boolean {
  return call.viewer !== null && repo.repository.writers.includes(call.viewer.login);
}

/** The signed-in viewer. @throws Refusal 401 without a token */
export function signedIn(call: Call): Account {
  if (!call.viewer) throw new Refusal(401, 'Requires authentication');
  return call.viewer;
}

/** @throws Refusal 401 without a token, 403 without push access */
export function requirePush(call: Call, repo: RepositoryState): Account {
  const viewer = signedIn(call);
  if (!canPush(call, repo)) throw new Refusal(403, 'Must have admin rights to Repository.');
  return viewer;
}

/** A numeric segment of the path. @throws Refusal 404 when it is not a number */
export function numberParam(call: Call, name: string): number {
  const value = Number(call.params[name]);
  if (!Number.isInteger(value)) throw notFound();
  return value;
}

/**
 * One page of `items`: 30 a page unless told, at most 100, pages counted from 1, with a Link header
 * (https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api).
 */
export function paged<Item>(
  call: Call,
  items: readonly Item[],
  render: (item: Item) => unknown,
  repo?: RepositoryState,
): Reply {
  const { page, perPage, last, slice } = pageOf(call, items);
  const link = linkHeader(call, { page, perPage, last }, repo);
  return { status: 200, body: slice.map(render), ...(link ? { headers: { link } } : {}) };
}

/** The slice of `items` that the query's `page` and `per_page` ask for. */
export function pageOf<Item>(call: Call, items: readonly Item[]) {
  const perPage = Math.min(100, positive(call.query.get('per_page'), 30));
  const page = positive(call.query.get('page'), 1);
  const last = Math.max(1, Math.ceil(items.length / perPage));
  return { page, perPage, last, slice: items.slice((page - 1) * perPage, page * perPage) };
}

function positive(text: string | null, fallback: number): number {
  const value = Number(text);
  return text !== null && Number.isInteger(value) && value > 0 ? value : fallback;
}

/**
 * The Link header: prev, next, last, first, in the service's order. Its URLs name the repository by
 * id (`/repositories/1300192/issues?page=2` in the documentation's example), so a client has to
 * follow them as they are. Null when everything fits on one page.
 */
export function linkHeader(
  call: Call,
  at: { page: number; perPage: number; last: number },
  repo?: RepositoryState,
): string | null {
  const path = repo ? idPath(call, repo) : call.path;
  const to = (page: number, rel: string): string => {
    const query = new URLSearchParams(call.query);
    query.set('page', String(page));
    return `<${call.url}${path}?${query}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (at.page > 1) links.push(to(Math.min(at.page - 1, at.last), 'prev'));
  if (at.page < at.last) links.push(to(at.page + 1, 'next'), to(at.last, 'last'));
  if (at.page > 1) links.push(to(1, 'first'));
  return links.length > 0 ? links.join(', ') : null;
}

/** The path of a request with the repository named by its id. */
export function idPath(call: Call, repo: RepositoryState): string {
  const prefix = new RegExp(`^/repos/${repo.fullName}(?=/|$)`, 'i');
  return call.path.replace(prefix, `/repositories/${repo.repository.id}`);
}

/**
 * The query's `since`, in the store's form (whole seconds).
 * @throws Refusal 422 when it is not a date
 */
export function sinceOf(call: Call): string | null {
  const text = call.query.get('since');
  if (text === null || text === '') return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw new Refusal(422, `Invalid request.\n\n"${text}" is not a valid date-time.`);
  }
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Sorts a copy by `key`; equal keys keep the order of `tie`, in the same direction. */
export function sorted<Item>(
  items: Iterable<Item>,
  key: (item: Item) => string | number,
  tie: (item: Item) => number,
  direction: 'asc' | 'desc',
): Item[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...items].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left !== right) return left < right ? -sign : sign;
    return (tie(a) - tie(b)) * sign;
  });
}
