/**
 * A Notion on loopback, for tests and the demo: start it, point the client's `baseUrl` at it, break
 * it as the real service breaks, and read what was asked of it.
 */
import { type StandIn, type StandInProcess, standIn, startProcess } from '../process.ts';
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

export type { DumpedPage, EditInput, FaultInput } from './control.ts';
export type { PageSeed, SeedInput } from './model.ts';

/** How to start: `demo` is the workspace of the demo world. */
export interface NotionStandInOptions {
  seed?: 'demo' | SeedInput;
  /** 0, the default, takes any free port. */
  port?: number;
  /** What is written is kept in this file, and served again by whoever starts with it. */
  keep?: string;
}

/** A running stand-in; `url` is for the client's `baseUrl`. */
export interface NotionStandIn extends StandIn<FaultInput, LoggedRequest> {
  /** A write by someone else. @returns the id of the page or comment */
  edit(edit: EditInput): Promise<string>;
  /** Every page with its text. */
  dump(): Promise<DumpedPage[]>;
  /** Begins again with a seed, without faults and with an empty log: cheaper than a new process. */
  reseed(seed: 'demo' | SeedInput): Promise<void>;
}

function handle(process: StandInProcess): NotionStandIn {
  const { common, controls } = standIn<FaultInput, LoggedRequest>(process, requestSchema);
  const { run, get, post } = controls;
  return {
    ...common,
    edit: async (edit) => (await post('/edits', edit, editReplySchema)).id,
    dump: () => get('/dump', dumpSchema),
    reseed: (seed) => run('PUT', '/seed', seed),
  };
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 60 s
 */
export async function startNotionStandIn({
  seed = 'demo',
  port = 0,
  keep,
}: NotionStandInOptions = {}): Promise<NotionStandIn> {
  const child: ChildOptions = { seed, port, ...(keep === undefined ? {} : { keep }) };
  const file = new URL('./serve.ts', import.meta.url);
  return handle(await startProcess('the Notion stand-in', file, child));
}
