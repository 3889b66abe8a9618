/** A research assistant over a knowledge base: here, the documentation of this project. */
import { env } from 'node:process';
import { defineConfig } from '../../entry/index.ts';

const state = env['DIRIGENT_EXAMPLE_STATE'];

export default defineConfig({
  mounts: { '/workspace': 'mem', '/mnt/docs': '../../docs:ro' },
  ...(state === undefined ? {} : { state }),
});
