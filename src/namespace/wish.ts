/** What a namespace is asked to do, as the gate, the hooks and a person are asked about it. */
import type { CallFacts, Operation } from '../policy/gate.ts';
import type { Place } from './table.ts';

/** An operation on a place. */
export interface Wish {
  op: Operation;
  place: Place;
  /** What it would do there; absent where the operation says it all. */
  intent?: Intent;
  /** Of a call of a program; what it would send is the intent's `data`. */
  call?: CallFacts;
  /** It is about the entry itself, and not about what that links to; by default as the operation is. */
  onEntry?: boolean;
}

/** What an operation would put in its place, or set there. */
export interface Intent {
  /** What is written, or added at the end. */
  data?: Uint8Array;
  /** What is moved here, or gets its second name here. */
  from?: Place;
  /** Where what is moved goes. */
  to?: Place;
  /** Of a symbolic link. */
  target?: string;
  /** Permission bits. */
  mode?: number;
  mtime?: Date;
}

/** That all of a set may be done, and what is known of it by then. */
export interface Permission {
  /** By path: what the hooks saw, or put in its place, and so what is to be written. */
  data: ReadonlyMap<string, Uint8Array>;
  /** Did a hook put other data in the place of what it was shown? */
  replaced: boolean;
  /** By path: what content a person approved; null where nobody was asked. */
  approved: ReadonlyMap<string, string> | null;
}
