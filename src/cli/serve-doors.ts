/** The other doors of a server: MCP and SSH, on the same deployment, with the same people. */
import { randomBytes } from 'node:crypto';
import type { Doorway } from '../doors/door.ts';
import type { DoorName } from '../policy/gate.ts';
import type { Principals } from '../serve/principals.ts';
import { packageVersion } from '../version.ts';
import { LOOPBACK, listening } from './listening.ts';
import type { ServeArguments } from './serve-options.ts';
import { keysOf, openSsh } from './ssh.ts';

/** What the doors are opened on. */
export interface DoorParts {
  options: ServeArguments;
  principals: Pick<Principals, 'clients'>;
  /** Makes the doorway of a door. */
  doorway(door: DoorName): Promise<Doorway>;
  say(line: string): void;
}

/** Files of the host that say who may come in: no agent may write them. */
export const clientFilesOf = (options: ServeArguments): string[] =>
  options.ssh === undefined ? [] : [keysOf(options, 'serve')];

/**
 * Opens those that were asked for.
 * @throws ConfigError where one cannot be opened: then none is
 */
export async function openOtherDoors(parts: DoorParts): Promise<AsyncDisposable> {
  const { mcp, ssh } = parts.options;
  const opened: (() => Promise<void>)[] = [];
  const doors = {
    [Symbol.asyncDispose]: async () => {
      for (const close of opened.reverse()) await close();
    },
  };
  try {
    if (mcp !== undefined) opened.push(await openMcp(parts, mcp));
    if (ssh !== undefined) opened.push(await openSshOn(parts, ssh));
    return doors;
  } catch (error) {
    await doors[Symbol.asyncDispose]();
    throw error;
  }
}

async function openMcp(parts: DoorParts, port: number): Promise<() => Promise<void>> {
  const { principals, say } = parts;
  const [{ mcpOverHttp }, { sealedBy }] = await Promise.all([
    import('../doors/mcp/http.ts'),
    import('../doors/mcp/server.ts'),
  ]);
  // Who is let in, or is no more, is so for this door at once.
  const clients = {
    issuer: null,
    get clients() {
      return { bearers: principals.clients(), granted: [] };
    },
  };
  const seal = sealedBy(randomBytes(32));
  const serving = { version: packageVersion(), seal, planning: false, port, clients };
  return openOn(await parts.doorway('mcp'), async (doorway) => {
    const door = await listening(() => mcpOverHttp.open(doorway, serving), {
      option: '--mcp',
      host: LOOPBACK,
      port,
    });
    doorway.announce(door.address);
    say(`serving ${door.address} to MCP clients, by the same tokens`);
    return door;
  });
}

async function openSshOn(parts: DoorParts, port: number): Promise<() => Promise<void>> {
  const { options, say } = parts;
  const [authorizedKeys = ''] = clientFilesOf(options);
  const opening = { ...options, option: '--ssh', port, authorizedKeys, say };
  return openOn(await parts.doorway('ssh'), (doorway) => openSsh(doorway, opening));
}

/** A door on its doorway, which goes with it. @returns closes both */
async function openOn(
  doorway: Doorway,
  open: (doorway: Doorway) => Promise<{ close(): Promise<void> }>,
): Promise<() => Promise<void>> {
  try {
    const door = await open(doorway);
    return async () => {
      await door.close();
      await doorway.close();
    };
  } catch (error) {
    await doorway.close();
    throw error;
  }
}
