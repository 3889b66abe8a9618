/**
 * Opens a mount of a service: names it, makes its client, its store and its
 * freshness, and hands all of that to the service's table. What a service
 * brings of its own is its client, its records and its table.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangeJournal } from '../../changes/journal.ts';
import { renewingFetch } from '../../credentials/fetch.ts';
import type { Replica } from '../../replica/replica.ts';
import type { ClientOptions, ServiceClient } from '../client/options.ts';
import { Patience } from '../client/patience.ts';
import type { Probe } from '../contract/contract.ts';
import { Freshness } from '../reading/freshness.ts';
import { type ChangeProbe, type Later, Prober } from '../reading/prober.ts';
import type { Service } from '../table/route.ts';
import { Account } from './account.ts';
import { AccountMount } from './account-mount.ts';
import { OwnState } from './own-state.ts';
import { createServiceMount } from './service.ts';
import type { ServiceMount } from './service-mount.ts';

/** Requests an hour, of a service that does not tell how many it allows. */
const USUAL_LIMIT = 5_000;

/** What every mount of a service is made with; a service may add how it is narrowed. */
export interface ServiceOptions
  extends Pick<ClientOptions, 'token' | 'credential' | 'baseUrl' | 'timeoutMs' | 'fetch'> {
  /** True: writes become pending changes. */
  stage: boolean;
  /** The copy of what services said. */
  replica: Replica;
  /** The journal of writes on their way. */
  changes: ChangeJournal;
  /**
   * Within so many ms nothing is asked again; default 10,000. With 0 every
   * prefetch and every listing asks, and the files that these covered count as
   * fresh for 2 s.
   */
  freshMs?: number | undefined;
  /** Is what was read lately asked for again before somebody has to wait for it? */
  background?: boolean | undefined;
  /** When that is looked at; the machine's own timers by default. */
  later?: Later | undefined;
  /** A complete listing, which finds deletions, at most every so many ms; default one hour. */
  reconcileMs?: number | undefined;
  /** The clock; the machine's own by default. */
  now?: (() => Date) | undefined;
  /**
   * Told a sentence for stderr whenever stale data is served; the same one may
   * come many times in one command, and is to be printed once.
   */
  onNotice: (text: string) => void;
  /** Where it is attached, so that `.last` gives absolute paths. */
  point?: string | undefined;
}

/** An opened service: what brings its replica in step, and what its routes are made of. */
export interface ServiceParts<Client, Store> {
  client: Client;
  store: Store;
  freshness: Freshness;
  freshMs: number;
  reconcileMs: number;
  /** The clock. */
  now: () => Date;
}

/** What a service brings of its own. */
export interface ServiceDefinition<Client extends ServiceClient, Store> {
  /** `tracker` …: the mount's name in the replica and the journal begins with it, its host and its account follow. */
  kind: string;
  /** What sentences call it: `Tracker`. */
  title: string;
  /** Makes the client. */
  client(options: ClientOptions): Client;
  /**
   * Asks, by one small request, who the credential is: what the replica and the journal keep is that
   * account's, and nobody else's. An id that stays; two credentials of different reach are two
   * accounts. Absent: each credential is an account of its own. Asked once for each credential.
   *
   * @param credential a digest of it
   * @throws ServiceFailure; of a kind that does not pass (`forbidden`, `missing` …): it cannot be told
   */
  account?(client: Client, credential: string): Promise<string>;
  /** Asks who the credential belongs to, and whether what the mount is narrowed to is there; the account, if it tells. */
  probe?(client: Client): Promise<string | null>;
  /** How it is told cheaply that something changed; without it, what was read lately is asked for again. */
  changes?(client: Client, now: () => Date): ChangeProbe;
  /** Makes the typed view of the replica; `mount` is the name of this one in it. */
  store(replica: Replica, mount: string, now: () => Date): Store;
  /** The routes, of what was opened. */
  table(parts: ServiceParts<Client, Store>): Omit<Service, 'kind' | 'title' | 'usage'>;
}

