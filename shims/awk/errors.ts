/** What ends a program early. */

/** A failure while the program runs: the message on stderr, status 2. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
}

/** A program that cannot be understood. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  /** Line in the program, from 1. */
  readonly line: number;
  /** As gawk has it: 1 for what is no awk, 2 for what fails once it is put together. */
  readonly status: number;
  /** Where in the program it stands, for a mistake of its grammar. */
  readonly at: number | undefined;
  /** What is to be told after it. */
  also: readonly ProgramError[] = [];

  constructor(message: string, line: number, status = 1, at?: number) {
    super(message);
    this.line = line;
    this.status = status;
    this.at = at;
  }
}
