/**
 * What a deployment knows of its logs beside them: the key that signs their
 * heads, and the last head of each, so that a log that was cut, put back to an
 * older copy, or computed anew does not pass for the one that was written.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { openChangesFile } from '../changes/file.ts';
import { ConfigError } from '../errors.ts';
import type { Database } from '../replica/database.ts';
import { replaceFile } from '../state.ts';
import { type Head, publicKeyText, type SignedHead, signedHeadSchema, signHead } from './head.ts';

const KEY_FILE = 'session.key';

const TABLES = `
  CREATE TABLE IF NOT EXISTS session_heads (
    session TEXT PRIMARY KEY,
    head TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS session_keys (
    key TEXT PRIMARY KEY,
    since INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** The anchor of the sessions in a state directory. It holds nothing open. */
export class Anchor {
  readonly #state: string;

  constructor(state: string) {
    this.#state = state;
  }

  /** Signs a head with the deployment's key, which is made if there is none. @throws ConfigError */
  sign(head: Head): SignedHead {
    return signHead(head, this.#privateKey());
  }

  /**
   * Keeps a head as the last of its session in the journal, where a rollback of its log does not reach.
   * @param advances false where the journal has a head that the log does not
   *   hold: that one stays, so that the loss goes on being told
   */
  keep(head: SignedHead, advances: boolean): void {
    this.#journal((journal) =>
      journal.transaction(() => {
        rememberKey(journal, head.key);
        if (advances)
          journal
            .prepare('INSERT OR REPLACE INTO session_heads (session, head) VALUES (?, ?)')
            .run(head.session, JSON.stringify(head));
      }),
    );
  }

  /** The head of a session that the journal has; undefined for none. */
  recorded(session: string): SignedHead | undefined {
    return this.#read(undefined, (journal) => {
      const row = journal.one('SELECT head FROM session_heads WHERE session = ?', session);
      return row === undefined
        ? undefined
        : signedHeadSchema.parse(JSON.parse(String(row['head'])));
    });
  }

  /** Forgets a session that was removed on purpose. */
  forget(session: string): void {
    if (!this.sessions().includes(session)) return;
    this.#journal((journal) =>
      journal.prepare('DELETE FROM session_heads WHERE session = ?').run(session),
    );
  }

  /** The sessions that the journal has a head of, the oldest first. */
  sessions(): string[] {
    return this.#read([], (journal) =>
      journal
        .all('SELECT session FROM session_heads ORDER BY session')
        .map(({ session }) => String(session)),
    );
  }

  /** The public key of now, made if there is none. @throws ConfigError */
  publicKey(): string {
    const key = publicKeyText(createPrivateKey(this.#privateKey()));
    this.#journal((journal) => rememberKey(journal, key));
    return key;
  }

  /** The public keys that the deployment signs with, or has signed with. */
  keys(): string[] {
    const present = this.#readKey();
    const now = present === null ? [] : [publicKeyText(createPrivateKey(present))];
    const known = this.#read([] as string[], (journal) =>
      journal.all('SELECT key FROM session_keys').map(({ key }) => String(key)),
    );
    return [...new Set([...now, ...known])];
  }

  /** Signs with a new key from now on; what the one before has signed stays signed. */
  rotate(): string {
    this.publicKey();
    replaceFile(this.#keyFile, newPrivateKey());
    return this.publicKey();
  }

  get #keyFile(): string {
    return join(this.#state, KEY_FILE);
  }

  /** The key of now as PEM: read each time, since another process may have rotated it. */
  #privateKey(): string {
    const present = this.#readKey();
    if (present !== null) return present;
    fs.mkdirSync(this.#state, { recursive: true, mode: 0o700 });
    const temporary = temporaryName(this.#keyFile);
    fs.writeFileSync(temporary, newPrivateKey(), { mode: 0o600, flush: true });
    try {
      // A name that is there is not replaced: of two processes the first one's key is everybody's.
      fs.linkSync(temporary, this.#keyFile);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      fs.rmSync(temporary);
    }
    return this.#readKey() ?? this.#privateKey();
  }

  #readKey(): string | null {
    let pem: string;
    try {
      pem = fs.readFileSync(this.#keyFile, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      if (createPrivateKey(pem).asymmetricKeyType === 'ed25519') return pem;
    } catch (error) {
      throw this.#badKey(error);
    }
    throw this.#badKey();
  }

  #badKey(cause?: unknown): ConfigError {
    return new ConfigError(
      'state',
      `${this.#keyFile} is no Ed25519 private key: restore it, or move it away, and a new one is made`,
      cause,
    );
  }

  /** Reads the journal where there is one, and makes none. */
  #read<T>(without: T, work: (journal: Database) => T): T {
    return fs.existsSync(this.#journalFile) ? this.#journal(work) : without;
  }

  get #journalFile(): string {
    return join(this.#state, 'changes.sqlite');
  }

  #journal<T>(work: (journal: Database) => T): T {
    const journal = openChangesFile(this.#journalFile, TABLES);
    try {
      return work(journal);
    } finally {
      journal.close();
    }
  }
}

function rememberKey(journal: Database, key: string): void {
  journal
    .prepare('INSERT OR IGNORE INTO session_keys (key, since) VALUES (?, ?)')
    .run(key, Date.now());
}

const newPrivateKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

const temporaryName = (file: string): string => `${file}.${randomBytes(4).toString('hex')}.tmp`;
