/** The arguments of `dirigent serve`. */
import { ROLES, type Role } from '../serve/rights.ts';
import type { HelpOf } from './agent-options.ts';
import { parse, UsageError, verbOf, type WorldArguments, worldOf } from './arguments.ts';

/** `dirigent serve`. */
export interface ServeArguments extends WorldArguments {
  action: 'serve';
  /** What is to be done about tokens; null where the deployment is to be served. */
  token: TokenArguments | null;
  host: string;
  port: number;
  /** Pages of these may ask. */
  origins: string[];
  /** Turns at once; what the server has for it, if absent. */
  turns: number | undefined;
  stdio: boolean;
  /** Ports of the other doors; undefined for one that stays closed. 0 takes a free one. */
  mcp: number | undefined;
  ssh: number | undefined;
  /** The file of the keys that SSH lets in; that of the deployment, if absent. */
  authorizedKeys: string | undefined;
}

/** `dirigent serve token`. */
export type TokenArguments =
  | { verb: 'list' }
  | { verb: 'add'; name: string; role: Role; agent: string | null }
  | { verb: 'remove'; name: string };

const PORT = 7070;
const LARGEST_PORT = 65_535;
const MOST_TURNS = 64;
const LOOPBACK = '127.0.0.1';

export function parseServe(argv: readonly string[]): ServeArguments | HelpOf<'serve'> {
  const { values, positionals } = parse('serve', argv);
  if (values.help === true) return { action: 'help', topic: 'serve' };
  const [word, ...rest] = positionals;
  if (word !== undefined) verbOf('serve', word);
  const { host = LOOPBACK, port = String(PORT), origin = [], stdio = false, role, agent } = values;
  const token = word === undefined ? null : tokenOf(rest, role, agent);
  if (token?.verb !== 'add' && (role ?? agent) !== undefined)
    throw new UsageError('serve', '--role and --agent are for "token add"');
  const { mcp, ssh, 'authorized-keys': authorizedKeys } = values;
  if (stdio && (values.host ?? values.port ?? values.origin ?? mcp ?? ssh) !== undefined)
    throw new UsageError(
      'serve',
      'with --stdio nothing listens: leave --host, --port, --origin, --mcp and --ssh out',
    );
  if (authorizedKeys !== undefined && ssh === undefined)
    throw new UsageError('serve', '--authorized-keys is for --ssh PORT');
  return {
    action: 'serve',
    ...worldOf(values),
    token,
    host,
    port: portOf('port', port),
    mcp: mcp === undefined ? undefined : portOf('mcp', mcp),
    ssh: ssh === undefined ? undefined : portOf('ssh', ssh),
    authorizedKeys,
    origins: origin.map(originOf),
    turns: turnsOf(values.turns),
    stdio,
  };
}

function tokenOf(
  [verb = 'list', name, ...more]: readonly string[],
  role: string = 'user',
  agent: string | undefined,
): TokenArguments {
  const wrong = (message: string): UsageError => new UsageError('serve', message);
  if (more.length > 0) throw wrong(`token ${verb} takes one NAME (unexpected "${more.join(' ')}")`);
  if (verb === 'list') {
    if (name === undefined) return { verb };
    throw wrong(`token list takes no NAME (unexpected "${name}")`);
  }
  if (verb !== 'add' && verb !== 'remove')
    throw wrong(`token "${verb}" is not allowed; use list, add NAME or remove NAME`);
  if (name === undefined) throw wrong(`token ${verb} takes the NAME of somebody`);
  if (verb === 'remove') return { verb, name };
  const known = ROLES.find((each) => each === role);
  if (known === undefined) throw wrong(`--role ${role} is not allowed; use ${ROLES.join(', ')}`);
  return { verb, name, role: known, agent: agent ?? null };
}

function portOf(option: string, text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= LARGEST_PORT) return Number(text);
  throw new UsageError(
    'serve',
    `--${option} "${text}" is no port; use 0 to ${LARGEST_PORT} (0 takes a free one)`,
  );
}

function turnsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text) && Number(text) <= MOST_TURNS) return Number(text);
  throw new UsageError(
    'serve',
    `--turns takes a whole number from 1 to ${MOST_TURNS}, not "${text}"`,
  );
}

/** As a browser sends it. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/';
  if (isOrigin && url.search === '' && url.hash === '') return url.origin;
  throw new UsageError(
    'serve',
    `--origin "${text}" is no origin; write it as a browser does: https://desk.example.com`,
  );
}
