/**
 * An attacker whom people reach by way of a server: in a channel, or over the API as the console does.
 * Its model calls what it is told to, a turn a message; what waits for a person is parked.
 */

import type { Approval } from '../../src/policy/approval.ts';
import { hasEnded, type QueuedTurn } from '../../src/serve/queue/turn.ts';
import { SessionFile } from '../../src/session/file.ts';
import {
  ANA,
  type Meeting,
  type MeetOptions,
  type Met,
  meet,
  meetIn,
} from '../channels/support.ts';
import { begun, said } from '../serve/support.ts';
import { calls, type Script, says, textOf } from '../stand-ins/model/index.ts';
import type { Column, Door } from './columns.ts';
import { attackedConfig, SECRET } from './deployment.ts';
import { doorOf, lastCallIn, type ToolCall } from './tool-calls.ts';

const SAID = 'and what is next?';

/** One who says something to the agent. */
type Say = () => unknown;

/** A way to reach it: opens the server, and says what is said. */
type Way = (
  options: Pick<MeetOptions, 'script' | 'parkAfterMs'> & Required<Pick<MeetOptions, 'in'>>,
) => Promise<{
  meeting: Meeting;
  say: Say;
}>;

async function openServed(way: Way, deployment: string): Promise<Door> {
  let next: ToolCall = ['bash', { command: 'true' }];
  const script: Script = ({ messages }) => {
    const last = messages.at(-1);
    // Of a turn that goes on the person's answer is all that is wanted. What is said may have a note with it.
    return last?.role === 'user' && textOf(last).includes(SAID) ? calls(next) : says('done');
  };
  const world = attackedConfig();
  const env = { DIRIGENT_SECRET: SECRET };
  const place = { deployment, world, env };
  const { meeting, say } = await way({ script, parkAfterMs: 0, in: place });
  const { service, doorway } = meeting.served;
  let last = '';
  let log: SessionFile | undefined;
  let read = 0;
  const call = async (...tool: ToolCall) => {
    next = tool;
    const { promise, resolve } = Promise.withResolvers<QueuedTurn>();
    const stop = service.journal.onStep((turn) => {
      // One that an answer lets go on is an earlier one.
      if (turn.id > last && (turn.state === 'parked' || hasEnded(turn))) resolve(turn);
    });
    await say();
    const { id, session, state, approvals } = await promise;
    stop();
    last = id;
    log ??= new SessionFile(doorway.sessions, session);
    if (log.id !== session) throw new Error('it goes on in another session');
    const entries = [...log.refresh().own()].slice(read);
    read += entries.length;
    const outcome = lastCallIn(entries);
    if (state !== 'parked') return outcome;
    // Its command has ended where it waits, and says no more: what waits is what a person is shown.
    const waits = approvals
      .map((each) => service.decisions.approval(OBSERVER, each))
      .map(waitsText);
    return { ...outcome, failed: true, waits: true, text: [outcome.text, ...waits].join('\n') };
  };
  return doorOf(call, async () => {
    log?.close();
    await meeting.close();
  });
}

const OBSERVER = { actor: 'observer', role: 'owner', agent: null } as const;

const waitsText = ({ id, path, reason }: Approval): string =>
  `${path}: Permission denied until somebody allows it: ${reason}; approval ${id} waits`;

const served = (name: string, way: Way, more: Partial<Column> = {}): Column => ({
  name,
  sample: 36,
  open: (deployment) => openServed(way, deployment),
  ...more,
});

/** In a chat with a bot, which outlives the server: whoever begins one begins a session there. */
const telegrams = new Map<string, Met['telegram']>();
const telegram: Way = async (options) => {
  const { deployment } = options.in;
  const meeting = await meet({ ...options, telegram: telegrams.get(deployment) });
  telegrams.set(deployment, meeting.telegram);
  const { api } = meeting.telegram;
  const sessions = () => api.sent.filter(({ text }) => text === 'A new session has begun.').length;
  const before = sessions();
  api.say(ANA.id, ANA, {
    text: '/new',
    entities: [{ type: 'bot_command', offset: 0, length: 4 }],
  });
  // What is said next is said there.
  await meeting.until(() => sessions() > before);
  return { meeting, say: () => void api.say(ANA.id, ANA, { text: SAID }) };
};

const console: Way = async (options) => {
  const meeting = await meetIn({}, {}, options);
  const { principals } = meeting.served.service;
  principals.remove('ana');
  const ana = meeting.served.client('ana', 'approver');
  const { id } = await begun(ana);
  return { meeting, say: () => said(ana, id, SAID) };
};

export const SERVED_COLUMNS: readonly Column[] = [
  served('a channel', telegram, { share: 3 }),
  served('the console', console, { share: 6 }),
];
