/** What `verify` says of a damaged file. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAX_INLINE_BYTES } from '../../src/session/blobs.ts';
import { createSession, resumeSession } from '../../src/session/open.ts';
import { verifySession } from '../../src/session/verify.ts';
import { flipByte, sessionOf, testPlace } from './support.ts';

/** The number of the line that a byte belongs to; its newline is part of it. */
const lineAt = (bytes: Buffer, at: number): number =>
  bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;

test('one changed byte anywhere in a header and an entry: verify names the line', () => {
  const place = testPlace();
  const { id, file } = sessionOf(place, 1);
  const bytes = readFileSync(file);
  expect(verifySession(place, id).faults).toEqual([]);
  for (let at = 0; at < bytes.length; at++) {
    flipByte(file, at);
    const { faults, tornBytes, trustedLines } = verifySession(place, id);
    const line = lineAt(bytes, at);
    // A last line that lost its newline is torn; any other change is a fault of its line.
    const torn = at === bytes.length - 1;
    expect(torn ? tornBytes > 0 : faults[0]?.line === line, `byte ${at}`).toBe(true);
    if (!torn) expect(trustedLines).toBe(line - 1);
    writeFileSync(file, bytes);
  }
});

test('one changed byte in a 10,000-entry file: verify names the entry, and the others stay readable', () => {
  const place = testPlace();
  const { id, file, lines } = sessionOf(place, 10_000);
  const last = lines.length;
  // A byte of its content, and one of its hash.
  for (const [line, from] of [
    [2, 60],
    [4711, -5],
    [last, 60],
    [last, -5],
  ] as const) {
    const start = Buffer.byteLength(`${lines.slice(0, line - 1).join('\n')}\n`);
    const text = lines[line - 1] ?? '';
    const at = start + (from < 0 ? Buffer.byteLength(text) + from : from);
    flipByte(file, at);
    const { faults, entries } = verifySession(place, id);
    const { id: entry } = JSON.parse(text) as { id: string };
    expect(faults.map((fault) => [fault.line, fault.id])).toEqual([[line, entry]]);
    expect(entries).toBe(9999);
    flipByte(file, at);
  }
});

test('a line that was taken out, or doubled, or moved is told', () => {
  const place = testPlace();
  const { id, file, lines } = sessionOf(place, 6);
  const put = (changed: string[]): void => writeFileSync(file, `${changed.join('\n')}\n`);
  for (const changed of [
    lines.toSpliced(3, 1),
    lines.toSpliced(3, 0, lines[3] ?? ''),
    lines.toSpliced(3, 2, lines[4] ?? '', lines[3] ?? ''),
    lines.slice(1),
  ]) {
    put(changed);
    expect(verifySession(place, id).faults.length).toBeGreaterThan(0);
  }
  put(lines);
  expect(verifySession(place, id).faults).toEqual([]);
});

test('C JSONL, not to copy: a broken line in the middle is reported by its number, the branch goes on over it, and so does the session', () => {
  const place = testPlace();
  const { id, file, lines } = sessionOf(place, 5);
  const bytes = readFileSync(file);
  const start = Buffer.byteLength(`${lines.slice(0, 3).join('\n')}\n`);
  for (const at of [start + 10, start + 120]) {
    writeFileSync(file, bytes);
    flipByte(file, at);
    const log = resumeSession(place, id);
    expect(log.faults.map(({ line }) => line)).toEqual([4]);
    expect(log.branch().map(({ message }) => (message as { content: string }).content)).toEqual(
      [0, 1, 3, 4].map((index) => `message ${index} ü`),
    );
    log.append({ type: 'model_change', model: 'm' });
    log.close();
    expect(verifySession(place, id)).toMatchObject({ entries: 5, trustedLines: 3 });
  }
});

test('a blob that is damaged or gone is named with the entry that needs it', () => {
  const place = testPlace();
  const log = createSession(place);
  log.append({ type: 'custom', name: 'test/long', data: 'x'.repeat(MAX_INLINE_BYTES + 1) });
  const hash = /"\$blob":"([0-9a-f]+)"/.exec(readFileSync(log.file, 'utf8'))?.[1] ?? '';
  log.close();
  flipByte(place.blobs.file(hash), 7);
  expect(verifySession(place, log.id).faults).toMatchObject([{ line: 2, reason: /damaged/ }]);
  rmSync(place.blobs.file(hash));
  expect(verifySession(place, log.id).faults).toMatchObject([{ line: 2 }]);
});
