/** From a checked config to the mounts of a world: what every world has, and what the deployment adds. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandLine, shellWord, suggestion } from '../command-line.ts';
import { directoryAt, moduleFile, programAt } from '../config-path.ts';
import type { BufferedDirectory } from '../disk/buffers.ts';
import { ConfigError } from '../errors.ts';
import type { MemoryOp } from '../memory-tree/op.ts';
import type { Access, PathRule } from '../policy/gate.ts';
import type { OcrProgram } from '../texts/ocr.ts';
import type { CheckedConfig } from './config.ts';
import type { ParsedMount } from './mount-string.ts';
import type { MountSpec, NamedModule, SourceSpec } from './protocol.ts';
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
  /** Files that say who may come in through a door, and with which rights: nothing inside may write them. */
  clientFiles?: readonly string[] | undefined;
  /** A directory that another program has files of open, such as an editor. */
  buffered?: BufferedDirectory | undefined;
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
  /** Only those that this actor began; all, if absent. */
  pastOf?: string;
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
    return directoryAt(named, host.deployment ?? host.cwd, 'harness.directory');
  if (host.deployment === null) return null;
  const usual = join(host.deployment, 'harness');
  return fs.existsSync(usual) ? usual : null;
}

/** `models.yaml` of the deployment, which need not be there; null without a deployment. */
export const modelsFile = ({ deployment }: Host): string | null =>
  deployment === null ? null : join(deployment, 'models.yaml');

/** The module of the deployment's hooks; null without. @throws ConfigError when it is missing */
export function hooksModule({ hooks }: CheckedConfig, host: Host): string | null {
  if (hooks === undefined) return null;
  const file = resolve(host.deployment ?? host.cwd, hooks);
  if (!fs.existsSync(file)) throw new ConfigError('hooks', `${file} is not there`);
  return file;
}

