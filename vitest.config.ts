/** The tests that `npm test` runs: all but `*.long.test.ts`, under four minutes. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { MEMORY_FLAGS } from './test/memory-flags.ts';

const common = {
  exclude: ['**/*.long.test.ts', '**/node_modules/**'],
  setupFiles: ['test/setup.ts'],
  execArgv: [...MEMORY_FLAGS],
  // Far above what any test takes: a busy machine is no failure.
  testTimeout: 120_000,
  expect: { poll: { timeout: 100_000 } },
  hookTimeout: 120_000,
  // A worker that computed without end goes when its thread is seen to have ended.
  teardownTimeout: 60_000,
};

export default defineConfig({
  test: {
    globalSetup: ['test/bundle/suite.ts', 'test/credentials/suite.ts', 'test/stand-ins/suite.ts'],
    // What is green needs no line of its own.
    reporters: ['dot'],
    // Most tests wait for threads and processes of their own: more of them than cores leave none idle.
    maxWorkers: availableParallelism() * 2,
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: ['{src,shims,mounts}/**/*.test.ts'],
          // Modules keep no state, so that files of tests can share them: to load and warm them up
          // anew was half of what a small file took.
          isolate: false,
        },
      },
      { test: { ...common, name: 'worlds', include: ['test/**/*.test.ts'] } },
    ],
  },
});
