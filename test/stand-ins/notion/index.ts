/**
 * A Notion on loopback, for tests and the demo: start it, point the client's `baseUrl` at it, break
 * it as the real service breaks, and read what was asked of it.
 */
import { z } from 'zod';
import { type StandInProcess, startProcess } from '../process.ts';
import {
  type ChildOptions,
  type DumpedPage,
  dumpSchema,
  type EditInput,
  editReplySchema,
  type FaultInput,
  type LoggedRequest,
  requestSchema,
} from './control.ts';
import type { SeedInput } from './model.ts';

export type { DumpedPage, EditInput, FaultInput, LoggedRequest } from './control.ts';
export type { PageSeed, SeedInput } from './model.ts';
export { DEMO_TOKEN, demoSeed } from './seed.ts';

/** How to start: `demo` is the workspace of the demo world. */
export interface NotionStandInOptions {
  seed?: 'demo' | SeedInput;
  /** 0, the default, takes any free port. */
  port?: number;
}

/** A running stand-in. Every method but `close` is one request to its control surface. */
export interface NotionStandIn extends AsyncDisposable {
  /** For the client's `baseUrl`; without a slash at the end. */
  readonly url: string;
  /** The first token of the seed. */
  readonly token: string;
  readonly pid: number;
  /** Requests since the start or the last reset, oldest first. */
  requests(): Promise<LoggedRequest[]>;
  resetRequests(): Promise<void>;
  /** Switches a fault on. Faults are asked in the order in which they were added. */
  fault(fault: FaultInput): Promise<void>;
  clearFaults(): Promise<void>;
  /** A write by someone else. @returns the id of the page or comment */
  edit(edit: EditInput): Promise<string>;
  /** Every page with its text. */
  dump(): Promise<DumpedPage[]>;
  /** Begins again with a seed, without faults and with an empty log: cheaper than a new process. */
  reseed(seed: 'demo' | SeedInput): Promise<void>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

function handle({ url, token, pid, control, close }: StandInProcess): NotionStandIn {
  const nothing = z.object({});
  const run = async (method: string, path: string, body?: unknown): Promise<void> => {
    await control({ method, path, body }, nothing);
  };
  const get = <Result>(path: string, schema: z.ZodType<Result>): Promise<Result> =>
    control({ method: 'GET', path }, schema);
  return {
    url,
    token,
    pid,
    requests: () => get('/requests', z.array(requestSchema)),
    resetRequests: () => run('DELETE', '/requests'),
    fault: (fault) => run('POST', '/faults', fault),
    clearFaults: () => run('DELETE', '/faults'),
    edit: async (edit) =>
      (await control({ method: 'POST', path: '/edits', body: edit }, editReplySchema)).id,
    dump: () => get('/dump', dumpSchema),
    reseed: (seed) => run('PUT', '/seed', { seed }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 15 s
 */
export async function startNotionStandIn(
  options: NotionStandInOptions = {},
): Promise<NotionStandIn> {
  const child: ChildOptions = { seed: options.seed ?? 'demo', port: options.port ?? 0 };
  const file = new URL('./child.ts', import.meta.url);
  return handle(await startProcess('the Notion stand-in', file, child));
}
