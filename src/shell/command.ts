/** What a shim is made with. A shim is a command that replaces a built-in one. */
import type { Command } from 'just-bash';
import { brand } from '../errors.ts';
import type { Capacity, Mode } from '../mount/contract/contract.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import type { SearchService } from '../search/contract.ts';
import type { HostPrograms } from './host-programs.ts';
import type { ShellTerminal } from './terminal.ts';

/** A mount, as commands may know of it. */
export interface MountedAt {
  point: string;
  /** `memory`, `disk`, `tracker` … */
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
  /** null where no host is allowed. */
  network?: Network | null | undefined;
  /** Programs of the host; null where the deployment names none. */
  programs?: HostPrograms | null | undefined;
}

/** One HTTP request; redirects are not followed. */
export interface NetworkRequest {
  method: string;
  /** http: or https: */
  url: string;
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  body: Buffer | null;
  /** Milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** What came of it. The text is nobody's whom one should trust. */
export interface NetworkAnswer {
  status: number;
  statusText: string;
  httpVersion: string;
  /** In their order, names as they were sent. */
  headers: ReadonlyArray<readonly [name: string, value: string]>;
  body: Buffer;
  /** The address that was connected to. */
  address: string;
}

/** Does a header of that name say who asks? Such a value is shown to nobody, and sent to no other origin. */
export const isPrivateHeader = (name: string): boolean =>
  /auth|cookie|key|token|secret|passw|session|credential|signature/i.test(name);

/** Why nothing came of a request; `refused` is said by the config or the policy. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly kind: 'refused' | 'name' | 'connect' | 'timeout' | 'tls' | 'other';

  constructor(kind: NetworkError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }

  static {
    brand(NetworkError, 'NetworkError');
  }
}

/** The hosts that a deployment allows. */
export interface Network {
  allow: readonly string[];
  /** @throws NetworkError */
  ask(request: NetworkRequest): Promise<NetworkAnswer>;
}

/** Programs that run scripts of other languages: a deployment has those that its config turns on. */
export interface Programs {
  python: boolean;
  node: boolean;
  /** The command `run`, for programs of the host. */
  host: boolean;
}

/** A shim module's default form: made once a world, with what it needs handed in. */
export type ShimFactory = (host: ShimHost) => Command[];

/** The default export of a module of commands that a deployment brings along: its config names it in `shims`. */
export type CommandModule = (host: ShimHost) => Command[] | Promise<Command[]>;
