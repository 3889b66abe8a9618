/** Starting processes of their own that write, for the tests of several writers and of killed ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sharedCompileCache } from '../../src/world/spawn-worker.ts';
import type { RunningService } from './each-service.ts';

const CHILD = fileURLToPath(new URL('./child-writer.ts', import.meta.url));

/** How a child ended, and what it printed. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  said: string;
}

/** Runs a writer on a state directory to its end; see ./child-writer.ts for what it can be told. */
export async function runWriter(
  service: Pick<RunningService, 'name' | 'url' | 'token'>,
  directory: string,
  ...what: string[]
): Promise<Ended> {
  const args = ['--disable-warning=ExperimentalWarning', CHILD];
  const told = [service.name, service.url, service.token, directory, ...what];
  const child = spawn(process.execPath, [...args, ...told], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Compiled once for all of them.
    env: { ...process.env, ...sharedCompileCache() },
  });
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  const [code, signal] = (await once(child, 'close')) as [Ended['code'], Ended['signal']];
  return { code, signal, said };
}
