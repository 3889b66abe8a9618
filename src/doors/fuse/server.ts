/**
 * The process that serves the kernel, and does nothing else: a synchronous call
 * of its own into the mount would wait for itself. It holds the mount and what
 * programs have open; the world is at the other end of a line, to which the door
 * lets it in.
 */
import { totalmem } from 'node:os';
import process from 'node:process';
import { LineClient } from '../../world/line/client.ts';
import type { LineAddress, LostLine } from '../../world/line/protocol.ts';
import { revive } from '../../world/wire-errors.ts';
import { FileSystem } from '../files/file-system.ts';
import { type KernelMount, loadBinding, mountFault } from './binding.ts';
import { kernelOperations } from './operations.ts';
import type { FromServer, MountPlan, ToServer } from './protocol.ts';
import { RemoteFiles } from './remote-files.ts';
import { BELIEVED_MS } from './told-sizes.ts';

/** Seconds for which the kernel believes that a name stands for what it stood for. */
const ENTRY_S = 1;

/** How long the world's answers stand, ms, beside the time for which the kernel believes them. */
const FRESHNESS = { local: 40, service: 1_000 };

/** What programs have open is here as a whole: a part of the machine's memory, in bytes, whoever they are. */
const OPEN_BYTES = Math.min(8 * 1024 ** 3, totalmem() / 4);

/** The contents of files that were closed take so many bytes at most. */
const KEPT_BYTES = 256 * 1024 ** 2;

/**
 * How many questions of the kernel are answered at once: each that a person is asked about keeps a
 * thread waiting, and each thread makes all questions slower.
 */
const CONCURRENCY = 8;

/** The mount of this process, and its end. */
class KernelServer {
  readonly #line = new LineClient((address) => this.#open(address));
  readonly #remote = new RemoteFiles(this.#line);
  #opening: PromiseWithResolvers<LostLine> | null = null;
  #mounted: KernelMount | null = null;
  #files: FileSystem | null = null;
  #ending: Promise<void> | null = null;

  /** Does what the door says, until one of the two ends. */
  listen(): void {
    process.on('message', (message: ToServer) => this.#receive(message));
    process.on('disconnect', () => {
      this.#line.end(new Error('the world of this mount has ended'));
      void this.#end();
    });
    // The door decides when it ends: a Ctrl-C at the terminal is for the program that runs there.
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
    process.on('SIGTERM', () => void this.#end());
  }

  #receive(message: ToServer): void {
    switch (message.type) {
      case 'mount':
        this.#mount(message.plan).then(
          () => this.#send({ type: 'mounted' }),
          (error: Error) => this.#send({ type: 'failed', message: error.message }),
        );
        return;
      case 'line':
        if ('lost' in message) this.#opening?.resolve(message.lost);
        else this.#opening?.reject(revive(message.error));
        return;
      case 'lease':
        this.#remote.haveLease(message.lease);
        return;
      case 'recall':
        this.#remote.haveLease(0);
        void this.#giveBack(message.lease);
        return;
      case 'forget':
        this.#files?.forget();
        return;
      case 'unmount':
        void this.#end();
        return;
    }
  }

  #open(address: LineAddress): Promise<LostLine> {
    this.#opening = Promise.withResolvers();
    this.#send({ type: 'line', address });
    return this.#opening.promise;
  }

  async #giveBack(lease: number): Promise<void> {
    await this.#files?.told();
    this.#send({ type: 'returned', lease });
  }

  #send(message: FromServer): void {
    // Whoever hears of nothing has ended, and 'disconnect' tells of it.
    if (process.connected) process.send?.(message);
  }

  #trouble(message: string): void {
    this.#send({ type: 'trouble', message });
  }

  async #mount(plan: MountPlan): Promise<void> {
    const Binding = await loadBinding();
    this.#line.useDirectory(plan.place);
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    const onTrouble = (message: string): void => this.#trouble(message);
    const files = new FileSystem({
      files: this.#remote,
      services: plan.services,
      inMemory: plan.inMemory,
      elsewhere: plan.elsewhere,
      socket: plan.socket,
      seenAt: plan.seenAt ?? plan.directory,
      freshness: FRESHNESS,
      limits: { handles: Number.POSITIVE_INFINITY, bytes: OPEN_BYTES },
      keptBytes: KEPT_BYTES,
      movesOverMounts: false,
      owner,
      onTrouble,
    });
    const operations = kernelOperations({ files, mount: () => kernel, onTrouble });
    const kernel: KernelMount = new Binding(plan.directory, operations, {
      fsname: 'dirigent',
      subtype: 'dirigent',
      // A world changes by other ways than this one.
      attrTimeout: BELIEVED_MS / 1_000,
      entryTimeout: ENTRY_S,
      autoUnmount: true,
      // A person may be asked about an operation, and has a day.
      timeout: { default: false, init: 15_000 },
      maxConcurrency: CONCURRENCY,
      onError: (error, operation) => this.#failed(error, operation),
    });
    this.#files = files;
    await new Promise<void>((resolve, reject) => {
      kernel.mount((error) => (error ? reject(error) : resolve()));
    }).catch((error: unknown) => {
      throw new Error(mountFault(error, plan.directory), { cause: error });
    });
    this.#mounted = kernel;
  }

  #failed(error: Error, operation: string): void {
    // Somebody has unmounted the directory, as anybody may.
    if ('code' in error && error.code === 'EFUSELOOPEXIT') return void this.#end();
    this.#trouble(`${operation}: ${error.message}`);
  }

  /** Commits what is open, if there is a world to take it, and unmounts. */
  #end(): Promise<void> {
    this.#ending ??= this.#unmount().finally(() => process.exit());
    return this.#ending;
  }

  async #unmount(): Promise<void> {
    // What is made while it ends is told at once: nobody would tell of it later.
    this.#remote.haveLease(0);
    if (process.connected) await this.#files?.handles.commitAll();
    const kernel = this.#mounted;
    if (kernel === null) return;
    await new Promise<void>((resolve) => {
      kernel.unmount((error) => {
        if (error) this.#trouble(`unmounting: ${error.message}`);
        resolve();
      });
    });
    if (process.connected) await this.#files?.told();
  }
}

new KernelServer().listen();
