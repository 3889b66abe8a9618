/** Sessions for tests, in directories of their own that are gone afterwards. */
import { readFileSync, writeFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { HOST_IO, SessionDirectory, type WriterIo } from '../../src/session/directory.ts';
import { SessionFile, type SessionPlace } from '../../src/session/file.ts';
import type { SessionLog } from '../../src/session/log.ts';
import { createSession } from '../../src/session/open.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

export { temporaryDirectory };

/** Without an anchor: what is in a log is then what the test has written. */
export const testPlace = (): SessionPlace => ({
  ...sessionPlace(temporaryDirectory()),
  anchor: null,
});

/** Lines without waiting for the disk: for logs that no crash is tried on. */
export const UNSYNCED: WriterIo = {
  ...HOST_IO,
  sync: () => undefined,
  syncLater: (_descriptor, done) => setImmediate(done, null),
};

/** The same place, written by these calls. */
export const through = (io: WriterIo, place: SessionPlace = testPlace()): SessionPlace => ({
  ...place,
  store: new SessionDirectory(place.files, io),
});

/** A session of `count` entries, closed; and the lines of its file. */
export function sessionOf(
  place: SessionPlace,
  count: number,
): { id: string; file: string; lines: string[] } {
  const log = createSession(through(UNSYNCED, place));
  for (let index = 0; index < count; index++) {
    log.message({ role: index % 2 === 0 ? 'user' : 'assistant', content: `message ${index} ü` });
  }
  log.close();
  return { id: log.id, file: log.file, lines: linesOf(log.file) };
}

export const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8').split('\n').slice(0, -1);

/** What a fresh reader finds. The caller looks at it before the test's directory goes. */
export function readSession(place: SessionPlace, id: string): SessionFile {
  const file = new SessionFile(place, id).refresh();
  onTestFinished(() => file.close());
  return file;
}

/** A call of a tool and its result, as an assistant's and a tool's message. */
export function callAndResult(
  log: SessionLog,
  id: string,
  output: string,
  toolName = 'bash',
): void {
  log.message({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName, input: { command: `run ${id}` } }],
  });
  log.message({
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: id, toolName, output: { type: 'text', value: output } },
    ],
  });
}

export function flipByte(file: string, at: number, mask = 0x01): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  writeFileSync(file, bytes);
}
