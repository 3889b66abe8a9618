/**
 * Credentials from a file of `NAME=value` lines, by the names of the variables
 * that they would be in otherwise. It is read anew each time, so that a new value
 * is taken when a service refuses the old one. Nobody but its owner may read it.
 * `options`: `{ file: './secrets.env' }`.
 */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { CredentialSource, PartModule } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ file: z.string() });

const secrets: PartModule<CredentialSource> = ({ options, directory }) => {
  const file = resolve(directory, optionsSchema.parse(options).file);
  return {
    credential: async ({ variable }) => {
      await using handle = await open(file);
      const { mode } = await handle.stat();
      if ((mode & 0o077) !== 0) throw new Error(`others may read ${file}: chmod 600 ${file}`);
      const lines = (await handle.readFile('utf8')).split('\n');
      const line = lines.find((each) => each.startsWith(`${variable}=`));
      if (line === undefined) return null;
      return { value: line.slice(variable.length + 1).trim() };
    },
  };
};

export default secrets;
