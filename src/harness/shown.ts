/**
 * What a person was shown of the proposals, beside these in the state directory, where no mount
 * leads: `accept` takes what `diff` showed, and nothing that was written after it.
 */
import fs from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { replaceFile } from '../state.ts';
import type { Proposal } from './proposals.ts';
import { isAbsent } from './read.ts';

/** Digests by path, as they were shown last. */
const schema = z.record(z.string(), z.string());

/**
 * The digest under which a proposal was shown last; null where it was not.
 * @param file where that is kept
 * @throws ConfigError where the file cannot be read
 */
export function digestShown(file: string, path: string): string | null {
  const shown = read(file);
  return Object.hasOwn(shown, path) ? (shown[path] ?? null) : null;
}

/** Notes that proposals were shown. */
export function noteShown(file: string, proposals: readonly Proposal[]): void {
  if (proposals.length === 0) return;
  const fresh = proposals.map(({ path, digest }): [string, string] => [path, digest]);
  write(file, { ...read(file), ...Object.fromEntries(fresh) });
}

/** Forgets a proposal that is gone. */
export function forgetShown(file: string, path: string): void {
  const { [path]: found, ...rest } = read(file);
  if (found !== undefined) write(file, rest);
}

/** As a whole or not at all: another terminal may read it at this moment. */
function write(file: string, shown: Readonly<Record<string, string>>): void {
  replaceFile(file, `${JSON.stringify(shown, null, 2)}\n`);
}

function read(file: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return {};
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError(
      file,
      'it says no more what was shown of the proposals: remove it, and look at them again',
      cause,
    );
  }
}
