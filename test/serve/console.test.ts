/** The console's files: served as they are, with a policy, and nothing beside them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Assets } from '../../src/serve/console/assets.ts';
import { deployed, serve } from './support.ts';

const asked = async (path: string, headers: Record<string, string> = {}) => {
  const { app } = serve(deployed(), { url: 'http://127.0.0.1:1/v1' });
  return app.request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } });
};

test('every module of the page finds what it imports, and imports from its own server alone', () => {
  const assets = new Assets();
  const scripts = assets.names.filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(20);
  const lost = scripts.flatMap((name) => {
    const body = assets.get(name)?.body ?? '';
    const imports = [...body.matchAll(/\b(?:from|import)\s*\(?\s*(["'])([^"'\n]+)\1/g)];
    return imports
      .map(([, , target = '']) => new URL(target, `http://self/console/${name}`))
      .filter(
        ({ host, pathname }) =>
          host !== 'self' || assets.get(pathname.slice('/console/'.length)) === null,
      )
      .map(({ href }) => `${name}: ${href}`);
  });
  expect(lost).toEqual([]);
  expect(assets.get('lib/visible.js')?.body).not.toMatch(/: string\b|\binterface\b/);
});

test('the page runs scripts of its own server alone, in nobody’s frame, and is there for whoever has not come in yet', async () => {
  const page = await asked('/');
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:/);
  const style = readFileSync(
    join(import.meta.dirname, '../../src/serve/console/page/style.css'),
    'utf8',
  );
  expect(style).not.toMatch(/url\(|@import/);
});

test('nothing but the console’s own files can be named, and a file that is known is not sent again', async () => {
  const { app } = serve(deployed(), { url: 'http://127.0.0.1:1/v1' });
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } });
  for (const path of [
    '/console/../http/app.ts',
    '/console/..%2fassets.ts',
    '/console/%2e%2e/assets.ts',
    '/console/%2fetc%2fpasswd',
    '/console/views/..%2f..%2fassets.ts',
    '/console/views',
    '/console/',
    '/console/constructor',
  ])
    expect((await get(path)).status, path).toBe(404);
  const script = await get('/console/main.js');
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(script.headers.get('x-content-type-options')).toBe('nosniff');
  const known = { 'if-none-match': script.headers.get('etag') ?? '' };
  expect((await get('/console/main.js', known)).status).toBe(304);
  expect((await asked('/', { origin: 'http://elsewhere.example' })).status).toBe(403);
});
