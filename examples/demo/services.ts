/**
 * The process of the demo's services. Whoever runs a command of the demo is a client: a connection
 * that says which services it needs, gets their addresses, and stays open as long as they are
 * needed. So commands in several terminals meet the same services; and when the last of them has
 * ended, however it did, so do the services. What is written to them is kept in files.
 */
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startGithubStandIn } from '../../test/stand-ins/github/index.ts';
import { startLinearStandIn } from '../../test/stand-ins/linear/index.ts';
import { startNotionStandIn } from '../../test/stand-ins/notion/index.ts';
import { type Address, type Ports, portsSchema, requestSchema, type ServiceName } from './ports.ts';

interface Running extends Address {
  close(): Promise<void>;
}

/** So long they go on for the next command, in ms. */
const GRACE_MS = 2_000;

const START = {
  github: startGithubStandIn,
  linear: startLinearStandIn,
  notion: startNotionStandIn,
} as const;

const [directory = '', written = ''] = process.argv.slice(2);
const ports: Ports = portsSchema.parse(JSON.parse(written));
const running = new Map<ServiceName, Promise<Running>>();
const clients = new Set<Socket>();
let ending: NodeJS.Timeout | undefined;

function start(name: ServiceName): Promise<Running> {
  const found = running.get(name);
  if (found !== undefined) return found;
  const started = START[name]({ port: ports[name], keep: join(directory, `${name}.state`) });
  running.set(name, started);
  return started;
}

async function addressesOf(names: readonly ServiceName[]): Promise<Record<string, Address>> {
  const found = await Promise.all(
    names.map(async (name) => {
      const { url, token } = await start(name);
      return [name, { url, token }] as const;
    }),
  );
  return Object.fromEntries(found);
}

function endSoon(): void {
  clearTimeout(ending);
  ending = setTimeout(async () => {
    server.close();
    for (const started of running.values()) await (await started).close();
    process.exit(0);
  }, GRACE_MS);
}

const server = createServer((socket) => {
  clients.add(socket);
  clearTimeout(ending);
  socket.on('close', () => {
    clients.delete(socket);
    if (clients.size === 0) endSoon();
  });
  // A client that was killed; its end follows.
  socket.on('error', () => undefined);
  createInterface({ input: socket }).once('line', (line) => {
    const request = requestSchema.safeParse(parsed(line));
    // Some other program: it learns nothing.
    if (!request.success || request.data.key !== ports.key) return socket.destroy();
    addressesOf(request.data.services).then(
      (services) => socket.write(`${JSON.stringify({ services })}\n`),
      (error: Error) => socket.write(`${JSON.stringify({ error: error.message })}\n`),
    );
  });
});

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

// Another one was faster: its clients are everybody's.
server.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EADDRINUSE' ? 0 : 1),
);
server.listen(ports.host, '127.0.0.1', endSoon);
