/** `dirigent index`: brings the index of the search in step with what is mounted, and shows how far it is. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { World } from '../world/world.ts';
import { openWorld } from './open-world.ts';
import type { IndexArguments } from './options.ts';
import type { Output } from './output.ts';

/** What the command `index --json` prints. */
interface State {
  documents: number;
  chunks: number;
  pending: number;
}

const EVERY_MS = 500;
const BAR = 24;

/** Runs `dirigent index`, and gives its exit status. What it has indexed when it is interrupted is kept. */
export async function runIndex(
  options: IndexArguments,
  output: Output,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, worker);
  const begun = Date.now();
  const terminal = output.errIsTerminal;
  let first: State | null = null;
  for (;;) {
    const { state, stderr } = await stateOf(world, options.path);
    if (state === null) {
      await output.err(stderr);
      await world.close();
      return 1;
    }
    first ??= state;
    if (state.pending === 0) {
      if (terminal) await output.err('\r\x1b[K');
      await output.out(options.json ? `${JSON.stringify(state)}\n` : summary(options.path, state));
      await world.close();
      return 0;
    }
    if (terminal) {
      const line = barLine(state, first.pending, Date.now() - begun);
      await output.err(`\r\x1b[2m${line}\x1b[0m\x1b[K`);
    }
    await delay(EVERY_MS);
  }
}

async function stateOf(
  world: World,
  path: string,
): Promise<{ state: State | null; stderr: string }> {
  const quoted = `'${path.replaceAll("'", "'\\''")}'`;
  const { stdout, stderr, exitCode } = await world.exec(`index --json ${quoted}`);
  // The command's own output, one object a line.
  return { state: exitCode === 0 ? (JSON.parse(stdout) as State) : null, stderr };
}

function summary(path: string, { documents, chunks }: State): string {
  const count = (value: number, what: string): string =>
    `${value.toLocaleString('en')} ${what}${value === 1 ? '' : 's'}`;
  return `${path}: ${count(documents, 'document')} in ${count(chunks, 'chunk')} indexed\n`;
}

/** `indexing [######------] 1,204/4,000, about 12 s left`. @param elapsed ms since `most` were pending */
export function barLine(
  { pending }: Pick<State, 'pending'>,
  most: number,
  elapsed: number,
): string {
  const total = Math.max(most, pending);
  const done = total - pending;
  const filled = Math.floor((BAR * done) / total);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR - filled);
  const seconds = Math.ceil(((elapsed / done) * pending) / 1_000);
  const left = done === 0 ? '' : `, about ${seconds} s left`;
  const [shown, all] = [done, total].map((value) => value.toLocaleString('en'));
  return `indexing [${bar}] ${shown}/${all}${left}`;
}
