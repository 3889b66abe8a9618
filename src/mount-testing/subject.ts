/** A service under test: its stand-in, where things are in it, and what is written to it. */
import type { ServiceOptions } from '../mount/service/opening.ts';
import type { ServiceBench } from './bench.ts';

/**
 * What goes wrong between the mount and the service:
 * - `cut`: the connection breaks before the service has the request; `lost-answer`: after it was
 *   carried out; `cut-body`: in the middle of the answer;
 * - `server-error`: 500, and nothing was carried out; `slow`: the answer takes `ms` longer;
 * - `lag`: for `ms` listings do not know what was written: for stand-ins that can do that;
 * - `refused`: 401; `limited`: 429 with `Retry-After`; `garbled`: 200 with what is no JSON.
 *
 * It meets `times` requests, all by default, after `skip` others.
 */
export type LineFault = { times?: number; skip?: number } & (
  | {
      kind: 'cut' | 'cut-body' | 'lost-answer' | 'server-error' | 'refused' | 'limited' | 'garbled';
    }
  | { kind: 'lag' | 'slow'; ms: number }
);

/** A request that the service was sent; status null where the connection was cut. */
export interface AskedRequest {
  write: boolean;
  status: number | null;
  what: string;
}

/** A write: a file that is written, or (null) removed, and whether the service holds what it says. */
export interface TestedWrite<Held> {
  what: string;
  path: string;
  /** What is written, of what was read; '' is read of what makes something new. */
  content(before: string): string | null;
  /** How often it took effect, wholly. */
  made(held: Held): number;
}

/** A call of a program, and whether the service has carried it out. */
export interface TestedCall<Held> {
  what: string;
  /** Of the program. */
  path: string;
  args: readonly string[];
  stdin?: string;
  /** Words that do not fit: nothing is called. */
  wrong: readonly string[];
  /** How often it took effect; of what only reads, how often it was asked. */
  made(held: Held): number;
}

/** How a process of its own opens the mount. */
export interface Opener {
  /** The module whose default export is a `MountModule`: a URL. */
  module: string;
  baseUrl: string;
  token: string | undefined;
  options: Readonly<Record<string, unknown>>;
}

/** A running stand-in with its mount, as every trial sees it. `bench` begins the service anew. */
export interface Subject<Held> extends AsyncDisposable {
  readonly name: string;
  /** A directory that lists records, and one of these. */
  readonly places: { readonly list: string; readonly record: string };
  readonly writes: readonly TestedWrite<Held>[];
  readonly opener: Opener;
  /** Mounts of it on a new state directory; what the service held before is back. */
  bench(): Promise<ServiceBench<ServiceOptions> & Disposable>;
  /** From now on its requests meet the fault, until its times are over. */
  fault(fault: LineFault): Promise<void>;
  /** No request meets a fault any more. */
  clearFaults(): Promise<void>;
  /** The requests since the last call, oldest first. */
  asked(): Promise<AskedRequest[]>;
  /** What the service holds, for {@link TestedWrite.made}. */
  held(): Promise<Held>;
  /** Someone else makes a record with this title. */
  add?(title: string): Promise<void>;
  /** Someone else removes `places.record`. */
  removeRecord?(): Promise<void>;
}
