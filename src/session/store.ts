/**
 * Where the logs of sessions are kept: bytes that only grow, one writer each.
 * What stands in them is the house's; a store keeps bytes, and promises order,
 * durability, and that whoever has lost the right to write writes no more.
 *
 * All of it is synchronous: an entry is durable when `append` returns, and
 * whatever acts on it is the next line of the same function. A store that is
 * reached over a network waits in a thread of its own (`Atomics.wait`).
 *
 * What fails throws an error with a `code` of the system (`EBUSY`, `EIO`,
 * `ENOENT`, `ENOSPC`, `ESTALE` …), whose message a person can act on. What has
 * none of these codes counts as `EIO`.
 */

/** How long a log is, in bytes, and when it last grew. */
export interface LogStat {
  bytes: number;
  changed: Date;
}

/** A log that is open for reading. It is read while another process writes it. */
export interface LogReader {
  /**
   * Copies bytes of the log into `into`, from the offset `at` on.
   * @returns how many: at least one where there are any, 0 at the end
   */
  read(into: Uint8Array, at: number): number;
  /** Lets go of it. */
  close(): void;
}

/**
 * The right to write a session, which one holds at a time. It ends with
 * {@link LogWriter.release}, {@link LogWriter.remove}, or the process, however
 * that dies. Where it may end before (a lease that ran out while the machine
 * slept) every method throws `ESTALE` from then on, and nothing is written.
 */
export interface LogWriter {
  /**
   * Adds bytes at the end of the log, which has `at` of them now; the first
   * ones make it. They need not be durable yet, and readers see them at once.
   * @throws ESTALE where the log has another length: nothing was added
   */
  append(bytes: Uint8Array, at: number): void;
  /** Returns when all that was appended is durable. */
  sync(): void;
  /** The same without holding up the thread, where the store can. */
  synced?(): Promise<void>;
  /**
   * Called when `append` has failed: makes the log `at` bytes long again,
   * whatever of the failed bytes is in it. Where that fails, too, the house
   * writes nothing more through this writer.
   */
  undo(at: number): void;
  /**
   * Cuts off what stands behind the first `at` bytes, the line that a killed
   * writer did not end, and keeps it elsewhere. Durable.
   * @returns where it is kept, for a person
   */
  cut(at: number): string;
  /** Keeps the head that was signed last, in the place of the one before. It need not be durable. */
  keepHead(head: string): void;
  /** Removes the session, with all that is kept of it, and lets go of it. */
  remove(): void;
  /** Lets another one write. */
  release(): void;
}

/** Keeps the logs of sessions. The ids are the house's: 26 letters and digits each. */
export interface SessionStore {
  /** The ids of the sessions that have a log, in any order. */
  list(): string[];
  /** null where the session has no log. */
  stat(session: string): LogStat | null;
  /** @throws ENOENT where the session has no log */
  read(session: string): LogReader;
  /**
   * Becomes the one who writes a session, which need not be there yet.
   * @throws EBUSY that says who writes it
   */
  write(session: string): LogWriter;
  /** The head that was kept last; null for none. */
  head(session: string): string | null;
  /** Where its log is, as a person would look it up: a file, a row of a table. */
  where(session: string): string;
  /** Lets go of what the store has open, when nothing more is asked of it. */
  close?(): void;
}
