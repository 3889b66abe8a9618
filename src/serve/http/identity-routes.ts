/** Who somebody is, and whether the server is there. */
import { csrfOf } from '../principals.ts';
import type { Service } from '../service.ts';
import { body, json, openRoute, route } from './describe.ts';
import { identify, logIn, logOut, type ServeApp } from './identity.ts';
import * as schemas from './schemas.ts';

const getHealth = openRoute(
  'get',
  '/health',
  'Is the server there?',
  {},
  {
    200: json(schemas.health, 'It is'),
  },
);
const postLogin = openRoute(
  'post',
  '/v1/login',
  'Let a page in: sets a cookie',
  body(schemas.login),
  { 200: json(schemas.me, 'Who it is') },
);
const postLogout = route(
  'post',
  '/v1/logout',
  'End the cookie',
  {},
  {
    200: json(schemas.done, 'It lets nobody in any more'),
  },
);
const getMe = route(
  'get',
  '/v1/me',
  'Who sends this?',
  {},
  {
    200: json(schemas.me, 'Who it is'),
  },
);

export function identityRoutes(app: ServeApp, { principals, version }: Service): void {
  app.openapi(getHealth, (c) => c.json({ status: 'ok' as const, version }, 200));
  app.openapi(postLogin, (c) => {
    const { actor, role, agent, csrf } = logIn(c, principals, c.req.valid('json').token);
    return c.json({ actor, role, agent, csrf }, 200);
  });
  const known = identify(principals);
  app.use(postLogout.path, known);
  app.use(getMe.path, known);
  app.openapi(postLogout, (c) => {
    logOut(c, principals);
    return c.json({ done: true as const }, 200);
  });
  app.openapi(getMe, (c) => {
    const { actor, role, agent } = c.get('caller');
    const cookie = c.get('cookie');
    return c.json({ actor, role, agent, csrf: cookie === null ? null : csrfOf(cookie) }, 200);
  });
}
