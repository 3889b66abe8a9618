/** Slack, by its Web API and Socket Mode, or by what it sends. */
import type { ChannelKind } from '../../src/serve/channels/index.ts';
import { type SlackSettings, slackSettings } from './settings.ts';

export const slack: ChannelKind<SlackSettings> = {
  settings: slackSettings,
  // "We recommend that messages have 4,000 characters at most"; what is in blocks has less room.
  mostText: 3_800,
  open: async (host) => (await import('./channel.ts')).openSlack(host),
};
