/** Searches bytes, files and trees for credentials. */
import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MARK } from './tokens.ts';

/** As it is, as UTF-16, and as base64 has it at each of the three places where it can begin. */
const PATTERNS: readonly Buffer[] = [
  Buffer.from(MARK),
  Buffer.from(MARK, 'utf16le'),
  ...[0, 1, 2].map((shift) => Buffer.from(base64Core(shift))),
];

/** How much is looked at in one piece, in bytes. */
const PIECE = 16 * 1024 * 1024;
const OVERLAP = Math.max(...PATTERNS.map(({ length }) => length));

/** What was searched, and where something was found. */
export interface Searched {
  directories: number;
  files: number;
  bytes: number;
  /** How many files there were of a name. */
  names: Map<string, number>;
  /** Paths with the offset and the bytes around it. */
  found: string[];
}

/** Where the first credential begins, and what stands around it; null where there is none. */
export function findIn(data: Uint8Array): { offset: number; around: string } | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (const pattern of PATTERNS) {
    const offset = bytes.indexOf(pattern);
    if (offset < 0) continue;
    const around = bytes.subarray(Math.max(0, offset - 60), offset + pattern.length + 20);
    return { offset, around: JSON.stringify(around.toString('latin1')) };
  }
  return null;
}

/** Searches every file below a directory; links are not followed. */
export function searchTree(root: string): Searched {
  const searched: Searched = { directories: 0, files: 0, bytes: 0, names: new Map(), found: [] };
  const visit = (directory: string): void => {
    searched.directories += 1;
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) searchFile(path, entry.name, searched);
    }
  };
  visit(root);
  return searched;
}

function searchFile(path: string, name: string, searched: Searched): void {
  searched.files += 1;
  searched.names.set(name, (searched.names.get(name) ?? 0) + 1);
  const { size } = lstatSync(path);
  const piece = Buffer.alloc(Math.min(size, PIECE + OVERLAP));
  const file = openSync(path, 'r');
  try {
    for (let at = 0; at < size; at += PIECE) {
      const length = readSync(file, piece, 0, piece.length, at);
      const hit = findIn(piece.subarray(0, length));
      if (hit === null) continue;
      searched.found.push(`${path} at ${at + hit.offset}: ${hit.around}`);
      break;
    }
  } finally {
    closeSync(file);
  }
  searched.bytes += size;
}

/** The part of the mark's base64 that does not depend on what stands before and behind it. */
function base64Core(shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(MARK)]).toString('base64');
  const whole = Math.floor((shift + MARK.length) / 3) * 4;
  return text.slice(shift === 0 ? 0 : 4, whole);
}
