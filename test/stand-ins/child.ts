/**
 * The process of a stand-in; its argument is the module of the service. Its first line of input says
 * what to serve; it answers with one line of JSON when it listens. It ends when its input ends, so
 * that nothing is left when the parent dies.
 */
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Serve } from './serving.ts';

async function start(line: string): Promise<void> {
  const { serve }: { serve: Serve } = await import(pathToFileURL(process.argv[2] ?? '').href);
  const { port, token } = await serve(JSON.parse(line));
  process.stdout.write(`${JSON.stringify({ port, token })}\n`);
  // It ends by a signal, and what it compiled would be lost to the next one.
  flushCompileCache();
}

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
