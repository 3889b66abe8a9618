/** A chat with ids of its own, times in ms, PUT and DELETE, codes for refusals, no reactions: a second one beside Slack. */
import { z } from 'zod';
import {
  byCursor,
  conversations,
  HttpClient,
  identity,
  type MountModule,
  openResourceMount,
  people,
  refusalByWord,
  type Scope,
} from '../../../src/mount/index.ts';

type At = Scope<HttpClient>;
const MESSAGE = { matches: /^om_[0-9a-z]+$/, example: 'om_1' };

const self = identity({
  schema: z.object({ open_id: z.string(), name: z.string() }),
  key: ({ open_id }) => open_id,
  ask: async (client: HttpClient) =>
    z.object({ data: z.unknown() }).parse(await client.ask('me')).data,
  says: ({ name }) => name,
});
const users = people({
  fields: { id: 'open_id', name: 'en_name', fullName: 'profile.name' },
  list: ({ client }: At, _, from) => client.listing('users', {}, 'data.items', from),
});
const chats = conversations({
  self,
  idsOf: ({ open_id }) => [open_id],
  people: users,
  timeForm: 'ms',
  threads: true,
  days: 30,
  channels: {
    named: { matches: /^[^\s./:]+$/u, example: 'dock' },
    fields: { id: 'chat_id', name: 'name', isMember: 'joined', createdAt: 'create_time' },
    list: ({ client }: At, _, from) => client.listing('chats', {}, 'data.items', from),
  },
  messages: {
    named: MESSAGE,
    fields: {
      id: 'message_id',
      at: 'create_time',
      authors: ['sender.id'],
      text: 'body.content',
      edited: 'update_time',
      answers: 'replies',
      key: 'uuid',
    },
    pages: ({ channel, thread, since, id }, { client }, from) => {
      const query = { root: thread, start_time: since, message_id: id };
      return client.listing(`chats/${channel.id}/messages`, query, 'data.items', from);
    },
    text: { about: 'plain text', most: 500 },
    post: ({ channel, thread, text, key }) => ({
      method: 'POST',
      url: `chats/${channel.id}/messages`,
      body: { content: text, root: thread, uuid: key },
    }),
    posted: { text: 'content', key: 'uuid' },
    repeatable: true,
    reword: ({ id }, content) => ({ method: 'PUT', url: `messages/${id}`, body: { content } }),
    remove: ({ id }) => ({ method: 'DELETE', url: `messages/${id}`, body: null }),
    answered: 'data.message',
  },
});

/** The mount, as a config names it. */
export default ((given) =>
  openResourceMount(given, {
    kind: 'chat',
    title: 'Chat',
    about: 'Chats with their messages.',
    client: (line) =>
      new HttpClient({
        baseUrl: '',
        ...line,
        service: 'Chat',
        page: { page_size: 3 },
        next: byCursor('data.page_token', 'page_token'),
        refusal: refusalByWord({
          service: 'Chat',
          word: ({ code }) => (code === 0 ? null : String(code)),
          kinds: { missing: ['230110'], forbidden: ['230002'], auth: ['99991663'] },
          more: ({ msg }) => String(msg),
        }),
      }),
    self,
    families: [users.family, chats],
  })) satisfies MountModule;
