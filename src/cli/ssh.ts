/** `dirigent ssh`: the world for SSH, SFTP, and all that is built on them. */
import { join, resolve } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { visible, visibleMessage } from '../visible.ts';
import type { SshArguments } from './door-options.ts';
import type { Installation } from './installation.ts';
import { UsageError } from './options.ts';
import type { Output } from './output.ts';
import { suggested } from './place.ts';
import { askedToEnd } from './signals.ts';

/** The file of a deployment that says who may come in. */
const KEYS = 'authorized_keys';

/** Runs `dirigent ssh` until a signal comes. */
export async function runSsh(
  options: SshArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const authorizedKeys = keysOf(options, 'ssh');
  const say = (line: string): void => void output.err(visible`dirigent: ${visibleMessage(line)}\n`);
  const { doorwayOf } = await import('./doorway.ts');
  const { openSshDoor } = await import('../doors/ssh/server.ts');
  const { personAt } = await import('./ssh-person.ts');
  const ended = askedToEnd();
  await using doorway = await doorwayOf('ssh', options, output, installation, worker, {
    clientFiles: [authorizedKeys],
  });
  const { port, host } = options;
  const door = await openSshDoor(doorway, {
    port,
    host,
    authorizedKeys,
    person: (terminal) => personAt(terminal, (command) => suggested(options.given, command)),
    onNotice: say,
  });
  say(`serving ${door.address}, to the keys of ${authorizedKeys}`);
  await ended;
  await door.close();
  return 0;
}

/**
 * The file of the keys that are let in.
 * @throws UsageError where nobody says
 */
export function keysOf(
  { authorizedKeys, deployment }: Pick<SshArguments, 'authorizedKeys' | 'deployment'>,
  command: 'ssh' | 'serve',
): string {
  if (authorizedKeys !== undefined) return resolve(authorizedKeys);
  if (deployment !== undefined && deployment !== null) return join(deployment, KEYS);
  throw new UsageError(
    command,
    `say who may come in: --authorized-keys FILE (of a deployment it is DIR/${KEYS})`,
  );
}
