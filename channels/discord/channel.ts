/** A Discord bot that is running: what is said comes by the gateway, what it says goes by the API. */

import { z } from 'zod';
import {
  type ChannelHost,
  NotSent,
  type OpenChannel,
  type OutgoingMessage,
} from '../../src/serve/channels/index.ts';
import { failureOf } from '../chat-sdk/sending.ts';
import { load } from '../library.ts';
import { messageOf, messageSchema, pressOf, pressSchema } from './messages.ts';
import type { DiscordSettings } from './settings.ts';
import { discordText } from './texts.ts';

type Host = ChannelHost<DiscordSettings>;
type Rest = InstanceType<typeof import('@discordjs/rest').REST>;

/** A text of a message's own has so many characters; a longer one is an embed. */
const MOST_CONTENT = 2_000;
const MOST_EMBED = 4_096;
const TIMEOUT_MS = 15_000;
/** Within a few minutes Discord makes one message of two with the same nonce. In ms. */
const NONCE_MS = 120_000;
/** Clocks are not so far apart. In ms. */
const SKEW_MS = 60_000;
/** Snowflakes count from here. */
const EPOCH = 1_420_070_400_000;
/** So long is it known what was sent, and where people wrote. In ms. */
const KEPT_MS = 30 * 86_400_000;
/** So many channels are looked at again after a pause. */
const MOST_PLACES = 100;
/** Messages in servers, and in conversations of two. What is said to a bot it sees without more leave. */
const INTENTS = (1 << 9) | (1 << 12);
/** Links in it are not looked at by Discord: an address can tell what it is not to. */
const NO_PREVIEWS = 1 << 2;

/** Where people wrote, by channel: the last message, and whether it is a conversation of two. */
const placesSchema = z.record(
  z.string(),
  z.strictObject({ last: z.string(), direct: z.boolean() }),
);

export async function openDiscord(host: Host): Promise<OpenChannel> {
  const { settings, onFault } = host;
  const token = host.secret(settings.token);
  const names = ['@discordjs/rest', '@discordjs/ws'];
  const [{ REST }, { WebSocketManager, WebSocketShardEvents }] = await load(host.name, names, () =>
    Promise.all([import('@discordjs/rest'), import('@discordjs/ws')]),
  );
  const api = `${settings.baseUrl.replace(/\/$/, '')}/api`;
  const rest = new REST({
    ...{ api, version: '10', timeout: TIMEOUT_MS },
    // What may have been done is not done again unseen; whoever asks is told to wait.
    ...{ retries: 0, rejectOnRateLimit: () => true },
    ...{ hashSweepInterval: 0, handlerSweepInterval: 0 },
    makeRequest: fetch as never,
  }).setToken(token);
  const self = z.looseObject({ id: z.string() }).parse(await rest.get('/users/@me')).id;
  // Once a token was refused the client forgets it, and it may be taken again.
  const bot = (): Rest => rest.setToken(token);
  const places = new Places(host);
  const take = (given: unknown, isDirect: boolean): void => {
    const message = messageSchema.parse(given);
    const incoming = messageOf(message, self, isDirect);
    if (incoming === null) return;
    host.receive(incoming);
    if (incoming.isAddressed && host.isKnown(incoming.sender.id))
      places.reached(message.channel_id, message.id, isDirect);
  };
  const gateway = new WebSocketManager({ token, intents: INTENTS, rest });
  const guarded = (work: () => void | Promise<void>): void => {
    Promise.resolve().then(work).catch(onFault);
  };
  gateway.on(WebSocketShardEvents.Error, (error) => onFault(error));
  gateway.on(WebSocketShardEvents.Ready, () => guarded(() => places.catchUp(bot(), take, onFault)));
  gateway.on(WebSocketShardEvents.Dispatch, ({ t, d }) =>
    guarded(async () => {
      if (t === 'MESSAGE_CREATE') take(d, !('guild_id' in d));
      if (t !== 'INTERACTION_CREATE') return;
      const press = pressSchema.safeParse(d);
      const pressed = press.success ? pressOf(press.data) : null;
      if (!press.success || pressed === null) return;
      host.pressed(pressed);
      const { id, token: key } = press.data;
      // Nothing is said by it: the message changes when the decision is there.
      await rest.post(`/interactions/${id}/${key}/callback`, { auth: false, body: { type: 6 } });
    }),
  );
  await gateway.connect();
  return {
    send: async (message) => {
      try {
        const sent = await bot().post(`/channels/${message.thread}/messages`, {
          ...filesOf(message),
          body: { ...bodyOf(message), nonce: nonceOf(message), enforce_nonce: true },
        });
        const { id } = messageSchema.parse(sent);
        host.memory.set(`sent ${id}`, true, KEPT_MS);
        return id;
      } catch (error) {
        throw discordFailure(error);
      }
    },
    edit: async (id, message) => {
      try {
        await bot().patch(`/channels/${message.thread}/messages/${id}`, { body: bodyOf(message) });
      } catch (error) {
        throw discordFailure(error);
      }
    },
    find: async (message, sentAt) => {
      const found = await sentIn(bot(), message, self, sentAt);
      const own = found?.find((id) => host.memory.get(`sent ${id}`) === undefined);
      if (own !== undefined) {
        host.memory.set(`sent ${own}`, true, KEPT_MS);
        return own;
      }
      // Sent once more, it is one with that which is late.
      if (Date.now() - sentAt < NONCE_MS) return null;
      return found === null ? undefined : null;
    },
    // Below what is shown there is room for what was decided.
    shows: (text) => discordText(text).length <= MOST_EMBED - 96,
    showTyping: async (thread) => {
      await bot().post(`/channels/${thread}/typing`);
    },
    fetch: async ({ name, reference: { url = '' } }, most) => {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) throw new NotSent(`${name} cannot be fetched: ${response.status}`, null);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length > most) throw new NotSent(`${name} is too large`, null);
      return bytes;
    },
    close: async () => {
      await gateway.destroy();
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
}

