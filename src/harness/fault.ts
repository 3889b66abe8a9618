/** What is wrong with a file of the harness: one sentence, without the file's name. */
export class HarnessFault extends Error {
  override readonly name = 'HarnessFault';
}

/** A file that cannot be used. */
export interface HarnessError {
  /** Relative to /harness. */
  path: string;
  message: string;
}
