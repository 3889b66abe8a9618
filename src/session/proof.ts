/**
 * A proof: a session up to a signed head as one file, for somebody who has the
 * public key and nothing else. A line of JSON says what follows, byte for byte:
 * the logs, of the sessions that it was forked from first, and the long outputs
 * that its entries name.
 */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { FsError } from '../errors.ts';
import { blobRefs } from './blobs.ts';
import { SessionFile, type SessionPlace } from './file.ts';
import { type SignedHead, signedHeadSchema } from './head.ts';
import { checkHeads, keptHeads, rowOfLine } from './heads.ts';
import { sessionPlace } from './place.ts';
import { isSessionId } from './session-id.ts';
import { type Verdict, verifySession } from './verify.ts';

const length = z.int().min(0);
const sessionId = z.string().refine(isSessionId);

const manifestSchema = z.strictObject({
  type: z.literal('session-proof'),
  version: z.literal(1),
  session: sessionId,
  head: signedHeadSchema,
  logs: z
    .array(z.strictObject({ session: sessionId, bytes: length }))
    .min(1)
    .max(1000),
  blobs: z.array(z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/), bytes: length })),
});
type Manifest = z.infer<typeof manifestSchema>;

/** The first line of a proof is no longer than this. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const CHUNK = 1024 * 1024;
const NEWLINE = 0x0a;

/** What was put into a proof. */
export interface Proof {
  /** The head up to which it goes. */
  head: SignedHead;
  /** Lines of the log after it, which are unsigned or were not asked for, and are left out. */
  left: number;
  /** The proof, piece by piece. */
  pieces: Iterable<Uint8Array>;
}

/**
 * Makes the proof of a session.
 * @param file the session, read to its end
 * @param at an entry: the proof ends with the first head that was signed with or after it
 * @throws FsError EINVAL when there is no such head, EIO when a blob is lost
 */
