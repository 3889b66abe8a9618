/** A call of the namespace from outside the worker, and what came of it: plain data. */
import type { Errno } from '../errors.ts';
import type { Made } from '../namespace/inspect.ts';

/** The methods of the namespace that `world.fs` passes on. */
export const FS_METHODS = [
  'readFile',
  'readFileBuffer',
  'readFileBytes',
  'writeFile',
  'appendFile',
  'checkWrite',
  'make',
  'costly',
  'exists',
  'stat',
  'lstat',
  'inspect',
  'locate',
  'stamp',
  'mkdir',
  'readdir',
  'readdirWithFileTypes',
  'rm',
  'cp',
  'mv',
  'chmod',
  'symlink',
  'link',
  'readlink',
  'realpath',
  'utimes',
] as const;

export type FsMethod = (typeof FS_METHODS)[number];

/** One call of the namespace: plain data. */
export type FsCall = readonly [method: FsMethod, ...args: unknown[]];

/** What came of calls that were made one after the other, up to the first that failed. */
export interface FsAnswer {
  /** Of those that were done. */
  values: unknown[];
  /** Of the one after them, after which no more were made. */
  error?: ErrorOnTheWire;
}

/** An error on its way between threads. */
export type ErrorOnTheWire = WireError | WireConfigError | { message: string };

/** A `ConfigError` on its way between threads. */
export interface WireConfigError {
  config: string;
  message: string;
}

/** An `FsError` on its way between threads. */
export interface WireError {
  code: Errno;
  path: string;
  op: string;
  rule?: string;
  reason?: string;
}

/** The methods that change what their first argument names, or their first two. */
const CHANGES_FIRST: ReadonlySet<FsMethod> = new Set<FsMethod>([
  'writeFile',
  'appendFile',
  'make',
  'mkdir',
  'rm',
  'chmod',
  'utimes',
]);
const CHANGES_BOTH: ReadonlySet<FsMethod> = new Set<FsMethod>(['cp', 'mv', 'symlink', 'link']);

/** What a call changes. */
export function changedPaths([method, ...args]: FsCall): string[] {
  const named = CHANGES_BOTH.has(method) ? 2 : CHANGES_FIRST.has(method) ? 1 : 0;
  return args.slice(0, named).map(String);
}

/** A file is made unless something is there, or it is told whole at its close. */
function hasChanged(calls: readonly FsCall[], values: readonly unknown[], index: number): boolean {
  return calls[index]?.[0] !== 'make' || (values[index] as Made).made !== null;
}

/** What calls have changed, of which so many were done as there are values. */
export const changedBy = (calls: readonly FsCall[], values: readonly unknown[]): string[] =>
  calls
    .slice(0, values.length)
    .filter((_, index) => hasChanged(calls, values, index))
    .flatMap(changedPaths);
