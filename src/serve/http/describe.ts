/** How routes are described: what each takes and gives, and how it can fail. */
import { createRoute, type RouteConfig, type z } from '@hono/zod-openapi';
import { failure } from './schemas.ts';

/** A JSON body. */
export const json = <S extends z.ZodType>(schema: S, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

export const body = <S extends z.ZodType>(schema: S) => ({
  body: { required: true as const, content: { 'application/json': { schema } } },
});

const failures = {
  400: json(failure, 'It cannot be so'),
  401: json(failure, 'Nobody known has sent it'),
  403: json(failure, 'Whoever sent it may not do this'),
  404: json(failure, 'It is not there, or not for whoever sent it'),
  409: json(failure, 'It is not what was shown, or somebody else is at it'),
  413: json(failure, 'It is too large'),
  415: json(failure, 'The body is no JSON'),
  429: json(failure, 'Too much at once'),
  500: json(failure, 'The server failed'),
  501: json(failure, 'What is behind it cannot do this'),
  502: json(failure, 'A service cannot be reached'),
  503: json(failure, 'Not now'),
  504: json(failure, 'A service did not answer in time'),
  507: json(failure, 'No room is left'),
};

type Requested = NonNullable<RouteConfig['request']>;
type Responded = RouteConfig['responses'];
type Method = 'get' | 'post' | 'delete';

/** Who may send it: whoever has a token, or the cookie of a page. */
const SECURED: Record<string, string[]>[] = [{ token: [] }, { cookie: [] }];

const describer =
  (security: Record<string, string[]>[]) =>
  <
    const M extends Method,
    const Path extends string,
    const Request extends Requested,
    const Responses extends Responded,
  >(
    method: M,
    path: Path,
    summary: string,
    request: Request,
    responses: Responses,
  ) =>
    createRoute({
      method,
      path,
      summary,
      request,
      security,
      responses: { ...failures, ...responses },
    });

/** A route that asks who sends a request. */
export const route = describer(SECURED);
/** A route for everybody. */
export const openRoute = describer([]);
