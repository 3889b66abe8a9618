/**
 * The process of a stand-in. Its first line of input says what to serve; it answers with one line of
 * JSON when it listens. It ends when its input ends, so that nothing is left when the parent dies.
 */
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import type { Place } from './server.ts';

interface ChildOptions<Seed> extends Place {
  seed: Seed;
}

/** Serves what the parent asks for: `listen` starts the stand-in and gives its port and the seed's tokens. */
export function runChild<Seed>(
  schema: z.ZodType<ChildOptions<Seed>>,
  listen: (seed: Seed, place: Place) => Promise<{ port: number; tokens: object }>,
): void {
  const start = async (line: string): Promise<void> => {
    const options = schema.parse(JSON.parse(line));
    const { port, tokens } = await listen(options.seed, options);
    const [token = ''] = Object.keys(tokens);
    process.stdout.write(`${JSON.stringify({ port, token })}\n`);
    // It ends by a signal, and what it compiled would be lost to the next one.
    flushCompileCache();
  };
  const input = createInterface({ input: process.stdin });
  input.once('line', (line) => {
    start(line).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    });
  });
  input.once('close', () => process.exit(0));
  // Ctrl-C reaches every process of the terminal; it is meant for the command that runs, not for us.
  process.on('SIGINT', () => undefined);
}
