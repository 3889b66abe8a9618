/**
 * The stand-in's process. Its first line of input says what to serve; it answers with one line of
 * JSON when it listens. It ends when its input ends, so that nothing is left when the parent dies.
 */
import { createInterface } from 'node:readline';
import { childOptionsSchema } from './control.ts';
import { demoSeed } from './seed.ts';
import { NotionServer } from './server.ts';

async function start(line: string): Promise<void> {
  const options = childOptionsSchema.parse(JSON.parse(line));
  const seed = options.seed === 'demo' ? demoSeed() : options.seed;
  const port = await new NotionServer(seed).listen(options.port);
  const token = Object.keys(seed.tokens)[0] ?? '';
  process.stdout.write(`${JSON.stringify({ port, token })}\n`);
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
