/** Up to where a log is what was signed, and what tells that it is not. */
import type { Entry } from './entry.ts';
import type { Fault, SessionFile, SessionPlace } from './file.ts';
import { isSigned, parseHead, type SignedHead, signedHeadSchema } from './head.ts';

/** What the signatures say of a log. */
export interface Signed {
  /** Lines, the header's included, that are as they were signed; 0 for none. */
  lines: number;
  /** The last entry of them. */
  entry: string | null;
  /** When they were signed, and by which key; null for no signature. */
  time: string | null;
  key: string | null;
  /** Lines after them, signatures of what is before them not counted. */
  unsigned: number;
  /** Lines that were found unsigned when the session was gone on with, and signed with the rest. */
  found: [first: number, last: number][];
  /** Keys that have signed, and are not among those that are trusted. */
  otherKeys: string[];
}

/** {@link Signed}, and what it was made of. */
export interface CheckedHeads extends Signed {
  faults: Fault[];
  /** All heads that hold, by trusted keys. */
  heads: SignedHead[];
  /** Does the log hold what the journal recorded of it? */
  recordHolds: boolean;
}

/** Heads of a log that are kept beside it. Read them before the log, which only grows. */
interface KeptHeads {
  /** What the store has: undefined for nothing, null where it is no head. */
  beside: SignedHead | null | undefined;
  /** What the journal of the deployment has; undefined for nothing. */
  recorded: SignedHead | undefined;
}

export function keptHeads({ store, anchor }: SessionPlace, id: string): KeptHeads {
  const beside = store.head(id);
  return {
    beside: beside === null ? undefined : parseHead(beside),
    recorded: anchor?.recorded(id),
  };
}

/** What the head is called that the store has: where it is a file, that is its name. */
const BESIDE = 'head.sig beside it';

/**
 * Holds a log against its signatures.
 * @param file read to its end, after the kept heads were
 * @param trusted the public keys whose signatures count
 */
export function checkHeads(
  file: SessionFile,
  { beside, recorded }: KeptHeads,
  trusted: readonly string[],
): CheckedHeads {
  const check = new HeadCheck(file, new Set(trusted));
  for (const { entry, line } of signatureEntries(file)) check.entry(entry, line);
  if (beside === null) check.fault(`${BESIDE} is no signed head`);
  else if (beside !== undefined) check.kept(beside, BESIDE);
  const recordHolds =
    recorded === undefined || check.kept(recorded, 'the last head that the journal recorded');
  return { ...check.result(), recordHolds };
}

/** One log on its way through its heads. */
class HeadCheck {
  readonly #file: SessionFile;
  readonly #trusted: ReadonlySet<string>;
  readonly #faults: Fault[] = [];
  readonly #otherKeys = new Set<string>();
  readonly #found: Signed['found'] = [];
  /** Lines of signatures that hold. */
  readonly #signatures = new Set<number>();
  /** The first line that is broken by itself: no signature reaches over it. */
  readonly #broken: number;
  #last: SignedHead | null = null;
  readonly #heads: SignedHead[] = [];

  constructor(file: SessionFile, trusted: ReadonlySet<string>) {
    this.#file = file;
    this.#trusted = trusted;
    const own = file.faults.filter(({ session }) => session === file.id);
    this.#broken = Math.min(...own.map(({ line }) => line));
  }

  /** A signature in the log: of all the lines before it. */
  entry(entry: Entry, line: number): void {
    const head = signedHeadSchema.safeParse(entry['head']).data;
    if (head === undefined) return;
    const wrong =
      head.lines === line - 1
        ? faultOfHead(this.#file, head)
        : 'it is of other lines than those before it';
    if (wrong !== null) return this.fault(`the signature in line ${line}: ${wrong}`, entry.id);
    this.#take(head);
    if (!this.#trusted.has(head.key)) return;
    this.#signatures.add(line);
    if (head.found !== null) this.#found.push(head.found);
  }

  /** A head that is kept outside of the log. Does the log hold it? */
  kept(head: SignedHead, name: string): boolean {
    const wrong = faultOfHead(this.#file, head);
    if (wrong === null) this.#take(head);
    else this.fault(`${name}: ${wrong}`, null, head.lines);
    return wrong === null;
  }

  /** Notes a fault, at the first line that no signature vouches for, or one before it. */
  fault(reason: string, id: string | null = null, at: number = Number.POSITIVE_INFINITY): void {
    const line = Math.min((this.#last?.lines ?? 0) + 1, at);
    this.#faults.push({ session: this.#file.id, line, id, reason });
  }

  result(): Omit<CheckedHeads, 'recordHolds'> {
    const { lines = 0, time = null, key = null } = this.#last ?? {};
    const row = rowOfLine(this.#file, lines);
    const after = this.#file.lines - lines;
    return {
      lines,
      entry: row === null ? null : this.#file.tree.id(row),
      time,
      key,
      unsigned: lines > 0 && this.#signatures.has(lines + 1) ? after - 1 : after,
      found: this.#found,
      otherKeys: [...this.#otherKeys],
      faults: this.#faults,
      heads: this.#heads,
    };
  }

  #take(head: SignedHead): void {
    if (!this.#trusted.has(head.key)) {
      this.#otherKeys.add(head.key);
    } else if (head.lines < this.#broken) {
      this.#heads.push(head);
      if (head.lines >= (this.#last?.lines ?? 0)) this.#last = head;
    }
  }
}

/** What is wrong with a head as one of this log; null for nothing. */
function faultOfHead(file: SessionFile, head: SignedHead): string | null {
  if (head.session !== file.id) return `it is of session ${head.session}`;
  if (!isSigned(head)) return 'its signature is not by the key that it names';
  const { lines, time } = head;
  if (lines > file.lines)
    return `the log had ${lines} lines when it was signed at ${time}, and has ${file.lines}: it was cut, or an older copy was put in its place`;
  const hash = hashOfLine(file, lines);
  return hash === head.hash
    ? null
    : `line ${lines} is not the one that was signed at ${time}: the log was changed, and its hashes computed anew`;
}

function* signatureEntries(file: SessionFile): Generator<{ entry: Entry; line: number }> {
  const { tree } = file;
  for (let row = 0; row < tree.size; row++) {
    const { source, line } = tree.place(row);
    if (source !== 0 || tree.type(row) !== 'signature') continue;
    yield { entry: file.get(tree.id(row)) as Entry, line };
  }
}

/** The hash of a line; null where it cannot be read. */
function hashOfLine(file: SessionFile, line: number): string | null {
  if (line === 1) return file.hasHeader ? file.header.hash : null;
  const row = rowOfLine(file, line);
  return row === null ? null : (file.get(file.tree.id(row))?.hash ?? null);
}

/** The row of an entry by its line in the session's own file; null for none. */
export function rowOfLine({ tree }: SessionFile, wanted: number): number | null {
  let low = 0;
  let high = tree.size - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { source, line } = tree.place(middle);
    if (source === 0 && line === wanted) return middle;
    // What is inherited from a parent stands before.
    if (source !== 0 || line < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return null;
}
