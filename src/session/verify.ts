/** What of a session can be trusted: every byte of its log, and every blob that it names. */
import fs from 'node:fs';
import { blobRefs } from './blobs.ts';
import type { Entry } from './entry.ts';
import { type Fault, SessionFile, type SessionPlace } from './file.ts';
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
}

/** Checks a session and the sessions that it was forked from. Changes nothing. @throws FsError ENOENT … */
export function verifySession(place: SessionPlace, id: string): Verdict {
  const file = new SessionFile(place, id);
  try {
    file.refresh();
    const faults = [...file.faults];
    const fault = (entry: Entry, line: number, reason: string): void => {
      faults.push({ session: id, line, id: entry.id, reason });
    };
    if (!file.hasHeader) {
      const known = faults.some(({ session, line }) => session === id && line === 1);
      if (!known) faults.push({ session: id, line: 1, id: null, reason: 'it has no whole header' });
    }
    for (const entry of file.own()) {
      const { line } = file.tree.place(file.tree.row(entry.id) ?? 0);
      const shape = faultOfShape(entry);
      if (shape !== null) fault(entry, line, shape);
      for (const { $blob } of blobRefs(entry)) {
        try {
          place.blobs.get($blob);
        } catch (error) {
          fault(
            entry,
            line,
            `${(error as { reason?: string }).reason ?? (error as Error).message}`,
          );
        }
      }
    }
    faults.sort((a, b) => a.line - b.line);
    const own = faults.filter(({ session }) => session === id).map(({ line }) => line);
    return {
      session: id,
      lines: file.lines,
      entries: file.tree.size,
      trustedLines: Math.min(file.lines, ...own.map((line) => line - 1)),
      faults,
      tornBytes: fs.statSync(file.file).size - file.end,
    };
  } finally {
    file.close();
  }
}
