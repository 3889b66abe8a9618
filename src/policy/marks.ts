/**
 * What holds text that came from a service: files that were written, and names
 * that were given, in a turn that had read some. A mark names the services; it is
 * kept in the state, so that whoever reads it later, in whatever session, has read
 * text of theirs. Nothing looks at what was written: rather one mark too many.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { openChangesFile } from '../changes/file.ts';
import { parentOf } from '../paths.ts';
import { BUSY_TIMEOUT_MS, type Database, type Row } from '../replica/database.ts';
import { openSqlite } from '../replica/sqlite.ts';
import { PathTree } from './path-tree.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS untrusted_marks (
    scope TEXT NOT NULL,
    path TEXT NOT NULL,
    text TEXT NOT NULL,
    name TEXT NOT NULL,
    former TEXT NOT NULL,
    file TEXT,
    PRIMARY KEY (scope, path)
  ) WITHOUT ROWID;
`;

/** What marks were kept in before names had any. */
const EARLIER = 'untrusted_files';

/** A file or a directory, whatever mount point it is reached by. */
export interface Spot {
  /** {@link HOST}, the session whose memory it is in, or '' for what the runtime shows all sessions. */
  scope: string;
  /** Of the host, or of the namespace with its links resolved. */
  path: string;
  /** May its earlier content come back, as that of a snapshot does? Then it is remembered that it was marked. */
  returns?: boolean;
}

/** The scope of files of the host: two mounts of one directory show the same ones. */
export const HOST = 'host';

/** What is marked of a spot: the text in it, or the name that it has. */
export type Marked = 'text' | 'name';

interface Mark extends Spot {
  /** Mount points of services, sorted. */
  text: readonly string[];
  name: readonly string[];
  /** What it was marked with before, where that may come back. */
  former: readonly string[];
  /** The same in all names of one file; null while it is known to have one. */
  file: string | null;
}

/** Where marks are kept, and whose they are. */
export interface MarksPlace {
  /** `changes.sqlite` of a state directory. */
  file: string;
  session: string;
  /** The sessions that it was forked from, the nearest first. */
  ancestors: readonly string[];
  /** The directory of the host that those may have had as /workspace; null where there is none. */
  workspace: string | null;
}

/** What a fork takes over with its files. */
const INHERITED = '/workspace';

