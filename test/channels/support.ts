/** A served deployment that people meet in channels, for tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { channelKinds } from '../../channels/index.ts';
import type { WorldConfig } from '../../entry/index.ts';
import { Channels } from '../../src/serve/channels/channels.ts';
import { peopleOf } from '../../src/serve/channels/file.ts';
import { requireChannels } from '../../src/serve/channels/load.ts';
import { TURNS, worldsOf } from '../../src/serve/service.ts';
import { deployed, type Served, scripted, serve } from '../serve/support.ts';
import type { Script } from '../stand-ins/model/index.ts';
import { type SlackApp, startSlackApp } from '../stand-ins/slack/app.ts';
import type { SeedInput } from '../stand-ins/slack/model.ts';
import {
  startTelegram,
  type TelegramStandIn,
  type TelegramUser,
} from '../stand-ins/telegram/index.ts';

export const ANA: TelegramUser = { id: 1001, is_bot: false, first_name: 'Ana' };
export const BEN: TelegramUser = { id: 1002, is_bot: false, first_name: 'Ben' };
export const EVE: TelegramUser = { id: 6666, is_bot: false, first_name: 'Ana' };
/** A group in which they all are. */
export const GROUP = -100_500;

const PEOPLE = `people:
  ana: { id: ${ANA.id}, role: approver }
  ben: ${BEN.id}
`;

/** A deployment that is served with its channels. */
export interface Meeting {
  deployment: string;
  served: Served;
  channels: Channels;
  faults: unknown[];
  /** Waits for what a look at something gives. */
  until<T>(look: () => T | undefined | null | false): Promise<T>;
  /** Ends the server, and begins another one. */
  again(): Promise<Meeting>;
  /** Ends it before the test ends. */
  close(): Promise<void>;
}

export interface MeetOptions {
  script: Script;
  /** Lines of the frontmatter. */
  fields?: string;
  /** Below it. */
  text?: string;
  policy?: string;
  /** A turn that waits longer for a person is parked. In ms. */
  parkAfterMs?: number;
  /** Modules of the config. */
  modules?: readonly string[];
  /** Of the server, beside the token. */
  env?: Readonly<Record<string, string>>;
  /** One that is there, with what its worlds are made of, which are kept a while as a server does; a new one, if absent. */
  in?: { deployment: string; world: WorldConfig; env: Record<string, string> };
}

export function writeChannel(deployment: string, name: string, text: string): void {
  mkdirSync(join(deployment, 'harness/channels'), { recursive: true });
  writeFileSync(join(deployment, 'harness/channels', `${name}.md`), text);
}

/** Serves a deployment with channels. @param files by their names */
export async function meetIn(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  {
    script,
    policy,
    modules = [],
    parkAfterMs,
    in: place,
  }: Pick<MeetOptions, 'script' | 'policy' | 'modules' | 'parkAfterMs' | 'in'>,
): Promise<Meeting> {
  const model = await scripted(script);
  const deployment = place?.deployment ?? deployed(policy);
  for (const [name, text] of Object.entries(files)) writeChannel(deployment, name, text);
  const begin = async (): Promise<Meeting> => {
    const files = await requireChannels({
      own: join(deployment, 'harness'),
      modules,
      kinds: channelKinds,
    });
    const options = {
      people: peopleOf(files),
      ...(place === undefined ? {} : { kept: worldsOf(TURNS).kept }),
      ...(parkAfterMs === undefined ? {} : { parkAfterMs }),
    };
    const served = serve(deployment, model, options, place?.world, place?.env);
    const faults: unknown[] = [];
    const channels = await Channels.open({
      service: served.service,
      doorway: served.doorway,
      state: join(deployment, '.dirigent'),
      files,
      env,
      onFault: (error) => void faults.push(error),
    });
    channels.start();
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= channels.close().then(() => served.close());
      return closed;
    };
    onTestFinished(close);
    const again = (): Promise<Meeting> => close().then(begin);
    return { deployment, served, channels, faults, until, again, close };
  };
  return begin();
}

export interface Met extends Meeting {
  telegram: TelegramStandIn;
}

/** Serves a deployment with a bot in Telegram, and three people in a group and each alone with it. */
export async function meet({
  fields = '',
  text = '',
  env: more = {},
  telegram: known,
  ...options
}: MeetOptions & { telegram?: TelegramStandIn | undefined }): Promise<Met> {
  const telegram = known ?? (await withChats());
  const file = `---\nkind: telegram\nbaseUrl: ${telegram.url}\n${PEOPLE}${fields}---\n${text}`;
  const env = { TELEGRAM_BOT_TOKEN: telegram.token, ...more };
  return { telegram, ...(await meetIn({ desk: file }, env, options)) };
}

async function withChats(): Promise<TelegramStandIn> {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.close());
  for (const { id, first_name } of [ANA, BEN, EVE])
    telegram.api.addChat({ id, type: 'private', first_name });
  telegram.api.addChat({ id: GROUP, type: 'supergroup', title: 'Desk' });
  return telegram;
}

/** A workspace with a bot in a channel, and alone with Ana. */
export const WORKSPACE: SeedInput = {
  team: { id: 'T0DESK', name: 'Desk' },
  tokens: { 'xoxb-bot': { user: 'U0BOT', bot: 'B0BOT' } },
  users: [
    { id: 'U0BOT', name: 'desk', real_name: 'Desk' },
    { id: 'U0ANA', name: 'ana', real_name: 'Ana' },
    { id: 'U0EVE', name: 'ana2', real_name: 'Ana' },
  ],
  channels: [
    { id: 'C0DESK', name: 'desk', members: ['U0BOT', 'U0ANA', 'U0EVE'] },
    { id: 'D0ANA', name: 'ana', members: ['U0BOT', 'U0ANA'] },
    { id: 'D0EVE', name: 'eve', members: ['U0BOT', 'U0EVE'] },
  ],
};
export const SLACK_ENV = { SLACK_BOT_TOKEN: 'xoxb-bot', SLACK_APP_TOKEN: 'xapp-app' };

/** The same in Slack, by Socket Mode. */
export async function meetSlack({
  fields = '',
  ...options
}: MeetOptions): Promise<Meeting & { slack: SlackApp }> {
  const slack = await startSlackApp(WORKSPACE);
  onTestFinished(() => slack.close());
  const people = 'people:\n  ana: { id: U0ANA, role: approver }\n';
  const file = `---\nkind: slack\nbaseUrl: ${slack.url}\n${people}${fields}---\n`;
  return { slack, ...(await meetIn({ work: file }, SLACK_ENV, options)) };
}

async function until<T>(look: () => T | undefined | null | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
