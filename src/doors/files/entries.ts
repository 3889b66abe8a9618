/** What is at the names of the world, of what is open, and of droppings: what every operation looks at first. */
import { FsError } from '../../errors.ts';
import type { Inspection } from '../../namespace/inspect.ts';
import { parentOf } from '../../paths.ts';
import type { Attributes } from './attributes.ts';
import { isAbsent, type OpenFiles } from './open-files.ts';
import type { Scratch } from './scratch.ts';
import type { Times } from './times.ts';
import type { WorldFiles } from './world-files.ts';

/** What a file system is made of. */
export interface Parts {
  files: WorldFiles;
  scratch: Scratch;
  attributes: Attributes;
  open: OpenFiles;
  times: Times;
  /** Is a path in a mount whose files are written as a whole, by a close? */
  isOfService(path: string): boolean;
}

export class Entries {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What is at a path. @throws FsError ENOENT */
  async found(path: string, op: string): Promise<Inspection> {
    const found = await this.#parts.attributes.of(path);
    if (found === null) throw new FsError('ENOENT', { path, op });
    this.#parts.open.see(path, found);
    return found;
  }

  /** @throws FsError EEXIST */
  async vacant(path: string, op: string): Promise<void> {
    const isThere =
      this.#parts.scratch.get(path) !== undefined ||
      this.#parts.open.at(path) !== undefined ||
      (await this.#parts.attributes.of(path).catch(orNull)) !== null;
    if (isThere) throw new FsError('EEXIST', { path, op });
  }

  /** A name of an entry is gone. */
  gone(path: string, found: Inspection): void {
    this.#parts.attributes.certain.gone(path);
    this.#parts.open.removed(path, found.identity);
    this.forget(path);
    this.forgetOthers(path, found);
    this.#parts.times.removed(path);
  }

  /** What was done to a file by one name is seen by its others. */
  forgetOthers(path: string, { identity }: Inspection): void {
    for (const name of this.#parts.open.namesOf(identity))
      if (name !== path) this.#parts.attributes.forget(name);
  }

  /** Something was done to a path: the directory above is another, too. */
  forget(path: string): void {
    this.#parts.attributes.forget(path);
    this.#parts.attributes.forget(parentOf(path));
  }
}

export const orNull = (error: unknown): null => {
  if (isAbsent(error)) return null;
  throw error;
};
