/** Directories that were made in a mount, and that its service has once a file is in them. */
import { isWithin } from '../../paths.ts';

export class OwnDirectories {
  readonly #paths = new Set<string>();
  /** How often one was made or forgotten. */
  changes = 0;

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  add(path: string): void {
    this.#paths.add(path);
    this.changes += 1;
  }

  /** Those strictly below a path. */
  below(path: string): string[] {
    return [...this.#paths].filter((one) => one.startsWith(`${path}/`));
  }

  /** Forgets those at and below a path. */
  forget(path: string): void {
    for (const one of this.#paths) {
      if (!isWithin(path, one)) continue;
      this.#paths.delete(one);
      this.changes += 1;
    }
  }
}
