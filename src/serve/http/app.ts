/** The API: thin routes over the service, each described by the schemas that check it. */
import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { HTTP_LIMITS, HttpRefusal } from '../../doors/http/limits.ts';
import type { Channels } from '../channels/channels.ts';
import { consoleRoutes } from '../console/routes.ts';
import type { Service } from '../service.ts';
import { conversationRoutes } from './conversation-routes.ts';
import { decisionRoutes } from './decision-routes.ts';
import { answerError, failed } from './failures.ts';
import { HOOK_BYTES, HOOKS, hookRoutes } from './hook-routes.ts';
import { identify, refuseOthers, type ServeApp, type ServeEnv } from './identity.ts';
import { identityRoutes } from './identity-routes.ts';
import { EventStreams, type EventStreamsOptions } from './streams.ts';
import { worldRoutes } from './world-routes.ts';

/** What the API is made with. */
export interface AppOptions {
  service: Service;
  /** What answers requests to `/channels/NAME`, where there is any. */
  channels?: Pick<Channels, 'respond'> | undefined;
  /** Origins that may ask, besides the server's own. */
  origins?: readonly string[];
  /** It listens for other machines. */
  isOpen?: boolean;
  /** How often open streams are looked after. */
  streams?: Omit<EventStreamsOptions, 'onFault'>;
  /** Told of what went wrong in the server itself. */
  onFault(error: unknown): void;
}

export function createApp({
  service,
  channels,
  origins = [],
  isOpen = false,
  streams = {},
  onFault,
}: AppOptions): ServeApp {
  const app: ServeApp = new OpenAPIHono<ServeEnv>({
    defaultHook: (result, c) => {
      if (result.success) return;
      const faults = result.error.issues.map(
        ({ path, message }) => `${path.join('.') || result.target}: ${message}`,
      );
      return failed(c, 400, { code: 'EINVAL', message: faults.join('; ') });
    },
  });
  app.onError((error, c) => answerError(parseFault(error), c, onFault));
  app.notFound((c) =>
    failed(c, 404, {
      code: 'HTTP 404',
      message: `nothing is at ${c.req.path}; /openapi.json says what there is`,
    }),
  );
  app.use(
    secureHeaders({
      crossOriginResourcePolicy: 'same-origin',
      referrerPolicy: 'no-referrer',
      xFrameOptions: 'DENY',
      // Whoever has TLS says it.
      strictTransportSecurity: false,
    }),
  );
  app.use(refuseOthers(origins, isOpen));
  const limited = (maxSize: number) =>
    bodyLimit({
      maxSize,
      onError: (c) =>
        failed(c, 413, { code: 'EFBIG', message: `a body has ${maxSize} bytes at most` }),
    });
  const [usual, ofHooks] = [limited(HTTP_LIMITS.bodyBytes), limited(HOOK_BYTES)];
  app.use((c, next) => (c.req.path.startsWith(HOOKS) ? ofHooks(c, next) : usual(c, next)));
  // Services prove themselves by what they sign, or send with each request.
  app.all('/channels/:name', async (c) => {
    const answer = await channels?.respond(c.req.param('name'), c.req.raw);
    return answer ?? c.notFound();
  });
  consoleRoutes(app);
  hookRoutes(app, service);
  identityRoutes(app, service);
  for (const path of ['/v1/*', '/metrics']) app.use(path, identify(service.principals));
  conversationRoutes(app, service, new EventStreams({ onFault, ...streams }));
  decisionRoutes(app, service);
  worldRoutes(app, service);
  describe(app, service);
  return app;
}

function describe(app: ServeApp, { version }: Service): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
  });
  app.openAPIRegistry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: 'dirigent',
  });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Dirigent', version, description: 'A deployment, served: docs/serve.md' },
  });
}

/** What the library itself refuses, such as a body that is no JSON, is the client's fault. */
function parseFault(error: unknown): unknown {
  return error instanceof HTTPException ? new HttpRefusal(error.status, error.message) : error;
}
