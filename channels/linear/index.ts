/** Linear: the agent is mentioned in comments of issues, and answers below them. */
import type { ChannelKind } from '../../src/serve/channels/index.ts';
import { type LinearSettings, linearSettings } from './settings.ts';

export const linear: ChannelKind<LinearSettings> = {
  settings: linearSettings,
  mostText: 60_000,
  open: async (host) => (await import('./channel.ts')).openLinear(host),
};
