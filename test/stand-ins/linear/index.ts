/**
 * A Linear on loopback, for tests and the demo: start it, point the SDK's `apiUrl` at it, break it
 * as the real service breaks, and read what was asked of it.
 */
import { z } from 'zod';
import { startProcess } from '../process.ts';
import {
  type ChildOptions,
  type Edit,
  editReplySchema,
  type FaultInput,
  type LoggedRequest,
  requestSchema,
} from './control.ts';
import { type SeedData, type SeedInput, seedSchema } from './model.ts';

export type { Edit, FaultInput, LoggedRequest } from './control.ts';
export type { Comment, Issue, Row, SeedData, SeedInput } from './model.ts';
export { demoSeed } from './seed.ts';

export interface LinearStandInOptions {
  /** `demo` tells the story of the GitHub demo from the inside: incidents and what follows of them. */
  seed?: 'demo' | SeedInput;
  /** 0, the default, takes any free port. */
  port?: number;
}

/** A running stand-in. Every method but `close` is one request to its control surface. */
export interface LinearStandIn extends AsyncDisposable {
  /** For the SDK's `apiUrl`. */
  readonly url: string;
  /** The first API key of the seed. */
  readonly token: string;
  readonly pid: number;
  /** Requests since the start or the last reset, oldest first. */
  requests(): Promise<LoggedRequest[]>;
  resetRequests(): Promise<void>;
  /** Switches a fault on. Faults are asked in the order in which they were added. */
  fault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
  /** Sets how many requests are left in this hour. */
  setRequestsLeft(requests: number): Promise<void>;
  /** A write by someone else. @returns the record's id */
  edit(edit: Edit): Promise<string>;
  /** The whole store, in the shape of a seed. */
  dump(): Promise<SeedData>;
  /** Begins again with another seed, no faults and an empty log. */
  reset(seed: SeedInput): Promise<void>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 15 s
 */
export async function startLinearStandIn(
  options: LinearStandInOptions = {},
): Promise<LinearStandIn> {
  const { seed = 'demo', port = 0 } = options;
  const child: ChildOptions = { seed: seed === 'demo' ? seed : seedSchema.parse(seed), port };
  const file = new URL('./child.ts', import.meta.url);
  const { control, close, url, ...running } = await startProcess(
    'the Linear stand-in',
    file,
    child,
  );
  const run = async (method: string, path: string, body?: unknown): Promise<void> => {
    await control({ method, path, body }, z.object({}));
  };
  return {
    ...running,
    url: `${url}/graphql`,
    requests: () => control({ method: 'GET', path: '/requests' }, requestSchema.array()),
    resetRequests: () => run('DELETE', '/requests'),
    fault: (fault) => run('POST', '/faults', fault),
    clearFaults: () => run('DELETE', '/faults'),
    setRequestsLeft: (requests) => run('PUT', '/limits', { requests }),
    edit: async (edit) =>
      (await control({ method: 'POST', path: '/edits', body: edit }, editReplySchema)).id,
    dump: () => control({ method: 'GET', path: '/dump' }, seedSchema),
    reset: (next) => run('POST', '/reset', seedSchema.parse(next)),
    close,
    [Symbol.asyncDispose]: close,
  };
}