export function makeProof(place: SessionPlace, file: SessionFile, at: string | null): Proof {
  const head = headFor(place, file, at);
  const logs = [...ancestors(file), { session: file.id, bytes: head.bytes }];
  const blobs = new Map<string, number>();
  for (const entry of file.own()) {
    const { line } = file.tree.place(file.tree.row(entry.id) ?? 0);
    if (line > head.lines) break;
    for (const { $blob } of blobRefs(entry)) blobs.set($blob, place.blobs.get($blob).length);
  }
  const manifest: Manifest = {
    type: 'session-proof',
    version: 1,
    session: file.id,
    head,
    logs,
    blobs: [...blobs].map(([hash, bytes]) => ({ hash, bytes })),
  };
  function* pieces(): Generator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify(manifest)}\n`);
    for (const log of logs) yield* bytesOfLog(place, log.session, log.bytes);
    for (const hash of blobs.keys()) yield place.blobs.get(hash);
  }
  return { head, left: linesAfter(file, head), pieces: pieces() };
}

/** Lines after a head, without the one that is its signature. */
function linesAfter(file: SessionFile, { lines }: SignedHead): number {
  const next = rowOfLine(file, lines + 1);
  const isSignature = next !== null && file.tree.type(next) === 'signature';
  return file.lines - lines - (isSignature ? 1 : 0);
}

function headFor(place: SessionPlace, file: SessionFile, at: string | null): SignedHead {
  const { heads } = checkHeads(file, keptHeads(place, file.id), place.anchor?.keys() ?? []);
  heads.sort((a, b) => a.lines - b.lines);
  // What a fork has inherited is in its header already.
  const inherited = { source: 1, line: 1 };
  const { source, line } = at === null ? inherited : file.tree.place(file.tree.row(at) ?? 0);
  const from = source === 0 ? line : 1;
  const head = at === null ? heads.at(-1) : heads.find(({ lines }) => lines >= from);
  if (head !== undefined) return head;
  throw new FsError('EINVAL', {
    path: file.file,
    op: 'export',
    rule: 'a proof ends with a signed head',
    reason: `nothing of session ${file.id}${at === null ? '' : ` from entry ${at} on`} is signed; it is when a turn ends, and when the session is closed`,
  });
}

/** The sessions that one was forked from, the first one first, each up to the entry that was gone on from. */
function ancestors(file: SessionFile): { session: string; bytes: number }[] {
  const { parentSession, parentEntry } = file.header;
  if (parentSession === null) return [];
  const parent = new SessionFile(file.place, parentSession).refresh();
  try {
    const row = parent.tree.row(parentEntry ?? '');
    const { source, offset, length } = parent.tree.place(row ?? 0);
    if (row === undefined || source !== 0) throw lostParent(file, parentSession);
    const own = { session: parentSession, bytes: offset + length + 1 };
    return [...ancestors(parent), own];
  } finally {
    parent.close();
  }
}

const lostParent = ({ id, file }: SessionFile, parent: string): FsError =>
  new FsError('EIO', {
    path: file,
    op: 'export',
    rule: 'a fork is proven with what it was forked from',
    reason: `session ${id} goes on from an entry of ${parent} that is not there`,
  });

/**
 * Checks a proof, with nothing but the keys.
 * @param keys the public keys whose signatures count
 * @throws FsError EINVAL for a file that is no proof, or no whole one
 */
export function verifyProof(proof: string, keys: readonly string[]): Verdict {
  const folder = fs.mkdtempSync(join(tmpdir(), 'dirigent-proof-'));
  try {
    const place: SessionPlace = { ...sessionPlace(folder), anchor: null };
    const { session, head } = unpack(proof, place);
    const held = place.store.write(session);
    held.keepHead(JSON.stringify(head));
    held.release();
    return verifySession(place, session, { keys });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts what is in a proof where sessions are. Every name is an id or a hash, and of each there is one. */
function unpack(proof: string, place: SessionPlace): Manifest {
  const { manifest, end } = readManifest(proof);
  const { logs, blobs, session } = manifest;
  const names = [...logs.map((log) => log.session), ...blobs.map(({ hash }) => hash)];
  if (new Set(names).size < names.length) throw noProof(proof, 'it has something twice');
  if (logs.at(-1)?.session !== session)
    throw noProof(proof, `its last log is not that of session ${session}`);
  const whole = [...logs, ...blobs].reduce((sum, { bytes }) => sum + bytes, end);
  const size = fs.statSync(proof).size;
  if (whole !== size)
    throw noProof(proof, `it should have ${whole} bytes, and has ${size}: fetch it again`);
  let at = end;
  const unpackTo = (file: string, bytes: number): void => {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = fs.openSync(file, 'wx', 0o600);
    try {
      for (const piece of bytesOf(proof, at, bytes)) fs.writeFileSync(descriptor, piece);
    } finally {
      fs.closeSync(descriptor);
    }
    at += bytes;
  };
  for (const log of logs) unpackTo(place.store.where(log.session), log.bytes);
  for (const { hash, bytes } of blobs) unpackTo(place.blobs.file(hash), bytes);
  return manifest;
}

function readManifest(proof: string): { manifest: Manifest; end: number } {
  const read: Buffer[] = [];
  let end = 0;
  for (const piece of bytesOf(proof, 0, MAX_MANIFEST_BYTES)) {
    const newline = piece.indexOf(NEWLINE);
    read.push(newline === -1 ? piece : piece.subarray(0, newline));
    end += newline === -1 ? piece.length : newline + 1;
    if (newline === -1) continue;
    const parsed = manifestSchema.safeParse(jsonOf(Buffer.concat(read).toString()));
    if (parsed.success) return { manifest: parsed.data, end };
    break;
  }
  throw noProof(proof, 'its first line is not that of a proof');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const noProof = (path: string, reason: string): FsError =>
  new FsError('EINVAL', {
    path,
    op: 'verify',
    rule: 'a proof as "dirigent session export --proof" writes it',
    reason: `this is no proof of a session: ${reason}`,
  });

/** The first bytes of a log. */
function* bytesOfLog(place: SessionPlace, session: string, bytes: number): Generator<Buffer> {
  const log = new SessionFile(place, session);
  try {
    for (let done = 0; done < bytes; ) {
      const piece = log.bytes(done, Math.min(CHUNK, bytes - done));
      if (piece.length === 0) return;
      yield piece;
      done += piece.length;
    }
  } finally {
    log.close();
  }
}

/** The bytes of a part of a file, or as many as there are. */
function* bytesOf(file: string, from: number, bytes: number): Generator<Buffer> {
  const descriptor = fs.openSync(file, 'r');
  try {
    for (let done = 0; done < bytes; ) {
      const piece = Buffer.allocUnsafe(Math.min(CHUNK, bytes - done));
      const read = fs.readSync(descriptor, piece, 0, piece.length, from + done);
      if (read === 0) return;
      yield piece.subarray(0, read);
      done += read;
    }
  } finally {
    fs.closeSync(descriptor);
  }
}
