/**
 * The file of facts about a mount, `/memory/MOUNT.md`. A derived fact is one
 * line, which ends in where it came from:
 *
 *     - The door is red. [from /mnt/docs/door.md, 2026-11-21, sha256:4f…, line:9c…]
 *
 * `sha256` is of the text that it was derived from, `line` of the fact itself.
 * Every other line belongs to a person; so does a derived one that a person
 * has changed, since its `line` does not fit any more.
 */
import { createHash } from 'node:crypto';

const DIGITS = 16;
const MARK =
  /^- (?<fact>.*) \[from (?<source>\/.*), (?<date>\d{4}-\d\d-\d\d), sha256:(?<hash>[0-9a-f]{16}), line:(?<check>[0-9a-f]{8})\]$/;

/** A line that was derived, and that nobody has touched since. */
export interface DerivedFact {
  fact: string;
  source: string;
  /** YYYY-MM-DD. */
  date: string;
  /** Of the text of the source; see {@link textHash}. */
  hash: string;
}

/** The hash of a source's text, as it stands in a line. */
export const textHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGITS);

/** The derived line that this is, or null where it is a person's. */
export function derivedFact(line: string): DerivedFact | null {
  const { fact, source, date, hash, check } = MARK.exec(line)?.groups ?? {};
  if (fact === undefined || source === undefined || date === undefined || hash === undefined)
    return null;
  const derived = { fact, source, date, hash };
  return check === checkOf(derived) ? derived : null;
}

/** A fact as a line, without the newline. */
function factLine(derived: DerivedFact): string {
  const fact = derived.fact.replace(/\s+/g, ' ').trim();
  const { source, date, hash } = derived;
  const check = checkOf({ ...derived, fact });
  return `- ${fact} [from ${source}, ${date}, sha256:${hash}, line:${check}]`;
}

/** The sources of a file's derived lines, each with the hash of the text that they came from. */
export function sourcesOf(file: Uint8Array): Map<string, string> {
  const facts = linesOf(file).flatMap((line) => derivedFact(decoded(line)) ?? []);
  return new Map(facts.map(({ source, hash }) => [source, hash]));
}

/**
 * The file with the lines of one source replaced: the new ones stand where the
 * first of the old ones stood, or at the end. No other byte changes, but for a
 * newline after a last line that has none.
 */
export function withFacts(
  file: Uint8Array,
  source: string,
  facts: readonly DerivedFact[],
): Uint8Array {
  const fresh = facts.map((fact) => Buffer.from(factLine(fact)).toString('latin1'));
  const lines = linesOf(file);
  const isOld = (line: string): boolean => derivedFact(decoded(line))?.source === source;
  const first = lines.findIndex(isOld);
  if (first === -1 && fresh.length === 0) return file;
  if (first === -1) {
    // After the last newline there is an empty line, which stays the last one.
    const last = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    return fileOf([...last, ...fresh, '']);
  }
  const before = lines.slice(0, first);
  return fileOf([...before, ...fresh, ...lines.slice(first).filter((line) => !isOld(line))]);
}

/** Lines as Latin-1, a character a byte: whatever a person's line is encoded in, it comes back as it was. */
const linesOf = (file: Uint8Array): string[] => Buffer.from(file).toString('latin1').split('\n');
const fileOf = (lines: readonly string[]): Buffer => Buffer.from(lines.join('\n'), 'latin1');
const decoded = (line: string): string => Buffer.from(line, 'latin1').toString('utf8');

function checkOf({ fact, source, date, hash }: DerivedFact): string {
  const whole = JSON.stringify([fact, source, date, hash]);
  return createHash('sha256').update(whole).digest('hex').slice(0, 8);
}
