/** From the files of a harness to what they say, each with its fault where it has one. */
import { join, sep } from 'node:path';
import { ConfigError, sentenceOf } from '../errors.ts';
import { parsePolicy } from '../policy/policy.ts';
import type { Policy } from '../policy/rules.ts';
import { escapeName } from '../visible.ts';
import { type HarnessError, HarnessFault } from './fault.ts';
import { type FilePart, isFilePart, isKind, KINDS, parseFile } from './kinds.ts';
import { filesInForce, type OwnedPart, relationFaults } from './relations.ts';
import { type HarnessDirectories, type HarnessFile, LARGEST, scanHarness } from './source.ts';

/** What one file says. */
export type HarnessPart =
  | FilePart
  | { kind: 'agents-md'; value: { text: string } }
  | { kind: 'policy'; value: { text: string; policy: Policy } };

/** Host code, which only the config can name. */
const HOST_CODE = /\.(?:[cm]?[jt]s)$/;

/**
 * Reads one file.
 * @param hostModules host paths of the modules that the config names
 * @returns null for a file that has no meaning of its own
 * @throws HarnessFault, ConfigError of a policy
 */
export function readPart(
  { path, file, outside, origins, read }: HarnessFile,
  hostModules: ReadonlySet<string> = new Set(),
): HarnessPart | null {
  if (outside) throw new HarnessFault('it is a link that leads out of the harness');
  if (origins.length > 0) {
    throw new HarnessFault(
      `it was written after text of ${origins.join(', ')} was read, and such text gives no orders: it is not used until a person writes it anew, or accepts it as a proposal`,
    );
  }
  const [directory = '', ...rest] = path.split('/');
  if (!isKind(directory)) {
    if (path === 'AGENTS.md') return { kind: 'agents-md', value: { text: textOf(read(LARGEST)) } };
    if (path !== 'policy.yaml') return null;
    const text = textOf(read(LARGEST));
    return { kind: 'policy', value: { text, policy: parsePolicy(text, path) } };
  }
  const { place, modules } = KINDS[directory];
  const within = rest.join('/');
  if (modules !== undefined && HOST_CODE.test(within)) {
    if (hostModules.has(file)) return null;
    throw new HarnessFault(
      `code that runs in the host is named by ${modules} of the config; what is found here runs in the sandbox, and is ${place}`,
    );
  }
  const suffix = place.slice('NAME'.length);
  if (!within.endsWith(suffix) || rest.length !== place.split('/').length) {
    // A skill may have more files, which it tells of itself.
    if (place.includes('/')) return null;
    throw new HarnessFault(`what lies in ${directory} is called ${place}`);
  }
  return parseFile(directory, identity(within.slice(0, -suffix.length)), textOf(read(LARGEST)));
}

/** Reads all of a harness as it is now, and tells only what is wrong. */
export function inspectHarness(
  directories: HarnessDirectories,
  hostModules?: ReadonlySet<string>,
): HarnessError[] {
  const errors: HarnessError[] = [];
  const parts: OwnedPart[] = [];
  const { own } = directories;
  for (const file of scanHarness(directories).values()) {
    try {
      const part = readPart(file, hostModules);
      if (part !== null && isFilePart(part))
        parts.push({ part, isOwn: own !== null && file.file.startsWith(join(own, sep)) });
    } catch (error) {
      errors.push(errorOf(file.path, error));
    }
  }
  return [...errors, ...relationFaults(filesInForce(parts))];
}

/** A fault as an error of a path. */
export function errorOf(path: string, error: unknown): HarnessError {
  if (error instanceof HarnessFault) return { path, message: error.message };
  if (error instanceof ConfigError)
    return { path, message: error.message.replace(`${error.path}: `, '') };
  // Whatever else reading it came to is this file's fault alone; nothing else is kept from loading.
  return { path, message: sentenceOf(error) };
}

/** What `/harness/.errors` says; empty where nothing is wrong. */
export function errorsText(errors: readonly HarnessError[]): string {
  if (errors.length === 0) return '';
  const lines = errors.map(
    ({ path, message }) =>
      `${escapeName(`/harness/${path}`)}: ${message.replaceAll('\n', '\n  ')}\n`,
  );
  return `${lines.join('')}Until they are mended, the last versions of these files that were good stay in force.\n`;
}

/** The filename is the identity. */
function identity(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) return name;
  throw new HarnessFault(`"${name}" is no name: letters, digits, - and _ are allowed`);
}

function textOf(bytes: Uint8Array | null): string {
  if (bytes === null) throw new HarnessFault('it vanished while it was read');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new HarnessFault('it is no UTF-8 text');
    throw error;
  }
}
