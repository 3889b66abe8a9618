/** A served deployment that people meet in channels, for tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { channelKinds } from '../../channels/index.ts';
import { Channels } from '../../src/serve/channels/channels.ts';
import { requireChannels } from '../../src/serve/channels/load.ts';
import { deployed, type Served, scripted, serve } from '../serve/support.ts';
import type { Script } from '../stand-ins/model/index.ts';
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

export interface Met {
  telegram: TelegramStandIn;
  deployment: string;
  served: Served;
  channels: Channels;
  faults: unknown[];
  /** Waits for what a look at the stand-in gives. */
  until<T>(look: () => T | undefined | null | false): Promise<T>;
  /** Ends the server, and begins another one. */
  again(): Promise<Met>;
}

/** Writes `channels/NAME.md`. */
function writeChannel(deployment: string, name: string, text: string): void {
  mkdirSync(join(deployment, 'harness/channels'), { recursive: true });
  writeFileSync(join(deployment, 'harness/channels', `${name}.md`), text);
}

export interface MeetOptions {
  script: Script;
  /** Lines of the frontmatter. */
  fields?: string;
  text?: string;
  policy?: string;
}

/** Serves a deployment with a bot, and three people in a group and each alone with it. */
export async function meet({ script, fields = '', text = '', policy }: MeetOptions): Promise<Met> {
  const [model, telegram] = await Promise.all([scripted(script), startTelegram()]);
  onTestFinished(() => telegram.close());
  const deployment = deployed(policy);
  writeChannel(
    deployment,
    'desk',
    `---\nkind: telegram\nbaseUrl: ${telegram.url}\n${PEOPLE}${fields}---\n${text}`,
  );
  for (const { id, first_name } of [ANA, BEN, EVE])
    telegram.api.addChat({ id, type: 'private', first_name });
  telegram.api.addChat({ id: GROUP, type: 'supergroup', title: 'Desk' });
  const begin = async (): Promise<Met> => {
    const served = serve(deployment, model);
    const faults: unknown[] = [];
    const channels = await Channels.open({
      service: served.service,
      state: join(deployment, '.dirigent'),
      files: await requireChannels({
        own: join(deployment, 'harness'),
        modules: [],
        kinds: channelKinds,
      }),
      env: { TELEGRAM_BOT_TOKEN: telegram.token },
      onFault: (error) => void faults.push(error),
    });
    channels.start();
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= channels.close().then(() => served.close());
      return closed;
    };
    onTestFinished(close);
    const again = (): Promise<Met> => close().then(begin);
    return { telegram, deployment, served, channels, faults, until, again };
  };
  return begin();
}

async function until<T>(look: () => T | undefined | null | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
