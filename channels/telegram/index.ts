/** Telegram, by its Bot API: long polling, or a webhook. */
import type { ChannelKind } from '../../src/serve/channels/index.ts';
import { type TelegramSettings, telegramSettings } from './settings.ts';

export const telegram: ChannelKind<TelegramSettings> = {
  settings: telegramSettings,
  // A message has 4,096 characters, of which marks take some.
  mostText: 3_800,
  open: async (host) => (await import('./channel.ts')).openTelegram(host),
};
