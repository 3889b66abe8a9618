/** A world for a command of the command line. */
import type { Worker } from 'node:worker_threads';
import { visible, visibleMessage } from '../visible.ts';
import type { WorldConfig } from '../world/config.ts';
import { type Host, stateDirectory } from '../world/plan.ts';
import type { World, WorldOptions } from '../world/world.ts';
import type { WorldArguments } from './options.ts';
import type { Output } from './output.ts';
import { commandLineOf, suggested } from './place.ts';
import { setUpWorld } from './setup.ts';

/**
 * Makes the world that the arguments describe, in a worker that has started.
 * @throws ConfigError
 */
export async function openWorld(
  options: WorldArguments & { session?: string | undefined },
  worker: Worker,
  output: Output,
  more: Pick<WorldOptions, 'onApproval'> = {},
): Promise<World> {
  const loading = import('../world/world.ts');
  // Whoever awaits it meets the failure; a wrong config is reported first.
  loading.catch(() => undefined);
  const host = { cwd: process.cwd(), env: process.env };
  const { config, deployment } = await setUpWorld(options, host.cwd);
  // Without a deployment the state is named, or nothing would be kept of it:
  // `dirigent changes` is another process than the one that staged.
  if (deployment === null) config.state = stateDirectory({}, { ...host, deployment });
  const { createWorld } = await loading;
  const session =
    options.session === undefined
      ? {}
      : { session: await sessionNamed(options.session, options, { config, ...host, deployment }) };
  const world = createWorld(config, {
    ...host,
    deployment,
    commandLine: commandLineOf(options.given),
    worker,
    ...session,
    ...more,
    onHarnessError: ({ message }) =>
      void output.err(visible`dirigent: ${visibleMessage(message)}\n`),
  });
  for (const { line, reason } of world.session.faults)
    await output.err(visible`dirigent: line ${line} of session ${world.session.id}: ${reason}\n`);
  closeAtExit(world, output);
  return world;
}

/** A command ends its process when it has printed, by whatever way: what it logged is signed then. */
function closeAtExit({ session }: World, output: Output): void {
  process.once('exit', () => {
    try {
      session.close();
    } catch (error) {
      process.exitCode ||= 1;
      // It is written before this call returns; nothing that waits is done any more.
      void output.err(visible`dirigent: ${(error as Error).message}\n`);
    }
  });
}

/** The id of the session that was named by enough of it. @throws FsError */
async function sessionNamed(
  name: string,
  { given }: WorldArguments,
  { config, ...host }: Host & { config: WorldConfig },
): Promise<string> {
  const { checkConfig } = await import('../world/config.ts');
  const { sessionIds } = await import('../session/mount.ts');
  const { sessionPlace } = await import('../session/place.ts');
  const { resolveId } = await import('./ids.ts');
  const ids = sessionIds(sessionPlace(stateDirectory(checkConfig(config), host)));
  return resolveId(ids, name, { what: 'session', names: suggested(given, 'session ls --all') });
}
