/**
 * What the door and the process that serves the kernel say to each other. All of
 * it is plain data. The process has the mount and the open files, and a line to
 * the world, to which the door lets it in.
 */
import type { ErrorOnTheWire } from '../../world/fs-call.ts';
import type { LineAddress, LostLine } from '../../world/line/protocol.ts';

/** What the process has to know of the world before it is asked. */
export interface MountPlan {
  /** Where on the host, absolute, links resolved. */
  directory: string;
  /** Where programs see it, if that is another path: '' is their root. */
  seenAt?: string;
  /** Points of mounts whose files are written as a whole, by a close: services, and forms that are checked. */
  services: readonly string[];
  /** Points of mounts in memory, of which nobody outside the world has a part. */
  inMemory: readonly string[];
  /** Points of other mounts inside of those. */
  elsewhere: readonly string[];
  /** The socket at which the grep of real shells asks. */
  socket: string;
  /** A directory of the host in which the world comes to the process, this user's alone. */
  place: string;
}

export type ToServer =
  | { type: 'mount'; plan: MountPlan }
  /** The world has come to where it was asked for, or why it cannot. */
  | { type: 'line'; lost: LostLine }
  | { type: 'line'; error: ErrorOnTheWire }
  /** Nobody else uses the world, until this is given back. @see LeaseHolder */
  | { type: 'lease'; lease: number }
  | { type: 'recall'; lease: number }
  /** What is known was allowed by rules that are others now. */
  | { type: 'forget' }
  | { type: 'unmount' };

export type FromServer =
  | { type: 'mounted' }
  | { type: 'failed'; message: string }
  /** The process waits there for the world. One is asked for at a time. */
  | { type: 'line'; address: LineAddress }
  /** Nothing is put off any more. */
  | { type: 'returned'; lease: number }
  /** Something that nobody could be told by an errno. */
  | { type: 'trouble'; message: string };
