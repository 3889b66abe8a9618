/**
 * A GitHub on loopback, for tests and the demo: start it, point Octokit's `baseUrl` at it, break it
 * as the real service breaks, and read what was asked of it.
 */
import { type StandIn, type StandInProcess, standIn, startProcess } from '../process.ts';
import {
  type ChildOptions,
  type Counters,
  countersSchema,
  type EditInput,
  editReplySchema,
  type FaultInput,
  type FilesInput,
  type LoggedRequest,
  type PagingInput,
  type RateLimitInput,
  requestSchema,
  type Seed,
} from './control.ts';
import { type SeedData, seedDataSchema } from './model.ts';

export type { Counters, EditInput, FaultInput, LoggedRequest, RateLimitInput } from './control.ts';
export type { Comment, Issue, RepositoryData, SeedData } from './model.ts';
export { demoSeed, emptySeed } from './seed.ts';

export interface GithubStandInOptions {
  /** `demo` has 300 issues and pull requests, `empty` one repository with none. */
  seed?: Seed;
  /** 0, the default, takes any free port. */
  port?: number;
  /** What is written is kept in this file, and served again by whoever starts with it. */
  keep?: string;
}

/** A running stand-in. The first token has push access to the demo's repositories. */
export interface GithubStandIn extends StandIn<FaultInput, LoggedRequest> {
  counters(): Promise<Counters>;
  /** Sets what is left of the primary limit, for every token. */
  setRateLimit(limit: RateLimitInput): Promise<void>;
  /** Says how trees and archives are given out; what is not named is as at the service. */
  setFiles(given: FilesInput): Promise<void>;
  /** How listings of much end; what is not given is as the service has it. */
  setPaging(paging: PagingInput): Promise<void>;
  /** Sends what happens there, signed with a secret. */
  setHook(hook: { url: string; secret: string } | null): Promise<void>;
  /** A write by someone else. @returns id of the issue or comment, and the issue's number */
  edit(edit: EditInput): Promise<{ id: number; number: number }>;
  /** The whole store, in the shape of a seed. */
  dump(): Promise<SeedData>;
  /** Begins again with a seed, without faults and with an empty log: cheaper than a new process. */
  reseed(seed: Seed): Promise<void>;
}

function handle(process: StandInProcess): GithubStandIn {
  const { common, controls } = standIn<FaultInput, LoggedRequest>(process, requestSchema);
  const { run, get, post } = controls;
  return {
    ...common,
    counters: () => get('/counters', countersSchema),
    setRateLimit: (limit) => run('PUT', '/rate-limit', limit),
    setFiles: (given) => run('PUT', '/files', given),
    setPaging: (paging) => run('PUT', '/paging', paging),
    setHook: (hook) => run('PUT', '/hook', hook),
    edit: (edit) => post('/edits', edit, editReplySchema),
    dump: () => get('/dump', seedDataSchema),
    reseed: (seed) => run('PUT', '/seed', seed),
  };
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 60 s
 */
export async function startGithubStandIn({
  seed = 'demo',
  port = 0,
  keep,
}: GithubStandInOptions = {}): Promise<GithubStandIn> {
  const child: ChildOptions = { seed, port, ...(keep === undefined ? {} : { keep }) };
  const file = new URL('./serve.ts', import.meta.url);
  return handle(await startProcess('the GitHub stand-in', file, child));
}
