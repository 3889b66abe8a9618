/** The tests that `npm test` runs: all but `*.long.test.ts`, under five minutes. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,shims,mounts,test}/**/*.test.ts'],
    exclude: ['**/*.long.test.ts', '**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/credentials/suite.ts'],
    // Most tests wait for threads and processes of their own: no core is left idle for them.
    maxWorkers: '100%',
    // Far above what any test takes: a busy machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
