/** The changes of a memory mount. */

/** One change. `at` is the time of it, in ms since the epoch. Survives structuredClone. */
export type MemoryOp =
  | { op: 'write'; path: string; data: Uint8Array; at: number; mode?: number }
  | { op: 'append'; path: string; data: Uint8Array; at: number }
  /** A new file whose content is kept elsewhere under its hash, and loaded when it is read. */
  | { op: 'stored'; path: string; hash: string; size: number; at: number; mode: number }
  | { op: 'mkdir'; path: string; at: number; mode?: number }
  | { op: 'unlink'; path: string; at: number }
  | { op: 'rmdir'; path: string; at: number }
  | { op: 'rename'; path: string; to: string; at: number }
  | { op: 'symlink'; path: string; target: string; at: number }
  | { op: 'link'; path: string; existing: string; at: number }
  | { op: 'chmod'; path: string; mode: number }
  | { op: 'utimes'; path: string; at: number };
