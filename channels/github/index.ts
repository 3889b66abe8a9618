/** GitHub: the agent is mentioned in comments of issues and pull requests, and answers there. */
import type { ChannelKind } from '../../src/serve/channels/index.ts';
import { type GithubSettings, githubSettings } from './settings.ts';

export const github: ChannelKind<GithubSettings> = {
  settings: githubSettings,
  // A comment has 65,536 characters, with the mark that tells it from every other, and the buttons.
  mostText: 60_000,
  open: async (host) => (await import('./channel.ts')).openGithub(host),
};
