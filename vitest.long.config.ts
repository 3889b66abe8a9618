/** The tests that `npm run test:long` runs: those that take minutes, or need the package built. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,shims,mounts,test}/**/*.long.test.ts'],
    exclude: ['**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/credentials/suite.ts', 'test/stand-ins/suite.ts'],
    // Most tests wait for threads and processes of their own: no core is left idle for them.
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A worker that computed without end goes when its thread is seen to have ended.
    teardownTimeout: 120_000,
    passWithNoTests: true,
  },
});
