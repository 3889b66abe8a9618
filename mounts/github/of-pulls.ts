/**
 * What only a request for one pull request tells: its diff, its reviews, its
 * files. Each is kept with the time of the pull request's last update, and is
 * asked for again only once that has moved on.
 */
import { z } from 'zod';
import { ServiceFailure } from '../../src/mount/failure.ts';
import type { Content, Params, Route } from '../../src/mount/route.ts';
import { dateOf } from '../../src/mount/tsv.ts';
import { filesContent } from './render.ts';
import { expectShape } from './schemas.ts';
import { collection, repoOf, repoUrl } from './store.ts';
import type { WriteParts } from './writes.ts';

const login = z.looseObject({ login: z.string() }).nullish();

const reviewsSchema = z.array(
  z.looseObject({
    user: login,
    state: z.string(),
    body: z.string().nullish(),
    submitted_at: z.string().nullish(),
  }),
);

const remarksSchema = z.array(
  z.looseObject({
    user: login,
    path: z.string(),
    line: z.number().nullish(),
    original_line: z.number().nullish(),
    body: z.string().nullish(),
    created_at: z.string(),
  }),
);

const textSchema = z.object({ text: z.string() });

type Kind = 'diffs' | 'reviews';

/** Texts that are made from requests for one pull request. */
class TextsOfPulls {
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** Held, and of the pull request's last update? */
  isHeld(kind: Kind, params: Params): boolean {
    const { store } = this.#parts;
    const found = store.head(kind, repoOf(params), params['number'] ?? '');
    return found !== null && found.tag === this.#updated(params);
  }

  async ensure(kind: Kind, params: Params, make: () => Promise<string>): Promise<void> {
    const { store, sync } = this.#parts;
    await sync.ensureIssue(params, 'pull', 'cover');
    const tag = this.#updated(params);
    if (tag === null || this.isHeld(kind, params)) return;
    const text = await make();
    store.replica.upsert(store.mount, collection(kind, repoOf(params)), {
      key: params['number'] ?? '',
      tag,
      updatedAt: tag,
      size: Buffer.byteLength(text),
      path: null,
      value: { text },
    });
  }

  content(kind: Kind, params: Params): Content | null {
    const { store } = this.#parts;
    const into = collection(kind, repoOf(params));
    const found = store.replica.get(store.mount, into, params['number'] ?? '');
    if (found === null) return null;
    const { text } = textSchema.parse(found.value);
    return { text, version: found.version, mtime: dateOf(found.updatedAt) };
  }

  async diff(params: Params): Promise<string> {
    const { data } = await this.#parts.client.get(url(params), null, DIFF);
    if (typeof data !== 'string') throw new ServiceFailure('protocol', "GitHub's diff is no text");
    return data;
  }

  /** Two requests: the reviews, and the remarks on lines. Only the first hundred of each. */
  async reviews(params: Params): Promise<string> {
    const { client } = this.#parts;
    const [reviews, remarks] = await Promise.all([
      client.get(`${url(params)}/reviews?per_page=100`),
      client.get(`${url(params)}/comments?per_page=100`),
    ]);
    const said = expectShape(reviewsSchema, reviews.data, 'the reviews').map(
      ({ user, state, body, submitted_at }) =>
        `## ${user?.login ?? 'ghost'}: ${state.toLowerCase()}, ${submitted_at ?? 'not submitted'}\n${paragraph(body)}`,
    );
    const lines = expectShape(remarksSchema, remarks.data, 'the remarks').map(
      ({ user, path, line, original_line, body, created_at }) =>
        `## ${user?.login ?? 'ghost'} on ${path}:${line ?? original_line ?? 1}, ${created_at}\n${paragraph(body)}`,
    );
    const more = [reviews, remarks].some(({ next }) => next !== null);
    const rest = more ? ['There are more than a hundred: the others are on GitHub.\n'] : [];
    return [...said, ...lines, ...rest].join('\n') || 'No reviews.\n';
  }

  #updated(params: Params): string | null {
    const { store } = this.#parts;
    const found = store.head('issues', repoOf(params), params['number'] ?? '');
    return found?.tag === 'pull' ? found.updatedAt : null;
  }
}

const DIFF = 'application/vnd.github.diff';

/** The rows of `pulls/` that cost a request for each pull request. */
export function pullTextRoutes(parts: WriteParts, top: string): Route[] {
  const { store, sync } = parts;
  const texts = new TextsOfPulls(parts);
  const pulls = (params: Params) => store.heads('issues', repoOf(params), 'pull');
  const isPull = (params: Params) =>
    store.head('issues', repoOf(params), params['number'] ?? '')?.tag === 'pull';
  return [
    {
      pattern: `${top}/:number.diff`,
      type: 'file',
      about: 'its diff, as git shows it',
      readOnly: 'a diff changes with the commits of its branch: write the file below files/',
      needs: ['issues'],
      costly: (params) => !texts.isHeld('diffs', params),
      prepare: async (params, purpose, eagerness) => {
        if (purpose === 'list') return sync.ensure('issues', params, eagerness);
        await sync.ensureIssue(params, 'pull', eagerness);
        if (purpose === 'read') await texts.ensure('diffs', params, () => texts.diff(params));
      },
      entries: (params) =>
        pulls(params).map((head) => ({
          name: head.key,
          size: 1024,
          mtime: dateOf(head.updatedAt),
        })),
      stat: (params) =>
        isPull(params)
          ? {
              size: 1024,
              mtime: dateOf(
                store.head('issues', repoOf(params), params['number'] ?? '')?.updatedAt ?? '',
              ),
            }
          : null,
      read: (params) => texts.content('diffs', params),
    },
    {
      pattern: `${top}/:number/reviews.md`,
      type: 'file',
      about: 'its reviews, and the remarks on lines of its diff; read-only',
      costly: (params) => !texts.isHeld('reviews', params),
      prepare: async (params, purpose) => {
        if (purpose !== 'read') return;
        await texts.ensure('reviews', params, () => texts.reviews(params));
      },
      read: (params) => texts.content('reviews', params),
    },
    {
      pattern: `${top}/:number/files.tsv`,
      type: 'file',
      about: 'the files that it changes: path, status, additions, deletions, previous path',
      readOnly: 'it follows the commits of its branch: write the file below files/',
      costly: (params) => !sync.hasFiles(params),
      prepare: async (params, purpose) => {
        if (purpose === 'read') await sync.ensureFiles(params);
      },
      read: (params) => filesContent(store, repoOf(params), params['number'] ?? ''),
    },
  ];
}

function url(params: Params): string {
  return `${repoUrl(repoOf(params))}/pulls/${params['number']}`;
}

function paragraph(body: string | null | undefined): string {
  return body === null || body === undefined || body === '' ? '' : `\n${body.trimEnd()}\n`;
}
