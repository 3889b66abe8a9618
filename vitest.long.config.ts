/** The tests that `npm run test:long` runs: those that take minutes, or need the package built. */
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { MEMORY_FLAGS } from './test/memory-flags.ts';

/**
 * What takes longest, by far, goes first: begun late, one of these runs on alone when all others
 * have ended. Vitest knows how long a file took only where it ran before.
 */
const LONGEST = [
  'test/attacks/attacks.long.test.ts',
  'test/package/installed.long.test.ts',
  'test/session/crash.long.test.ts',
  'test/serve/kill.long.test.ts',
  'test/package/deploy.long.test.ts',
  'test/channels/kill.long.test.ts',
  'test/serve/api.long.test.ts',
  'test/services/indexed-search.long.test.ts',
  'test/services/killed.long.test.ts',
  'shims/grep/indexed.long.test.ts',
  'test/services/lost-answers.long.test.ts',
  'shims/grep/parity.long.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: ['{src,shims,mounts,test}/**/*.long.test.ts'],
    exclude: ['**/node_modules/**'],
    setupFiles: ['test/setup.ts'],
    execArgv: [...MEMORY_FLAGS],
    globalSetup: ['test/credentials/suite.ts', 'test/stand-ins/suite.ts'],
    // Most tests wait for threads and processes of their own: no core is left idle for them.
    maxWorkers: '100%',
    testTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    hookTimeout: 600_000,
    // A worker that computed without end goes when its thread is seen to have ended.
    teardownTimeout: 120_000,
    sequence: { sequencer: LongestFirst },
    passWithNoTests: true,
  },
});
