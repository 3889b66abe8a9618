/**
 * Refuses a world in which an agent could write what the host runs, or what
 * decides what the agent may do: the config, the harness beside its own mode,
 * the state, the program, and every module that the config names, with all that
 * is loaded with it and every place in which that is looked up.
 */
import fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '../../disk/host.ts';
import { ConfigError } from '../../errors.ts';
import { moduleOf } from '../../parts/config.ts';
import type { CheckedConfig } from '../config.ts';
import {
  CONFIG_NAMES,
  channelModules,
  type Host,
  hooksModule,
  hostToolModules,
  modelsFile,
  ocrProgram,
  packageDirectory,
  shimModules,
} from '../plan.ts';
import type { MountSpec } from '../protocol.ts';
import { type Lookup, ModuleLookups } from './modules.ts';
import { follow } from './ways.ts';
import { type Writable, writableDirectories } from './writable.ts';

/** What a world is made of, as far as it is checked here. */
export interface Deployed {
  config: CheckedConfig;
  host: Host;
  /** The state directory. */
  state: string;
  mounts: readonly MountSpec[];
}

/** What must not be written from inside, and what it is called in a sentence. */
interface Kept {
  what: string;
  path: string;
}

const HARNESS = 'the harness';

/**
 * @throws ConfigError naming the mount, or `harness.mode`, with what it would let an agent write
 */
export function refuseWritableTrust(deployed: Deployed): void {
  const { mounts } = deployed;
  // Proposals and the memory lie in the state by design; no module is looked up there.
  const writable = writableDirectories(mounts.filter((each) => !isPartOfState(each)));
  if (writable.length === 0) return;
  const harness = mounts.find(({ source }) => source.kind === 'harness');
  for (const each of writable) {
    for (const kept of keptDirectories(deployed)) {
      // The harness itself is written as its mode says.
      if (kept.what !== HARNESS || each.point !== harness?.point) refuseDirectory(each, kept);
    }
  }
  for (const { what, lookups } of hostModules(deployed)) {
    for (const lookup of lookups) {
      const through = writable.find((each) => isReached(each, lookup));
      if (through !== undefined) throw refusal(through, what, lookup.path, harness);
    }
  }
  for (const spec of mounts) {
    refuseLinkedRoot(spec, writable);
    refuseSharedBuffers(spec, writable);
  }
}

const isPartOfState = ({ source }: MountSpec): boolean =>
  source.kind === 'disk' && source.isPrivate === true;

function isReached(writable: Writable, { path, names }: Lookup): boolean {
  return names === null ? writable.reaches(path) : writable.reachesInto(path, names);
}

/** Directories in which nothing is to be written through another mount. */
function keptDirectories({ config, host, state, mounts }: Deployed): Kept[] {
  const kept: Kept[] = [{ what: 'the state', path: state }];
  for (const path of filesOfOcr(config, host))
    kept.push({ what: 'the program that reads pictures', path });
  for (const [name, path] of filesOfParts(config, host))
    kept.push({ what: `a file that parts.${name} names`, path });
  for (const path of host.clientFiles ?? [])
    kept.push({ what: 'the file that says who may come in', path });
  for (const { source } of mounts)
    if (source.kind === 'harness' && source.own !== null)
      kept.push({ what: HARNESS, path: source.own });
  for (const path of programDirectories()) kept.push({ what: 'the program itself', path });
  if (host.deployment !== null)
    for (const name of CONFIG_NAMES)
      kept.push({ what: 'the config', path: join(host.deployment, name) });
  const models = modelsFile(host);
  if (models !== null) kept.push({ what: 'what models cost', path: models });
  return kept;
}

/** The program that reads pictures, and its arguments that are files, such as a script. */
function filesOfOcr(config: CheckedConfig, host: Host): string[] {
  const program = ocrProgram(config, host);
  if (program === null) return [];
  const named = program.args.map((each) => resolve(program.directory, each));
  return [program.file, ...named.filter((path) => fs.existsSync(path))];
}

/** Files that the options of a part name, such as a program that gives credentials, or a file of them. */
function filesOfParts({ parts = {} }: CheckedConfig, host: Host): [name: string, path: string][] {
  const base = host.deployment ?? host.cwd;
  return Object.entries(parts).flatMap(([name, part]) =>
    part === undefined || typeof part === 'string'
      ? []
      : textsIn(part.options)
          .filter((text) => !text.includes('\0') && text !== '')
          .map((text) => resolve(base, text))
          .filter((path) => isNamed(path) || (name === 'sessions' && isToBeMade(path)))
          .map((path): [string, string] => [name, path]),
  );
}

const isNamed = (path: string): boolean =>
  fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** A store of sessions makes its file, or its directory, with the first of them. */
