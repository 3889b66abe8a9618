/** Worlds that are mounted, for tests: the whole way through the kernel. */
import { execFile } from 'node:child_process';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createWorld, type World, type WorldConfig } from '../../entry/index.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import { type OpenMount, openMount } from '../../src/doors/fuse/door.ts';
import type { Principal } from '../../src/doors/principal.ts';
import type { LeaseHolder } from '../../src/world/world.ts';
import { temporaryDirectory } from '../world/harness.ts';

/** Why nothing can be mounted on this machine; null where it can. */
export const NO_FUSE: string | null = (() => {
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    createRequire(import.meta.url)('fuse-napi');
    return null;
  } catch (error) {
    return `nothing can be mounted here: ${(error as Error).message.split('\n')[0]}`;
  }
})();

/** What a program said, and its status. */
export interface Said {
  stdout: string;
  stderr: string;
  status: number;
}

export interface Mounted {
  /** Where on the host. */
  at: string;
  mount: OpenMount;
  /** The world behind it. */
  world: World;
  /** Resolves once the mount has the world to itself. */
  alone(): Promise<void>;
  /** What no errno could say. */
  trouble: string[];
  /** Runs a script of the host's shell in a directory of the world. */
  sh(script: string, cwd?: string, env?: NodeJS.ProcessEnv): Promise<Said>;
  /** The same, which is to succeed. @returns what it printed */
  ok(script: string, cwd?: string): Promise<string>;
}

/** Mounts a world. Nothing of it is left behind. */
export async function mountedWorld(
  config: WorldConfig = {},
  { env = {}, principal = { actor: 'user' }, deployment = null }: MountedOptions = {},
): Promise<Mounted> {
  const base = deployment ?? temporaryDirectory();
  const directory = mkdtempSync(join(temporaryDirectory(), 'world-'));
  let world: World | undefined;
  const leases = { held: false, changed: (): void => undefined };
  const doorway = openDoorway({
    door: 'fuse',
    state: join(base, '.dirigent'),
    open: () => {
      world = createWorld(
        deployment === null ? { state: join(base, '.dirigent'), ...config } : config,
        { env, cwd: base, ...(deployment === null ? {} : { deployment }) },
      );
      const { lease } = world;
      return Object.assign(world, {
        lease: (holder: LeaseHolder) => {
          const [granted, recalled] = [holder.granted, holder.recalled];
          return lease(
            Object.assign(holder, {
              granted: () => {
                granted.call(holder);
                leases.held = true;
                leases.changed();
              },
              recalled: () => {
                leases.held = false;
                return recalled.call(holder);
              },
            }),
          );
        },
      });
    },
    host: { base, env },
  });
  const trouble: string[] = [];
  const mount = await openMount(doorway, {
    directory,
    principal,
    onTrouble: (message) => trouble.push(message),
  }).catch(async (error: unknown) => {
    await doorway.close();
    throw error;
  });
  onTestFinished(async () => {
    await mount.close();
    await doorway.close();
  });
  // The questions about the directory are answered by this process: it must not wait for one.
  const sh = (script: string, cwd = '/workspace', more: NodeJS.ProcessEnv = {}): Promise<Said> =>
    new Promise((resolve) => {
      const place = ['-c', 'cd -- "$1" && eval "$2"', 'sh', mount.directory + cwd, script];
      const running = execFile(
        '/bin/sh',
        place,
        { env: { ...process.env, HOME: '/nowhere', ...more }, maxBuffer: 2 ** 28 },
        (error, stdout, stderr) =>
          resolve({ stdout, stderr, status: error === null ? 0 : Number(error.code ?? 1) }),
      );
      running.stdin?.end();
    });
  return {
    at: mount.directory,
    mount,
    world: world as World,
    alone: () =>
      new Promise((resolve) => {
        leases.changed = () => {
          if (leases.held) resolve();
        };
        leases.changed();
      }),
    trouble,
    sh,
    ok: async (script, cwd) => {
      const said = await sh(script, cwd);
      expect(said).toMatchObject({ stderr: '', status: 0 });
      return said.stdout;
    },
  };
}

interface MountedOptions {
  env?: Record<string, string>;
  principal?: Principal;
  deployment?: string | null;
}