/** The program that reads pictures; null without. @throws ConfigError when it is missing */
export function ocrProgram({ documents }: CheckedConfig, host: Host): OcrProgram | null {
  const [name, ...args] = documents?.ocr ?? [];
  if (name === undefined) return null;
  const directory = host.deployment ?? host.cwd;
  const path = host.env['PATH'] ?? '';
  const file = programAt(name, directory, path, 'documents.ocr');
  return { file, args, directory, path };
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

/** The modules of the deployment's own channels. @throws ConfigError when one is missing */
export function channelModules({ channels = [] }: CheckedConfig, host: Host): string[] {
  return channels.map((named, index) => {
    const file = resolve(host.deployment ?? host.cwd, named);
    if (fs.existsSync(file)) return file;
    throw new ConfigError(`channels.${index}`, `${file} is not there`);
  });
}

/** The modules of the deployment's own commands: as the config names each, and its file. @throws ConfigError when one is missing */
export function shimModules({ shims = [] }: CheckedConfig, host: Host): NamedModule[] {
  const base = host.deployment ?? host.cwd;
  return shims.map((name, index) => ({ name, file: moduleFile(name, base, `shims.${index}`) }));
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
  const readme = { name: README, text: '', made: Date.now() };
  const specs: MountSpec[] = [
    plain('/', { kind: 'root', readme }, { mode: 'ro', advice: 'write under /workspace or /tmp' }),
    plain('/bin', { kind: 'bin' }, { mode: 'ro', advice: 'the commands are fixed' }),
    plain('/usr/bin', { kind: 'bin' }, { mode: 'ro', advice: 'the commands are fixed' }),
    plain('/dev', { kind: 'dev' }, { mode: 'rw' }),
    plain('/tmp', memory(), { mode: 'rw' }),
    ...planHarness(config, host, state),
    plain('/session', sessionSource(session), SESSION_ACCESS),
    plain('/session/changes', { kind: 'changes' }, SESSION_ACCESS),
    plain('/session/schedule', { kind: 'schedule', ...whose(session) }, { mode: 'rw' }),
    plain(
      '/session/approvals',
      { kind: 'approvals', ...whose(session) },
      askedAccess(host, 'approvals'),
    ),
    plain('/session/questions', questions(session, false), askedAccess(host, 'questions')),
    plain('/session/plans', questions(session, true), askedAccess(host, 'questions')),
  ];
  if (session.workspace !== null) {
    const maxBytes = config.mounts.get('/workspace')?.settings['maxBytes'];
    const source = memory(typeof maxBytes === 'number' ? maxBytes : undefined, session.workspace);
    specs.push(plain('/workspace', source, { mode: 'rw' }));
  } else if (!config.mounts.has('/workspace')) {
    specs.push(plain('/workspace', workspace(host, state), { mode: 'rw' }));
  }
  for (const [point, mount] of config.mounts) {
    if (point === '/workspace' && session.workspace !== null) continue;
    specs.push(planMount(point, mount, config, host, base, state));
  }
  specs.push(...planMemory(config, host, state, session));
  if (host.buffered !== undefined) specs.push(planBuffered(host.buffered, config, state));
  readme.text = renderReadme(specs, config.readme);
  return specs;
}

const sessionSource = ({ id, past, pastOf }: SessionMounts): SourceSpec<'session'> => ({
  kind: 'session',
  id,
  past,
  ...(pastOf === undefined ? {} : { pastOf }),
});

type AskedKind = 'approvals' | 'questions';

const whose = ({ pastOf }: SessionMounts) => (pastOf === undefined ? {} : { of: pastOf });

const SESSION_ACCESS: Access = { mode: 'ro', advice: 'the runtime alone writes the session' };

const questions = (session: SessionMounts, plans: boolean): SourceSpec => ({
  ...whose(session),
  kind: 'questions',
  plans,
});

const askedAccess = (host: Host, kind: AskedKind): Access => ({
  mode: 'ro',
  advice: `a person answers, at the prompt or with "${suggestion(commandLineOf(host), `${kind} list`)}"`,
});

/** The directory of the host that is /workspace where a session has no snapshot in its place; null for none. */
export function directoryOfWorkspace(config: CheckedConfig, host: Host): string | null {
  const mount = config.mounts.get('/workspace');
  if (mount === undefined)
    return host.deployment === null ? null : realOrNull(join(host.deployment, 'workspace'));
  const base = host.deployment ?? host.cwd;
  const place = { where: 'mounts./workspace', base, env: host.env };
  const plan = mount.source.plan(mount.settings, place);
  return plan.kind === 'disk' ? realOrNull(plan.root) : null;
}

const realOrNull = (directory: string): string | null =>
  fs.existsSync(directory) ? fs.realpathSync.native(directory) : null;

function workspace(host: Host, state: string): SourceSpec {
  if (host.deployment === null) return memory();
  const root = join(host.deployment, 'workspace');
  fs.mkdirSync(root, { recursive: true });
  return { kind: 'disk', root, hidden: [state] };
}

/** Where the memories of a deployment are, in the state directory: one for each who has a world of their own. */
const MEMORY = 'memory';

/** A memory that lasts, where the config has none of its own at that place. */
function planMemory(
  { memory: wanted = true, mounts }: CheckedConfig,
  host: Host,
  state: string,
  { pastOf }: SessionMounts,
): MountSpec[] {
  const point = '/memory';
  if (!wanted || host.deployment === null || mounts.has(point)) return [];
  // Names that differ in their case alone may be one file.
  const owner =
    pastOf === undefined ? 'user' : `of-${createHash('sha256').update(pastOf).digest('hex')}`;
  const root = join(state, MEMORY, owner);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  const source: SourceSpec = { kind: 'disk', root, hidden: [], isPrivate: true };
  return [{ point, source, access: { mode: 'rw' }, searchable: true }];
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
  // The policy binds whoever writes here, host code is the deployer's, and channels say who may
  // speak and approve: none of them is written by a glob.
  const kept = [
    'channels',
    'channels/**',
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
const PROPOSALS_POINT = '/harness/proposals';

/** They outlive the world, except that of a plain one. */
function proposals(config: CheckedConfig, host: Host, state: string): SourceSpec {
  if (host.deployment === null && config.state === undefined) return memory();
  const root = join(state, PROPOSALS);
  fs.mkdirSync(root, { recursive: true, mode: 0o700 });
  return { kind: 'disk', root, hidden: [], isPrivate: true };
}

/** The variable of the host's environment that holds a mount's token; null where it has none. */
export const tokenVariable = ({ source, tokenEnv }: ParsedMount): string | null =>
  tokenEnv ?? source.tokenEnv;

/** Points whose text is searched by meaning unless the config says otherwise, whatever is there. */
const SEARCHED = /^\/(?:mnt\/|memory(?:\/|$))/;

function planMount(
  point: string,
  mount: ParsedMount,
  config: CheckedConfig,
  host: Host,
  base: string,
  state: string,
): MountSpec {
  const { source, mode, rules, search } = mount;
  const access: Access = { mode, ...(rules === undefined ? {} : { rules }) };
  const plan = source.plan(mount.settings, { where: `mounts.${point}`, base, env: host.env });
  const made = { point, access, searchable: search ?? (source.isService || SEARCHED.test(point)) };
  if (plan.kind === 'memory') return { ...made, source: memory(plan.maxBytes) };
  if (plan.kind === 'disk') return { ...made, source: { ...plan, hidden: [state] } };
  return { ...made, source: { ...plan, ...serviceSpec(mount, config, host) } };
}

/** @throws ConfigError where its place is taken, or the directory is missing */
function planBuffered(
  { directory, point, mode, buffers: { reads, writes } }: BufferedDirectory,
  { mounts }: CheckedConfig,
  state: string,
): MountSpec {
  const where = `mounts.${point}`;
  if (mounts.has(point))
    throw new ConfigError(
      where,
      `the files that are open outside are mounted at ${point}: mount this elsewhere`,
    );
  const root = directoryAt(directory, '/', where);
  const source: SourceSpec = { kind: 'disk', root, hidden: [state], buffers: { reads, writes } };
  return { point, source, access: { mode }, searchable: false };
}

/** What the worker is told of a service, whichever it is. */
function serviceSpec(mount: ParsedMount, config: CheckedConfig, host: Host) {
  const { source, mode, baseUrl, freshMs } = mount;
  const named = tokenVariable(mount);
  const token = named === null ? undefined : host.env[named];
  return {
    scheme: source.name,
    title: source.title,
    // Whatever the gate lets through, by the mode or by a rule for a path.
    stage: mode === 'stage' || config.dryRun === true,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(named === null ? {} : { variable: named }),
    ...(token === undefined ? {} : { token }),
    ...(freshMs === undefined ? {} : { freshMs }),
  };
}
