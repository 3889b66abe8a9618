/** `SOURCE[:MODE]`, as the command line and a config name a mount. */
import { ConfigError } from '../errors.ts';
import { MODES, type Mode } from '../mount/contract/contract.ts';
import { meant } from '../nearest.ts';
import type { PathRule } from '../policy/gate.ts';
import { issueText, type MountSource, type Settings, type SourceTable } from '../sources/source.ts';

export type { Mode };

/** What every mount may say, as a config writes it out. */
interface CommonSettings {
  mode?: Mode | undefined;
  rules?: PathRule[] | undefined;
  search?: boolean | undefined;
  baseUrl?: string | undefined;
  tokenEnv?: string | undefined;
  freshMs?: number | undefined;
}

/** A mount as a config may write it out: with the settings of its source, too. */
export interface MountObject extends CommonSettings {
  source: string;
  [setting: string]: unknown;
}

/** A mount after parsing, every default filled in. */
export interface ParsedMount extends CommonSettings {
  source: MountSource;
  /** What the source has made of its own part. */
  settings: Settings;
  mode: Mode;
}

/** What says where a service is, and how it is asked. */
const OF_SERVICES = ['baseUrl', 'tokenEnv', 'freshMs'] as const;

const isMode = (text: string): text is Mode => (MODES as readonly string[]).includes(text);

/**
 * Parses the string or the object of a mount.
 * @param where the path in the config, for messages
 * @throws ConfigError
 */
export function parseMount(
  table: SourceTable,
  value: string | MountObject,
  where: string,
): ParsedMount {
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
  const { source, named } = parseSource(
    table,
    hasMode ? object.source.slice(0, cut) : object.source,
    where,
  );
  const own = ownSettings(table, source, object, where);
  const mode = object.mode ?? (hasMode ? suffix : source.isService ? 'ro' : 'rw');
  if (mode === 'stage' && !source.isService) {
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
  const { rules, search, baseUrl, tokenEnv, freshMs } = object;
  const settings = { ...own, ...named };
  return { source, settings, mode, rules, search, baseUrl, tokenEnv, freshMs };
}

function parseSource(
  { sources, sourceOf }: SourceTable,
  text: string,
  where: string,
): { source: MountSource; named: Settings } {
  const found = sourceOf(text);
  if (found?.settings != null) return { source: found.source, named: found.settings };
  if (found !== null) {
    throw new ConfigError(where, `"${text}" should be ${found.source.forms.join(' or ')}`);
  }
  const [scheme = ''] = text.split(':');
  const near = meant(
    scheme,
    sources.map(({ name }) => name),
  );
  const hint = near === null ? '' : ` (did you mean ${near}?)`;
  const forms = sources.flatMap((each) => each.forms);
  throw new ConfigError(
    where,
    `"${text}" is no source${hint}: a source is ${forms.join(', ')}, and then :ro, :rw, :append or :stage`,
  );
}

/** The settings that belong to the source of a mount, checked by it. */
function ownSettings(
  table: SourceTable,
  source: MountSource,
  object: MountObject,
  where: string,
): Settings {
  const own = Object.keys(table.settings).filter((name) => object[name] !== undefined);
  const given = Object.fromEntries(own.map((name) => [name, object[name]]));
  const foreign = source.isService ? [] : OF_SERVICES.filter((name) => object[name] !== undefined);
  const [wrong] = [...own.filter((name) => !takes(source, name)), ...foreign];
  if (wrong !== undefined) {
    const whose = table.sources.filter((each) => takes(each, wrong)).map(({ name }) => name);
    const of = whose.length === 0 ? 'services' : whose.join(', ');
    throw new ConfigError(
      `${where}.${wrong}`,
      `it is a setting of ${of}, and not of ${source.name}`,
    );
  }
  const result = source.settings['~standard'].validate(given);
  if (result instanceof Promise)
    throw new Error(`the settings of ${source.name} are checked at once`);
  if (result.issues === undefined) return result.value;
  throw new ConfigError(where, result.issues.map((issue) => issueText(issue)).join('; '));
}

const takes = ({ ownSettings }: MountSource, name: string): boolean => ownSettings.includes(name);

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
