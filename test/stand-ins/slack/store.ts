/** The messages of a workspace, each with what it was before, for listings that lag. */
import type { Message, Seed } from './model.ts';

/** A message as it was from a time on, ms; null from its removal. */
interface Version {
  at: number;
  message: Message | null;
}

export type Channel = Omit<Seed['channels'][number], 'messages'>;

/** All that is served; may be structured-cloned. */
export interface StoreState {
  channels: Channel[];
  users: Seed['users'];
  messages: Map<string, Map<string, Version[]>>;
}

export class Store {
  readonly tokens: Seed['tokens'];
  readonly team: Seed['team'];
  readonly users: Seed['users'];
  readonly channels: Channel[];
  readonly #messages: Map<string, Map<string, Version[]>>;
  #last = 0;

  constructor(seed: Pick<Seed, 'tokens' | 'team'>, state: StoreState) {
    this.tokens = seed.tokens;
    this.team = seed.team;
    this.users = state.users;
    this.channels = state.channels;
    this.#messages = state.messages;
  }

  static of(seed: Seed): Store {
    const messages = new Map(
      seed.channels.map((channel) => [
        channel.id,
        new Map(channel.messages.map((one) => [one.ts, [{ at: 0, message: one }]])),
      ]),
    );
    const channels = seed.channels.map(({ messages: _, ...channel }) => channel);
    return new Store(seed, structuredClone({ channels, users: seed.users, messages }));
  }

  state(): StoreState {
    return { channels: this.channels, users: this.users, messages: this.#messages };
  }

  channel(id: string | null): Channel | undefined {
    return this.channels.find((one) => one.id === id);
  }

  /** The messages and answers of a channel, oldest first, as they were `lag` ms ago. */
  messages(channel: string, lag = 0): Message[] {
    const until = Date.now() - lag;
    return [...(this.#messages.get(channel)?.values() ?? [])]
      .flatMap((versions) => versions.findLast(({ at }) => lag === 0 || at <= until)?.message ?? [])
      .sort((a, b) => (a.ts < b.ts ? -1 : 1));
  }

  message(channel: string, ts: string): Message | undefined {
    return this.messages(channel).find((one) => one.ts === ts);
  }

  put(channel: string, ts: string, message: Message | null): void {
    const all = this.#messages.get(channel) ?? new Map<string, Version[]>();
    this.#messages.set(channel, all);
    all.set(ts, [...(all.get(ts) ?? []), { at: Date.now(), message }]);
  }

  /** "a unique, per-channel timestamp": seconds and microseconds, later than every other. */
  newTs(): string {
    this.#last = Math.max(this.#last + 1, Date.now() * 1000);
    const text = String(this.#last);
    return `${text.slice(0, -6)}.${text.slice(-6)}`;
  }
}
