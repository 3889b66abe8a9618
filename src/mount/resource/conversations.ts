/** Channels of a service in which people talk: their days, their messages, the threads of these. */
import type { ParamType } from '../table/route.ts';
import { directories, type Resource, resource, view } from './definition.ts';
import type { Family } from './family.ts';
import { readingOf } from './fields-of.ts';
import { Messages } from './messages.ts';
import { readRows } from './pages.ts';
import { type Channel, type Conversations, channelSchema, type Message } from './talk.ts';

const DAY_MS = 86_400_000;
const DAY: ParamType = { matches: /^\d{4}-\d\d-\d\d$/, example: '2026-01-31' };

/** `channels.tsv`, and of each channel `days/`, `messages/` and, where a service has them, `threads/`. */
export function conversations<S, C>(service: Conversations<S, C>): Family {
  const channels = channelsOf(service);
  const all = new Messages(service, channels);
  const messages = saidIn(service, channels, all);
  const daily = view({
    about: 'what was said on a day (UTC)',
    path: '/:channel/days/:day.md',
    of: messages,
    document: true,
    by: ({ at }) => at.slice(0, 10),
    text: (said, place) => said.map((one) => all.paragraph(one, place)).join('\n'),
  });
  const { named } = service.messages;
  const params = { channel: service.channels.named, day: DAY, message: named };
  if (service.threads !== true) return { params, resources: [channels, messages], views: [daily] };
  const { resources, views } = threadsOf(messages, all);
  return {
    params: { ...params, thread: named, reply: named },
    resources: [channels, messages, ...resources],
    views: [daily, ...views],
  };
}

function channelsOf<S, C>({ channels, timeForm }: Conversations<S, C>): Resource<Channel> {
  const { fields, named: _, list, ...spec } = channels;
  const times = ['createdAt'] as const;
  const what = 'one of the channels';
  const read = readingOf({ schema: channelSchema, fields, times, timeForm, what });
  return resource<Channel, C>('channels', {
    ...spec,
    about: 'a channel; those that we are no member of are found when named',
    path: '/:channel',
    schema: channelSchema,
    key: ({ id }) => id,
    name: ({ name }) => name,
    formerNames: ({ formerNames }) => formerNames,
    listed: ({ isMember }) => isMember,
    list: (...asked) => readRows(list(...asked), read),
    table: {
      about: 'channels: name, id, whether we are in it, topic, purpose',
      name: 'channels.tsv',
      columns: ['name', 'id', 'member', 'topic', 'purpose'],
      rows: (one) => [[one.name, one.id, one.isMember ? 'yes' : '', one.topic, one.purpose]],
    },
  });
}

/** The messages of a channel itself. */
function saidIn<S, C>(
  { days = 90 }: Conversations<S, C>,
  channels: Resource<Channel>,
  all: Messages<S, C>,
): Resource<Message> {
  return resource<Message, C>('messages', {
    ...all.resource(''),
    about: `a message; ${all.rights}`,
    path: '/:channel/messages/:message.md',
    newestFirst: ({ order, at }) => order ?? at,
    list: async function* (at, _, from) {
      const since = (Math.floor(at.now().getTime() / DAY_MS) - days) * DAY_MS;
      const begins = new Date(since).toISOString();
      const isAll = at.record(channels).createdAt >= begins;
      const lacking = `what was said before ${begins.slice(0, 10)} is found by its name alone`;
      for await (const page of all.pages('', at, { since }, from))
        yield { ...page, lacking: isAll ? null : lacking };
    },
  });
}

/** A directory for the answers to each message, and a file to read them all. */
function threadsOf<S, C>(
  messages: Resource<Message>,
  all: Messages<S, C>,
): Required<Pick<Family, 'resources' | 'views'>> {
  const threads = directories('threads', messages, {
    about: 'the answers to a message; there for each, listed for those that have some',
    path: '/:channel/threads/:thread',
    listed: ({ answers }) => answers > 0,
  });
  const replies: Resource<Message> = resource<Message, C>('replies', {
    ...all.resource('thread'),
    about: `an answer; ${all.rights}`,
    path: '/:channel/threads/:thread/:reply.md',
    costly: true,
    touches: threads,
    where: ({ id }, { params }) => id !== params['thread'],
    list: (at, _, from) => all.pages('thread', at, {}, from),
  });
  const whole = view({
    about: 'a message and its answers, to be read',
    path: '/:channel/threads/:thread.md',
    of: replies,
    document: true,
    text: (said, place) =>
      [place.record(threads), ...said].map((one) => all.paragraph(one, place, false)).join('\n'),
  });
  return { resources: [threads, replies], views: [whole] };
}
