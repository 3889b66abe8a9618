/** What of a session can be trusted: every byte of its log, and every blob that it names. */
import { sentenceOf } from '../errors.ts';
import { blobRefs } from './blobs.ts';
import type { Entry } from './entry.ts';
import { type Fault, SessionFile, type SessionPlace } from './file.ts';
import { checkHeads, keptHeads, type Signed } from './heads.ts';
import { faultOfShape } from './schema.ts';

/** What was found. */
export interface Verdict {
  session: string;
  /** Lines of the log, the header's included. */
  lines: number;
  entries: number;
  /** Everything up to this line can be trusted without doubt. */
  trustedLines: number;
  faults: Fault[];
  /** Bytes after the last whole line, left by a killed writer, or being written now. */
  tornBytes: number;
  /** Up to where it is as it was signed. */
  signed: Signed;
}

/** How it is checked. */
export interface VerifyOptions {
  /** The public keys whose signatures count; by default those of the deployment, and no other may have signed. */
  keys?: readonly string[];
}

/** Checks a session and the sessions that it was forked from. Changes nothing. @throws FsError ENOENT … */
export function verifySession(
  place: SessionPlace,
  id: string,
  options: VerifyOptions = {},
): Verdict {
  const file = new SessionFile(place, id);
  try {
    // Before the log: whoever writes it meanwhile signs what a later reading will have.
    const kept = keptHeads(place, id);
    file.refresh();
    const faults = [...file.faults];
    const fault = (entry: Entry, line: number, reason: string): void => {
      faults.push({ session: id, line, id: entry.id, reason });
    };
    if (!file.hasHeader) {
      const known = faults.some(({ session, line }) => session === id && line === 1);
      if (!known) faults.push({ session: id, line: 1, id: null, reason: 'it has no whole header' });
    } else if (file.header.id !== id) {
      const reason = `it is the log of session ${file.header.id}, in the place of another`;
      faults.push({ session: id, line: 1, id: null, reason });
    }
    for (const entry of file.own()) {
      const { line } = file.tree.place(file.tree.row(entry.id) ?? 0);
      const shape = faultOfShape(entry);
      if (shape !== null) fault(entry, line, shape);
      for (const { $blob } of blobRefs(entry)) {
        try {
          place.blobs.get($blob);
        } catch (error) {
          fault(entry, line, sentenceOf(error));
        }
      }
    }
    const {
      faults: wrong,
      recordHolds: _,
      heads: _heads,
      ...signed
    } = checkHeads(file, kept, options.keys ?? place.anchor?.keys() ?? []);
    faults.push(...wrong, ...faultsOfKeys(file, signed, options));
    faults.sort((a, b) => a.line - b.line);
    const own = faults.filter(({ session }) => session === id).map(({ line }) => line);
    return {
      session: id,
      lines: file.lines,
      entries: file.tree.size,
      trustedLines: Math.min(file.lines, ...own.map((line) => line - 1)),
      faults,
      tornBytes: file.size - file.end,
      signed,
    };
  } finally {
    file.close();
  }
}

/** What is wrong with who has signed. */
function faultsOfKeys(
  { id: session }: SessionFile,
  { lines, otherKeys }: Signed,
  { keys }: VerifyOptions,
): Fault[] {
  const line = lines + 1;
  const fault = (reason: string): Fault => ({ session, line, id: null, reason });
  if (keys === undefined)
    return otherKeys.map((key) =>
      fault(`it is signed by ${key}, which is no key of this deployment`),
    );
  if (lines > 0) return [];
  const others = otherKeys.length === 0 ? 'by nobody' : `by ${otherKeys.join(', ')}`;
  return [fault(`nothing in it is signed by ${keys.join(', ')}; it is signed ${others}`)];
}
