/** The channels of a deployment: `channels/NAME.md` of its harness, and the modules that its config names. */
import fs from 'node:fs';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { type HarnessError, HarnessFault } from '../../harness/fault.ts';
import { errorOf } from '../../harness/load.ts';
import { readInHarness } from '../../harness/read.ts';
import { moduleAdvice } from '../../module-advice.ts';
import type { ChannelKind } from './contract.ts';
import { type ChannelFile, channelOf, parseChannel } from './file.ts';

/** What the default of a module of the config is: a kind, and with `channel` a channel of it. */
export interface ChannelModule extends Partial<Pick<ChannelKind, 'settings'>> {
  mostText: ChannelKind['mostText'];
  open: ChannelKind['open'];
  /** The fields that a `channels/NAME.md` would have. */
  channel?: Record<string, unknown>;
  /** What its text would be. */
  instructions?: string;
}

/** Where channels are looked for. */
export interface ChannelPlaces {
  /** The directory of the deployment's harness; null without one. */
  own: string | null;
  /** Files of the modules. */
  modules: readonly string[];
  /** Those that ship. */
  kinds: ReadonlyMap<string, ChannelKind>;
}

/** In the harness. */
const DIRECTORY = 'channels';
/** Longer files are none. Bytes. */
const LARGEST = 256 * 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const NO_SETTINGS = z.strictObject({});

/** Reads them all, and tells what is wrong with which. */
export async function loadChannels({ own, modules, kinds }: ChannelPlaces): Promise<{
  channels: ChannelFile[];
  errors: HarnessError[];
}> {
  const known = new Map(kinds);
  const channels: ChannelFile[] = [];
  const errors: HarnessError[] = [];
  const attempt = async (
    path: string,
    read: () => ChannelFile | null | Promise<ChannelFile | null>,
  ): Promise<void> => {
    try {
      const channel = await read();
      if (channel === null) return;
      if (channels.some(({ name }) => name === channel.name))
        throw new HarnessFault(`there is another channel ${channel.name}`);
      channels.push(channel);
    } catch (error) {
      errors.push(errorOf(path, error));
    }
  };
  for (const file of modules) await attempt(file, () => fromModule(file, known));
  for (const name of own === null ? [] : namesIn(own)) {
    const path = `${DIRECTORY}/${name}`;
    await attempt(path, () => fromFile(own ?? '', path, known, modules));
  }
  return { channels, errors };
}

/** The same, where nothing may be wrong. @throws ConfigError naming each fault */
export async function requireChannels(places: ChannelPlaces): Promise<ChannelFile[]> {
  const { channels, errors } = await loadChannels(places);
  const [first, ...others] = errors;
  if (first === undefined) return channels;
  const more = others.map(({ path, message }) => `; ${path}: ${message}`).join('');
  throw new ConfigError(first.path, `${first.message}${more}`);
}

function namesIn(own: string): string[] {
  const directory = join(own, DIRECTORY);
  if (!fs.existsSync(directory)) return [];
  return fs
    .readdirSync(directory)
    .filter((name) => !/^[_.]/.test(name))
    .sort();
}

function fromFile(
  own: string,
  path: string,
  kinds: ReadonlyMap<string, ChannelKind>,
  modules: readonly string[],
): ChannelFile | null {
  if (modules.includes(join(own, path))) return null;
  if (/\.[cm]?[jt]s$/.test(path))
    throw new HarnessFault('code that runs in the host is named by channels of the config');
  if (!path.endsWith('.md')) return null;
  const bytes = readInHarness(own, path, LARGEST);
  if (bytes === null) return null;
  return parseChannel(nameOf(path, '.md'), new TextDecoder().decode(bytes), kinds);
}

async function fromModule(
  file: string,
  kinds: Map<string, ChannelKind>,
): Promise<ChannelFile | null> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    throw new HarnessFault(`it could not be loaded: ${String(error)}${moduleAdvice(file, error)}`);
  }
  const found = module.default as Partial<ChannelModule> | undefined;
  if (typeof found?.open !== 'function' || typeof found.mostText !== 'number')
    throw new HarnessFault('it should say "export default { mostText, open, channel }"');
  const { settings = NO_SETTINGS, mostText, open, channel, instructions = '' } = found;
  const kind: ChannelKind = { settings, mostText, open };
  const name = nameOf(file, extname(file));
  kinds.set(name, kind);
  return channel === undefined ? null : channelOf(name, channel, instructions, kind);
}

function nameOf(path: string, extension: string): string {
  const name = basename(path, extension);
  if (NAME.test(name)) return name;
  throw new HarnessFault(`"${name}" is no name: letters, digits, - and _ are allowed`);
}
