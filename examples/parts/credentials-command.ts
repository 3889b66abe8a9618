/**
 * Credentials from a program, as credential helpers give them: it is told on
 * stdin what is wanted, as JSON, and prints `{ "value": …, "expiresAt": … }`. The
 * output of helpers for kubectl (`status.token`, `status.expirationTimestamp`)
 * and Docker (`Secret`) is understood, too. `options`: `{ command: ['./helper'] }`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { CredentialSource, PartModule } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ command: z.array(z.string()).min(1) });
const outputSchema = z.union([
  z.null(),
  z.object({ value: z.string(), expiresAt: z.union([z.string(), z.number()]).optional() }),
  z
    .object({ status: z.object({ token: z.string(), expirationTimestamp: z.string().optional() }) })
    .transform(({ status }) => ({ value: status.token, expiresAt: status.expirationTimestamp })),
  z.object({ Secret: z.string() }).transform(({ Secret }) => ({ value: Secret })),
]);

const helper: PartModule<CredentialSource> = ({ options, directory }) => {
  const [program = '', ...args] = optionsSchema.parse(options).command;
  const file = program.includes('/') ? resolve(directory, program) : program;
  return {
    credential: async (request, { rejected, signal }) => {
      // What it says on stderr is for whoever runs it by hand: a secret may be in it.
      const child = spawn(file, args, {
        cwd: directory,
        signal,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const ended = once(child, 'close');
      child.stdin.on('error', () => undefined);
      child.stdin.end(JSON.stringify({ ...request, rejected }));
      const [output, [status]] = await Promise.all([text(child.stdout), ended]);
      if (status !== 0) throw new Error(`${program} ended with status ${status}`);
      return outputSchema.parse(JSON.parse(output));
    },
  };
};

export default helper;
