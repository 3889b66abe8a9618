/** The notifications of whoever the token belongs to: a file each, marked as read by writing it. */
import { z } from 'zod';
import {
  type Content,
  dateOf,
  type Edit,
  type Params,
  type Question,
  type RecordType,
  type Route,
  recordEntry,
  renderRecord,
  ServiceFailure,
  type StoredRecord,
  tsvContent,
  tsvEntry,
  type Values,
} from '../../src/mount/index.ts';
import { type FindParts, isShown, requireToken } from './finds.ts';
import { pagesFrom } from './pages.ts';
import { readOnly } from './records.ts';
import { expectShape } from './schemas.ts';
import { repoUrl } from './store.ts';

/** GitHub asks to be asked no more often (`X-Poll-Interval`), in ms. */
const FRESH_MS = 60_000;

/** Of the replica. */
const INTO = 'notifications';

const DIRECTORY = '/@me/notifications';

const threadSchema = z.looseObject({
  id: z.string(),
  unread: z.boolean(),
  reason: z.string(),
  updated_at: z.string(),
  last_read_at: z.string().nullish(),
  repository: z.looseObject({ full_name: z.string() }),
  subject: z.looseObject({
    title: z.string(),
    type: z.string(),
    url: z.string().nullish(),
  }),
});
type Thread = z.infer<typeof threadSchema>;

const notificationRecord: RecordType = {
  name: 'notification',
  fields: {
    id: readOnly('number'),
    unread: {
      schema: z.boolean({ error: 'must be true or false' }),
      access: 'edit',
      about: 'write `false` to mark it as read; GitHub has no way back',
    },
    reason: readOnly('why you were told: assign, mention, review_requested …'),
    repository: readOnly('OWNER/REPO'),
    type: readOnly('of what it is about: Issue, PullRequest, Release …'),
    title: readOnly('of what it is about'),
    subject: readOnly('the file of what it is about, from this directory; null where it has none'),
    updated_at: readOnly('time'),
    last_read_at: readOnly('time'),
  },
};

class Notifications {
  readonly #parts: FindParts;
  readonly #question: Question;

  constructor(parts: FindParts) {
    this.#parts = parts;
    const { store } = parts;
    this.#question = {
      key: '@me notifications',
      heldSince: () => store.heldSince(INTO),
      window: () => FRESH_MS,
      ask: () => this.#ask(),
    };
  }

  isFresh(): boolean {
    return this.#parts.freshness.fresh(this.#question);
  }

  async ensureAll(): Promise<void> {
    await this.#parts.freshness.ensure(this.#question, 'list');
  }

  /** One that no listing of those unread has may be one that was read. */
  async ensureOne(id: string): Promise<void> {
    const { store, freshness } = this.#parts;
    if (this.isFresh() && this.get(id) !== null) return;
    const heldSince = () => store.replica.head(store.mount, INTO, id)?.checkedAt ?? null;
    const question = { key: `@me notification ${id}`, heldSince, ask: () => this.lookup(id) };
    await freshness.ensureOne({ ...question, window: () => FRESH_MS }, () => heldSince() !== null);
  }

  /** Asks for one; one that is gone is held no more. Throws ServiceFailure. */
  async lookup(id: string): Promise<void> {
    const { client, store } = this.#parts;
    requireToken(client);
    try {
      const { data } = await client.get(url(id));
      this.put(expectShape(threadSchema, data, `notification ${id}`));
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !error.absent) throw error;
      store.replica.remove(store.mount, INTO, id);
    }
  }

  put(thread: Thread): void {
    const { store, only } = this.#parts;
    if (!isShown(only, repoOf(thread))) return;
    store.replica.upsert(store.mount, INTO, {
      key: thread.id,
      tag: thread.unread ? 'unread' : 'read',
      updatedAt: thread.updated_at,
      size: 400 + thread.subject.title.length,
      path: null,
      value: thread,
    });
    store.replica.touch(store.mount, INTO, thread.id);
  }

  get(id: string): { record: StoredRecord; thread: Thread } | null {
    const { store } = this.#parts;
    const record = store.replica.get(store.mount, INTO, id);
    return record === null ? null : { record, thread: threadSchema.parse(record.value) };
  }

  /** Those not read yet, the newest first. */
  unread(): { record: StoredRecord; thread: Thread }[] {
    const { store } = this.#parts;
    return store.replica
      .all(store.mount, INTO, 'unread')
      .map((record) => ({ record, thread: threadSchema.parse(record.value) }))
      .sort((a, b) => (a.record.updatedAt < b.record.updatedAt ? 1 : -1));
  }

  async #ask(): Promise<void> {
    const { client, store, only, now } = this.#parts;
    requireToken(client);
    const began = now().getTime();
    const top = only === null ? '' : repoUrl(only);
    const threads: Thread[] = [];
    for await (const { data } of pagesFrom(client, `${top}/notifications?per_page=50&page=1`)) {
      threads.push(...expectShape(threadSchema.array(), data, 'the notifications'));
    }
    store.replica.transaction(() => {
      const gone = new Set(store.replica.heads(store.mount, INTO, 'unread').map(({ key }) => key));
      for (const thread of threads) {
        gone.delete(thread.id);
        const held = store.replica.head(store.mount, INTO, thread.id);
        // What was marked meanwhile the listing does not know yet.
        const isMarked = held?.tag === 'read' && held.checkedAt >= began;
        if (!isMarked) this.put(thread);
      }
      for (const id of gone) store.replica.remove(store.mount, INTO, id);
      store.listed(INTO);
    });
  }
}

