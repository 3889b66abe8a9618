/** The demo's services, as a command of it meets them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Address, type Ports, portsOf, replySchema, type ServiceName } from './ports.ts';

const LIMIT_MS = 60_000;
const RETRY_MS = 50;

/**
 * Addresses of services, which run until this process has ended.
 * @param directory where they keep what is written to them
 * @throws Error with what keeps them from starting
 */
export async function useServices(
  directory: string,
  services: readonly ServiceName[],
): Promise<Partial<Record<ServiceName, Address>>> {
  const ports = await portsOf(directory);
  const socket = (await connected(ports.host)) ?? (await started(directory, ports));
  socket.write(`${JSON.stringify({ key: ports.key, services })}\n`);
  const line = once(createInterface({ input: socket }), 'line', {
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const closed = once(socket, 'close').then(() => {
    throw new Error(
      `another program listens on port ${ports.host}, which the demo has used before; "npm start -- --fresh" begins anew, on other ports`,
    );
  });
  const [text] = await Promise.race([line, closed]);
  closed.catch(() => undefined);
  const reply = replySchema.parse(JSON.parse(String(text)));
  if ('error' in reply) throw new Error(reply.error);
  // It keeps the services alive, and not this process.
  socket.unref();
  return reply.services;
}

/** Do the services of a demo run, for whomever? */
export async function areRunning(directory: string): Promise<boolean> {
  const socket = await connected((await portsOf(directory)).host);
  socket?.destroy();
  return socket !== null;
}

/** null where nobody listens. */
async function connected(port: number): Promise<Socket | null> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') return null;
    throw error;
  }
}

async function started(directory: string, ports: Ports): Promise<Socket> {
  const log = join(directory, 'services.log');
  const errors = openSync(log, 'w', 0o600);
  const file = fileURLToPath(new URL('./services.ts', import.meta.url));
  // Of its own group: Ctrl-C is for the command that runs, and another terminal may need it on.
  const host = spawn(process.execPath, [file, directory, JSON.stringify(ports)], {
    detached: true,
    stdio: ['ignore', 'ignore', errors],
  });
  closeSync(errors);
  host.unref();
  const until = Date.now() + LIMIT_MS;
  while (Date.now() < until) {
    const socket = await connected(ports.host);
    if (socket !== null) return socket;
    if (host.exitCode !== null && host.exitCode !== 0) break;
    await sleep(RETRY_MS);
  }
  throw new Error(`the demo's services did not start: ${readFileSync(log, 'utf8').trim()}`);
}
