/** A conversation with an editor: its turns, and what is told of them in their order. */
import {
  type AgentContext,
  methods,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { TurnStatus } from '../../agent/turn-result.ts';
import { ConfigError, isFsError, sentenceOf } from '../../errors.ts';
import { isTransient, type SessionEvent } from '../../session/events.ts';
import { CHANGED } from '../../world/recorder.ts';
import type { Visit } from '../door.ts';
import type { Names } from './names.ts';
import { isPlan, planOf } from './plan.ts';
import { replayOf, updateOf } from './updates.ts';

/** One conversation of the editor's. */
export interface Conversation {
  visit: Visit;
  names: Names;
  /** Ends the turn that runs; null while none does. */
  running: AbortController | null;
  /** Events that were passed on. */
  passed: number;
  /** Its turns begin with a plan. */
  plan: boolean;
  /** A file is read for the one that is next. */
  isReading: boolean;
  ended: AbortController;
}

const STOPS: Readonly<Record<Exclude<TurnStatus, 'error'>, StopReason>> = {
  done: 'end_turn',
  stopped: 'cancelled',
  parked: 'cancelled',
  steps: 'max_turn_requests',
  budget: 'max_tokens',
};

/** A principal, a session or a model that cannot be is the request's fault, and said as it is. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw RequestError.invalidParams(undefined, error.message);
    if (isFsError(error)) throw RequestError.invalidParams(undefined, sentenceOf(error));
    throw error;
  }
}

/** Runs a turn. @throws RequestError where one is running, and where it failed */
export async function turn(
  conversation: Conversation,
  prompt: string,
  model: string | undefined,
): Promise<StopReason> {
  if (conversation.running !== null)
    throw RequestError.invalidRequest(
      undefined,
      'a turn of this session is running; cancel it first',
    );
  const stop = new AbortController();
  conversation.running = stop;
  try {
    const result = await told(async () => {
      const agent = await conversation.visit.agent();
      const plan = conversation.plan ? { plan: true } : {};
      return agent.run({
        prompt,
        signal: stop.signal,
        ...plan,
        ...(model === undefined ? {} : { model }),
      });
    });
    await settled(conversation);
    if (result.status !== 'error') return STOPS[result.status];
    throw new RequestError(-32_603, result.error ?? 'the turn failed');
  } finally {
    conversation.running = null;
  }
}

/** Passes on what happens in a session, until it ends. */
export async function follow(client: AgentContext, conversation: Conversation): Promise<void> {
  const { visit, names, ended } = conversation;
  for await (const event of visit.events({ signal: ended.signal })) {
    conversation.passed += 1;
    conversation.isReading = true;
    const update = updateOf(event, names) ?? (await planIn(event, visit));
    conversation.isReading = false;
    if (update === null) continue;
    // They are sent in their order; an editor that has gone ends the connection.
    client
      .notify(methods.client.session.update, { sessionId: visit.session, update })
      .catch(() => undefined);
  }
}

/** What a file says now that is a plan by its name; null where no such file has changed. */
async function planIn(event: SessionEvent, { fs }: Visit): Promise<SessionUpdate | null> {
  if (!isTransient(event) || event.type !== CHANGED) return null;
  const path = (event['paths'] as string[]).findLast(isPlan);
  if (path === undefined) return null;
  try {
    return { sessionUpdate: 'plan', entries: planOf(await fs.readFile(path)) };
  } catch (error) {
    if (!isFsError(error)) throw error;
    // It was removed, or may not be read: there is no plan to be shown.
    return { sessionUpdate: 'plan', entries: [] };
  }
}

/** Waits until what a turn told has been passed on: the answer to a prompt comes after it. */
async function settled(conversation: Conversation): Promise<void> {
  for (let before = -1; before !== conversation.passed || conversation.isReading; ) {
    before = conversation.passed;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What was said in a session so far. */
export async function past(visit: Visit): Promise<ReturnType<typeof replayOf>> {
  const log = await visit.fs.readFile('/session/log.jsonl');
  return log
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => replayOf(JSON.parse(line)));
}
