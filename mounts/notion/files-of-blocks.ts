/** Files that lie with Notion: what a block says of its own. */
import { z } from 'zod';
import type { ApiBlock } from './schemas.ts';

const hosted = z.looseObject({
  type: z.literal('file'),
  file: z.object({ url: z.string() }),
  name: z.string().optional(),
});

/** Where a block's file is for the next hour, and what it is called; null where Notion has none for it. */
export function fileIn(block: ApiBlock): { name: string; url: string } | null {
  const found = hosted.safeParse(block[block.type]);
  if (!found.success || !URL.canParse(found.data.file.url)) return null;
  const { url } = found.data.file;
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return { url, name: found.data.name ?? decoded(last) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // A `%` that is none of an encoded name.
    if (error instanceof URIError) return text;
    throw error;
  }
}
