/** All channels of a deployment that is served. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { changesFile } from '../../changes/file.ts';
import type { Doorway } from '../../doors/door.ts';
import { ConfigError } from '../../errors.ts';
import { USER } from '../../policy/context.ts';
import type { Service } from '../service.ts';
import { Channel, originOf } from './channel.ts';
import type { ChannelHost, OpenChannel } from './contract.ts';
import type { ChannelFile } from './file.ts';
import { ChannelFiles } from './files.ts';
import { ChannelLedger } from './ledger.ts';
import { ChannelSender } from './sender.ts';

/** What channels are opened with. */
export interface ChannelsOptions {
  service: Service;
  /** What files come in and go out by. */
  doorway: Pick<Doorway, 'enter'>;
  /** The state directory. */
  state: string;
  files: readonly ChannelFile[];
  env: Readonly<Record<string, string | undefined>>;
  now?: () => number;
  onFault(error: unknown): void;
}

interface Opened {
  channel: Channel;
  open: OpenChannel;
  sender: ChannelSender;
}

/** Before a channel that could not be opened is tried again; each time twice as long. In ms. */
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 60_000;

/** The channels that are open. */
export class Channels {
  readonly #ledger: ChannelLedger;
  readonly #opened = new Map<string, Opened>();
  readonly #stopListening: () => void;
  readonly #ended = new AbortController();
  /** Those that are tried again. */
  readonly #trying: Promise<void>[] = [];
  #hasStarted = false;

  private constructor({ service, state, now = Date.now }: ChannelsOptions) {
    this.#ledger = new ChannelLedger(changesFile(state), now);
    this.#stopListening = service.journal.onStep((turn) => {
      for (const { channel } of this.#opened.values()) channel.step(turn);
    });
  }

  /**
   * Opens them. What comes in is queued from now on. One whose service cannot be reached is tried
   * again, and keeps neither the others nor the server from beginning.
   * @throws ConfigError naming the channel
   */
  static async open(options: ChannelsOptions): Promise<Channels> {
    const channels = new Channels(options);
    try {
      for (const file of options.files) await channels.#openOrTryAgain(file, options);
    } catch (error) {
      await channels.close();
      throw error;
    }
    return channels;
  }

  /** Goes on with what an earlier process had begun: once the queue has begun, too. */
  start(): void {
    this.#hasStarted = true;
    for (const opened of this.#opened.values()) begin(opened);
  }

  /** Their names. */
  get names(): string[] {
    return [...this.#opened.keys()];
  }

  /** Answers a service; null where no channel of that name is asked. */
  async respond(name: string, request: Request): Promise<Response | null> {
    return (await this.#opened.get(name)?.open.respond?.(request)) ?? null;
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#trying);
    // Nothing is told to come before what is there is sent.
    await Promise.all([...this.#opened.values()].map(({ open }) => open.close()));
    this.#stopListening();
    await Promise.all(
      [...this.#opened.values()].map(async ({ channel, sender }) => {
        await channel.close();
        await sender.close();
      }),
    );
    this.#ledger.close();
  }

  async #openOrTryAgain(file: ChannelFile, options: ChannelsOptions): Promise<void> {
    try {
      await this.#openOne(file, options);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      const said = `channel ${file.name} cannot be opened, and is tried again: ${textOf(error)}`;
      options.onFault(new Error(said, { cause: error }));
      this.#trying.push(this.#tryAgain(file, options));
    }
  }

  async #tryAgain(file: ChannelFile, options: ChannelsOptions): Promise<void> {
    const { signal } = this.#ended;
    for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, MOST_RETRY_MS)) {
      await delay(wait, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const opened = await this.#openOne(file, options);
        if (this.#hasStarted) begin(opened);
        return;
      } catch (error) {
        // That it cannot be reached was said, and is so until it can.
        if (!(error instanceof ConfigError)) continue;
        options.onFault(error);
        return;
      }
    }
  }

  async #openOne(file: ChannelFile, options: ChannelsOptions): Promise<Opened> {
    const { service, env, now = Date.now } = options;
    const { name } = file;
    const onFault = (error: unknown): void =>
      options.onFault(new Error(`channel ${name}: ${textOf(error)}`, { cause: error }));
    let sender: ChannelSender | null = null;
    const files = new ChannelFiles(options.doorway, originOf(name));
    const channel = new Channel({
      file,
      files,
      service,
      ledger: this.#ledger,
      inCharge: USER,
      wake: () => sender?.wake(),
      now,
      onFault,
    });
    const host: ChannelHost<unknown> = {
      name,
      settings: file.settings,
      secret: (variable) => secretOf(env, variable, name),
      receive: (message) => channel.receive(message),
      isKnown: (sender) => file.people.has(sender),
      strangers: file.strangers,
      pressed: (button) => {
        try {
          channel.pressed(button);
        } catch (error) {
          onFault(error);
        }
      },
      memory: this.#ledger.memoryOf(name),
      onFault,
    };
    const open = await file.kind.open(host);
    channel.attach(open);
    sender = new ChannelSender({
      channel: name,
      open,
      ledger: this.#ledger,
      read: async ({ turn, files: [path = ''] }) => {
        const place = turn === null ? null : service.journal.get(turn);
        return place === null ? `${path} is not there` : files.read(place, path);
      },
      settled: (purpose) => channel.settled(purpose),
      onUnknown: ({ purpose, thread }) => channel.unknown(purpose, thread),
      now,
      onFault,
    });
    const opened = { channel, open, sender };
    this.#opened.set(name, opened);
    return opened;
  }
}

/** Goes on with what an earlier process had begun. */
function begin({ channel, sender }: Opened): void {
  channel.recover();
  sender.start();
}

function secretOf(env: ChannelsOptions['env'], variable: string, name: string): string {
  const secret = env[variable];
  if (secret !== undefined && secret !== '') return secret;
  throw new ConfigError(
    join('channels', `${name}.md`),
    `the environment has no ${variable}: put the secret of the channel there`,
  );
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
