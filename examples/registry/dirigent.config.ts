/** A package registry at `/mnt/npm`: which one, the environment says. */
import { env } from 'node:process';
import { defineConfig } from '../../entry/index.ts';

export default defineConfig({
  mounts: {
    '/workspace': 'mem',
    '/mnt/npm': {
      source: 'module:./mount.ts',
      ...(env['REGISTRY_URL'] === undefined ? {} : { baseUrl: env['REGISTRY_URL'] }),
      options: { packages: ['just-bash', 'zod', '@octokit/rest'] },
    },
  },
});
