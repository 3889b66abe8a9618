/** The texts of pages: one request each, and only when a page is newer than what is held of it. */
import { type Question, ServiceFailure } from '../../src/mount/index.ts';
import type { PageText } from './markdown/parts.ts';
import { type ApiMarkdown, markdownSchema } from './schemas.ts';
import { NODES } from './store.ts';
import type { SyncOptions } from './sync-options.ts';

const MINUTE_MS = 60_000;
/** So many parts of one text are asked for by themselves. */
const PARTS_MOST = 50;
/** How long a count of missing texts is believed, in ms: one walk asks for every file. */
const COUNT_MS = 1_000;

/** Which pages' texts are missing. */
interface Count {
  /** Our clock, ms. */
  at: number;
  /** Of the replica, as long as which they are the same ones; null where time changes them. */
  revision: number | null;
  keys: string[];
}

export class PageTexts {
  readonly #options: SyncOptions;
  #count: Count = { at: Number.NEGATIVE_INFINITY, revision: null, keys: [] };

  constructor(options: SyncOptions) {
    this.#options = options;
  }

  /** A page's text: asked for when the page is newer than what is held, and never else. */
  async ensure(key: string): Promise<void> {
    const { freshness } = this.#options;
    const question: Question = {
      key: `body ${key}`,
      heldSince: () => this.#since(key),
      ask: async () => {
        if (!this.isCurrent(key)) await this.lookup(key);
      },
    };
    if (this.isCurrent(key)) freshness.note(question);
    else await freshness.ensure(question);
  }

  /** When a page's text was confirmed: with the tree, where its page did not change since. */
  #since(key: string): number | null {
    const { store, freshMs, now } = this.#options;
    const held = store.body(key)?.body;
    if (held === undefined) return null;
    if (this.isCurrent(key)) return Math.max(held.fetchedAt, store.heldSince(NODES) ?? 0);
    return Math.min(held.fetchedAt, now().getTime() - freshMs - COUNT_MS * 3);
  }

  /** Pages whose text would cost a request. */
  missing(): string[] {
    const { store, now } = this.#options;
    // Also where a count is at hand, for which nothing is read.
    store.replica.noteMore();
    const time = now().getTime();
    if (Math.abs(time - this.#count.at) <= COUNT_MS) return this.#count.keys;
    const revision = store.replica.revision();
    if (revision !== null && revision === this.#count.revision) this.#count.at = time;
    else this.#count = this.#counted(time, revision);
    return this.#count.keys;
  }

  #counted(at: number, revision: number | null): Count {
    const pages = this.#options.store.heads().filter(({ path }) => path?.endsWith('.md'));
    const judged = pages.map(({ key }) => ({ key, is: this.#judge(key) }));
    const lasts = judged.every(({ is }) => is !== 'believed');
    const missing = judged.filter(
      ({ key, is }) => is === 'missing' || (is === 'believed' && !this.isCurrent(key)),
    );
    return { at, revision: lasts ? revision : null, keys: missing.map(({ key }) => key) };
  }

  /** What was counted as missing may be so no more. */
  recount(): void {
    this.#count = { ...this.#count, at: Number.NEGATIVE_INFINITY, revision: null };
  }

  async lookup(key: string): Promise<void> {
    const { client, store } = this.#options;
    const found = store.page(key);
    if (found === null) return;
    const answer = await client.get(
      markdownSchema,
      `pages/${found.page.id}/markdown`,
      "a page's text",
    );
    this.put(key, await this.completed(answer));
  }

  /** An answer with what could not be loaded with it, which is asked for by itself. Throws ServiceFailure. */
  async completed(answer: ApiMarkdown): Promise<PageText> {
    const parts: Record<string, string> = {};
    const wanted = [...answer.unknown_block_ids];
    const missing = new Set(wanted);
    for (let asked = 0; asked < PARTS_MOST; asked++) {
      const id = wanted.shift();
      if (id === undefined) break;
      const part = await this.#part(id);
      if (part === null) continue;
      parts[id] = part.markdown;
      missing.delete(id);
      for (const one of part.unknown_block_ids.filter((each) => !(each in parts))) {
        wanted.push(one);
        missing.add(one);
      }
    }
    const { markdown, truncated } = answer;
    return { markdown, parts, lacking: lackingOf(missing.size, truncated, answer) };
  }

  /** What a block holds; null where Notion does not give it by itself either. */
  async #part(id: string): Promise<ApiMarkdown | null> {
    const { client } = this.#options;
    try {
      const part = await client.get(markdownSchema, `pages/${id}/markdown`, 'a part of a text');
      return part.unknown_block_ids.includes(id) ? null : part;
    } catch (error) {
      if (!(error instanceof ServiceFailure) || !isRefusal(error)) throw error;
      return null;
    }
  }

  put(key: string, { markdown, parts, lacking }: PageText): void {
    const { client, store, now } = this.#options;
    const found = store.page(key);
    if (found === null) return;
    const fetchedAt = client.serverTime(now().getTime());
    store.putBody(key, {
      markdown,
      parts,
      lacking,
      editedAt: found.page.last_edited_time,
      fetchedAt,
    });
    this.recount();
  }

  /**
   * Is the text held that the page has? An edit in the minute in which it was
   * fetched does not show in `last_edited_time`: until that minute is over,
   * it is believed for `freshMs` only.
   */
  isCurrent(key: string): boolean {
    const { store, now, freshMs } = this.#options;
    const is = this.#judge(key);
    if (is !== 'believed') return is === 'current';
    const checkedAt = store.body(key)?.record.checkedAt ?? 0;
    return now().getTime() - checkedAt < Math.max(freshMs, 2_000);
  }

  /** What the replica alone tells; what is believed is so for a time. */
  #judge(key: string): 'current' | 'missing' | 'believed' {
    const { store } = this.#options;
    const held = store.body(key);
    const page = store.head(key);
    if (held === null || page === null || held.body.editedAt !== page.updatedAt) return 'missing';
    return held.body.fetchedAt >= Date.parse(page.updatedAt) + MINUTE_MS ? 'current' : 'believed';
  }
}

/** Does the service say that there is no such thing to be had? */
function isRefusal({ absent, kind }: ServiceFailure): boolean {
  return absent || kind === 'invalid' || kind === 'forbidden';
}

function lackingOf(missing: number, truncated: boolean, answer: ApiMarkdown): string | null {
  if (missing > 0) {
    return `${missing} ${missing === 1 ? 'block' : 'blocks'} of the text could not be loaded: see the lines <unknown>`;
  }
  const isCut = truncated && answer.unknown_block_ids.length === 0;
  return isCut ? 'Notion has cut the text, and does not say where it goes on' : null;
}
