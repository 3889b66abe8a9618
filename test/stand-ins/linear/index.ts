/**
 * A Linear on loopback, for tests and the demo: start it, point the SDK's `apiUrl` at it, break it
 * as the real service breaks, and read what was asked of it.
 */
import { type StandIn, standIn, startProcess } from '../process.ts';
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
export type { Issue, SeedData, SeedInput } from './model.ts';

export interface LinearStandInOptions {
  /** `demo` tells the story of the GitHub demo from the inside: incidents and what follows of them. */
  seed?: 'demo' | SeedInput;
  /** 0, the default, takes any free port. */
  port?: number;
  /** What is written is kept in this file, and served again by whoever starts with it. */
  keep?: string;
}

/** A running stand-in; `url` is for the SDK's `apiUrl`. */
export interface LinearStandIn extends StandIn<FaultInput, LoggedRequest> {
  /** Sets how many requests are left in this hour. */
  setRequestsLeft(requests: number): Promise<void>;
  /** Are fields that Linear has deprecated still answered? By default they are refused. */
  answerDeprecated(answered: boolean): Promise<void>;
  /** A write by someone else. @returns the record's id */
  edit(edit: Edit): Promise<string>;
  /** The whole store, in the shape of a seed. */
  dump(): Promise<SeedData>;
  /** Begins again with a seed, without faults and with an empty log: cheaper than a new process. */
  reseed(seed: 'demo' | SeedInput): Promise<void>;
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 60 s
 */
export async function startLinearStandIn({
  seed = 'demo',
  port = 0,
  keep,
}: LinearStandInOptions = {}): Promise<LinearStandIn> {
  const child: ChildOptions = { seed, port, ...(keep === undefined ? {} : { keep }) };
  const file = new URL('./serve.ts', import.meta.url);
  const process = await startProcess('the Linear stand-in', file, child);
  const { common, controls } = standIn<FaultInput, LoggedRequest>(process, requestSchema);
  const { run, get, post } = controls;
  return {
    ...common,
    url: `${process.url}/graphql`,
    setRequestsLeft: (requests) => run('PUT', '/limits', { requests }),
    answerDeprecated: (answered) => run('PUT', '/deprecated', { answered }),
    edit: async (edit) => (await post('/edits', edit, editReplySchema)).id,
    dump: () => get('/dump', seedSchema),
    reseed: (next) => run('PUT', '/seed', next),
  };
}
