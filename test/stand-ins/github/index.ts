/**
 * A GitHub on loopback, for tests and the demo: start it, point Octokit's `baseUrl` at it, break it
 * as the real service breaks, and read what was asked of it.
 */
import { z } from 'zod';
import { type StandInProcess, startProcess } from '../process.ts';
import {
  type ChildOptions,
  type Counters,
  countersSchema,
  type EditInput,
  editReplySchema,
  type FaultInput,
  type LoggedRequest,
  type RateLimitInput,
  requestSchema,
} from './control.ts';
import { type SeedData, seedDataSchema } from './model.ts';

export type { Counters, EditInput, FaultInput, LoggedRequest, RateLimitInput } from './control.ts';
export type { Comment, Issue, RepositoryData, SeedData } from './model.ts';
export { demoSeed, emptySeed } from './seed.ts';

/** How to start: `demo` has 300 issues and pull requests, `empty` one repository with none. */
export interface GithubStandInOptions {
  seed?: 'demo' | 'empty' | SeedData;
  /** 0, the default, takes any free port. */
  port?: number;
}

/** A running stand-in. Every method but `close` is one request to its control surface. */
export interface GithubStandIn extends AsyncDisposable {
  /** For Octokit's `baseUrl`; without a slash at the end. */
  readonly url: string;
  /** The first token of the seed, with push access to the demo's repositories. */
  readonly token: string;
  readonly pid: number;
  /** Requests since the start or the last reset, oldest first. */
  requests(): Promise<LoggedRequest[]>;
  resetRequests(): Promise<void>;
  counters(): Promise<Counters>;
  /** Switches a fault on. Faults are asked in the order in which they were added. */
  fault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
  /** Sets what is left of the primary limit, for every token. */
  setRateLimit(limit: RateLimitInput): Promise<void>;
  /** A write by someone else. @returns id of the issue or comment, and the issue's number */
  edit(edit: EditInput): Promise<{ id: number; number: number }>;
  /** The whole store, in the shape of a seed. */
  dump(): Promise<SeedData>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

function handle({ control, close, ...running }: StandInProcess): GithubStandIn {
  const nothing = z.object({});
  const run = async (method: string, path: string, body?: unknown): Promise<void> => {
    await control({ method, path, body }, nothing);
  };
  const get = <Result>(path: string, schema: z.ZodType<Result>): Promise<Result> =>
    control({ method: 'GET', path }, schema);
  return {
    ...running,
    requests: () => get('/requests', z.array(requestSchema)),
    resetRequests: () => run('DELETE', '/requests'),
    counters: () => get('/counters', countersSchema),
    fault: (fault) => run('POST', '/faults', fault),
    clearFaults: () => run('DELETE', '/faults'),
    setRateLimit: (limit) => run('PUT', '/rate-limit', limit),
    edit: (edit) => control({ method: 'POST', path: '/edits', body: edit }, editReplySchema),
    dump: () => get('/dump', seedDataSchema),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 15 s
 */
export async function startGithubStandIn(
  options: GithubStandInOptions = {},
): Promise<GithubStandIn> {
  const child: ChildOptions = { seed: options.seed ?? 'demo', port: options.port ?? 0 };
  const file = new URL('./child.ts', import.meta.url);
  return handle(await startProcess('the GitHub stand-in', file, child));
}
