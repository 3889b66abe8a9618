/** From a checked config to the mounts of a world: what every world has, and what the deployment adds. */
import fs from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandLine, shellWord, suggestion } from '../command-line.ts';
import { ConfigError } from '../errors.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import type { Access, PathRule } from '../policy/gate.ts';
import type { CheckedConfig } from './config.ts';
import { likePath } from './like-path.ts';
import type { ParsedMount } from './mount-string.ts';
import type { MountSpec, ServiceSpec, SourceSpec } from './protocol.ts';
import { README, renderReadme } from './readme.ts';

/** The host's side of a world: where it is deployed, and its environment. */
export interface Host {
  /** The deployment's directory, to which `./x` is relative; null without one. */
  deployment: string | null;
  /** The directory that `./x` is relative to when there is no deployment. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** How the command line is called for this world; by default `dirigent` with its deployment. */
  commandLine?: CommandLine | undefined;
}

/** How the command line is called for a world, in messages that suggest one of its commands. */
export function commandLineOf({ commandLine, deployment }: Host): CommandLine {
  if (commandLine !== undefined) return commandLine;
  const options = deployment === null ? '' : ` --deployment ${shellWord(deployment)}`;
  return { program: 'dirigent', options };
}

/** What a session brings to the mounts of its world. */
export interface SessionMounts {
  id: string;
  /** Are earlier sessions shown? */
  past: boolean;
  /** The changes that make /workspace, where it lives in snapshots; null where it is a mount of its own. */
  workspace: MemoryOp[] | null;
}

/** The names that a deployment's config may have, in order. */
export const CONFIG_NAMES = [
  'dirigent.config.ts',
  'dirigent.config.js',
  'dirigent.config.mjs',
  'dirigent.config.mts',
];

