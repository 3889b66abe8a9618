/** A world with two commands of its own. */
import { defineConfig } from '../../src/index.ts';

export default defineConfig({
  mounts: { '/workspace': 'mem' },
  shims: ['./commands.ts'],
});
