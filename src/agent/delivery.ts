/**
 * Messages of a queue, as a turn meets them. Which message a prompt came with stands in the log
 * beside it and beside the end of its turn, so that after a kill it is known what became of it.
 */

/** A message of a queue. */
export interface Delivery {
  /** Its id in the queue. */
  message: string;
  /** 0 at first; one more each time that its turn is gone on with. */
  part: number;
}

/** What was said while a turn runs. */
export interface Steered {
  text: string;
  /** The services whose text is in it. */
  untrusted?: readonly string[];
  delivery: Delivery;
}

/** With this a turn's signal is aborted that is not to end, but to be gone on with later. */
export class TurnParked extends Error {
  override readonly name = 'TurnParked';

  constructor() {
    super('the turn waits for a person, and is parked');
  }
}

export const isParked = (signal: AbortSignal): boolean => signal.reason instanceof TurnParked;
