/**
 * The Linear mount. `team` narrows it to one team, which keeps its place at `/teams/KEY`: a path
 * that was noted once stays right however the mount is narrowed.
 */
import type { ChangeJournal } from '../../src/changes/journal.ts';
import { ConfigError } from '../../src/errors.ts';
import { Freshness } from '../../src/mount/freshness.ts';
import { createServiceMount, type ServiceMount } from '../../src/mount/service.ts';
import type { Replica } from '../../src/replica/replica.ts';
import { LinearClient } from './client.ts';
import { LinearStore } from './store.ts';
import { LinearSync } from './sync.ts';
import { linearRoutes, PARAMS } from './table.ts';

export interface LinearMountOptions {
  /** An API key or an OAuth token, handed in by the host; it is in no file, no error and no database. */
  token?: string | undefined;
  /** Of the GraphQL endpoint of a stand-in. */
  baseUrl?: string | undefined;
  /** Shows this one team only, by its key. */
  team?: string | undefined;
  /** True: writes become pending changes. */
  stage: boolean;
  replica: Replica;
  changes: ChangeJournal;
  /** Within so many ms nothing is asked again; default 10,000. */
  freshMs?: number | undefined;
  /** A complete listing, which finds deletions, at most every so many ms; default one hour. */
  reconcileMs?: number | undefined;
  /** One request ends after so many ms; default 30,000. */
  timeoutMs?: number | undefined;
  now?: (() => Date) | undefined;
  /** Told a sentence for stderr whenever stale data is served. */
  onNotice: (text: string) => void;
  /** Where it is attached, so that `.last` gives absolute paths. */
  point?: string | undefined;
}

/** Limits and habits, for README.md. */
const HINTS: readonly string[] = [
  'State, labels, assignee, project and cycle are given by name; states.tsv, labels.tsv and users.tsv have the names.',
  'Close with a state of type completed or canceled, reopen with one of another type; nothing here deletes an issue.',
  '`archived: true` takes an issue out of the listings; its file can still be read by its name.',
  'A label of a group is written GROUP/LABEL.',
  '`rm` of a comment deletes it on Linear for good.',
  'Listing or searching a team fetches its issues and comments in bulk, 250 of each a request, and keeps them.',
];

/**
 * @throws ConfigError when `team` is no key of a team.
 */
export function createLinearMount(options: LinearMountOptions): ServiceMount {
  const { freshMs = 10_000, reconcileMs = 3_600_000, now = () => new Date(), replica } = options;
  const { token, baseUrl, timeoutMs, onNotice, point, team } = options;
  if (team !== undefined && PARAMS['team']?.matches.test(team) !== true) {
    throw new ConfigError('team', `${JSON.stringify(team)} is no key of a team, such as ENG`);
  }
  const only = team ?? null;
  const name = baseUrl === undefined ? 'linear' : `linear ${new URL(baseUrl).host}`;
  const client = new LinearClient({
    now,
    ...(token === undefined ? {} : { token }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const store = new LinearStore(replica, name, now);
  const freshness = new Freshness({ service: 'Linear', freshMs, now, onNotice });
  const sync = new LinearSync({ client, store, freshness, freshMs, reconcileMs, now, only });
  return createServiceMount({
    service: {
      kind: 'linear',
      title: 'Linear',
      about:
        'Issues of Linear as files, by team. Reading fetches what is needed and keeps it; writing a file changes the record on Linear.',
      hints: HINTS,
      params: PARAMS,
      collections: sync.collections,
      routes: linearRoutes({ client, store, sync }, only),
      usage: () => client.usage(),
    },
    name,
    replica,
    changes: options.changes,
    stage: options.stage,
    freshness,
    now,
    ...(point === undefined ? {} : { attachedAt: point }),
  });
}
