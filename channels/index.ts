/** The kinds of channels that ship: `kind` of a `channels/NAME.md` names one. */
import type { ChannelKind } from '../src/serve/channels/index.ts';
import { discord } from './discord/index.ts';
import { email } from './email/index.ts';
import { github } from './github/index.ts';
import { linear } from './linear/index.ts';
import { slack } from './slack/index.ts';
import { telegram } from './telegram/index.ts';

/** By the name that a file has for them. */
export const channelKinds: ReadonlyMap<string, ChannelKind> = new Map([
  ['linear', linear as ChannelKind],
  ['slack', slack as ChannelKind],
  ['discord', discord as ChannelKind],
  ['email', email as ChannelKind],
  ['github', github as ChannelKind],
  ['telegram', telegram as ChannelKind],
]);
