/**
 * What services have sent by themselves, in the journal of the state directory:
 * on the disk before it is answered for, taken once by the service's own id,
 * and once by what was signed, whatever id it comes with.
 */
import { openChangesFile } from '../../changes/file.ts';
import type { WebhookEvent } from '../../mount/contract/webhook.ts';
import type { Database } from '../../replica/database.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS hook_deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    hook TEXT NOT NULL,
    id TEXT NOT NULL,
    digest TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    event TEXT,
    UNIQUE (hook, id),
    UNIQUE (hook, digest)
  );
  CREATE INDEX IF NOT EXISTS hook_deliveries_new ON hook_deliveries (seq) WHERE event IS NOT NULL;
`;

/** So long is it known that a delivery has come. In ms. */
const KEPT_MS = 400 * 86_400_000;

/** A delivery that nobody has acted on. Times are ms since the epoch. */
export interface WaitingDelivery {
  seq: number;
  hook: string;
  receivedAt: number;
  event: Omit<WebhookEvent, 'at'> & { at?: number };
}

export class Deliveries {
  readonly #database: Database;
  readonly #now: () => number;

  /** @param file `changes.sqlite` of a state directory */
  constructor(file: string, now: () => number) {
    this.#database = openChangesFile(file, TABLE);
    // A service that was answered does not send it again.
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#now = now;
  }

  close(): void {
    this.#database.close();
  }

  /** @param digest of what was signed @returns false for one that has come before */
  add(hook: string, event: WebhookEvent, digest: string): boolean {
    const now = this.#now();
    this.#database
      .prepare('DELETE FROM hook_deliveries WHERE received_at < ? AND event IS NULL')
      .run(now - KEPT_MS);
    const kept = { ...event, at: event.at?.getTime() };
    return (
      this.#database
        .prepare(
          `INSERT OR IGNORE INTO hook_deliveries (hook, id, digest, received_at, event)
           VALUES (?, ?, ?, ?, ?)`,
        )
        .run(hook, event.id, digest, now, JSON.stringify(kept)).changes === 1
    );
  }

  get waitingCount(): number {
    const row = this.#database.one(
      'SELECT count(*) AS n FROM hook_deliveries WHERE event IS NOT NULL',
    );
    return Number(row?.['n']);
  }

  /** The oldest first. @param after only those that came after the one of this number */
  waiting(most: number, after: number): WaitingDelivery[] {
    return this.#database
      .all(
        'SELECT * FROM hook_deliveries WHERE event IS NOT NULL AND seq > ? ORDER BY seq LIMIT ?',
        after,
        most,
      )
      .map((row) => ({
        seq: Number(row['seq']),
        hook: String(row['hook']),
        receivedAt: Number(row['received_at']),
        event: JSON.parse(String(row['event'])) as WaitingDelivery['event'],
      }));
  }

  /** What was to be done about it is done. That it came is kept, and not what it said. */
  done({ seq }: WaitingDelivery): void {
    this.#database.prepare('UPDATE hook_deliveries SET event = NULL WHERE seq = ?').run(seq);
  }
}
