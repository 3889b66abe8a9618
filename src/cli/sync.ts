/** `dirigent sync`: fetches what is mounted, and shows how far it is. */
import type { Worker } from 'node:worker_threads';
import { joined, type VisibleText, visible, visibleMessage } from '../visible.ts';
import type { Synced, SyncProgress } from '../world/sync.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { SyncArguments } from './options.ts';
import type { Output } from './output.ts';
import { NO_STATUS_LINE, statusLine } from './status-line.ts';

/** Runs `dirigent sync`, and gives its exit status. */
export async function runSync(
  options: SyncArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const world = await openWorld(options, installation, worker, output);
  const terminal = output.errIsTerminal;
  const { synced, notices } = await world.sync(options.path, (progress) => {
    if (terminal) void output.err(statusLine(progressLine(progress, Date.now())));
  });
  if (terminal) await output.err(NO_STATUS_LINE);
  for (const notice of notices) await output.err(visible`dirigent: ${notice}\n`);
  const missing = synced.length === 0 && !(await world.fs.exists(options.path));
  if (options.json) await output.json(synced, 2);
  else if (!missing) await print(synced, options.path, output);
  if (missing) await output.err(visible`dirigent: ${options.path}: No such file or directory\n`);
  await world.close();
  return !missing && synced.every(({ error }) => error === undefined) ? 0 : 1;
}

async function print(synced: readonly Synced[], path: string, output: Output): Promise<void> {
  if (synced.length === 0) {
    await output.out(visible`nothing at or below ${path} is a service\n`);
  }
  for (const { path: place, coverage, usage, error } of synced) {
    const cost = `${usage.requests} requests, ${usage.bytes} bytes`;
    if (error === undefined)
      await output.out(visible`${place}: ${coverage ?? 'in step'}; ${cost}\n`);
    else await output.err(visible`dirigent: ${place}: ${visibleMessage(error)} (${cost})\n`);
  }
}

/** `fetching issues octo hello 3/10; 14 requests, 52 kB; about 12 s left`. @param now ms since the epoch */
export function progressLine({ running, requests, bytes }: SyncProgress, now: number): VisibleText {
  const parts = running.map(({ what, done, total }) => {
    if (total !== null) return visible`${what} ${done}/${total}`;
    return done === 0 ? visible`${what}` : visible`${what} ${done}`;
  });
  const left = running.flatMap(({ done, total, startedAt }) =>
    total === null || done === 0 ? [] : [((now - startedAt) / done) * (total - done)],
  );
  const eta = left.length === 0 ? '' : `; about ${Math.ceil(Math.max(...left) / 1000)} s left`;
  const size = bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} kB`;
  return visible`fetching ${parts.length === 0 ? '…' : joined(parts, ', ')}; ${requests} requests, ${size}${eta}`;
}
