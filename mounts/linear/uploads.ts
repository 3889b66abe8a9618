/**
 * Files that were uploaded to Linear: they are asked for with the key, at Linear's own place for
 * uploads alone.
 */
import {
  type Route,
  type Upload,
  type UploadPlace,
  uploadRoutes as uploadRoutesOf,
  uploadsIn as uploadsInTexts,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import type { LinearStore } from './store.ts';

/** The rows of `attachments/` below a record; it is there where a text links to a file. */
export function uploadRoutes(
  { client, store }: { client: LinearClient; store: LinearStore },
  place: UploadPlace,
): Route[] {
  const isUpload = isUploadAt(client.uploads);
  return uploadRoutesOf(
    { title: 'Linear', store, isUpload, fetch: (url) => client.upload(url) },
    place,
  );
}

/** The files that texts link to and that lie at an origin. */
export function uploadsIn(texts: readonly string[], origin: string): Upload[] {
  return uploadsInTexts(texts, { isUpload: isUploadAt(origin) });
}

function isUploadAt(origin: string): (url: URL) => boolean {
  return (url) => url.origin === origin && url.pathname !== '/';
}
