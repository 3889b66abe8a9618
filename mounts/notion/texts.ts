/** The texts of pages: one request each, and only when a page is newer than what is held of it. */
import type { Question } from '../../src/mount/freshness.ts';
import { markdownSchema } from './schemas.ts';
import { NODES } from './store.ts';
import type { SyncOptions } from './sync.ts';

const MINUTE_MS = 60_000;
/** How long a count of missing texts is believed, in ms: one walk asks for every file. */
const COUNT_MS = 1_000;

export class PageTexts {
  readonly #options: SyncOptions;
  #count: { at: number; keys: string[] } = { at: Number.NEGATIVE_INFINITY, keys: [] };

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
    const now = this.#options.now().getTime();
    if (Math.abs(now - this.#count.at) > COUNT_MS) {
      const { store } = this.#options;
      const pages = store.heads().filter(({ path }) => path?.endsWith('.md'));
      this.#count = {
        at: now,
        keys: pages.map(({ key }) => key).filter((key) => !this.isCurrent(key)),
      };
    }
    return this.#count.keys;
  }

  /** What was counted as missing may be so no more. */
  recount(): void {
    this.#count.at = Number.NEGATIVE_INFINITY;
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
    this.put(key, answer.markdown);
  }

  put(key: string, markdown: string): void {
    const { client, store, now } = this.#options;
    const found = store.page(key);
    if (found === null) return;
    const fetchedAt = client.serverTime(now().getTime());
    store.putBody(key, { markdown, editedAt: found.page.last_edited_time, fetchedAt });
    this.recount();
  }

  /**
   * Is the text held that the page has? An edit in the minute in which it was
   * fetched does not show in `last_edited_time`: until that minute is over,
   * it is believed for `freshMs` only.
   */
  isCurrent(key: string): boolean {
    const { store, now, freshMs } = this.#options;
    const held = store.body(key);
    const page = store.head(key);
    if (held === null || page === null || held.body.editedAt !== page.updatedAt) return false;
    const settled = held.body.fetchedAt >= Date.parse(page.updatedAt) + MINUTE_MS;
    return settled || now().getTime() - held.record.checkedAt < Math.max(freshMs, 2_000);
  }
}