/** The rows of `@me/notifications/`. */
export function notificationRoutes(parts: FindParts): Route[] {
  const all = new Notifications(parts);
  const one = (params: Params) => all.get(params['id'] ?? '');
  const costly = () => !all.isFresh();
  return [
    {
      pattern: DIRECTORY,
      type: 'directory',
      about: 'what GitHub tells you of and you have not read',
      costly,
    },
    {
      pattern: `${DIRECTORY}/index.tsv`,
      type: 'file',
      about: 'one line each: id, reason, repository, type, title, subject, updated',
      readOnly: 'it is made from the notifications: write `unread: false` into one to mark it read',
      costly,
      prepare: () => all.ensureAll(),
      stat: () => tsvEntry(all.unread().map(({ record }) => record)),
      read: () => indexContent(all),
    },
    {
      pattern: `${DIRECTORY}/:id.md`,
      type: 'file',
      about: 'a notification; one that was read is found when it is named',
      removeHint: 'mark it as read by writing `unread: false`; it is then listed no more',
      prepare: (params, purpose) =>
        purpose === 'list' ? all.ensureAll() : all.ensureOne(params['id'] ?? ''),
      listed: () => true,
      prefetch: async (_params, named) => {
        if (named) await all.ensureAll();
      },
      prefetched: (_params, named) => !named || all.isFresh(),
      entries: () => all.unread().map(({ record }) => recordEntry(record)),
      stat: (params) => {
        const record = one(params)?.record;
        return record === undefined ? null : recordEntry(record);
      },
      read: (params) => {
        const found = one(params);
        return found === null ? null : content(found.record, found.thread);
      },
      edit: markRead(parts, all),
    },
  ];
}

function markRead({ client }: FindParts, all: Notifications): Edit {
  return {
    record: notificationRecord,
    current: (params) => {
      const found = all.get(params['id'] ?? '');
      return found === null
        ? null
        : { values: values(found.thread), version: found.record.version };
    },
    refresh: (params) => all.lookup(params['id'] ?? ''),
    check: async (_params, { unread }) =>
      unread === true
        ? [{ field: 'unread', message: 'GitHub has no way to make it unread again' }]
        : [],
    request: (params) => ({ method: 'PATCH', url: url(params['id'] ?? ''), body: null }),
    send: async (params, request) => {
      await client.send(request);
      // The answer has no body: what is known is that it was read, and when GitHub says so is asked.
      const id = params['id'] ?? '';
      const found = all.get(id);
      if (found !== null) all.put({ ...found.thread, unread: false });
      return { path: `${DIRECTORY}/${id}.md` };
    },
  };
}

function values(thread: Thread): Values {
  return {
    id: Number(thread.id),
    unread: thread.unread,
    reason: thread.reason,
    repository: thread.repository.full_name,
    type: thread.subject.type,
    title: thread.subject.title,
    subject: subjectOf(thread),
    updated_at: thread.updated_at,
    last_read_at: thread.last_read_at ?? null,
  };
}

function content(record: StoredRecord, thread: Thread): Content {
  const text = renderRecord(notificationRecord, values(thread));
  return { text, version: record.version, mtime: dateOf(record.updatedAt) };
}

function indexContent(all: Notifications): Content {
  const rows = all.unread();
  return tsvContent(
    ['id', 'reason', 'repository', 'type', 'title', 'subject', 'updated'],
    rows.map(({ thread }) => [
      thread.id,
      thread.reason,
      thread.repository.full_name,
      thread.subject.type,
      thread.subject.title,
      subjectOf(thread) ?? '',
      thread.updated_at,
    ]),
    rows.map(({ record }) => record),
  );
}

/** From the directory of the notifications: the path holds wherever the mount is attached. */
function subjectOf({ subject, repository }: Thread): string | null {
  const [, kind, number] = /\/(issues|pulls)\/(\d+)$/.exec(subject.url ?? '') ?? [];
  return kind === undefined ? null : `../../${repository.full_name}/${kind}/${number}.md`;
}

function repoOf({ repository }: Thread) {
  const [owner = '', repo = ''] = repository.full_name.split('/');
  return { owner, repo };
}

function url(id: string): string {
  return `/notifications/threads/${id}`;
}
