/** The world's files, as a table of open files asks for them: in this process, or in another. */
import type { Location } from '../../namespace/inspect.ts';
import { changedPaths, type FsCall } from '../../world/fs-call.ts';
import type { WorldFs } from '../../world/world.ts';

export abstract class WorldFiles {
  /** Does the world keep everybody waiting? What it said last is then the best that is known. */
  abstract get isBusy(): boolean;

  /** Nobody else uses the world while this is the same number; 0 where that cannot be told. */
  abstract get lease(): number;

  /**
   * Makes calls at once, one after the other.
   * @throws FsError of the first call that fails; those after it are not made
   */
  abstract ask(calls: readonly FsCall[]): Promise<unknown[]>;

  #before: () => Promise<void> | null = () => null;

  /** @param told has the world told what is put off, ahead of every question; null where nothing is */
  putOff(told: () => Promise<void> | null): void {
    this.#before = told;
  }

  #changed: (paths: readonly string[]) => void = () => undefined;

  /** @param changed told of what calls of {@link all} name that they change, once they were made, well or not */
  noteChanges(changed: (paths: readonly string[]) => void): void {
    this.#changed = changed;
  }

  /** Makes calls, one after the other, once the world was told what is put off. @throws FsError as {@link ask} */
  all(calls: readonly FsCall[]): Promise<unknown[]> {
    const before = this.#before();
    const asked = before === null ? this.ask(calls) : before.then(() => this.ask(calls));
    const changed = calls.flatMap(changedPaths);
    return changed.length === 0 ? asked : asked.finally(() => this.#changed(changed));
  }

  async call(call: FsCall): Promise<unknown> {
    return (await this.all([call]))[0];
  }

  // The answers are plain data; each method has the namespace's own signature.

  async locate(path: string): Promise<Location> {
    return (await this.call(['locate', path])) as Location;
  }

  async read(path: string): Promise<Uint8Array> {
    return (await this.call(['readFileBuffer', path])) as Uint8Array;
  }
}

/** Those of a world that this process has. */
export class LocalFiles extends WorldFiles {
  readonly isBusy = false;
  readonly lease = 0;
  readonly #fs: WorldFs;

  constructor(fs: WorldFs) {
    super();
    this.#fs = fs;
  }

  ask(calls: readonly FsCall[]): Promise<unknown[]> {
    return this.#fs.all(calls);
  }
}
