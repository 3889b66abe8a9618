/** How git says that it could not. */

/** `fatal: …` or `error: …`, with git's status. */
export class GitFault extends Error {
  override readonly name = 'GitFault';
  readonly status: number;
  readonly kind: 'fatal' | 'error' | 'usage';

  constructor(message: string, status = 128, kind: 'fatal' | 'error' | 'usage' = 'fatal') {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}
