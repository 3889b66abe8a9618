/** What a row of the queue is: one message, and what became of its turn. */
import type { TurnStatus } from '../../agent/turn-result.ts';
import type { Author } from '../../policy/author.ts';

/**
 * - `queued`: it waits for its turn;
 * - `running`: its turn runs, or it was said to the turn that does;
 * - `parked`: its turn waits for a person, and costs nothing until they have answered;
 * - `done`: its turn has ended, by itself or at a limit;
 * - `failed`: its turn could not begin, or ended with an error;
 * - `stopped`: a person has stopped it;
 * - `interrupted`: its process ended during the turn; it is not run again by itself;
 * - `expired`: nobody has answered for a week.
 */
export const QUEUE_STATES = [
  'queued',
  'running',
  'parked',
  'done',
  'failed',
  'stopped',
  'interrupted',
  'expired',
] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

/** `steer`: it is for the turn that runs, if one does. */
export const DELIVERY_MODES = ['queue', 'steer'] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** What came of a turn. */
export interface TurnOutcome {
  status: TurnStatus | 'interrupted' | 'expired' | 'refused';
  /** The answer; absent where it is not known. */
  text?: string;
  /** What went wrong, in a sentence. */
  error?: string;
  steps?: number;
  usage?: { inputTokens: number; outputTokens: number };
}

/** A message on its way. Times are ms since the epoch. */
export interface QueuedTurn {
  id: string;
  session: string;
  /** What brought it: `api`, `schedule` …, and for clients their name. */
  source: string;
  /** The id that its source gave it: it is taken once. */
  sourceId: string;
  /** Who said it, and with which agent's rights. */
  actor: string;
  agent: string | null;
  model: string | null;
  text: string;
  /** Who wrote it, where that was not the actor. */
  author: Author | null;
  /** Services whose text is in it. */
  untrusted: readonly string[];
  mode: DeliveryMode;
  /** It begins with a plan. */
  plan: boolean;
  state: QueueState;
  /** It waits until this one releases it. */
  heldBy: string | null;
  /** How often it was gone on with after it had been parked. */
  part: number;
  /** The requests for approval that its turn waits for, or has waited for. */
  approvals: readonly string[];
  /** The questions, likewise. */
  questions: readonly string[];
  createdAt: number;
  takenAt: number | null;
  endedAt: number | null;
  outcome: TurnOutcome | null;
}

/** What a message is made of. */
export type TurnDraft = Pick<QueuedTurn, 'session' | 'source' | 'sourceId' | 'actor' | 'text'> &
  Partial<Pick<QueuedTurn, 'agent' | 'model' | 'author' | 'untrusted' | 'mode' | 'plan'>>;

const ENDED: ReadonlySet<QueueState> = new Set([
  'done',
  'failed',
  'stopped',
  'interrupted',
  'expired',
]);

/** Is nothing more to come of it? */
export const hasEnded = ({ state }: Pick<QueuedTurn, 'state'>): boolean => ENDED.has(state);

/** The state of a message whose turn has ended so. */
export function stateAfter(status: TurnOutcome['status']): QueueState {
  switch (status) {
    case 'error':
    case 'refused':
      return 'failed';
    case 'steps':
    case 'budget':
      return 'done';
    default:
      return status;
  }
}

/** A message as clients are told of it. */
export const toldTurn = ({ author: _, untrusted: __, heldBy: ___, ...turn }: QueuedTurn) => ({
  ...turn,
  approvals: [...turn.approvals],
  questions: [...turn.questions],
  outcome: turn.outcome === null ? null : { ...turn.outcome },
});
