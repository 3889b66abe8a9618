/**
 * The reviews of a pull request, each with its comments on lines of the diff. Two questions for
 * each pull request bring them, and are asked again only once it was updated.
 */
import type { z } from 'zod';
import {
  type Content,
  dateOf,
  type Params,
  type Question,
  type Route,
  recordEntry,
  renderRecord,
  renderTemplate,
  type StoredRecord,
  tsvContent,
  tsvEntry,
} from '../../src/mount/index.ts';
import { renderLineComment } from './line-comments.ts';
import { pagesFrom } from './pages.ts';
import { type HeldReview, reviewRecord, reviewSchema, reviewState } from './records.ts';
import { reviewCreate } from './review-writes.ts';
import { type ApiLineComment, expectShape, lineCommentSchema } from './schemas.ts';
import { ofNumber, type RepoName, repoOf, repoUrl } from './store.ts';
import type { WriteParts } from './writes.ts';

/** GitHub's times have whole seconds; so much later an update is the only one of its time. */
const SETTLED_MS = 2_000;

type Place = readonly [name: RepoName, number: string];

const placeOf = (params: Params): Place => [repoOf(params), params['number'] ?? ''];

/** Bringing the reviews of a pull request in step. */
class Reviews {
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** Held, and as of the pull request's last update? */
  isHeld(params: Params): boolean {
    const { store, client, now, freshness } = this.#parts;
    const place = placeOf(params);
    const state = store.replica.listing(store.mount, ofNumber('reviews', ...place));
    const updated = this.#updated(place);
    if (updated === null || state?.complete !== true || state.cursor !== updated) return false;
    // Within the second of that update there may have been another one, which no time tells.
    const settled = client.serverTime(state.syncedAt) - Date.parse(updated) >= SETTLED_MS;
    if (!settled) freshness.lasts(state.syncedAt + SETTLED_MS);
    return settled || now().getTime() - state.syncedAt < SETTLED_MS;
  }

  /** Throws ServiceFailure. */
  async ensure(params: Params): Promise<void> {
    const { store, sync, freshness } = this.#parts;
    const place = placeOf(params);
    await sync.ensureIssue(params, 'pull', 'cover');
    const updated = this.#updated(place);
    if (updated === null || this.isHeld(params)) return;
    const into = ofNumber('reviews', ...place);
    const question: Question = {
      key: into.replace(':', ' '),
      heldSince: () => store.heldSince(into),
      ask: () => this.#ask(place, updated),
    };
    await freshness.ensure(question);
  }

  async #ask(place: Place, updated: string): Promise<void> {
    const { store } = this.#parts;
    const [name, number] = place;
    const url = `${repoUrl(name)}/pulls/${number}`;
    const [reviews, lines] = await Promise.all([
      this.#every(`${url}/reviews`, reviewSchema, 'the reviews'),
      this.#every(`${url}/comments`, lineCommentSchema, 'the comments on lines'),
    ]);
    const held = reviews.map((review): HeldReview => {
      const own = lines.filter((line) => line.pull_request_review_id === review.id);
      return { ...review, lines: own };
    });
    const known = new Set(held.map(({ id }) => id));
    const stray = lines.filter(({ pull_request_review_id: of }) => of == null || !known.has(of));
    held.push(...stray.map(alone));
    store.replica.transaction(() => {
      for (const review of held) store.putReview(name, number, review, 'listing');
      store.keepReviews(name, number, new Set(held.map(({ id }) => id)));
      store.listed(ofNumber('reviews', name, number), { cursor: updated });
    });
  }

  /** Every page of a listing, 100 a request. */
  async #every<T extends z.ZodType>(url: string, schema: T, what: string): Promise<z.infer<T>[]> {
    const items: z.infer<T>[] = [];
    const { client } = this.#parts;
    for await (const { data } of pagesFrom(client, `${url}?per_page=100&page=1`)) {
      items.push(...(expectShape(schema.array(), data, what) as z.infer<T>[]));
    }
    return items;
  }

  /** When the pull request was updated; null where there is none of that number. */
  #updated([name, number]: Place): string | null {
    const found = this.#parts.store.head('issues', name, number);
    return found?.tag === 'pull' ? found.updatedAt : null;
  }
}

/** A comment on lines from before there were reviews: it is shown as one of its own. */
function alone(line: ApiLineComment): HeldReview {
  return {
    id: line.id,
    user: line.user,
    state: 'COMMENTED',
    commit_id: line.original_commit_id ?? null,
    submitted_at: line.created_at,
    html_url: line.html_url,
    pull_request_url: line.pull_request_url,
    lines: [line],
  };
}

/** The rows of `pulls/N/reviews/`, below `top`. */
export function reviewRoutes(parts: WriteParts, top: string): Route[] {
  const { store } = parts;
  const reviews = new Reviews(parts);
  const directory = `${top}/:number/reviews`;
  const heads = (params: Params) =>
    store.replica.heads(store.mount, ofNumber('reviews', ...placeOf(params)));
  const one = (params: Params) => store.review(...placeOf(params), params['id'] ?? '');
  const costly = (params: Params) => !reviews.isHeld(params);
  const prepare = (params: Params) => reviews.ensure(params);
  return [
    {
      pattern: directory,
      type: 'directory',
      about: 'its reviews, and what they say of lines of its diff',
      costly,
    },
    {
      pattern: `${directory}/index.tsv`,
      type: 'file',
      about: 'one line each: id, state, author, submitted, comments on lines',
      costly,
      prepare,
      stat: (params) => tsvEntry(heads(params)),
      read: (params) => indexContent(store.reviews(...placeOf(params))),
    },
    {
      pattern: `${directory}/new.md`,
      type: 'file',
      about: 'write here to review the pull request; reading gives a template',
      hidden: true,
      read: () => ({ text: renderTemplate(reviewRecord.type), version: '', mtime: new Date(0) }),
      create: reviewCreate(parts),
    },
    {
      pattern: `${directory}/:id.md`,
      type: 'file',
      about:
        'a review: its verdict, its text, and below it its comments, each under `## PATH:LINE`',
      document: true,
      costly,
      readOnly: 'a review that was submitted stays as it is: write another one to new.md',
      removeHint: 'a review that was submitted is not removed: dismiss it on GitHub',
      needs: ['issues'],
      prepare,
      // A walk that begins at one pull request has its reviews; one over all of them does not.
      prefetch: (params) =>
        params['number'] === undefined ? Promise.resolve() : reviews.ensure(params),
      prefetched: (params) => params['number'] === undefined || reviews.isHeld(params),
      entries: (params) => heads(params).map(recordEntry),
      stat: (params) => {
        const found = one(params);
        return found === null ? null : recordEntry(found.record);
      },
      read: (params) => {
        const found = one(params);
        return found === null ? null : reviewContent(found.record, found.review);
      },
    },
  ];
}

function indexContent(rows: readonly { record: StoredRecord; review: HeldReview }[]): Content {
  return tsvContent(
    ['id', 'state', 'author', 'submitted', 'comments'],
    rows.map(({ review }) => [
      review.id,
      reviewState(review.state),
      review.user?.login ?? 'ghost',
      review.submitted_at ?? '',
      String(review.lines.length),
    ]),
    rows.map(({ record }) => record),
  );
}

function reviewContent(record: StoredRecord, review: HeldReview): Content {
  const head = renderRecord(reviewRecord.type, reviewRecord.values(review));
  const text = [head, ...review.lines.map(renderLineComment)].join('\n');
  return { text, version: record.version, mtime: dateOf(record.updatedAt) };
}
