/** The demo's world. `npm start` runs it; `main.ts` starts the services that it mounts. */
import { readFileSync } from 'node:fs';
import { env } from 'node:process';
import { defineConfig, type WorldConfig } from '../../entry/index.ts';

/** A stand-in; without it (a deployment of the demo that `main.ts` did not start) there is none. */
function service(source: string): WorldConfig['mounts'] {
  const name = source.toUpperCase();
  const baseUrl = env[`DIRIGENT_DEMO_${name}_URL`];
  if (baseUrl === undefined) return {};
  const tokenEnv = `DIRIGENT_DEMO_${name}_TOKEN`;
  return { [`/mnt/${source}`]: { source, mode: 'rw', baseUrl, tokenEnv } };
}

const kept = env['DIRIGENT_DEMO_STATE'];

export default defineConfig({
  programs: { python: true, node: true },
  readme: readFileSync(new URL('./TRY.md', import.meta.url), 'utf8'),
  mounts: {
    '/workspace': kept === undefined ? 'mem' : `${kept}/workspace`,
    '/mnt/docs': '../../docs:ro',
    ...service('github'),
    ...service('linear'),
    ...service('notion'),
  },
  ...(kept === undefined
    ? {}
    : { state: `${kept}/state`, harness: { directory: `${kept}/harness` } }),
});
