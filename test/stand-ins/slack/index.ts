/**
 * A Slack on loopback, for tests: start it, point the mount's `baseUrl` at it, break it as the real
 * service breaks, and read what was asked of it.
 */
import { type StandIn, standIn, startProcess } from '../process.ts';
import {
  type ChildOptions,
  type DumpedMessage,
  dumpSchema,
  type EditInput,
  editReplySchema,
  type FaultInput,
  type LoggedRequest,
  requestSchema,
} from './control.ts';
import type { SeedInput } from './model.ts';

export type { EditInput } from './control.ts';
export type { SeedInput } from './model.ts';

/** How to start. */
export interface SlackStandInOptions {
  seed: SeedInput;
  /** 0, the default, takes any free port. */
  port?: number;
  /** What is written is kept in this file, and served again by whoever starts with it. */
  keep?: string;
}

/** A running stand-in; `url` is for the mount's `baseUrl`. */
export interface SlackStandIn extends StandIn<FaultInput, LoggedRequest> {
  /** A write by someone else. @returns the message's ts; '' for what is none */
  edit(edit: EditInput): Promise<string>;
  /** Messages and answers that are there, oldest first. */
  dump(): Promise<DumpedMessage[]>;
  /** Begins again with a seed, without faults and with an empty log: cheaper than a new process. */
  reseed(seed: SeedInput): Promise<void>;
}

/**
 * Starts the stand-in in a child process of its own.
 * @throws Error with what the child wrote on stderr when it does not come up within 60 s
 */
export async function startSlackStandIn({
  seed,
  port = 0,
  keep,
}: SlackStandInOptions): Promise<SlackStandIn> {
  const child: ChildOptions = { seed, port, ...(keep === undefined ? {} : { keep }) };
  const file = new URL('./serve.ts', import.meta.url);
  const process = await startProcess('the Slack stand-in', file, child);
  const { common, controls } = standIn<FaultInput, LoggedRequest>(process, requestSchema);
  return {
    ...common,
    edit: async (edit) => (await controls.post('/edits', edit, editReplySchema)).ts,
    dump: () => controls.get('/dump', dumpSchema),
    reseed: (next) => controls.run('PUT', '/seed', next),
  };
}
