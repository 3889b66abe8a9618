/** A service by its OpenAPI description: a package registry, which one the environment says. */
import { env } from 'node:process';
import { defineConfig } from '../../entry/index.ts';

export default defineConfig({
  mounts: {
    '/workspace': 'mem',
    '/mnt/npm': {
      source: 'openapi:./registry.yaml',
      hints: './hints.yaml',
      baseUrl: env['REGISTRY_URL'] ?? 'http://127.0.0.1:4873',
    },
  },
});
