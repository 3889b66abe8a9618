/**
 * Files that people uploaded into an issue, a pull request or a comment: their bytes, beside the
 * record. GitHub has no API for them: they are at its site, which takes the token of the API and
 * points to a place that needs none.
 */
import { z } from 'zod';
import { type Params, type Route, type UploadParts, uploadRoutes } from '../../src/mount/index.ts';
import { collection, repoOf } from './store.ts';
import type { WriteParts } from './writes.ts';

/** Where uploads were kept before they were at the site itself: anybody may read them there. */
const OLDER = 'https://user-images.githubusercontent.com';

/** Of images and videos the address ends in a UUID, of other files in a number and their name. */
const ASSET = /^\/(?:user-attachments|[^/]+\/[^/]+)\/assets\/(?:\d+\/)?[0-9a-f-]{36}$/;
const FILE = /^\/(?:user-attachments|[^/]+\/[^/]+)\/files\/(\d+)\/([^/]+)$/;

const bodySchema = z.looseObject({ body: z.string().nullish() });

/** Is it something that was uploaded to a site of GitHub's? */
export function isUploadAt(site: string): UploadParts['isUpload'] {
  return ({ origin, pathname }) =>
    origin === site ? ASSET.test(pathname) || FILE.test(pathname) : origin === OLDER;
}

/** A file is called by its own name; an image by the text that stands for it. */
export function nameOfUpload({ pathname }: URL, label: string): { id: string; label: string } {
  const [, id, name] = FILE.exec(pathname) ?? [];
  if (id === undefined || name === undefined) {
    return { id: pathname.split('/').at(-1) ?? '', label };
  }
  return { id, label: decoded(name) };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    // A percent sign of its own is a part of the name.
    if (error instanceof URIError) return name;
    throw error;
  }
}

/** The rows of `attachments/` of issues or of pull requests, below `top`. */
export function attachmentRoutes(parts: WriteParts, top: string, kind: 'issue' | 'pull'): Route[] {
  const { client, store, sync } = parts;
  const { replica, mount } = store;
  const issue = (params: Params) => {
    const into = collection('issues', repoOf(params));
    const found = replica.get(mount, into, params['number'] ?? '');
    return found?.tag === kind ? found : null;
  };
  const comments = (params: Params) =>
    replica.all(mount, collection('comments', repoOf(params)), params['number'] ?? '');
  return uploadRoutes(
    {
      title: 'GitHub',
      store,
      isUpload: isUploadAt(client.site),
      nameOf: nameOfUpload,
      fetch: (url) => client.upload(url),
    },
    {
      record: `${top}/:number`,
      needs: ['issues', 'comments'],
      texts: (params) => {
        const found = issue(params);
        const records = found === null ? [] : [found, ...comments(params)];
        return records.map(({ value }) => bodySchema.parse(value).body ?? '');
      },
      mayLink: (params) => store.mayLink(repoOf(params), params['number'] ?? ''),
      isRecord: (params) => issue(params) !== null,
      prepare: async (params, _purpose, eagerness) => {
        await sync.ensureIssue(params, kind, eagerness);
        await sync.ensureComments(params, 'cover');
      },
    },
  );
}
