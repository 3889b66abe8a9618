/** The tests that `npm test` runs: all but `*.long.test.ts`, under four minutes. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { MEMORY_FLAGS } from './test/memory-flags.ts';

export default defineConfig({
  test: {
    include: ['{src,shims,mounts,test}/**/*.test.ts'],
    exclude: ['**/*.long.test.ts', '**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    execArgv: [...MEMORY_FLAGS],
    globalSetup: ['test/bundle/suite.ts', 'test/credentials/suite.ts', 'test/stand-ins/suite.ts'],
    // What is green needs no line of its own.
    reporters: ['dot'],
    // Most tests wait for threads and processes of their own: more of them than cores leave none idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Far above what any test takes: a busy machine is no failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A worker that computed without end goes when its thread is seen to have ended.
    teardownTimeout: 60_000,
  },
});
