/** What comments belong to: pages, and the blocks in them. */
import { z } from 'zod';

/** What comments belong to: a page, or a block in it. */
export interface Owner {
  /** Of the page. */
  key: string;
  /** Of the block, without dashes; null for the page itself. */
  block: string | null;
}

export const ownerName = ({ key, block }: Owner): string =>
  block === null ? key : `${key} ${block}`;

const outlineSchema = z.array(
  z.object({
    id: z.string(),
    depth: z.number(),
    type: z.string(),
    text: z.string(),
    editedAt: z.string(),
    /** Of a block whose file lies with Notion: what the file is called. */
    file: z.string().nullable(),
  }),
);
/** The blocks of a page, each before those in it. */
export type Outline = z.infer<typeof outlineSchema>;

export function outlineOf(value: unknown): Outline {
  return outlineSchema.parse(value);
}
