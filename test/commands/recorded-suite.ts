/** A suite that says: where its conditions turn over, a command answers what the real one of Debian 12 answered. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { here } from './here.ts';

/** A script among the files of cases.ts, and its answer, both by their lines; stdout is a byte string. */
export interface Edge {
  script: readonly string[];
  stdout: readonly string[];
  status: number;
}

/** @param file the {@link Edge}s of a command: `node test/commands/record.ts` asks the machine's own for them again */
export function recordedSuite(command: string, file: URL): void {
  const edges = JSON.parse(readFileSync(file, 'utf8')) as Edge[];
  describe(`${command} answers at its edges what the real one answered`, () => {
    test.each(edges.map((edge, index) => [index + 1, edge] as const))(
      'script %d',
      async (_number, { script, stdout, status }) => {
        const { answer, stderr } = await here(script.join('\n'));
        const lines = answer[0].split('\n');
        expect({ lines, status: answer[1], stderr }).toEqual({ lines: stdout, status, stderr });
      },
    );
  });
}
