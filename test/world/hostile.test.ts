/** A hostile pattern in any command ends with the command's deadline, if not by itself; the world lives. */
import { describe, expect, test } from 'vitest';
import { HOSTILE_EXTENDED } from '../../shims/grep/testing/hostile-patterns.ts';
import { testWorld } from './harness.ts';
import { HOSTILE_COMMANDS, HOSTILE_CONTENT, HOSTILE_FILE } from './hostile-commands.ts';

/** Of the whole list, which the long test takes. */
const SAMPLE = HOSTILE_EXTENDED.filter((_, i) => i % 40 === 0);
/** Stopped at its deadline. */
const STOPPED = 124;

describe('a hostile pattern ends, by itself or at the deadline, and the next command works', () => {
  test.each(Object.entries(HOSTILE_COMMANDS))('%s', async (_, command) => {
    const world = testWorld();
    await world.fs.writeFile(HOSTILE_FILE, HOSTILE_CONTENT);
    for (const pattern of SAMPLE) {
      const { exitCode } = await world.exec(command(pattern), { timeoutMs: 1000 });
      expect([0, 1, 2, STOPPED], pattern).toContain(exitCode);
      expect((await world.exec('echo alive')).stdout).toBe('alive\n');
    }
  });
});
