/** The demo's world. `npm start` runs it; `main.ts` starts the GitHub that it mounts. */
import { env } from 'node:process';
import { defineConfig, type WorldConfig } from '../../src/index.ts';

const url = env['DIRIGENT_DEMO_GITHUB_URL'];

/** The stand-in; without it (a deployment of the demo that `main.ts` did not start) there is none. */
const github: WorldConfig['mounts'] =
  url === undefined
    ? {}
    : {
        '/mnt/github': {
          source: 'github',
          mode: 'rw',
          baseUrl: url,
          tokenEnv: 'DIRIGENT_DEMO_GITHUB_TOKEN',
        },
      };

const state = env['DIRIGENT_DEMO_STATE'];

export default defineConfig({
  mounts: {
    '/workspace': 'mem',
    '/mnt/docs': '../../docs:ro',
    ...github,
  },
  ...(state === undefined ? {} : { state }),
});
