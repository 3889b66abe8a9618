/** The world's files, as a table of open files asks for them: in this process, or in another. */
import type { Inspection, Location } from '../../namespace/inspect.ts';
import type { DirentEntry } from '../../namespace/types.ts';
import type { FsMethod } from '../../world/protocol.ts';
import type { WorldFs } from '../../world/world.ts';

/** One call of the world's files. */
export type FileCall = readonly [method: FsMethod, ...args: unknown[]];

export abstract class WorldFiles {
  /** Does the world keep everybody waiting? What it said last is then the best that is known. */
  abstract get isBusy(): boolean;

  /**
   * Makes calls, one after the other.
   * @throws FsError of the first call that fails; those after it are not made
   */
  abstract all(calls: readonly FileCall[]): Promise<unknown[]>;

  async call(...call: FileCall): Promise<unknown> {
    return (await this.all([call]))[0];
  }

  // The answers are plain data; each method has the namespace's own signature.

  async inspect(path: string): Promise<Inspection> {
    return (await this.call('inspect', path)) as Inspection;
  }

  async locate(path: string): Promise<Location> {
    return (await this.call('locate', path)) as Location;
  }

  async read(path: string): Promise<Uint8Array> {
    return (await this.call('readFileBuffer', path)) as Uint8Array;
  }

  async list(path: string): Promise<DirentEntry[]> {
    return (await this.call('readdirWithFileTypes', path)) as DirentEntry[];
  }
}

/** Makes a call of a world's files. */
export async function callOf(fs: WorldFs, [method, ...args]: FileCall): Promise<unknown> {
  // The method's own types were checked by who asks.
  const files = fs as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
  const call = files[method];
  if (call === undefined) throw new Error(`the files of a world have no ${method}`);
  return call.apply(files, args);
}

/** Those of a world that this process has. */
export class LocalFiles extends WorldFiles {
  readonly isBusy = false;
  readonly #fs: WorldFs;

  constructor(fs: WorldFs) {
    super();
    this.#fs = fs;
  }

  async all(calls: readonly FileCall[]): Promise<unknown[]> {
    const values: unknown[] = [];
    for (const call of calls) values.push(await callOf(this.#fs, call));
    return values;
  }
}
