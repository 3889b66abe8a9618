/** Which account a credential belongs to: asked of the service once, and remembered, so that a start needs no network. */
import type { Database, Row } from './database.ts';

/** Of the credentials that a state directory has been opened with, never the credentials themselves. */
export class Accounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Notes that a service is opened with a credential.
   *
   * @param service with its host, e.g. `tracker` or `tracker git.example.com`
   * @param credential a digest of it
   * @returns all that it was opened with so far, in the order in which each came first
   */
  enter(service: string, credential: string): string[] {
    if (this.#row(service, credential) === undefined)
      this.#database
        .prepare('INSERT OR IGNORE INTO accounts (service, credential) VALUES (?, ?)')
        .run(service, credential);
    return this.#database
      .all('SELECT credential FROM accounts WHERE service = ? ORDER BY entered', service)
      .map((row) => String(row['credential']));
  }

  /** Whom a credential belongs to; null where it was never asked. */
  of(service: string, credential: string): string | null {
    const account = this.#row(service, credential)?.['account'];
    return typeof account === 'string' ? account : null;
  }

  /** The credentials that are known to be of the same account as this one. */
  sameAs(service: string, credential: string): string[] {
    return this.#database
      .all(
        `SELECT other.credential FROM accounts AS other JOIN accounts AS own
         ON own.service = other.service AND own.account = other.account
         WHERE own.service = ? AND own.credential = ?`,
        service,
        credential,
      )
      .map((row) => String(row['credential']));
  }

  /** Keeps what the service said of a credential that has entered. */
  remember(service: string, credential: string, account: string): void {
    this.#database
      .prepare('UPDATE accounts SET account = ? WHERE service = ? AND credential = ?')
      .run(account, service, credential);
  }

  #row(service: string, credential: string): Row | undefined {
    const sql = 'SELECT account FROM accounts WHERE service = ? AND credential = ?';
    return this.#database.one(sql, service, credential);
  }
}
