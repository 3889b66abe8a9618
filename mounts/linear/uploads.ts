/**
 * Files that were uploaded to Linear: they are asked for with the key, at Linear's own place for
 * uploads alone.
 */
import type { Route } from '../../src/mount/table/route.ts';
import * as core from '../../src/mount/table/uploads.ts';
import type { LinearClient } from './client.ts';
import type { LinearStore } from './store.ts';

/** The rows of `attachments/` below a record; it is there where a text links to a file. */
export function uploadRoutes(
  { client, store }: { client: LinearClient; store: LinearStore },
  place: core.UploadPlace,
): Route[] {
  const isUpload = isUploadAt(client.uploads);
  return core.uploadRoutes(
    { title: 'Linear', store, isUpload, fetch: (url) => client.upload(url) },
    place,
  );
}

/** The files that texts link to and that lie at an origin. */
export function uploadsIn(texts: readonly string[], origin: string): core.Upload[] {
  return core.uploadsIn(texts, { isUpload: isUploadAt(origin) });
}

function isUploadAt(origin: string): (url: URL) => boolean {
  return (url) => url.origin === origin && url.pathname !== '/';
}