/** Are there any marks? Makes nothing. */
export function hasMarks({ file }: Pick<MarksPlace, 'file'>): boolean {
  if (!existsSync(file)) return false;
  const database = openSqlite(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('untrusted_marks', '${EARLIER}')`,
      )
      .all();
    return tables.some(
      ({ name }) => database.prepare(`SELECT 1 FROM ${String(name)} LIMIT 1`).get() !== undefined,
    );
  } finally {
    database.close();
  }
}

/** The marks of a state directory, as one session sees them. */
export class UntrustedMarks {
  readonly #database: Database;
  readonly #marks = new Map<string, Mark>();
  /** Directories, with the names in them that are marked: a listing asks for these. */
  readonly #names = new Map<string, Set<string>>();
  /** The paths of each scope that are marked. */
  readonly #paths = new Map<string, PathTree>();
  /** Names of one file, where it has several. */
  readonly #files = new Map<string, Set<string>>();
  #seen = -1;

  constructor(place: MarksPlace) {
    this.#database = openChangesFile(place.file, TABLE);
    this.#adoptEarlier();
    this.refresh();
    this.#inherit(place);
  }

  close(): void {
    this.#database.close();
  }

  get isEmpty(): boolean {
    return this.#marks.size === 0;
  }

  /** Takes in what other processes have marked. */
  refresh(): void {
    const version = Number(this.#database.one('PRAGMA data_version')?.['data_version']);
    if (version === this.#seen) return;
    this.#seen = version;
    this.#marks.clear();
    this.#paths.clear();
    this.#names.clear();
    this.#files.clear();
    for (const row of this.#database.all('SELECT * FROM untrusted_marks')) this.#hold(fromRow(row));
  }

  /** The services that the text of a file came from; none where it is not marked. */
  textOf(spot: Spot): readonly string[] {
    return this.#at(spot)?.text ?? [];
  }

  /** The services that the name of a file or a directory came from. */
  nameOf(spot: Spot): readonly string[] {
    return this.#at(spot)?.name ?? [];
  }

  /** The services that names in a directory came from. */
  namesIn({ scope, path }: Spot): readonly string[] {
    const keys = this.#names.get(keyOf(scope, path));
    if (keys === undefined) return [];
    return union([...keys].map((key) => this.#marks.get(key)?.name ?? []));
  }

  /** The services of all that is marked at and below a path. */
  within({ scope, path }: Spot): readonly string[] {
    if (this.isEmpty) return [];
    return union(this.#below(scope, path).flatMap(({ text, name }) => [text, name]));
  }

  /** Marks a spot, and where its text is meant every other name of the file. */
  mark(spot: Spot, what: Marked, origins: readonly string[]): void {
    const keys = what === 'text' ? this.#sameFile(spot) : [spot];
    for (const each of keys) {
      const mark = this.#at(each) ?? unmarked(each);
      const all = union([mark[what], origins]);
      if (all.length !== mark[what].length) this.#put({ ...mark, [what]: all });
    }
  }

  /** The text of a file was replaced by one that is no service's, or its name was. */
  clean(spot: Spot, what: Marked): void {
    for (const each of what === 'text' ? this.#sameFile(spot) : [spot]) {
      const mark = this.#at(each);
      if (mark !== undefined && mark[what].length > 0)
        this.#put({ ...mark, [what]: [], former: formerOf(mark, spot) });
    }
  }

  /** Forgets a path and all below it: it is gone. */
  remove(spot: Spot): void {
    for (const mark of this.#below(spot.scope, spot.path)) {
      const former = formerOf(mark, spot);
      this.#put({ ...mark, text: [], name: [], file: null, former });
    }
  }

  /** A path, and all below it, has another name now. */
  move(from: Spot, to: Spot): void {
    const moved = this.#below(from.scope, from.path);
    this.remove(to);
    this.remove(from);
    for (const mark of moved) {
      const path = to.path + mark.path.slice(from.path.length);
      const there = this.#at({ scope: to.scope, path }) ?? unmarked({ scope: to.scope, path });
      // The name at the top was given just now, by whoever moved it.
      const name = mark.path === from.path ? [] : mark.name;
      this.#put({ ...there, text: mark.text, name, file: mark.file });
    }
  }

  /** A file has a second name now. */
  link(from: Spot, to: Spot): void {
    this.remove(to);
    const mark = this.#at(from) ?? unmarked(from);
    const file = mark.file ?? randomUUID();
    this.#put({ ...mark, file });
    this.#put({ ...(this.#at(to) ?? unmarked(to)), text: mark.text, file });
  }

  /** What was at a path and below it at some time is there again, or may be. */
  revive({ scope, path }: Spot): void {
    for (const mark of this.#below(scope, path))
      if (mark.former.length > 0) {
        const { former, text, name } = mark;
        this.#put({ ...mark, text: union([text, former]), name: union([name, former]) });
      }
  }

  /** The files of a fork are those of its parents at some time: what was ever marked there is marked here. */
  #inherit({ session, ancestors, workspace }: MarksPlace): void {
    if (ancestors.length === 0 || this.#marks.has(keyOf(session, ''))) return;
    this.#database.transaction(() => {
      const sources = [...ancestors.map((scope) => ({ scope, path: INHERITED }))];
      if (workspace !== null) sources.push({ scope: HOST, path: workspace });
      for (const source of sources)
        for (const mark of this.#below(source.scope, source.path)) {
          const path = INHERITED + mark.path.slice(source.path.length);
          const there = this.#at({ scope: session, path }) ?? unmarked({ scope: session, path });
          const text = union([there.text, mark.text, mark.former]);
          const name = union([there.name, mark.name, mark.former]);
          this.#put({ ...there, text, name });
        }
      this.#put(unmarked({ scope: session, path: '' }), true);
    });
  }

  #at({ scope, path }: Spot): Mark | undefined {
    return this.#marks.get(keyOf(scope, path));
  }

  #below(scope: string, path: string): Mark[] {
    const paths = this.#paths.get(scope)?.within(path) ?? [];
    return paths.flatMap((each) => this.#at({ scope, path: each }) ?? []);
  }

  /** All names of the file at a spot. */
  #sameFile(spot: Spot): Spot[] {
    const file = this.#at(spot)?.file ?? null;
    const keys = file === null ? undefined : this.#files.get(file);
    if (keys === undefined) return [spot];
    return [...keys].flatMap((key) => this.#marks.get(key) ?? []);
  }

  /** @param empty it says something that there is a mark at all */
  #put(mark: Mark, empty = false): void {
    const { scope, path, text, name, former, file } = mark;
    this.#drop(mark);
    if (text.length + name.length + former.length === 0 && file === null && !empty) {
      this.#database
        .prepare('DELETE FROM untrusted_marks WHERE scope = ? AND path = ?')
        .run(scope, path);
      return;
    }
    this.#hold(mark);
    this.#database
      .prepare('INSERT OR REPLACE INTO untrusted_marks VALUES (?, ?, ?, ?, ?, ?)')
      .run(scope, path, ...[text, name, former].map((each) => JSON.stringify(each)), file);
  }

  #hold(mark: Mark): void {
    const key = keyOf(mark.scope, mark.path);
    this.#marks.set(key, mark);
    const paths = this.#paths.get(mark.scope) ?? new PathTree();
    this.#paths.set(mark.scope, paths);
    paths.add(mark.path);
    if (mark.name.length > 0) addTo(this.#names, keyOf(mark.scope, parentOf(mark.path)), key);
    if (mark.file !== null) addTo(this.#files, mark.file, key);
  }

  #drop({ scope, path }: Spot): void {
    const key = keyOf(scope, path);
    const mark = this.#marks.get(key);
    this.#marks.delete(key);
    this.#paths.get(scope)?.delete(path);
    this.#names.get(keyOf(scope, parentOf(path)))?.delete(key);
    if (mark?.file != null) this.#files.get(mark.file)?.delete(key);
  }

  /** Marks of a state that an earlier version wrote: of texts alone, and of mount points. */
  #adoptEarlier(): void {
    const found = this.#database.one(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
      EARLIER,
    );
    if (found === undefined) return;
    this.#database.transaction(() => {
      this.#database.exec(
        `INSERT OR IGNORE INTO untrusted_marks
           SELECT scope, path, origins, '[]', '[]', NULL FROM ${EARLIER};
         DROP TABLE ${EARLIER};`,
      );
    });
  }
}

const keyOf = (scope: string, path: string): string => `${scope}\0${path}`;

const unmarked = ({ scope, path }: Spot): Mark => ({
  scope,
  path,
  text: [],
  name: [],
  former: [],
  file: null,
});

const union = (lists: readonly (readonly string[])[]): readonly string[] =>
  [...new Set(lists.flat())].sort();

const formerOf = ({ text, name, former }: Mark, { returns = false }: Spot): readonly string[] =>
  returns ? union([former, text, name]) : former;

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}

function fromRow(row: Row): Mark {
  const list = (column: string): string[] => JSON.parse(String(row[column])) as string[];
  return {
    scope: String(row['scope']),
    path: String(row['path']),
    text: list('text'),
    name: list('name'),
    former: list('former'),
    file: row['file'] === null ? null : String(row['file']),
  };
}
