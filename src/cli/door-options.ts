/** The arguments of the commands that open a door to other people's programs. */
import type { HelpOf } from './agent-options.ts';
import { parse, UsageError, verbOf, type WorldArguments, worldOf } from './arguments.ts';
import type { VerbOf } from './commands.ts';

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
  /** What may be done with the editor's files; they are not mounted, if absent. */
  editor: 'ro' | 'rw' | undefined;
}

export function parseAcp(argv: readonly string[]): AcpArguments | HelpOf<'acp'> {
  const { values, positionals } = parse('acp', argv);
  if (values.help === true) return { action: 'help', topic: 'acp' };
  if (positionals.length > 0)
    throw new UsageError('acp', `acp takes no operand (unexpected "${positionals.join(' ')}")`);
  const { agent, model, editor } = values;
  if (editor !== undefined && editor !== 'ro' && editor !== 'rw')
    throw new UsageError('acp', `--editor "${editor}" is no mode; use ro or rw`);
  return { action: 'acp', ...worldOf(values), agent, model, editor };
}

/** `dirigent shim`. */
export interface ShimArguments {
  action: 'shim';
  verb: VerbOf<'shim'>;
  /** Where the shims are; `~/.local/bin`, if absent. */
  directory: string | undefined;
}

export function parseShim(argv: readonly string[]): ShimArguments | HelpOf<'shim'> {
  const { values, positionals } = parse('shim', argv);
  if (values.help === true) return { action: 'help', topic: 'shim' };
  const [word, ...more] = positionals;
  if (word === undefined) throw new UsageError('shim', 'say what to do: install or uninstall');
  const verb = verbOf('shim', word);
  if (more.length > 0)
    throw new UsageError('shim', `${verb} takes no operand (unexpected "${more.join(' ')}")`);
  if (values.dir === '') throw new UsageError('shim', '--dir takes a directory');
  return { action: 'shim', verb, directory: values.dir };
}
