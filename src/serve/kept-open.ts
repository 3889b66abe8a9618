/** Something that takes a while to open: kept for those who come soon, and closed when nobody does. */

/** What is kept: it can be closed. */
interface Closable {
  close(): Promise<void>;
}

/** One thing that is opened when it is first wanted. */
export class KeptOpen<T extends Closable> {
  readonly #open: () => Promise<T>;
  readonly #idleMs: number;
  readonly #onFault: (error: unknown) => void;
  #opened: Promise<T> | null = null;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param idleMs it is closed when nobody has used it for so long
   * @param onFault told where that could not be done: nobody waits for it
   */
  constructor(open: () => Promise<T>, idleMs: number, onFault: (error: unknown) => void) {
    this.#open = open;
    this.#idleMs = idleMs;
    this.#onFault = onFault;
  }

  /** Works with it. One that could not be opened is tried again by the next. */
  async use<R>(work: (opened: T) => Promise<R>): Promise<R> {
    clearTimeout(this.#timer);
    this.#users += 1;
    const opening = this.#opened ?? this.#open();
    this.#opened = opening;
    try {
      return await work(await opening);
    } finally {
      this.#users -= 1;
      await this.#settle(opening);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = null;
    // One that could not be opened was told to whoever wanted it.
    await (await opened?.catch(() => null))?.close();
  }

  async #settle(opening: Promise<T>): Promise<void> {
    const isOpen = await opening.then(
      () => true,
      () => false,
    );
    if (this.#opened !== opening) return;
    if (!isOpen) this.#opened = null;
    else if (this.#users === 0)
      this.#timer = setTimeout(() => void this.close().catch(this.#onFault), this.#idleMs).unref();
  }
}
