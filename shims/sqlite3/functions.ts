/** The functions that sqlite3 has and SQLite's library has not. */
import { createHash } from 'node:crypto';
import { type Bridge, CallFailed } from '../support/program/bridge.ts';
import type { Database } from './engine.ts';
import type { Value } from './sqlite-wasm.ts';

const SHA3_SIZES = new Set([224, 256, 384, 512]);

/** The files that functions read and write. */
export interface FunctionFiles {
  bridge: Bridge;
  /** The path in the namespace of a file as it is named. */
  path(file: string): string;
}

/** Adds them to a connection. */
export function addFunctions(database: Database, files: FunctionFiles): void {
  const patterns = new Map<string, RegExp>();
  database.define('regexp', 2, (pattern, text) => {
    if (pattern === null || text === null) return null;
    const source = textOf(pattern);
    const compiled = patterns.get(source) ?? new RegExp(source, 'su');
    patterns.set(source, compiled);
    return compiled.test(textOf(text)) ? 1 : 0;
  });
  for (const arity of [1, 2]) {
    database.define('sha3', arity, (value, size = 256) => sha3(value, Number(size)));
  }
  database.define('readfile', 1, (file) => readFile(files, file));
  for (const arity of [2, 3, 4]) {
    database.define('writefile', arity, (file, data) => writeFile(files, file, data));
  }
}

function textOf(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : String(value);
}

function bytesOf(value: Value): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(value === null ? '' : String(value));
}

function sha3(value: Value, size: number): Uint8Array | null {
  if (value === null) return null;
  if (!SHA3_SIZES.has(size)) throw new Error('SHA3 size should be one of: 224 256 384 512');
  // A Buffer is not taken for bytes.
  return new Uint8Array(createHash(`sha3-${size}`).update(bytesOf(value)).digest());
}

/** NULL where there is no such file. */
function readFile(files: FunctionFiles, file: Value): Uint8Array | null {
  if (file === null) return null;
  try {
    return new Uint8Array(files.bridge.call('read', files.path(textOf(file))));
  } catch (error) {
    if (error instanceof CallFailed) return null;
    throw error;
  }
}

/** The number of bytes; NULL for no file. */
function writeFile(files: FunctionFiles, file: Value, data: Value): number | null {
  if (file === null) return null;
  const name = textOf(file);
  const bytes = bytesOf(data);
  try {
    files.bridge.call('write', files.path(name), bytes);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    throw new Error(`failed to write file: ${name}`);
  }
  return bytes.length;
}
