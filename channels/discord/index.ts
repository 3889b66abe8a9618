/** Discord, by its API and its gateway. */
import type { ChannelKind } from '../../src/serve/channels/index.ts';
import { type DiscordSettings, discordSettings } from './settings.ts';

export const discord: ChannelKind<DiscordSettings> = {
  settings: discordSettings,
  // The description of an embed has 4,096 characters; what is shorter is a message's own text.
  mostText: 4_000,
  open: async (host) => (await import('./channel.ts')).openDiscord(host),
};
