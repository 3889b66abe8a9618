/** A suite that says: these commands answer here what the machine's own tools answer. */
import { describe, expect, it } from 'vitest';
import type { ShimFactory } from '../../src/shell/command.ts';
import { both, hasGnu } from './against-gnu.ts';

/** Declares one test a command; all are skipped where a program is missing. */
export function gnuSuite(
  programs: readonly string[],
  factories: readonly ShimFactory[],
  files: Record<string, string | Uint8Array>,
  commands: readonly string[],
): void {
  const there = hasGnu(...programs);
  if (!there) console.warn(`skipped: no ${programs.join(', ')} on this machine to compare with`);
  describe.skipIf(!there)(`${programs.join(', ')} answer what GNU's answer`, () => {
    it.each([...commands])('%s', async (command) => {
      const { ours, gnu } = await both(factories, files, command);
      expect(ours).toEqual(gnu);
    });
  });
}
