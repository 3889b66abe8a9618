/** Every citation of an answer against what it cites, read through the files that it is handed. */
import { type FsError, isFsError, STRERROR } from '../errors.ts';
import { resolvePath } from '../paths.ts';
import { documentFormat, textPath } from '../texts/names.ts';
import { pagesOf } from '../texts/pages.ts';
import { parseAnswer } from './answer.ts';
import type { Certificate, CertifiedCitation } from './certificate.ts';
import { checkCitation, linesWith, placeHash, placesWith } from './check.ts';
import { type Citation, type Place, placeText } from './citation.ts';
import { CitedDocument, isBinary } from './document.ts';

/** The files of a world, as whoever verifies may read them. */
export interface CitedFiles {
  stat(path: string): Promise<{ isDirectory: boolean; mtime: Date }>;
  readFileBuffer(path: string): Promise<Uint8Array>;
}

/** What an answer is verified with. */
export interface VerifyOptions {
  files: CitedFiles;
  /** What relative paths begin at, one after the other: the current directory, mount points. */
  bases: readonly string[];
}

/** What became of a document since it was certified. */
export type CertifiedState = 'unchanged' | 'moved' | 'changed' | 'gone';

/** A citation, and what came of it. */
export interface CheckedCitation {
  /** The line of the answer in which it stands, counted from 1. */
  line: number;
  /** Absolute in the namespace; as it is written where there is no such file. */
  path: string;
  /** `12`, `12-15`, `p3`; empty for a whole file. */
  place: string;
  quotes: readonly string[];
  verdict: 'holds' | 'false' | 'unchecked';
  /** Why it does not hold, or could not be checked: without any text of the document. */
  fault?: string;
  /** What the document has at that place: text of the document. */
  stands?: string;
  /** Where its words stand instead: `/mnt/docs/a.md:14`. */
  elsewhere: readonly string[];
  notes: readonly string[];
  /** What became of the document, where the answer has a certificate of it. */
  state?: CertifiedState;
  /** What can be certified of it, where it holds. */
  certified?: CertifiedCitation;
}

/** What came of an answer. */
export interface Verification {
  citations: readonly CheckedCitation[];
  sentences: number;
  /** The sentences without a citation. */
  uncited: readonly { line: number; text: string }[];
  /** Was there a certificate? */
  certified: boolean;
  /** What is to be said of the answer as a whole. */
  notes: readonly string[];
}

/** Errnos by which a path is none, whoever asks. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']);

/**
 * Checks every citation of an answer. What cannot be read is `unchecked`.
 * @throws whatever is no FsError
 */
export async function verifyAnswer(text: string, options: VerifyOptions): Promise<Verification> {
  const { citations, sentences, certificate, lineAt } = parseAnswer(text);
  const reader = new Reader(options);
  const checked: CheckedCitation[] = [];
  for (const citation of citations) {
    const sentence = sentences.find(({ at, end }) => at <= citation.at && citation.at < end);
    const given = { citation, sentence: sentence?.text ?? null, certificate };
    const result = await checkOne(reader, given);
    if (result !== null) checked.push({ line: lineAt(citation.at), ...result });
  }
  return {
    citations: checked.map((each) => withOtherFiles(each, reader)),
    sentences: sentences.length,
    uncited: sentences
      .filter((sentence) => !sentence.cited)
      .map(({ at, text: said }) => ({ line: lineAt(at), text: said })),
    certified: certificate !== null,
    notes: certificate === null ? [] : certificateNotes(certificate, checked),
  };
}

interface Given {
  citation: Citation;
  sentence: string | null;
  certificate: Certificate | null;
}

type Result = Omit<CheckedCitation, 'line'>;

/** null where it is no citation after all. */
async function checkOne(reader: Reader, given: Given): Promise<Result | null> {
  const { citation } = given;
  let first: Result | null = null;
  for (const path of reader.candidates(citation.path)) {
    const found = await reader.read(path, citation.place);
    if (found === null) continue;
    const result = judged(path, found, given);
    if (result.verdict === 'holds') return result;
    first ??= result;
  }
  if (first !== null) return first;
  if (citation.doubtful) return null;
  const path = citation.path.startsWith('/') ? resolvePath('/', citation.path) : citation.path;
  const certified = certifiedOf(given, path);
  return {
    ...resultOf(path, citation),
    verdict: 'false',
    fault:
      certified === undefined ? 'there is no such file' : 'gone: there is no such file any more',
    ...(certified === undefined ? {} : { state: 'gone' }),
  };
}

const resultOf = (path: string, { place, quotes }: Citation) => ({
  path,
  place: placeText(place),
  quotes,
  elsewhere: [],
  notes: [],
});

const certifiedOf = ({ certificate, citation }: Given, path: string) =>
  certificate?.citations.find(
    (each) => each.path === path && placeText(each.place) === placeText(citation.place),
  );

