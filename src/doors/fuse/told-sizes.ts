/**
 * The sizes that the kernel was told of, for as long as it believes them. It
 * reads no further than that: where the content that a program opens is longer
 * or shorter by now, the kernel must not stand between.
 */

/** How long the kernel believes attributes, ms. */
export const BELIEVED_MS = 40;

/** More than can be told of within that time. */
const MOST = 10_000;

export class ToldSizes {
  readonly #told = new Map<string, { size: number; until: number }>();

  tell(path: string, size: number): void {
    this.#told.delete(path);
    this.#told.set(path, { size, until: performance.now() + BELIEVED_MS });
    if (this.#told.size > MOST) this.#told.delete(this.#told.keys().next().value ?? '');
  }

  /** The kernel itself has changed it, and knows of it. */
  forget(path: string): void {
    this.#told.delete(path);
  }

  /** Does the kernel believe in another size? */
  differs(path: string, size: number): boolean {
    const told = this.#told.get(path);
    return told !== undefined && told.size !== size && performance.now() < told.until;
  }
}
