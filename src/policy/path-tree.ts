/** Some paths, found by what they are below: a change asks for those below its own, however many there are elsewhere. */
import { parentOf } from '../paths.ts';

export class PathTree {
  readonly #paths = new Set<string>();
  /** Of each directory that is above some: what in it is one, or leads to one. */
  readonly #inside = new Map<string, Set<string>>();

  add(path: string): void {
    this.#paths.add(path);
    for (let at = path; parentOf(at) !== at; at = parentOf(at)) {
      const inside = this.#inside.get(parentOf(at));
      if (inside?.has(at) === true) return;
      if (inside === undefined) this.#inside.set(parentOf(at), new Set([at]));
      else inside.add(at);
    }
  }

  delete(path: string): void {
    this.#paths.delete(path);
    for (let at = path; parentOf(at) !== at; at = parentOf(at)) {
      if (this.#paths.has(at) || this.#inside.has(at)) return;
      const inside = this.#inside.get(parentOf(at));
      inside?.delete(at);
      if (inside?.size === 0) this.#inside.delete(parentOf(at));
    }
  }

  /** A path, if it is one of them, and those below it. */
  within(path: string): string[] {
    const found: string[] = [];
    const waiting = [path];
    for (const at of waiting) {
      if (this.#paths.has(at)) found.push(at);
      for (const each of this.#inside.get(at) ?? []) waiting.push(each);
    }
    return found;
  }
}