function judged(path: string, found: CitedDocument | string | FsError, given: Given): Result {
  const base = resultOf(path, given.citation);
  if (typeof found === 'string') return { ...base, verdict: 'false', fault: found };
  if (!(found instanceof CitedDocument))
    return { ...base, verdict: 'unchecked', fault: reasonOf(found) };
  const { fault, elsewhere, ...finding } = checkCitation(found, given.citation, given.sentence);
  const result = { ...base, ...finding, elsewhere: elsewhere.map((place) => `${path}:${place}`) };
  const since = sinceCertified(found, given, fault);
  if (since !== null && since.state !== 'unchanged')
    return { ...result, verdict: 'false', ...since };
  const state = since === null ? {} : { state: since.state };
  if (fault !== null) return { ...result, ...state, verdict: 'false', fault };
  const { place } = given.citation;
  const { sha256, updated } = found;
  const text = placeHash(found, place);
  const certified = { path, place, sha256, text, updated: updated.toISOString() };
  return { ...result, ...state, verdict: 'holds', certified };
}

/** What became of a citation since it was certified; null where it was not. */
function sinceCertified(
  doc: CitedDocument,
  given: Given,
  fault: string | null,
): { state: CertifiedState; fault?: string } | null {
  const certified = certifiedOf(given, doc.path);
  if (certified === undefined) return null;
  const { place, quotes } = given.citation;
  const text = placeHash(doc, place);
  if (certified.sha256 === doc.sha256) {
    if (certified.text === text) return { state: 'unchanged' };
    return {
      state: 'changed',
      fault: 'its certificate is spoilt: the hash of the text is another',
    };
  }
  const when = `the document has changed since it was certified (${certified.updated}, now ${doc.updated.toISOString()})`;
  if (fault === null && (quotes.length > 0 || certified.text === text))
    return { state: 'changed', fault: `${when}; what is cited still stands there` };
  const [moved] = quotes.length === 0 ? linesWith(doc, certified.text) : placesWith(doc, quotes);
  if (moved === undefined)
    return { state: 'changed', fault: `${when}; ${fault ?? 'another text stands there'}` };
  const to = doc.paged ? moved : `line ${moved}`;
  return { state: 'moved', fault: `${when}; what is cited has moved to ${to}` };
}

/** Of a fault of the file system: what is said to a person. */
const reasonOf = ({ code, reason }: FsError): string =>
  reason === undefined ? STRERROR[code] : `${STRERROR[code]}: ${reason}`;

/** Words that the file cited lacks may stand in another that the answer cites. */
function withOtherFiles(checked: CheckedCitation, reader: Reader): CheckedCitation {
  const { verdict, elsewhere, quotes, path, fault, state } = checked;
  if (verdict !== 'false' || elsewhere.length > 0 || quotes.length === 0) return checked;
  if (state === 'changed') return checked;
  for (const doc of reader.documents()) {
    if (doc.path === path) continue;
    const where = placesWith(doc, quotes);
    if (where.length === 0) continue;
    const found = where.map((place) => `${doc.path}:${place}`);
    return { ...checked, elsewhere: found, fault: `${fault}; they stand at ${found.join(', ')}` };
  }
  return checked;
}

function certificateNotes(
  { citations, others }: Certificate,
  checked: readonly CheckedCitation[],
): string[] {
  const names = new Set(checked.map(({ path, place }) => `${path}:${place}`));
  const left = citations.filter(({ path, place }) => !names.has(`${path}:${placeText(place)}`));
  const spoilt = others.filter((line) => /^holds\b/.test(line));
  return [
    ...left.map(({ path, place }) => `${path}:${placeText(place)} is certified and not cited`),
    ...spoilt.map(() => 'a line of the certificate cannot be read'),
    ...checked
      .filter(({ state }) => state === undefined)
      .map(({ path, place }) => `${path}:${place} is not in the certificate`),
  ];
}

/** A document; a sentence where it cannot be cited; an error where it cannot be read; null where there is none. */
type Reading = CitedDocument | string | FsError | null;

/** Reads each document once. */
class Reader {
  readonly #options: VerifyOptions;
  readonly #known = new Map<string, Reading>();

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  /** Where a path may lead. */
  candidates(path: string): string[] {
    if (path.startsWith('/')) return [resolvePath('/', path)];
    return [...new Set(this.#options.bases.map((base) => resolvePath(base, path)))];
  }

  documents(): CitedDocument[] {
    return [...this.#known.values()].filter((each) => each instanceof CitedDocument);
  }

  async read(path: string, place: Place | null): Promise<Reading> {
    const unit = place?.unit ?? 'any';
    const key = `${unit} ${path}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await this.#open(path, unit);
    this.#known.set(key, found);
    return found;
  }

  async #open(path: string, unit: 'line' | 'page' | 'any'): Promise<Reading> {
    const { files } = this.#options;
    try {
      const { isDirectory, mtime } = await files.stat(path);
      if (isDirectory) return 'it is a directory; cite a file in it';
      const bytes = await files.readFileBuffer(path);
      const parts = { path, bytes, updated: mtime };
      const binary = isBinary(bytes);
      // A page of HTML has lines, and is read as text, too.
      const asPages = unit === 'page' || (unit === 'any' && binary);
      if (asPages && documentFormat(path) !== null) {
        const text = await files.readFileBuffer(textPath(path));
        return new CitedDocument({ ...parts, pages: pagesOf(new TextDecoder().decode(text)) });
      }
      if (binary)
        return unit === 'line'
          ? 'it has no lines; cite a page of it, such as p1'
          : 'it is no text that could be cited';
      return new CitedDocument(parts);
    } catch (error) {
      if (!isFsError(error)) throw error;
      return ABSENT.has(error.code) ? null : error;
    }
  }
}
