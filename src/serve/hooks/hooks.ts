/**
 * What services send by themselves: checked, kept, told to the mounts that it is
 * about, and to the triggers. A service is answered as soon as it is kept.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { FsError } from '../../errors.ts';
import {
  type Delivery,
  DeliveryRefusal,
  type Told,
  type Webhook,
} from '../../mount/contract/webhook.ts';
import { visibleJson } from '../../visible.ts';
import type { HeardEvents } from '../../world/hearing.ts';
import type { Deliveries, WaitingDelivery } from './deliveries.ts';
import type { Happening } from './triggers.ts';

/** One address of the server, and what it is for. */
export interface Hook {
  webhook: Webhook;
  /** null where the host's environment has none. */
  secret: string | null;
  /** Where mounts of the service are. */
  points: readonly string[];
}

/** An address, and whether its secret is there. */
export interface HookState {
  name: string;
  secretEnv: string;
  isReady: boolean;
}

/** What became of a delivery: `offered` is a secret that the service has made. */
export type Received = 'taken' | 'known' | 'offered';

/** What the hooks work with. */
export interface HookParts {
  hooks: readonly Hook[];
  deliveries: Deliveries;
  /** Tells a mount what happened. */
  hear(point: string, events: readonly Told[]): Promise<HeardEvents>;
  /** Starts the turns that wait for what happened. */
  happened(happening: Happening): void;
  now(): number;
  /** For whoever runs the server. */
  say(line: string): void;
  onFault(error: unknown): void;
}

/** Deliveries that are told of together. */
const BATCH = 50;
/** Where so many fail one by one, it is not they that are at fault: all are tried again later. */
const MOST_FAILED = 20;
/** After a failure of our own it is tried again. In ms. */
const AGAIN_MS = 5_000;
/** Secrets that are shown: nobody has signed for whoever sends one. */
const MOST_OFFERS = 5;

/** The hooks of a deployment that is served. */
export class Hooks {
  readonly #parts: HookParts;
  readonly #ended = new AbortController();
  readonly #offered = new Set<string>();
  #working: Promise<void> | null = null;
  #isMore = false;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** Each address, and whether it has its secret. */
  get list(): HookState[] {
    return this.#parts.hooks.map(({ webhook, secret }) => ({
      name: webhook.name,
      secretEnv: webhook.secretEnv,
      isReady: secret !== null,
    }));
  }

  /** How many deliveries nobody has acted on yet. */
  get waiting(): number {
    return this.#parts.deliveries.waitingCount;
  }

  /** Acts on what an earlier process has left, and has ready what the first one to come would wait for. */
  start(): void {
    for (const { secret, points } of this.#parts.hooks)
      for (const point of secret === null ? [] : points)
        this.#parts.hear(point, []).catch((error: unknown) => this.#parts.onFault(error));
    this.#pump();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#working;
  }

  /**
   * Takes a delivery. It is on the disk when this returns.
   * @throws DeliveryRefusal; FsError ENOENT for a hook that is not there, EAGAIN for one without a secret
   */
  receive(name: string, delivery: Delivery): Received {
    const { hooks, deliveries, now } = this.#parts;
    const hook = hooks.find(({ webhook }) => webhook.name === name);
    const path = `/hooks/${name}`;
    if (hook === undefined)
      throw new FsError('ENOENT', {
        path,
        op: 'open',
        reason: `nothing that is mounted here has a hook ${name}`,
      });
    const { webhook, secret } = hook;
    if (secret === null) {
      if (this.#offer(webhook, delivery)) return 'offered';
      throw new FsError('EAGAIN', {
        path,
        op: 'open',
        reason: `this server does not know the secret of its hook ${name} yet`,
      });
    }
    const event = webhook.receive(delivery, { secret, now: new Date(now()) });
    const digest = createHash('sha256').update(delivery.body).digest('hex');
    const isNew = deliveries.add(name, event, digest);
    if (isNew) this.#pump();
    return isNew ? 'taken' : 'known';
  }

  /** The first secret comes from the service: a person has to confirm it there, and to set it here. */
  #offer({ name, secretEnv, offered }: Webhook, delivery: Delivery): boolean {
    const secret = offered?.(delivery) ?? null;
    if (secret === null) return false;
    if (this.#offered.has(secret)) return true;
    if (this.#offered.size >= MOST_OFFERS)
      throw new DeliveryRefusal(
        'unsigned',
        'too many secrets have been offered: begin the server anew',
      );
    this.#offered.add(secret);
    this.#parts.say(
      `somebody who says to be ${name} offers a secret for /hooks/${name}: ${visibleJson(secret)}. If you have just set this up at ${name}, confirm it there, and begin this server with ${secretEnv} set to it`,
    );
    return true;
  }

  #pump(): void {
    this.#isMore = true;
    this.#working ??= this.#run().finally(() => {
      this.#working = null;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (this.#isMore && !signal.aborted) {
      this.#isMore = false;
      try {
        await this.#actOnAll();
      } catch (error) {
        if (signal.aborted) return;
        this.#parts.onFault(error);
        this.#isMore = true;
        await delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** Those that cannot be acted on are left, for another time. @throws what went wrong with the first of them */
  async #actOnAll(): Promise<void> {
    const { deliveries } = this.#parts;
    const faults: unknown[] = [];
    for (let after = 0; faults.length < MOST_FAILED; ) {
      const batch = deliveries.waiting(BATCH, after);
      if (batch.length === 0 || this.#ended.signal.aborted) break;
      after = batch.at(-1)?.seq ?? after;
      for (const hook of new Set(batch.map((each) => each.hook))) {
        const its = batch.filter((each) => each.hook === hook);
        faults.push(...(await this.#attempt(hook, its, MOST_FAILED - faults.length)));
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  /** Acts on them together; where that fails, on one by one. @returns what went wrong, `most` things at most */
  async #attempt(
    hook: string,
    batch: readonly WaitingDelivery[],
    most: number,
  ): Promise<unknown[]> {
    try {
      await this.#act(hook, batch);
      return [];
    } catch (error) {
      if (batch.length === 1) return [error];
    }
    const faults: unknown[] = [];
    for (const one of batch)
      if (faults.length < most && !this.#ended.signal.aborted)
        faults.push(...(await this.#attempt(hook, [one], 1)));
    return faults;
  }

  async #act(name: string, batch: readonly WaitingDelivery[]): Promise<void> {
    const { hooks, deliveries, happened, say } = this.#parts;
    const points = hooks.find(({ webhook }) => webhook.name === name)?.points ?? [];
    const events = batch.map(({ event, receivedAt }) => ({
      by: event.by,
      paths: event.paths,
      gone: event.gone ?? [],
      at: event.at ?? receivedAt,
    }));
    const paths = batch.map((): string[] => []);
    const own = new Set<number>();
    for (const point of points) {
      const { heard, notices } = await this.#parts.hear(point, events);
      for (const notice of notices) say(notice);
      for (const [index, event] of events.entries()) {
        const here = heard?.[index];
        paths[index]?.push(...(here?.paths ?? event.paths).map((path) => `${point}${path}`));
        if (here?.isOwn === true) own.add(index);
      }
    }
    for (const [index, delivery] of batch.entries()) {
      const { id, type, text } = delivery.event;
      // What an agent has done itself starts nothing: it would go on for ever.
      if (!own.has(index))
        happened({ hook: name, id, type, text, points, paths: paths[index] ?? [] });
      deliveries.done(delivery);
    }
  }
}
