/**
 * Files that were uploaded to Linear: they are asked for with the key, at Linear's own place for
 * uploads alone.
 */
import {
  type Upload,
  type UploadParts,
  uploadsIn as uploadsInTexts,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';

/** What texts of Linear's may link to. */
export function linearUploads(client: LinearClient): Pick<UploadParts, 'isUpload' | 'fetch'> {
  return { isUpload: isUploadAt(client.uploads), fetch: (url) => client.upload(url) };
}

/** The files that texts link to and that lie at an origin. */
export function uploadsIn(texts: readonly string[], origin: string): Upload[] {
  return uploadsInTexts(texts, { isUpload: isUploadAt(origin) });
}

function isUploadAt(origin: string): (url: URL) => boolean {
  return (url) => url.origin === origin && url.pathname !== '/';
}
