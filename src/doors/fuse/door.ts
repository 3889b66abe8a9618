/**
 * The door that is a directory: the world as a file system of the host's kernel.
 * Here the kernel's process is let in to the world, on behalf of one client.
 */
import type { ChildProcess } from 'node:child_process';
import { ConfigError } from '../../errors.ts';
import type { Line } from '../../world/line/lines.ts';
import type { LineAddress } from '../../world/line/protocol.ts';
import { wire } from '../../world/wire-errors.ts';
import type { LeaseHolder } from '../../world/world.ts';
import type { Doorway, Visit } from '../door.ts';
import { memoryPoints, wholePoints } from '../files/whole-points.ts';
import type { Principal } from '../principal.ts';
import { checkDirectory, unmountLeft } from './directory.ts';
import { GrepServer } from './grep-server.ts';
import type { FromServer, MountPlan, ToServer } from './protocol.ts';
import { installShims } from './shims.ts';
import { spawnServer } from './spawn-server.ts';

export interface FuseOptions {
  /** Where on the host: a directory that is there and empty. */
  directory: string;
  /** Whose files they are: everybody's who can open the directory. */
  principal: Principal;
  /** Told what no program could be told by an errno. */
  onTrouble(message: string): void;
}

/** How long an unmounting may take, ms, until the process is ended: its open files are written before. */
const UNMOUNT_MS = 30_000;

/** A world that is mounted. */
export interface OpenMount {
  /** The directory, absolute and without links. */
  readonly directory: string;
  /** What its client has of the world. */
  readonly visit: Visit;
  /** A directory for the PATH of programs that run in it: what stands before the system's commands. */
  readonly shims: string;
  /** Resolves when the directory is not mounted any more: true where somebody has unmounted it. */
  readonly ended: Promise<boolean>;
  /** The id of the process that serves it. */
  readonly server: number;
  /** Has what is open written, and unmounts. */
  close(): Promise<void>;
}

/**
 * Mounts a world.
 * @throws ConfigError for a directory that cannot be, and saying what is missing on this machine
 */
export async function openMount(doorway: Doorway, options: FuseOptions): Promise<OpenMount> {
  const visit = await doorway.enter(options.principal);
  try {
    const directory = await checkDirectory(options.directory, visit.hostDirectories);
    const grep = await GrepServer.listen(directory, visit);
    const server = new KernelProcess(visit, options.onTrouble);
    try {
      await server.mount({ directory, socket: grep.socket, place: grep.place });
      await installShims(grep.shims);
    } catch (error) {
      await server.close();
      await grep.close();
      throw error;
    }
    doorway.announce(directory);
    return {
      directory,
      visit,
      shims: grep.shims,
      server: server.pid,
      ended: server.ended,
      close: async () => {
        await server.close();
        await grep.close();
        await visit.close();
      },
    };
  } catch (error) {
    await visit.close();
    throw error;
  }
}

/** What of a world is mounted. A program that a command runs is never alone in it: it has no lease. */
export type MountedFiles = Pick<Visit, 'fs' | 'mounts'> & Partial<Pick<Visit, 'leased'>>;

/** Tells the process while it has the world to itself. */
class KernelLease implements LeaseHolder {
  readonly #send: (message: ToServer) => void;
  #last = 0;
  #returned: PromiseWithResolvers<void> | null = null;

  constructor(send: (message: ToServer) => void) {
    this.#send = send;
  }

  granted(): void {
    this.#last += 1;
    this.#send({ type: 'lease', lease: this.#last });
  }

  recalled(): Promise<void> {
    this.#returned ??= Promise.withResolvers();
    this.#send({ type: 'recall', lease: this.#last });
    return this.#returned.promise;
  }

  forget(): void {
    this.#send({ type: 'forget' });
  }

  returned(lease: number): void {
    if (lease === this.#last) this.end();
  }

  /** There is nobody any more to give it back. */
  end(): void {
    this.#returned?.resolve();
    this.#returned = null;
  }
}

/** The process, which asks the world by itself. */
export class KernelProcess {
  readonly #line: Line;
  readonly #mounts: MountedFiles['mounts'];
  readonly #lease = new KernelLease((message) => this.#send(message));
  readonly #onTrouble: (message: string) => void;
  readonly #process: ChildProcess;
  #directory: string | null = null;
  /** Resolves once it has ended and nothing stays mounted: true where it ended by itself. */
  readonly ended: Promise<boolean>;

  constructor(visit: MountedFiles, onTrouble: (message: string) => void) {
    const leased = visit.leased?.(this.#lease);
    this.#line = (leased?.fs ?? visit.fs).line();
    this.#mounts = visit.mounts;
    this.#onTrouble = onTrouble;
    this.#process = spawnServer();
    const exit = exitOf(this.#process);
    this.ended = exit.then((code) => code === 0 || this.#killed());
    this.#process.on('error', (error) => onTrouble(error.message));
    // Whoever waits for the lease does not wait for the unmounting.
    void exit.then(() => {
      this.#line.close();
      leased?.end();
      this.#lease.end();
    });
  }

  /** @throws ConfigError saying what is missing, and how it is installed */
  async mount(asked: Omit<MountPlan, 'services' | 'inMemory' | 'elsewhere'>): Promise<void> {
    const services = wholePoints(this.#mounts);
    const mounted = Promise.withResolvers<void>();
    this.#process.on('message', (message: FromServer) => {
      switch (message.type) {
        case 'mounted':
          return mounted.resolve();
        case 'failed':
          return mounted.reject(new ConfigError('', message.message));
        case 'line':
          return void this.#open(message.address);
        case 'returned':
          return this.#lease.returned(message.lease);
        case 'trouble':
          return this.#onTrouble(message.message);
      }
    });
    void this.ended.then(() =>
      mounted.reject(new ConfigError('', `the process that was to serve ${asked.directory} ended`)),
    );
    const plan = { ...asked, services, ...memoryPoints(this.#mounts) };
    this.#send({ type: 'mount', plan });
    try {
      await mounted.promise;
      this.#directory = asked.directory;
    } catch (error) {
      this.#process.kill('SIGKILL');
      throw error;
    }
  }

  async #killed(): Promise<false> {
    if (this.#directory !== null)
      await unmountLeft(this.#directory).catch((error: Error) => this.#onTrouble(error.message));
    return false;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Has it write what is open, and unmount. */
  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#send({ type: 'unmount' });
    const late = setTimeout(() => this.#process.kill('SIGKILL'), UNMOUNT_MS);
    await this.ended;
    clearTimeout(late);
  }

  async #open(address: LineAddress): Promise<void> {
    try {
      this.#send({ type: 'line', lost: await this.#line.open(address) });
    } catch (error) {
      this.#send({ type: 'line', error: wire(error) });
    }
  }

  #send(message: ToServer): void {
    // One that has ended asks nothing any more.
    if (!this.#process.connected) return;
    this.#process.send(message, (error) => {
      // It may have ended a moment ago; what is to follow from that, its exit brings about.
      if (error !== null && !ENDED.has(String((error as NodeJS.ErrnoException).code)))
        this.#onTrouble(error.message);
    });
  }
}

/** What sending to a process says that has just ended. */
const ENDED: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']);

/** The status of a process when it ends; null where a signal ended it, or where it never began. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('exit', resolve);
    // Other errors than that of its beginning end nothing.
    child.on('error', () => {
      if (child.pid === undefined) resolve(null);
    });
  });
}
