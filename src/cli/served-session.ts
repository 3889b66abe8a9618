/** Which session of a server a command is about. */
import { ConfigError } from '../errors.ts';
import type { ChatArguments, RunArguments } from './agent-options.ts';
import type { ServerClient } from './server-client.ts';

/** The id of the session that was named, of the last one, or of a new one. @throws ConfigError */
export async function sessionOn(
  client: ServerClient,
  { session, latest, agent }: Pick<RunArguments | ChatArguments, 'session' | 'latest' | 'agent'>,
): Promise<string> {
  if (session !== undefined) return (await client.session(session)).id;
  if (!latest) return (await client.begin(agent)).id;
  const newest = await client.newest();
  if (newest !== null) return newest.id;
  throw new ConfigError('', 'there is no conversation there yet to continue; leave --continue out');
}
