/** A deployment that people meet in Discord: three of them, in a channel of a server and alone with the bot. */
import { expect, onTestFinished } from 'vitest';
import { type DiscordStandIn, startDiscord } from '../stand-ins/discord/index.ts';
import { type ChatRequest, calls, lastSaid, says } from '../stand-ins/model/index.ts';
import { type Meeting, type MeetOptions, meetIn } from './support.ts';

export const ANA = { id: '1001', username: 'ana' };
export const BEN = { id: '1002', username: 'ben' };
export const EVE = { id: '6666', username: 'ana' };
/** A channel of a server, and where Ana is alone with the bot. */
export const ROOM = '500';
export const DIRECT = 'D1001';

/** Repeats what was said last; `ask NAME` writes a file that a person is asked about. */
function echo({ messages }: ChatRequest) {
  if (messages.at(-1)?.role === 'tool') return says('it is done');
  const last = lastSaid(messages);
  const [, name] = /ask ([\w-]+)/.exec(last) ?? [];
  if (name !== undefined)
    return calls(['bash', { command: `echo '\`\`\` @everyone' > /workspace/asked-${name}` }]);
  return says(`you said: ${last}`);
}

export interface Met extends Meeting {
  discord: DiscordStandIn;
  /** What the bot has said in a channel. */
  texts(channel: string): string[];
}

export async function meet({
  script = echo,
  fields = '',
}: Partial<MeetOptions> = {}): Promise<Met> {
  const discord = await startDiscord();
  onTestFinished(() => discord.close());
  const people = `people:\n  ana: { id: ${ANA.id}, role: approver }\n  ben: ${BEN.id}\n`;
  const file = `---\nkind: discord\nbaseUrl: ${discord.url}\n${people}${fields}---\n`;
  const meeting = await meetIn({ room: file }, { DISCORD_BOT_TOKEN: discord.token }, { script });
  await meeting.until(() => discord.listeners > 0);
  onTestFinished(() => {
    expect(discord.faults).toEqual([]);
  });
  const texts = (channel: string): string[] =>
    discord.messages
      .filter((one) => one.channel_id === channel && one.author.id === discord.bot.id)
      .map(({ content, embeds }) => content || (embeds[0]?.description ?? ''));
  return { ...meeting, discord, texts };
}
