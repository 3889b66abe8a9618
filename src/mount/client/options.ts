/** What a client of a service is made with, and what the core asks of it. */

import type { Renewable } from '../../credentials/credential.ts';
import type { MountUsage } from '../contract/contract.ts';
import type { Allowance } from './budget.ts';

/** What a client is made with. */
export interface ClientOptions {
  /** Handed in by the host; it is in no file, no error and no database. */
  token?: string | undefined;
  /** Where the token is renewed: gives the one that is good now. Clients whose requests go through `fetch` need not ask it. */
  credential?: Renewable | undefined;
  /** Of a stand-in, or of a server of one's own. */
  baseUrl?: string | undefined;
  /** One request ends after so many ms; default 30,000. */
  timeoutMs?: number | undefined;
  /** For clients that take one. */
  fetch?: typeof fetch | undefined;
  /** The clock. */
  now: () => Date;
  /** Is what is asked at this moment asked behind the reads, and nobody waits for it? */
  isBehind?: () => boolean;
}

/** A line to a service, as far as opening goes. */
export interface ServiceClient {
  /** What it has spent since it was made. */
  usage(): MountUsage;
  /** Is so little left of a limit that only what somebody waits for may be asked? */
  readonly isLow?: boolean;
  /** What is left of its limit; where it tells. */
  readonly allowance?: Allowance | null;
  /** The part of an hour's limit that all that was asked behind the reads has used so far; by requests without it. */
  readonly behindShare?: number;
}
