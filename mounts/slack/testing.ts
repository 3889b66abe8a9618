/** A small workspace, as the tests of the mount seed it. */
import type { SeedInput } from '../../test/stand-ins/slack/index.ts';

export const ME = 'U0ME00001';
export const ADA = 'U0ADA0001';
export const GENERAL = 'C0GENERAL';
const OTHER = 'C0RANDOM1';

/** The time of a message: so many minutes before now. */
export function tsOf(minutesAgo: number, now = Date.now()): string {
  return `${Math.floor(now / 1000) - minutesAgo * 60}.000100`;
}

interface Said {
  ts: string;
  text: string;
  user?: string;
  thread_ts?: string;
}

/** Two channels that we are in, one that we are not, two people and us, a bot. */
export function workspace(general: readonly Said[], random: readonly Said[] = []): SeedInput {
  const messages = (all: readonly Said[]) => ({
    created: Math.floor(Math.min(Date.now() / 1000, ...all.map(({ ts }) => Number(ts)))),
    messages: all.map((one) => ({ user: ADA, ...one })),
  });
  return {
    team: { id: 'T0TEAM001', name: 'Harbor' },
    tokens: {
      'xoxb-slack-test-token-1': { user: ME, bot: 'B0ME00001' },
      'xoxp-slack-test-token-2': { user: ADA },
    },
    users: [
      { id: ADA, name: 'ada', real_name: 'Ada Lovelace' },
      { id: ME, name: 'dirigent', real_name: 'Dirigent' },
      { id: 'U0GONE001', name: 'gone', real_name: 'Gone Person', deleted: true },
    ],
    channels: [
      {
        id: GENERAL,
        name: 'general',
        members: [ADA, ME],
        ...messages(general),
        topic: 'All',
      },
      { id: OTHER, name: 'random', members: [ADA, ME], ...messages(random) },
      { id: 'C0CLOSED1', name: 'closed', members: [ADA] },
    ],
  };
}
