/** Processes of their own that write through a mount: for trials of several writers, and of killed ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sharedCompileCache } from '../world/spawn-worker.ts';
import type { Opener } from './subject.ts';

// Compiled, it is JavaScript beside this module.
const CHILD = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './child-writer.ts' : './child-writer.js',
    import.meta.url,
  ),
);

/** How a child ended, and what it printed. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  said: string;
}

/** Runs a writer on a state directory to its end; see child-writer.ts for what it can be told. */
export async function runWriter(
  opener: Opener,
  directory: string,
  ...what: string[]
): Promise<Ended> {
  const args = ['--disable-warning=ExperimentalWarning', CHILD];
  const child = spawn(process.execPath, [...args, JSON.stringify(opener), directory, ...what], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Compiled once for all of them.
    env: { ...process.env, ...sharedCompileCache() },
  });
  let said = '';
  child.stdout.on('data', (part: Buffer) => {
    said += part.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [Ended['code'], Ended['signal']];
  return { code, signal, said };
}
