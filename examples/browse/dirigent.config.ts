/** Services as directories; `main.ts` starts those that run on this machine. */
import { env } from 'node:process';
import { defineConfig, type WorldConfig } from '../../entry/index.ts';

function service(source: string): WorldConfig['mounts'] {
  const name = source.toUpperCase();
  const baseUrl = env[`DIRIGENT_EXAMPLE_${name}_URL`];
  if (baseUrl === undefined) return { [`/mnt/${source}`]: source };
  return {
    [`/mnt/${source}`]: { source, mode: 'ro', baseUrl, tokenEnv: `DIRIGENT_EXAMPLE_${name}_TOKEN` },
  };
}

const state = env['DIRIGENT_EXAMPLE_STATE'];

export default defineConfig({
  mounts: {
    '/workspace': 'mem',
    '/mnt/docs': '../../docs:ro',
    ...service('github'),
    ...service('linear'),
    ...service('notion'),
  },
  ...(state === undefined ? {} : { state }),
});
