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

  constructor(message: string, line: number, status = 1) {
    super(message);
    this.line = line;
    this.status = status;
  }
}