/**
 * Opens a mount of a service.
 * @throws what the client, the store or the table throw: nothing was asked of the service yet
 */
export function openServiceMount<Client extends ServiceClient, Store>(
  options: ServiceOptions,
  { kind, title, ...definition }: ServiceDefinition<Client, Store>,
): ServiceMount {
  const { freshMs = 10_000, reconcileMs = 3_600_000 } = options;
  const { token, credential, baseUrl, timeoutMs, replica, changes, stage, onNotice } = options;
  const fetch =
    token === undefined || credential === undefined
      ? options.fetch
      : renewingFetch(token, credential, options.fetch);
  const now = (): Date => {
    // What looks at the time may be something else later, whatever the records are.
    replica.noteMore();
    return options.now?.() ?? new Date();
  };
  const behind = new AsyncLocalStorage<true>();
  const isBehind = (): boolean => behind.getStore() === true;
  const client = definition.client({
    token,
    credential,
    baseUrl,
    timeoutMs,
    fetch,
    now,
    isBehind,
  });
  const { account: ask } = definition;
  const account = new Account({
    service: baseUrl === undefined ? kind : `${kind} ${new URL(baseUrl).host}`,
    token,
    replica,
    changes,
    now: () => options.now?.() ?? new Date(),
    ask: ask === undefined ? undefined : (credential) => ask(client, credential),
  });
  const patience = new Patience();
  const probe = definition.changes?.(client, now) ?? withoutProbe(now);
  // Without a token there is little to spend, and nobody's own: a read asks for itself.
  const isRefreshed = options.background === true && token !== undefined && freshMs > 0;
  const own = new OwnState(now());
  const open = (name: string) => {
    const store = definition.store(replica, name, now);
    const freshness = new Freshness({
      freshMs,
      now,
      onNotice,
      background: isRefreshed,
      onRead: (key) => prober?.note(key),
      runBehind: (work) => behind.run(true, work),
      refusal: () => account.failure(),
      mayRefresh: () => client.isLow !== true && prober?.hasShare !== false,
      patience,
      underWay: () => replica.underWay.all(name),
    });
    const prober: Prober | null = !isRefreshed
      ? null
      : new Prober({
          mount: name,
          probes: replica.probes,
          probe,
          freshMs,
          now,
          may: () => client.isLow !== true,
          spent: () => client.behindShare ?? (client.usage().behind?.requests ?? 0) / USUAL_LIMIT,
          settle: () => account.learn(),
          later: options.later,
          runBehind: (work) => behind.run(true, work),
          refresh: (subjects, changedAt) =>
            freshness.refreshChanged((key) => subjects.has(probe.subjectOf(key) ?? ''), changedAt),
        });
    const table = definition.table({ client, store, freshness, freshMs, reconcileMs, now });
    return createServiceMount({
      service: { kind, title, ...table, usage: () => client.usage() },
      ...(definition.probe === undefined ? {} : { probe: () => probed(definition, client) }),
      name,
      replica,
      changes,
      stage,
      freshness,
      prober,
      now,
      own,
      isUs: (by) => account.is(by),
      ...(options.point === undefined ? {} : { attachedAt: options.point }),
    });
  };
  return new AccountMount({ account, changes, stage, patience, open });
}

/** What was read lately is asked for again, as often as it would be looked for changes. */
function withoutProbe(now: () => Date): ChangeProbe {
  return {
    subjectOf: () => '',
    marks: async () => new Map([['', now().toISOString()]]),
  };
}

async function probed<Client extends ServiceClient>(
  { probe }: Pick<ServiceDefinition<Client, unknown>, 'probe'>,
  client: Client,
): Promise<Probe> {
  const account = (await probe?.(client)) ?? null;
  const { allowance = null } = client;
  if (allowance === null) return { account, limit: null };
  const { remaining, limit, resetAt } = allowance;
  return { account, limit: { remaining, of: limit, resetAt: resetAt.toISOString() } };
}