const isToBeMade = (path: string): boolean =>
  fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ||
  fs.statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true;

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Where the program's own code is; beside it, in a checkout, there may be deployments. */
function programDirectories(): string[] {
  const root = packageDirectory();
  return ['dist', 'entry', 'src', 'mounts', 'channels', 'shims', 'agents', 'node_modules']
    .map((name) => join(root, name))
    .filter((path) => fs.existsSync(path));
}

function refuseDirectory(writable: Writable, { what, path }: Kept): void {
  const { real, links } = follow(path);
  const held = writable.reachesInto(real) || links.some((link) => writable.reaches(link));
  if (!held) return;
  const how = isInside(real, writable.root) && writable.root !== real ? 'lies in' : 'holds';
  throw new ConfigError(
    `mounts.${writable.point}`,
    `what is written at ${writable.point} goes to ${writable.root}, which ${how} ${what} (${real}): an agent could change what runs outside the sandbox, or what binds it; mount a directory that is apart from it, or mount it read-only (:ro)`,
  );
}

/** The modules that run in the host, each with the places that decide what it is. */
function* hostModules({
  config,
  host,
  mounts,
}: Deployed): Generator<{ what: string; lookups: Iterable<Lookup> }> {
  const lookups = new ModuleLookups(programDirectories());
  const base = host.deployment ?? host.cwd;
  const file = (what: string, path: string) => ({ what, lookups: lookups.ofFile(path) });
  if (host.deployment !== null)
    for (const name of CONFIG_NAMES) yield file('the config', join(host.deployment, name));
  for (const path of hostToolModules(config, host)) yield file('a tool of the config', path);
  for (const path of channelModules(config, host)) yield file('a channel of the config', path);
  const hooks = hooksModule(config, host);
  if (hooks !== null) yield file('the module of the hooks', hooks);
  const here = join(resolve(base), 'x.js');
  const named = (what: string, module: string) =>
    /^\.{0,2}\//.test(module)
      ? file(what, resolve(base, module))
      : { what, lookups: lookups.ofPackage(module, here) };
  for (const { point, source } of mounts)
    if (source.kind === 'service' && source.module !== undefined)
      yield named(`the module of ${point}`, source.module.name);
  for (const { name } of shimModules(config, host)) yield named(`the commands of ${name}`, name);
  for (const [name, module] of Object.entries(config.agent?.providers ?? {}))
    yield named(`the provider ${name}`, module);
  for (const [name, part] of Object.entries(config.parts ?? {}))
    if (part !== undefined) yield named(`the module of parts.${name}`, moduleOf(part));
  const { model } = config.search ?? {};
  if (typeof model === 'object' && model.onnx !== undefined)
    yield named('the package of the sentence model', '@huggingface/transformers');
}

function refusal(
  writable: Writable,
  what: string,
  path: string,
  harness: MountSpec | undefined,
): ConfigError {
  if (writable.point === harness?.point) {
    return new ConfigError(
      'harness.mode',
      `an agent may write in ${writable.root}, and ${what}, which runs outside the sandbox, would be loaded through it (${path}): keep such modules outside of the harness, such as in ./tools of the deployment, or make the harness read-only, or name in harness.mode only files that nothing is loaded from, such as ['AGENTS.md', 'skills/**']`,
    );
  }
  return new ConfigError(
    `mounts.${writable.point}`,
    `what is written at ${writable.point} goes to ${writable.root}, and ${what}, which runs outside the sandbox, would be loaded through it (${path}): mount a directory that is apart from it, or mount it read-only (:ro)`,
  );
}

/**
 * Another program opens files by their names: a directory on their way must not be replaced by a
 * link meanwhile, and only through the mount itself is that seen to.
 */
function refuseSharedBuffers({ point, source }: MountSpec, writable: readonly Writable[]): void {
  if (source.kind !== 'disk' || source.buffers === undefined) return;
  const root = fs.realpathSync.native(source.root);
  const shared = writable.find(
    (each) => each.point !== point && (isInside(root, each.root) || isInside(each.root, root)),
  );
  if (shared === undefined) return;
  throw new ConfigError(
    `mounts.${point}`,
    `${root} would be open in an editor, and files in it can be moved through ${shared.point} (${shared.root}) meanwhile: open another directory, or mount that one read-only (:ro)`,
  );
}

/** A directory that is mounted must not be named through a link that an agent can point elsewhere. */
function refuseLinkedRoot(spec: MountSpec, writable: readonly Writable[]): void {
  if (spec.source.kind !== 'disk') return;
  for (const link of follow(spec.source.root).links) {
    const through = writable.find((each) => each.reaches(link));
    if (through === undefined) continue;
    throw new ConfigError(
      `mounts.${spec.point}`,
      `it is named through the link ${link}, which can be changed from inside, at ${through.point}: name the directory itself`,
    );
  }
}
