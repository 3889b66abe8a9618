/** Telling the mounts of a world what their services have said by themselves. */
import type { Heard, Told } from '../mount/contract/webhook.ts';
import type { Call } from './job.ts';

/** What a mount made of what it was told. */
export interface HeardEvents {
  /** One for each event; null where nothing is mounted there that is told such things. */
  heard: readonly Heard[] | null;
  /** What could not be asked for again, in sentences. */
  notices: readonly string[];
}

/** Tells the mount at a point, in the worker. */
export async function hearThrough(
  supervisor: { call(request: Call): Promise<unknown> },
  point: string,
  events: readonly Told[],
): Promise<HeardEvents> {
  return (await supervisor.call({ type: 'hear', point, events })) as HeardEvents;
}
