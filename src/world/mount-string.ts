/** `SOURCE[:MODE]`, as the command line and a config name a mount. */
import { ConfigError } from '../errors.ts';
import { MODES, type Mode } from '../mount/contract/contract.ts';
import type { PathRule } from '../policy/gate.ts';

export type { Mode };

/** A mount as a config may write it out. */
export interface MountObject {
  source: string;
  mode?: Mode | undefined;
  rules?: PathRule[] | undefined;
  search?: boolean | undefined;
  maxBytes?: number | undefined;
  baseUrl?: string | undefined;
  tokenEnv?: string | undefined;
  freshMs?: number | undefined;
  commits?: string | undefined;
  options?: Readonly<Record<string, unknown>> | undefined;
}

/** Where a mount's files come from. */
export type Source =
  | { kind: 'memory' }
  /** A directory of the host, as it was written: `./x` is relative to the deployment. */
  | { kind: 'disk'; directory: string }
  | { kind: 'github'; repository: string | undefined }
  /** `team` is the key of the one team to show. */
  | { kind: 'linear'; team: string | undefined }
  | { kind: 'notion' }
  /** A mount of the deployment's own: a module, relative to the deployment. */
  | { kind: 'module'; module: string };

const SERVICES: ReadonlySet<Source['kind']> = new Set(['github', 'linear', 'notion', 'module']);

/** A mount after parsing, every default filled in. */
export interface ParsedMount extends Omit<MountObject, 'source' | 'mode'> {
  source: Source;
  mode: Mode;
}

const isMode = (text: string): text is Mode => (MODES as readonly string[]).includes(text);

const TEAM_KEY = /^[A-Z][A-Z0-9]{0,15}$/;
const OWNER_REPO = /^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9._-]+$/;

/**
 * Parses the string or the object of a mount.
 * @param where the path in the config, for messages
 * @throws ConfigError
 */
export function parseMount(value: string | MountObject, where: string): ParsedMount {
  const object: MountObject = typeof value === 'string' ? { source: value } : value;
  const cut = object.source.lastIndexOf(':');
  const suffix = cut < 0 ? '' : object.source.slice(cut + 1);
  const hasMode = cut > 0 && isMode(suffix);
  if (hasMode && object.mode !== undefined && object.mode !== suffix) {
    throw new ConfigError(
      where,
      `source says ${suffix} and mode says ${object.mode}; give the mode once`,
    );
  }
  const source = parseSource(hasMode ? object.source.slice(0, cut) : object.source, where);
  const mode = object.mode ?? (hasMode ? suffix : SERVICES.has(source.kind) ? 'ro' : 'rw');
  if (mode === 'stage' && !SERVICES.has(source.kind)) {
    throw new ConfigError(
      where,
      'stage is for services: a directory or memory is ro, rw or append',
    );
  }
  if (mode !== 'stage' && object.rules?.some((rule) => rule.mode === 'stage')) {
    throw new ConfigError(
      `${where}.rules`,
      'stage holds for a whole mount: give the mount the mode stage, and rules of ro for what must not change',
    );
  }
  if (object.maxBytes !== undefined && source.kind !== 'memory') {
    throw new ConfigError(where, 'maxBytes is for mem: nothing else here is kept in memory');
  }
  if (object.commits !== undefined && source.kind !== 'github') {
    throw new ConfigError(where, 'commits is for github: nothing else here has branches');
  }
  return { ...object, source, mode };
}

function parseSource(text: string, where: string): Source {
  if (text === 'mem') return { kind: 'memory' };
  if (text === 'github') return { kind: 'github', repository: undefined };
  if (text.startsWith('github:')) {
    const repository = text.slice('github:'.length);
    if (!OWNER_REPO.test(repository))
      throw new ConfigError(where, `"${text}" should be github:OWNER/REPO`);
    return { kind: 'github', repository };
  }
  if (text === 'linear') return { kind: 'linear', team: undefined };
  if (text.startsWith('linear:')) {
    const team = text.slice('linear:'.length);
    if (!TEAM_KEY.test(team)) {
      throw new ConfigError(where, `"${text}" should be linear:KEY, such as linear:ENG`);
    }
    return { kind: 'linear', team };
  }
  if (text === 'notion') return { kind: 'notion' };
  if (text.startsWith('module:')) {
    const module = text.slice('module:'.length);
    if (!/^\.{0,2}\//.test(module)) {
      throw new ConfigError(where, `"${text}" should be module:./FILE or module:/FILE`);
    }
    return { kind: 'module', module };
  }
  if (/^\.{0,2}\/|^\.{1,2}$/.test(text)) return { kind: 'disk', directory: text };
  throw new ConfigError(
    where,
    `"${text}" is no source: a directory (./x or /x), mem, github or github:OWNER/REPO, linear or linear:KEY, notion, module:./FILE, and then :ro, :rw, :append or :stage`,
  );
}

/**
 * Parses the `PATH=SOURCE[:MODE]` of `--mount`.
 * @throws ConfigError
 */
export function splitMountOption(option: string): [point: string, source: string] {
  const cut = option.indexOf('=');
  if (cut <= 0 || cut === option.length - 1) {
    throw new ConfigError(
      '--mount',
      `"${option}" should be PATH=SOURCE[:MODE], for example /mnt/docs=./docs:ro`,
    );
  }
  return [option.slice(0, cut), option.slice(cut + 1)];
}
