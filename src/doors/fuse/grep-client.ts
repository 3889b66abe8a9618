/**
 * The grep of a real shell in a mounted world: asks the door. Started by the
 * shim as `grep-client MOUNT CWD QUERY [PATH…]`.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { GrepReply, GrepRequest } from './grep-protocol.ts';

/** As in `shims.ts`, which would load more than is needed. */
const SYSTEMS = 97;
const FAILED = 2;

const [, , mount = '', cwd = '/', query = '', ...paths] = process.argv;

try {
  process.exitCode = await ask({ cwd, query, paths });
} catch (error) {
  process.stderr.write(
    `grep: the world at ${mount} cannot be asked: ${(error as Error).message}\n`,
  );
  process.exitCode = FAILED;
}

async function ask(request: GrepRequest): Promise<number> {
  const socket = connect(readFileSync(`${mount}/.door`, 'utf8').trim());
  socket.write(`${JSON.stringify(request)}\n`);
  for await (const line of createInterface({ input: socket })) {
    const reply = JSON.parse(line) as GrepReply;
    if (reply.type === 'system') return SYSTEMS;
    if (reply.type === 'end') return reply.status;
    process[reply.type].write(Buffer.from(reply.data, 'base64'));
  }
  throw new Error('it went away before it had answered');
}
