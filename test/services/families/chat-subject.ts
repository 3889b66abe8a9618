/** The chat as the trials see it. */
import { onTestFinished } from 'vitest';
import { testSubject } from '../../../src/mount-testing/index.ts';
import { type ChatStandIn, type Said, startChat } from './chat-server.ts';

const MINE = '/dock/messages/om_4.md';
const saying = (content: string) => (held: readonly Said[]) =>
  held.filter(({ body }) => body.content === content).length;

export const WRITES = [
  {
    what: 'a new message',
    path: '/dock/messages/new.md',
    content: () => 'Only once\n',
    made: saying('Only once'),
  },
  {
    what: 'an answer',
    path: '/dock/threads/om_4/new.md',
    content: () => 'Answered once\n',
    made: saying('Answered once'),
  },
  {
    what: 'an edit',
    path: MINE,
    content: (before: string) => before.replace(/Mine\n$/, 'Reworded\n'),
    made: saying('Reworded'),
  },
  {
    what: 'a removal',
    path: MINE,
    content: () => null,
    made: (held: readonly Said[]) => 1 - saying('Mine')(held),
  },
];

/** The chat with its mount, for as long as a test runs; `server` is the one that runs now. */
export async function chatSubject() {
  let server: ChatStandIn | null = null;
  const subject = await testSubject<readonly Said[]>({
    name: 'chat',
    module: new URL('./chat.ts', import.meta.url),
    start: async () => {
      server = await startChat();
      return server;
    },
    places: { list: '/dock/messages', record: MINE },
    writes: WRITES,
  });
  onTestFinished(() => subject[Symbol.asyncDispose]());
  return Object.assign(subject, { refuses: (code: number) => server?.refuses(code) });
}
