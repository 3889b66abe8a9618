/** A world for a command of the command line. */
import type { Worker } from 'node:worker_threads';
import { changesFile } from '../changes/file.ts';
import { ConfigError } from '../errors.ts';
import { USER } from '../policy/context.ts';
import type { SessionPlace } from '../session/file.ts';
import type { SourceTable } from '../sources/source.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { WorldConfig } from '../world/config.ts';
import { type Host, stateDirectory } from '../world/plan.ts';
import type { World, WorldOptions } from '../world/world.ts';
import type { Installation } from './installation.ts';
import type { WorldArguments } from './options.ts';
import type { Output } from './output.ts';
import { commandLineOf, suggested } from './place.ts';
import { setUpWorld } from './setup.ts';

/**
 * Makes the world that the arguments describe.
 * @param worker has started; one is started, if absent
 * @throws ConfigError
 */
export async function openWorld(
  options: WorldArguments & { session?: string | undefined; latest?: boolean },
  installation: Installation,
  worker: Worker | undefined,
  output: Output,
  more: Pick<WorldOptions, 'onApproval' | 'onQuestion' | 'clientFiles' | 'actor' | 'buffered'> = {},
): Promise<World> {
  const loading = import('../world/world.ts');
  // Whoever awaits it meets the failure; a wrong config is reported first.
  loading.catch(() => undefined);
  const host = { cwd: process.cwd(), env: process.env };
  const { config, deployment } = await setUpWorld(options, installation, host.cwd);
  // Without a deployment the state is named, or nothing would be kept of it:
  // `dirigent changes` is another process than the one that staged.
  if (deployment === null) config.state = stateDirectory({}, { ...host, deployment });
  const [{ createWorld }, table] = await Promise.all([loading, installation.sources()]);
  const session = await sessionFor(options, table, { config, ...host, deployment });
  const world = createWorld(table, config, {
    ...host,
    deployment,
    commandLine: commandLineOf(options.given),
    ...(worker === undefined ? {} : { worker }),
    ...(session === null ? {} : { session }),
    ...more,
    ...(config.parts?.approvals === undefined
      ? {}
      : { mayDecide: (actor) => mayDecide(world.state, actor) }),
    hostPrograms: async () => (await import('../doors/programs/run.ts')).runProgram,
    onHarnessError: ({ message }) =>
      void output.err(visible`dirigent: ${visibleMessage(message)}\n`),
  });
  for (const { line, reason } of world.session.faults)
    await output.err(visible`dirigent: line ${line} of session ${world.session.id}: ${reason}\n`);
  closeAtExit(world, output);
  return world;
}

/**
 * A command ends its process when it has printed, by whatever way: what it logged is signed then.
 * Of the many worlds that a door opens, one that has been closed is nothing to the end of the process.
 */
function closeAtExit(world: World, output: Output): void {
  const { session } = world;
  const atExit = (): void => {
    try {
      session.close();
    } catch (error) {
      process.exitCode ||= 1;
      // It is written before this call returns; nothing that waits is done any more.
      void output.err(visible`dirigent: ${(error as Error).message}\n`);
    }
  };
  process.setMaxListeners(Math.max(process.getMaxListeners(), process.listenerCount('exit') + 2));
  process.once('exit', atExit);
  const end = world.close;
  const close = (): Promise<void> => end().finally(() => process.off('exit', atExit));
  world.close = close;
  world[Symbol.asyncDispose] = close;
}

/** The person in charge, and those principals of the server whose role has that right, at this moment. */
async function mayDecide(state: string, actor: string): Promise<boolean> {
  if (actor === USER) return true;
  const [{ Principals }, { may }] = await Promise.all([
    import('../serve/principals.ts'),
    import('../serve/rights.ts'),
  ]);
  const principals = new Principals(changesFile(state));
  try {
    const found = principals.list().find((each) => each.actor === actor);
    return found !== undefined && may(found, 'decide');
  } finally {
    principals.close();
  }
}

type Place = Host & { config: WorldConfig };

/** Which session is to be gone on with; null for a new one. @throws FsError, ConfigError */
async function sessionFor(
  options: WorldArguments & { session?: string | undefined; latest?: boolean },
  table: SourceTable,
  { config, ...host }: Place,
): Promise<string | null> {
  if (options.session === undefined && options.latest !== true) return null;
  const { checkConfig } = await import('../world/config.ts');
  const checked = checkConfig(table, config);
  const { placeOf } = await import('../world/session-place.ts');
  const place = placeOf(checked, host, stateDirectory(checked, host));
  try {
    if (options.session !== undefined) return await sessionNamed(place, options.session, options);
    const last = await lastConversation(place);
    if (last !== null) return last;
  } finally {
    place.store.close?.();
  }
  throw new ConfigError('', 'there is no conversation here yet to continue; leave --continue out');
}

/** The id of the session that was named by enough of it. @throws FsError */
async function sessionNamed(
  place: SessionPlace,
  name: string,
  { given }: WorldArguments,
): Promise<string> {
  const { sessionIds } = await import('../session/mount.ts');
  const { resolveId } = await import('./ids.ts');
  const ids = sessionIds(place);
  return resolveId(ids, name, { what: 'session', names: suggested(given, 'session ls --all') });
}

/** The newest session in which a person spoke with an agent; null where there is none. */
async function lastConversation(place: SessionPlace, except?: string): Promise<string | null> {
  const { sessionIds } = await import('../session/mount.ts');
  const { isConversation } = await import('./session-text.ts');
  return sessionIds(place, except).findLast((id) => isConversation(place, id)) ?? null;
}

/**
 * The session that a name means, or without one the conversation before a
 * world's own; null where there is none. @throws FsError
 */
export async function conversationBefore(
  world: World,
  name: string,
  options: WorldArguments,
): Promise<string | null> {
  const { sessionPlace } = await import('../session/place.ts');
  const place = sessionPlace(world.state, world.parts.sessions);
  try {
    return name === ''
      ? await lastConversation(place, world.session.id)
      : await sessionNamed(place, name, options);
  } finally {
    place.store.close?.();
  }
}
