/**
 * What only a request for one pull request tells: its diff, its files. Each is kept with the time of
 * the pull request's last update, and is asked for again only once that has moved on.
 */
import { z } from 'zod';
import {
  type Content,
  dateOf,
  type Params,
  type Route,
  ServiceFailure,
} from '../../src/mount/index.ts';
import { filesContent } from './render.ts';
import { collection, repoOf, repoUrl } from './store.ts';
import type { WriteParts } from './writes.ts';

const textSchema = z.object({ text: z.string() });

/** The diffs of pull requests. */
class Diffs {
  readonly #parts: WriteParts;

  constructor(parts: WriteParts) {
    this.#parts = parts;
  }

  /** Held, and of the pull request's last update? */
  isHeld(params: Params): boolean {
    const { store } = this.#parts;
    const found = store.head('diffs', repoOf(params), params['number'] ?? '');
    return found !== null && found.tag === this.#updated(params);
  }

  async ensure(params: Params): Promise<void> {
    const { store, sync } = this.#parts;
    await sync.ensureIssue(params, 'pull', 'cover');
    const tag = this.#updated(params);
    if (tag === null || this.isHeld(params)) return;
    const text = await this.#ask(params);
    store.replica.upsert(store.mount, collection('diffs', repoOf(params)), {
      key: params['number'] ?? '',
      tag,
      updatedAt: tag,
      size: Buffer.byteLength(text),
      path: null,
      value: { text },
    });
  }

  content(params: Params): Content | null {
    const { store } = this.#parts;
    const into = collection('diffs', repoOf(params));
    const found = store.replica.get(store.mount, into, params['number'] ?? '');
    if (found === null) return null;
    const { text } = textSchema.parse(found.value);
    return { text, version: found.version, mtime: dateOf(found.updatedAt) };
  }

  async #ask(params: Params): Promise<string> {
    const { data } = await this.#parts.client.get(url(params), null, DIFF);
    if (typeof data !== 'string') throw new ServiceFailure('protocol', "GitHub's diff is no text");
    return data;
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
  const diffs = new Diffs(parts);
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
      costly: (params) => !diffs.isHeld(params),
      prepare: async (params, purpose, eagerness) => {
        if (purpose === 'list') return sync.ensure('issues', params, eagerness);
        await sync.ensureIssue(params, 'pull', eagerness);
        if (purpose === 'read') await diffs.ensure(params);
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
      read: (params) => diffs.content(params),
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
