/**
 * Where the demo's services listen. The ports are chosen once and kept: what a replica and a
 * journal hold belongs to a service's address.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';

export const SERVICES = ['github', 'linear', 'notion'] as const;
export type ServiceName = (typeof SERVICES)[number];

const port = z.int().min(1).max(65_535);
export const portsSchema = z.strictObject({
  /** Of the process that starts the services. */
  host: port,
  github: port,
  linear: port,
  notion: port,
  /** By which a client is told from other programs. */
  key: z.string().min(1),
});
export type Ports = z.infer<typeof portsSchema>;

/** A client's only line. */
export const requestSchema = z.object({ key: z.string(), services: z.array(z.enum(SERVICES)) });

export const addressSchema = z.object({ url: z.string(), token: z.string() });
export type Address = z.infer<typeof addressSchema>;

/** The answer to it. */
export const replySchema = z.union([
  z.object({ services: z.partialRecord(z.enum(SERVICES), addressSchema) }),
  z.object({ error: z.string() }),
]);

/** Below those that the system hands out by itself, so that they are free the next time, too. */
const FIRST = 15_000;
const LAST = 30_000;

/** The ports of a demo's state, chosen at its first start. */
export async function portsOf(directory: string): Promise<Ports> {
  const file = join(directory, 'ports.json');
  if (!existsSync(file)) await choose(directory, file);
  return portsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

async function choose(directory: string, file: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const chosen: Ports = {
    host: await freePort(),
    github: await freePort(),
    linear: await freePort(),
    notion: await freePort(),
    key: randomBytes(16).toString('hex'),
  };
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(chosen), { mode: 0o600 });
  try {
    // Of two that start at once the first one chooses.
    linkSync(fresh, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(fresh);
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const candidate = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (await isFree(candidate)) return candidate;
  }
}

function isFree(candidate: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(candidate, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
