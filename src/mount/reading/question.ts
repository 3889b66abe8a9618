/** One thing that can be brought in step. */
export interface Question {
  /** Distinguishes it from every other question of the mount. */
  key: string;
  /** When the service last confirmed what the replica holds, ms; null when it holds no whole answer. */
  heldSince(): number | null;
  /** What a whole answer lacks all the same, in words; null where it lacks nothing. */
  lacking?(): string | null;
  /** Asks, and stores the answer. Throws ServiceFailure. */
  ask(): Promise<void>;
  /** How long its answer counts as fresh, in ms, where that is not for all to say: it is then not asked behind the reads. */
  window?(): number;
}
