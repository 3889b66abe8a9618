/** What a shim is made with. A shim is a command that replaces a built-in one. */
import type { Command } from 'just-bash';
import type { Capacity, Mode } from '../mount/contract.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import type { SearchService } from '../search/contract.ts';
import type { ShellTerminal } from './terminal.ts';

/** A mount, as commands may know of it. */
export interface MountedAt {
  point: string;
  /** `memory`, `disk`, `github` … */
  kind: string;
  /** The mode of the mount as a whole; single paths may have another. */
  mode: Mode;
  /** null where nobody can tell. */
  capacity(): Capacity | null;
}

/** What the world hands to every shim. */
export interface ShimHost {
  fs: NamespaceFs;
  search: SearchService;
  /** The terminal of the command that runs; null where nobody sits at one. */
  terminal?: (() => ShellTerminal | null) | undefined;
  /** All mounts, the longest mount point last. */
  mounts?: (() => readonly MountedAt[]) | undefined;
}

/** Programs that run scripts of other languages: a deployment has those that its config turns on. */
export interface Programs {
  python: boolean;
}

/** A shim module's default form: made once a world, with what it needs handed in. */
export type ShimFactory = (host: ShimHost) => Command[];
