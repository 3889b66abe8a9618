/** What the commands of a world answer to a script, among the files that are compared. */
import { inProcessWorld } from '../world/in-process.ts';
import { ENV, FILES } from './cases.ts';
import type { Answer } from './native.ts';

/** In a world of its own. `stderr` tells what went wrong where the answers differ. */
export async function here(script: string): Promise<{ answer: Answer; stderr: string }> {
  const files = Object.fromEntries(
    Object.entries(FILES).map(([name, content]) => [`/data/${name}`, content]),
  );
  const env = { HOME: '/data', ...ENV };
  const world = await inProcessWorld({ roots: ['/data'], files, cwd: '/data', env });
  const { stdout, stderr, exitCode } = await world.shell.exec(script, { deadlineMs: 60_000 });
  return {
    answer: [Buffer.from(stdout).toString('latin1'), exitCode],
    stderr: Buffer.from(stderr).toString(),
  };
}
