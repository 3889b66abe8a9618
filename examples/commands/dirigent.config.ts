/** A world with two commands of its own. */
import { defineConfig } from '../../entry/index.ts';

export default defineConfig({
  mounts: { '/workspace': 'mem' },
  shims: ['./commands.ts'],
});
