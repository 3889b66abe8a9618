/**
 * Who wrote the triggers of a harness, where that was done from inside: what a
 * trigger starts has no right that its author lacks. What the deployer puts
 * there is nobody's who is known here, and is theirs.
 */
import { openChangesFile } from '../changes/file.ts';
import { isFsError } from '../errors.ts';
import { type Author, authorText, bothAuthors, PERSON, parseAuthor } from '../policy/author.ts';
import type { Database } from '../replica/database.ts';
import { type HarnessFile, LARGEST, scanHarness } from './source.ts';
import { digestOf } from './triggers.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS trigger_authors (
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    author TEXT NOT NULL,
    PRIMARY KEY (name, digest)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS trigger_edits (
    id INTEGER PRIMARY KEY,
    begun_at INTEGER NOT NULL,
    before TEXT NOT NULL,
    author TEXT NOT NULL,
    whole TEXT
  );
`;

/** Digests of what `triggers/NAME.md` says, by name. */
export type TriggerTexts = Readonly<Record<string, string>>;

/** Those of the deployment. @param own null where it has no harness */
export function triggerTexts(own: string | null): TriggerTexts {
  if (own === null) return {};
  const files = [...scanHarness({ own, defaults: own }).values()];
  const found = files.flatMap(({ path, read }) => {
    const [, name] = /^triggers\/(.*)\.md$/.exec(path) ?? [];
    const text = name === undefined ? null : readable(read);
    return text === null ? [] : [[name ?? '', digestOf(text)] as const];
  });
  return Object.fromEntries(found);
}

/** What cannot be read is no trigger, and is told where triggers are read. */
function readable(read: HarnessFile['read']): Uint8Array | null {
  try {
    return read(LARGEST);
  } catch (error) {
    if (isFsError(error)) return null;
    throw error;
  }
}

/** An operation that has not ended by then ended with its process. In ms. */
const LONGEST_MS = 60_000;

export class TriggerAuthors {
  readonly #database: Database;
  readonly #now: () => number;

  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, now: () => number = Date.now) {
    this.#database = openChangesFile(file, TABLE);
    this.#now = now;
  }

  close(): void {
    this.#database.close();
  }

  /** Who wrote this text of a trigger: none that is known here is the deployer. */
  of(name: string, digest: string): Author {
    const known = this.#known('name = ? AND digest = ?', name, digest);
    if (known !== null) return known;
    // What is being done may have made it, and has not said so.
    return this.#edits()
      .filter(({ before }) => before[name] !== digest)
      .reduce((author, { by }) => bothAuthors(author, by), PERSON);
  }

  /**
   * Notes, before it is done, that somebody does something that may change triggers.
   * @param whole the trigger that is written as a whole: what it said before is nobody's any more
   * @returns to be called with what they say then
   */
  begin(before: TriggerTexts, by: Author, whole: string | null): (after: TriggerTexts) => void {
    const { lastInsertRowid: id } = this.#database
      .prepare('INSERT INTO trigger_edits (begun_at, before, author, whole) VALUES (?, ?, ?, ?)')
      .run(this.#now(), JSON.stringify(before), authorText(by), whole);
    return (after) => this.#end({ id: Number(id), begunAt: 0, before, by, whole }, after);
  }

  /** Says whose the work of processes is that ended in the middle of it. */
  settle(now: TriggerTexts): void {
    for (const edit of this.#edits())
      if (edit.begunAt < this.#now() - LONGEST_MS) this.#end(edit, now);
  }

  #end({ id, before, by, whole }: Edit, after: TriggerTexts): void {
    this.#database.transaction(() => {
      for (const [name, digest] of Object.entries(after)) {
        const former = before[name];
        if (former === digest) continue;
        const wrote = [
          ...(former === undefined || name === whole ? [] : [this.of(name, former)]),
          // The same text under another name is theirs who wrote it there.
          ...(name === whole ? [] : [this.#known('digest = ?', digest) ?? PERSON]),
        ];
        this.#database
          .prepare('INSERT OR REPLACE INTO trigger_authors VALUES (?, ?, ?)')
          .run(name, digest, authorText(wrote.reduce(bothAuthors, by)));
      }
      this.#database.prepare('DELETE FROM trigger_edits WHERE id = ?').run(id);
    });
  }

  #edits(): Edit[] {
    return this.#database.all('SELECT * FROM trigger_edits ORDER BY id').map((row) => ({
      id: Number(row['id']),
      begunAt: Number(row['begun_at']),
      before: JSON.parse(String(row['before'])) as TriggerTexts,
      by: parseAuthor(String(row['author'])),
      whole: row['whole'] === null ? null : String(row['whole']),
    }));
  }

  #known(where: string, ...values: string[]): Author | null {
    const rows = this.#database.all(`SELECT author FROM trigger_authors WHERE ${where}`, ...values);
    const [first, ...others] = rows.map((row) => parseAuthor(String(row['author'])));
    return first === undefined ? null : others.reduce(bothAuthors, first);
  }
}

interface Edit {
  id: number;
  /** ms since the epoch. */
  begunAt: number;
  before: TriggerTexts;
  by: Author;
  whole: string | null;
}

/**
 * Notes that somebody changes something in a harness of which triggers may be made.
 * @param file `changes.sqlite` of the state directory
 * @returns to be called when it is done, or has failed
 */
export function noteTriggerEdit(
  file: string,
  own: string | null,
  by: Author,
  whole: string | null,
): () => void {
  const authors = new TriggerAuthors(file);
  const end = authors.begin(triggerTexts(own), by, whole);
  return () => {
    try {
      end(triggerTexts(own));
    } finally {
      authors.close();
    }
  };
}
