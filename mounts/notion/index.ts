/** The Notion mount: what is shared with an integration, nested as in the workspace. */
import type { ChangeJournal } from '../../src/changes/journal.ts';
import { Freshness } from '../../src/mount/freshness.ts';
import { createServiceMount, type ServiceMount } from '../../src/mount/service.ts';
import type { Replica } from '../../src/replica/replica.ts';
import { NotionClient } from './client.ts';
import { commentRecord, pageRecord } from './records.ts';
import { NotionStore } from './store.ts';
import { NotionSync } from './sync.ts';
import { notionRoutes, PARAMS } from './table.ts';

export interface NotionMountOptions {
  /** Of an integration; handed in by the host, and in no file, no error and no database. */
  token?: string | undefined;
  /** Of a stand-in; `https://api.notion.com` by default. */
  baseUrl?: string | undefined;
  /** True: writes become pending changes. */
  stage: boolean;
  replica: Replica;
  changes: ChangeJournal;
  /** Within so many ms nothing is asked again; default 10,000. */
  freshMs?: number | undefined;
  /** A complete listing, which finds what is gone, at most every so many ms; default one hour. */
  reconcileMs?: number | undefined;
  /** One request ends after so many ms; default 30,000. */
  timeoutMs?: number | undefined;
  now?: (() => Date) | undefined;
  /** Told a sentence for stderr whenever stale data is served. */
  onNotice: (text: string) => void;
  fetch?: typeof fetch | undefined;
  /** Where it is attached, so that `.last` gives absolute paths. */
  point?: string | undefined;
}

/** Limits and habits, for README.md. */
const HINTS: readonly string[] = [
  'Only the 12 digits behind `--` find a page: a path with an old title goes on working; after a move its old path does not.',
  '`Title--ID/` is there for every page, and listed when something is in it: write `Title--ID/new.md` to make the first page below.',
  'A text is one block a line, children a tab deeper. An edit sends the lines that differ; every other block stays as it is, with what markdown cannot show of it.',
  '`rm` of a page moves it to the trash of Notion, from where it can be restored for 30 days; a page with pages below it is not removed.',
  'Options of select, multi-select and status must exist; `schema.json` of the database lists them. Properties of pages that are no rows: the title only.',
  'Comments are in `Title--ID/comments/`, which is found when named; walks and searches do not meet them.',
  'Titles and single texts have 2,000 characters at most, lists 100 entries, a whole text 450,000 bytes.',
];

export function createNotionMount(options: NotionMountOptions): ServiceMount {
  const { freshMs = 10_000, reconcileMs = 3_600_000, now = () => new Date(), replica } = options;
  const { token, baseUrl, fetch, timeoutMs, onNotice, point } = options;
  const name = baseUrl === undefined ? 'notion' : `notion ${new URL(baseUrl).host}`;
  const client = new NotionClient({
    now,
    ...(token === undefined ? {} : { token }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const store = new NotionStore(replica, name, now);
  const freshness = new Freshness({ service: 'Notion', freshMs, now, onNotice });
  const sync = new NotionSync({ client, store, freshness, freshMs, reconcileMs, now });
  return createServiceMount({
    service: {
      kind: 'notion',
      title: 'Notion',
      about:
        'Pages and databases of Notion as files, as far as they are shared with the integration. Reading fetches what is needed and keeps it; writing a file changes the page.',
      hints: HINTS,
      records: [pageRecord, commentRecord],
      params: PARAMS,
      collections: sync.collections,
      routes: notionRoutes({ client, store, sync }),
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
