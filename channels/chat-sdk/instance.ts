/**
 * What an adapter of the Chat SDK hands its news to. In the place of the SDK's own `Chat`, which
 * answers for a message before it is kept: here it is on the disk before the adapter goes on.
 */
import type {
  ActionEvent,
  Adapter,
  ChatInstance,
  Logger,
  Message,
  SlashCommandEvent,
  WebhookOptions,
} from 'chat';
import type { ChannelHost } from '../../src/serve/channels/index.ts';
import { keptState } from './state.ts';

/** What is made of an adapter's news. */
export interface News {
  message(message: Message): void;
  command(event: CommandNews): void;
  action(event: ActionNews): void;
}

/** A command, as a service has them, with the message that it came by. */
export type CommandNews = Pick<SlashCommandEvent, 'command' | 'text' | 'user' | 'raw'> & {
  channelId: string;
};
/** A button that was pressed. */
export type ActionNews = Omit<ActionEvent, 'thread' | 'openModal'> & { adapter: Adapter };

/** Says what goes wrong, and nothing else. */
function faultLogger(onFault: (error: unknown) => void): Logger {
  const say = (message: string, ...more: unknown[]): void =>
    onFault(new Error([message, ...more.map(detailOf)].join(' ')));
  const quiet = (): void => undefined;
  const logger: Logger = {
    debug: quiet,
    info: quiet,
    warn: say,
    error: say,
    child: () => logger,
  };
  return logger;
}

function detailOf(detail: unknown): string {
  if (detail instanceof Error) return detail.message;
  return typeof detail === 'object' && detail !== null && 'error' in detail
    ? detailOf((detail as { error: unknown }).error)
    : typeof detail === 'string'
      ? detail
      : '';
}

/** @returns the instance for `adapter.initialize`, and the logger for its options */
export function chatInstance(
  { memory, name, onFault }: Pick<ChannelHost<unknown>, 'memory' | 'name' | 'onFault'>,
  news: News,
): { chat: ChatInstance; logger: Logger } {
  const logger = faultLogger(onFault);
  const nothing = async (): Promise<undefined> => undefined;
  /** Whoever waits for what an adapter has begun is handed it. */
  const during = (work: Promise<void>, options?: WebhookOptions): Promise<void> => {
    options?.waitUntil?.(work);
    return work;
  };
  const take = async (given: Message | (() => Promise<Message>)): Promise<void> =>
    news.message(typeof given === 'function' ? await given() : given);
  const chat = {
    getLogger: () => logger,
    getState: () => keptState(memory),
    getUserName: () => name,
    processMessage: (
      _: Adapter,
      __: string,
      given: Message | (() => Promise<Message>),
      options?: WebhookOptions,
    ) => during(take(given), options),
    processSlashCommand: (event: CommandNews, options?: WebhookOptions) =>
      during(
        Promise.resolve().then(() => news.command(event)),
        options,
      ),
    processAction: (event: ActionNews, options?: WebhookOptions) =>
      during(
        Promise.resolve().then(() => news.action(event)),
        options,
      ),
    handleIncomingMessage: (_: Adapter, __: string, message: Message) => take(message),
    abortTurn: nothing,
    processAgentSessionStopped: nothing,
    processAgentSessionTitleChanged: nothing,
    processAppContextChanged: nothing,
    processAppHomeOpened: nothing,
    processAssistantContextChanged: nothing,
    processAssistantThreadStarted: nothing,
    processMemberJoinedChannel: nothing,
    processMessageDeleted: nothing,
    processMessageUpdated: nothing,
    processModalClose: nothing,
    processModalSubmit: nothing,
    processOptionsLoad: nothing,
    processReaction: nothing,
  };
  // The rest is the SDK's own history and queues, which no adapter that is used here asks for.
  return { chat: chat as unknown as ChatInstance, logger };
}