/** The package's own directory. */
export function packageDirectory(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  // From a checkout this file is src/world/; compiled it is dist/src/world/.
  while (!fs.existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return directory;
}

/** The default harness, shipped beside the code: `agents/` of the package. */
export function defaultHarness(): string {
  return join(packageDirectory(), 'agents');
}

/** Where the state of a world is kept: `.dirigent` of the deployment, else the user's state directory by XDG. */
export function stateDirectory(config: Pick<CheckedConfig, 'state'>, host: Host): string {
  if (config.state !== undefined) return resolve(host.deployment ?? host.cwd, config.state);
  if (host.deployment !== null) return join(host.deployment, '.dirigent');
  return join(host.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'dirigent');
}

/**
 * The directory of the deployment's own harness; null where it has none.
 * @throws ConfigError when the one that is named is missing
 */
export function harnessDirectory(config: CheckedConfig, host: Host): string | null {
  const named = config.harness?.directory;
  if (named !== undefined)
    return directoryAt('harness.directory', host.deployment ?? host.cwd, named);
  if (host.deployment === null) return null;
  const usual = join(host.deployment, 'harness');
  return fs.existsSync(usual) ? usual : null;
}

/** The module of the deployment's hooks; null without. @throws ConfigError when it is missing */
export function hooksModule({ hooks }: CheckedConfig, host: Host): string | null {
  if (hooks === undefined) return null;
  const file = resolve(host.deployment ?? host.cwd, hooks);
  if (!fs.existsSync(file)) throw new ConfigError('hooks', `${file} is not there`);
  return file;
}

/** The modules of the deployer's tools. @throws ConfigError when one is missing */
export function hostToolModules({ harness }: CheckedConfig, host: Host): string[] {
  return (harness?.tools ?? []).map((named, index) => {
    const file = resolve(host.deployment ?? host.cwd, named);
    if (!fs.existsSync(file))
      throw new ConfigError(`harness.tools.${index}`, `${file} is not there`);
    return file;
  });
}

const memory = (maxBytes?: number, initial: MemoryOp[] = []): SourceSpec => ({
  kind: 'memory',
  initial,
  ...(maxBytes === undefined ? {} : { maxBytes }),
});

/**
 * All mounts of a world, the system's and the deployment's.
 * @param session what /session shows, and what /workspace is made of when it is kept in snapshots
 * @throws ConfigError when a directory is missing
 */
export function planMounts(
  config: CheckedConfig,
  host: Host,
  state: string,
  session: SessionMounts,
): MountSpec[] {
  const base = host.deployment ?? host.cwd;
  const plain = (point: string, source: SourceSpec, access: Access): MountSpec => ({
    point,
    source,
    access,
    searchable: false,
  });
  const root: MemoryOp[] = [];
  const specs: MountSpec[] = [
    plain('/', memory(undefined, root), { mode: 'ro', advice: 'write under /workspace or /tmp' }),
    plain('/bin', { kind: 'bin' }, { mode: 'ro', advice: 'the commands are fixed' }),
    plain('/usr/bin', { kind: 'bin' }, { mode: 'ro', advice: 'the commands are fixed' }),
    plain('/dev', { kind: 'dev' }, { mode: 'rw' }),
    plain('/tmp', memory(), { mode: 'rw' }),
    ...planHarness(config, host, state),
    plain('/session', { kind: 'session', id: session.id, past: session.past }, SESSION_ACCESS),
    plain('/session/changes', { kind: 'changes' }, SESSION_ACCESS),
    plain('/session/schedule', { kind: 'schedule' }, { mode: 'rw' }),
    plain('/session/approvals', { kind: 'approvals' }, approvalsAccess(host)),
  ];
  if (session.workspace !== null) {
    const source = memory(config.mounts.get('/workspace')?.maxBytes, session.workspace);
    specs.push(plain('/workspace', source, { mode: 'rw' }));
  } else if (!config.mounts.has('/workspace')) {
    specs.push(plain('/workspace', workspace(host, state), { mode: 'rw' }));
  }
  for (const [point, mount] of config.mounts) {
    if (point === '/workspace' && session.workspace !== null) continue;
    specs.push(planMount(point, mount, config, host, base, state));
  }
  const readme = Buffer.from(renderReadme(specs, config.readme));
  root.push({ op: 'write', path: `/${README}`, data: readme, at: Date.now() });
  return specs;
}

const SESSION_ACCESS: Access = { mode: 'ro', advice: 'the runtime alone writes the session' };

const approvalsAccess = (host: Host): Access => ({
  mode: 'ro',
  advice: `a person answers, at the prompt or with "${suggestion(commandLineOf(host), 'approvals list')}"`,
});

/** The directory of the host that is /workspace where a session has no snapshot in its place; null for none. */
export function directoryOfWorkspace(config: CheckedConfig, host: Host): string | null {
  const source = config.mounts.get('/workspace')?.source;
  if (source === undefined)
    return host.deployment === null ? null : realOrNull(join(host.deployment, 'workspace'));
  if (source.kind !== 'disk') return null;
  return realOrNull(resolve(host.deployment ?? host.cwd, source.directory));
}

const realOrNull = (directory: string): string | null =>
  fs.existsSync(directory) ? fs.realpathSync.native(directory) : null;

function workspace(host: Host, state: string): SourceSpec {
  if (host.deployment === null) return memory();
  const root = join(host.deployment, 'workspace');
  fs.mkdirSync(root, { recursive: true });
  return { kind: 'disk', root, hidden: [state] };
}

function planHarness(config: CheckedConfig, host: Host, state: string): MountSpec[] {
  const own = harnessDirectory(config, host);
  const hostTools = hostToolModules(config, host);
  const access = harnessAccess(config, own, hostTools);
  const source: SourceSpec = { kind: 'harness', own, defaults: defaultHarness(), hostTools };
  return [
    { point: '/harness', source, access, searchable: false },
    {
      point: PROPOSALS_POINT,
      source: proposals(config, host, state),
      access: { mode: 'rw' },
      searchable: false,
    },
  ];
}

/** The mode that the deployer chose, and what is not to be written in any mode. */
function harnessAccess(
  config: CheckedConfig,
  own: string | null,
  hostTools: readonly string[],
): Access {
  const { mode = 'ro' } = config.harness ?? {};
  const advice = 'propose the change as a file under /harness/proposals';
  if (mode === 'ro') return { mode, advice };
  if (own === null) {
    throw new ConfigError(
      'harness.mode',
      'there is no harness to write to: make the directory "harness" in the deployment, or name one in harness.directory',
    );
  }
  const named = mode === 'rw' ? [] : mode;
  // The policy binds whoever writes here, and host code is the deployer's: neither is written by a glob.
  const kept = [
    ...(named.includes('policy.yaml') ? [] : ['policy.yaml']),
    ...hostTools.filter((file) => file.startsWith(own)).map((file) => relative(own, file)),
  ];
  const rules: PathRule[] = [
    ...kept.map((pattern): PathRule => ({ pattern, mode: 'ro' })),
    ...named.map((pattern): PathRule => ({ pattern, mode: 'rw' })),
  ];
  return { mode: mode === 'rw' ? 'rw' : 'ro', rules, advice };
}

/** Where proposals are, in the state directory. */
export const PROPOSALS = 'proposals';
/** Where they are mounted. */
export const PROPOSALS_POINT = '/harness/proposals';

/** They outlive the world, except that of a plain one. */
function proposals(config: CheckedConfig, host: Host, state: string): SourceSpec {
  if (host.deployment === null && config.state === undefined) return memory();
  const root = join(state, PROPOSALS);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  return { kind: 'disk', root, hidden: [], isPrivate: true };
}

/** The variables in which the tokens of services are, unless a config names others. */
export const TOKEN_VARIABLES = {
  github: 'GITHUB_TOKEN',
  linear: 'LINEAR_API_KEY',
  notion: 'NOTION_TOKEN',
} as const;

/** The variable of the host's environment that holds a mount's token; null where it has none. */
export function tokenVariable({ source: { kind }, tokenEnv }: ParsedMount): string | null {
  if (tokenEnv !== undefined) return tokenEnv;
  return Object.hasOwn(TOKEN_VARIABLES, kind)
    ? TOKEN_VARIABLES[kind as keyof typeof TOKEN_VARIABLES]
    : null;
}

function planMount(
  point: string,
  mount: ParsedMount,
  config: CheckedConfig,
  host: Host,
  base: string,
  state: string,
): MountSpec {
  const { source, mode, rules } = mount;
  const access: Access = { mode, ...(rules === undefined ? {} : { rules }) };
  const searchable = mount.search ?? /^\/(?:mnt\/|memory(?:\/|$))/.test(point);
  switch (source.kind) {
    case 'memory':
      return { point, source: memory(mount.maxBytes), access, searchable };
    case 'disk': {
      const root = directoryAt(`mounts.${point}`, base, source.directory);
      return { point, source: { kind: 'disk', root, hidden: [state] }, access, searchable };
    }
    case 'github': {
      const { repository } = source;
      return serviceMount((spec) => ({
        kind: 'github',
        ...spec,
        ...(repository === undefined ? {} : { repository }),
        ...(mount.commits === undefined ? {} : { commits: mount.commits }),
      }));
    }
    case 'linear': {
      const { team } = source;
      return serviceMount((spec) => ({
        kind: 'linear',
        ...spec,
        ...(team === undefined ? {} : { team }),
      }));
    }
    case 'notion':
      return serviceMount((spec) => ({ kind: 'notion', ...spec }));
    case 'module': {
      const file = fileAt(`mounts.${point}`, base, source.module);
      const { options = {} } = mount;
      return serviceMount((spec) => ({ kind: 'module', ...spec, file, options }));
    }
  }

  function serviceMount(make: (spec: ServiceSpec) => SourceSpec): MountSpec {
    // Whatever the gate lets through, by the mode or by a rule for a path.
    const stage = mode === 'stage' || config.dryRun === true;
    const { baseUrl, freshMs } = mount;
    const named = tokenVariable(mount);
    const token = named === null ? undefined : host.env[named];
    return {
      point,
      source: make({
        stage,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(token === undefined ? {} : { token }),
        ...(freshMs === undefined ? {} : { freshMs }),
      }),
      access,
      searchable: mount.search ?? true,
    };
  }
}

function fileAt(where: string, base: string, file: string): string {
  const found = resolve(base, file);
  if (!fs.statSync(found, { throwIfNoEntry: false })?.isFile()) {
    throw new ConfigError(
      where,
      `${found} is no file${likePath(found)}; a module: names the file that makes the mount`,
    );
  }
  return found;
}

function directoryAt(where: string, base: string, directory: string): string {
  const root = resolve(base, directory);
  if (!fs.statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError(
      where,
      `${root} is not a directory${likePath(root)}; make it, or name another one`,
    );
  }
  return root;
}
