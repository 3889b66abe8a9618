/** The tests that `npm test` runs: all but `*.long.test.ts`, under five minutes. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,shims,mounts,test}/**/*.test.ts'],
    exclude: ['**/*.long.test.ts', '**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 15_000,
    hookTimeout: 20_000,
  },
});
