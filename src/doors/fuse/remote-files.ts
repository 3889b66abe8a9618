/** The world's files, as the process that serves the kernel has them: each message goes to the world's worker. */
import type { FsCall } from '../../world/fs-call.ts';
import type { LineClient } from '../../world/line/client.ts';
import { WorldFiles } from '../files/world-files.ts';

/** A world that has not answered for so long is busy, ms: with a command that holds its thread. */
const BUSY_MS = 60;

export class RemoteFiles extends WorldFiles {
  readonly #line: Pick<LineClient, 'ask' | 'waited'>;
  #lease = 0;

  constructor(line: Pick<LineClient, 'ask' | 'waited'>) {
    super();
    this.#line = line;
  }

  get isBusy(): boolean {
    return this.#line.waited > BUSY_MS;
  }

  get lease(): number {
    return this.#lease;
  }

  /** @param lease 0: others use the world, too */
  haveLease(lease: number): void {
    this.#lease = lease;
  }

  ask(calls: readonly FsCall[]): Promise<unknown[]> {
    return this.#line.ask(calls);
  }
}
