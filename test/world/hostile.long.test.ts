/** Every hostile pattern in every command that matches one. */
import { describe, expect, test } from 'vitest';
import { HOSTILE_EXTENDED } from '../../shims/grep/testing/hostile-patterns.ts';
import { testWorld } from './harness.ts';
import { HOSTILE_COMMANDS, HOSTILE_CONTENT, HOSTILE_FILE } from './hostile-commands.ts';

/** Stopped at its deadline. */
const STOPPED = 124;

describe(`each of ${HOSTILE_EXTENDED.length} hostile patterns ends within its deadline`, () => {
  test.each(Object.entries(HOSTILE_COMMANDS))('%s', async (name, command) => {
    const world = testWorld();
    await world.fs.writeFile(HOSTILE_FILE, HOSTILE_CONTENT);
    let stopped = 0;
    for (const pattern of HOSTILE_EXTENDED) {
      const { exitCode } = await world.exec(command(pattern), { timeoutMs: 1000 });
      expect([0, 1, 2, STOPPED], pattern).toContain(exitCode);
      if (exitCode === STOPPED) stopped++;
    }
    expect((await world.exec('echo alive')).stdout).toBe('alive\n');
    console.info(`${name}: ${HOSTILE_EXTENDED.length - stopped} answered, ${stopped} stopped`);
  });
});
