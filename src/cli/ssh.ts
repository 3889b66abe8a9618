/** `dirigent ssh`: the world for SSH, SFTP, and all that is built on them. */
import { join, resolve } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Doorway } from '../doors/door.ts';
import type { OpenSshDoor } from '../doors/ssh/server.ts';
import type { SshTerminal } from '../doors/ssh/terminal.ts';
import { visible, visibleMessage } from '../visible.ts';
import type { SshArguments } from './door-options.ts';
import type { Installation } from './installation.ts';
import { listening } from './listening.ts';
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
  const ended = askedToEnd();
  await using doorway = await doorwayOf('ssh', options, output, installation, worker, {
    clientFiles: [authorizedKeys],
  });
  const door = await openSsh(doorway, { ...options, option: '--port', authorizedKeys, say });
  await ended;
  await door.close();
  return 0;
}

/** What the door is opened with. */
export interface SshOpening extends Pick<SshArguments, 'host' | 'port' | 'given'> {
  /** The option that names the port. */
  option: string;
  /** The file of the keys that are let in. */
  authorizedKeys: string;
  say(line: string): void;
}

/** Opens the door, and says where it is. @throws ConfigError where it cannot be opened */
export async function openSsh(
  doorway: Doorway,
  { option, host, port, given, authorizedKeys, say }: SshOpening,
): Promise<OpenSshDoor> {
  const [{ openSshDoor }, { personAt }] = await Promise.all([
    import('../doors/ssh/server.ts'),
    import('./ssh-person.ts'),
  ]);
  const person = (terminal: SshTerminal) =>
    personAt(terminal, (command) => suggested(given, command));
  const opening = { port, host, authorizedKeys, person, onNotice: say };
  const door = await listening(() => openSshDoor(doorway, opening), { option, host, port });
  say(`serving ${door.address}, to the keys of ${authorizedKeys}`);
  return door;
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
