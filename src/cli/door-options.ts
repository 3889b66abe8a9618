/** The arguments of the commands that open a door to other people's programs. */
import type { HelpOf } from './agent-options.ts';
import { parse, UsageError, type WorldArguments, worldOf } from './arguments.ts';

/** `dirigent ssh`. */
export interface SshArguments extends WorldArguments {
  action: 'ssh';
  port: number;
  /** The address to listen on. */
  host: string;
  /** The file of the keys that may come in; that of the deployment, if absent. */
  authorizedKeys: string | undefined;
}

const SSH_PORT = 2222;
const LARGEST_PORT = 65_535;
const LOOPBACK = '127.0.0.1';

export function parseSsh(argv: readonly string[]): SshArguments | HelpOf<'ssh'> {
  const { values, positionals } = parse('ssh', argv);
  if (values.help === true) return { action: 'help', topic: 'ssh' };
  if (positionals.length > 0)
    throw new UsageError('ssh', `ssh takes no operand (unexpected "${positionals.join(' ')}")`);
  const { port = String(SSH_PORT), host = LOOPBACK } = values;
  if (!(/^\d+$/.test(port) && Number(port) <= LARGEST_PORT))
    throw new UsageError(
      'ssh',
      `--port "${port}" is no port; use 0 to ${LARGEST_PORT} (0 takes a free one)`,
    );
  return {
    action: 'ssh',
    ...worldOf(values),
    port: Number(port),
    host,
    authorizedKeys: values['authorized-keys'],
  };
}

/** `dirigent acp`. */
export interface AcpArguments extends WorldArguments {
  action: 'acp';
  agent: string | undefined;
  model: string | undefined;
}

export function parseAcp(argv: readonly string[]): AcpArguments | HelpOf<'acp'> {
  const { values, positionals } = parse('acp', argv);
  if (values.help === true) return { action: 'help', topic: 'acp' };
  if (positionals.length > 0)
    throw new UsageError('acp', `acp takes no operand (unexpected "${positionals.join(' ')}")`);
  const { agent, model } = values;
  return { action: 'acp', ...worldOf(values), agent, model };
}
