/** The console at `/`: files alone, for everybody; whatever they show, they ask the API for. */
import type { Context } from 'hono';
import { failed } from '../http/failures.ts';
import type { ServeApp } from '../http/identity.ts';
import { type Asset, Assets } from './assets.ts';

/** Nothing but our own files is loaded and asked, and no page has it in a frame. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export function consoleRoutes(app: ServeApp): void {
  const assets = new Assets();
  const send = (c: Context, name: string) => {
    const asset = assets.get(name);
    if (asset !== null) return sent(c, asset);
    return failed(c, 404, { code: 'ENOENT', message: `the console has no file ${name}` });
  };
  app.get('/', (c) => send(c, 'index.html'));
  app.get('/favicon.ico', (c) => send(c, 'icon.svg'));
  app.get('/console/:name{.+}', (c) => send(c, c.req.param('name')));
}

function sent(c: Context, { body, type, tag }: Asset) {
  c.header('content-security-policy', CONTENT_SECURITY_POLICY);
  // Whoever comes back after an update has the modules of one version.
  c.header('cache-control', 'no-cache');
  c.header('etag', tag);
  if (c.req.header('if-none-match') === tag) return c.body(null, 304);
  return c.body(body, 200, { 'content-type': type });
}