type Place = z.output<typeof placesSchema>[string];
type Take = (message: unknown, isDirect: boolean) => void;

/** The bot was taken out of it, or it is not there any more. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && (error.status === 403 || error.status === 404);

/** Where people wrote to the agent: what was said there while nobody listened is asked for. */
class Places {
  readonly #memory: Host['memory'];

  constructor({ memory }: Host) {
    this.#memory = memory;
  }

  reached(channel: string, last: string, direct: boolean): void {
    // Numbers would stand in their own order; names keep that of their last use.
    const name = `#${channel}`;
    const others = Object.entries(this.#all()).filter(([known]) => known !== name);
    const places = [...others.slice(1 - MOST_PLACES), [name, { last, direct }]];
    this.#memory.set('places', Object.fromEntries(places));
  }

  async catchUp(rest: Rest, take: Take, onFault: (error: unknown) => void): Promise<void> {
    for (const [name, place] of Object.entries(this.#all()))
      try {
        await this.#catchUpIn(name.slice(1), place, rest, take);
      } catch (error) {
        // Where the bot is no more nothing comes, and what is wrong with one place is not with others.
        if (isGone(error)) this.#forget(name);
        else onFault(error);
      }
  }

  async #catchUpIn(channel: string, { last, direct }: Place, rest: Rest, take: Take) {
    let after = last;
    for (;;) {
      const query = new URLSearchParams({ after, limit: '100' });
      const page = z
        .array(messageSchema)
        .parse(await rest.get(`/channels/${channel}/messages`, { query }));
      const oldestFirst = page.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
      for (const message of oldestFirst) take(message, direct);
      after = oldestFirst.at(-1)?.id ?? after;
      if (page.length < 100) return;
    }
  }

  #forget(name: string): void {
    const { [name]: _, ...others } = this.#all();
    this.#memory.set('places', others);
  }

  #all(): z.output<typeof placesSchema> {
    return placesSchema.safeParse(this.#memory.get('places')).data ?? {};
  }
}

/** A nonce has 25 characters. */
const nonceOf = ({ key }: OutgoingMessage): string => key.replaceAll('-', '').slice(0, 25);

/** A message as Discord takes it: it calls nobody, whatever its text says. */
function bodyOf(message: OutgoingMessage) {
  const { buttons, isExact } = message;
  const { content, description } = shownOf(message);
  const embeds = description === null ? [] : [{ description }];
  const components = buttons.map(({ label, token }) => ({
    ...{ type: 2, style: label === 'Deny' ? 4 : 2 },
    ...{ label, custom_id: token },
  }));
  return {
    content,
    embeds,
    // In the text of an embed nothing is looked at; the flag would hide it.
    ...(description === null && !isExact ? { flags: NO_PREVIEWS } : {}),
    allowed_mentions: { parse: [] },
    components: components.length === 0 ? [] : [{ type: 1, components }],
  };
}

function shownOf({ text, isExact }: OutgoingMessage): {
  content: string;
  description: string | null;
} {
  const shown = discordText(text);
  return isExact || shown.length > MOST_CONTENT
    ? { content: '', description: shown.slice(0, MOST_EMBED) }
    : { content: shown, description: null };
}

const filesOf = ({ files }: OutgoingMessage) => ({
  files: files.map(({ name, bytes }) => ({ name, data: Buffer.from(bytes) })),
});

/** Messages of ours that show what one was to show, newest first; null where we may not read. */
async function sentIn(
  rest: Rest,
  message: OutgoingMessage,
  self: string,
  sentAt: number,
): Promise<string[] | null> {
  const after = String(BigInt(Math.max(0, sentAt - SKEW_MS - EPOCH)) << 22n);
  const query = new URLSearchParams({ after, limit: '100' });
  const { content, description } = shownOf(message);
  try {
    const page = z
      .array(messageSchema)
      .parse(await rest.get(`/channels/${message.thread}/messages`, { query }));
    return page
      .filter(
        (one) =>
          one.author.id === self &&
          one.content === content.trim() &&
          (one.embeds[0]?.description ?? null) === (description?.trim() ?? null) &&
          one.attachments.length === message.files.length,
      )
      .map(({ id }) => id);
  } catch (error) {
    if (discordFailure(error) instanceof NotSent && (error as { status?: number }).status === 403)
      return null;
    throw error;
  }
}

/** {@link NotSent} where that is certain, else the error itself. */
function discordFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { status, retryAfter } = error as Error & { status?: number; retryAfter?: number };
  if (typeof retryAfter === 'number')
    return new NotSent('Discord takes no more just now', retryAfter, error);
  if (status === 401) return new NotSent('Discord does not know the token', 60_000, error);
  if (status !== undefined && status >= 400 && status < 500)
    return new NotSent(error.message, null, error);
  return failureOf(error);
}
