/** One reading of a listing of Notion's: what it gave so far, and where it was left. */
import { z } from 'zod';
import { latestOf } from '../../src/mount/index.ts';
import { keyOf } from './names.ts';
import type { ApiNode } from './schemas.ts';

const leftSchema = z.object({ next: z.string(), latest: z.string(), whole: z.boolean() });

export class Reading {
  /** Keys of what was on its pages. */
  seen = new Set<string>();
  /** The newest time of an edit that is known. */
  latest: string;
  /** Did Notion say of no page that it leaves things out? */
  whole = true;

  /** @param latest what was known before */
  constructor(latest: string) {
    this.latest = latest;
  }

  note(nodes: readonly ApiNode[]): void {
    for (const { id } of nodes) this.seen.add(keyOf(id));
    this.latest = latestOf([this.latest, ...nodes.map((node) => node.last_edited_time)]);
  }

  /** How it is left before another page. */
  left(next: string): string {
    const { latest, whole } = this;
    return JSON.stringify({ next, latest, whole } satisfies z.infer<typeof leftSchema>);
  }

  /** Goes on from where a reading was left; null begins it. @returns the cursor of the next page */
  from(left: string | null): string | null {
    this.seen = new Set();
    this.whole = true;
    if (left === null) return null;
    const { next, latest, whole } = leftSchema.parse(JSON.parse(left));
    this.latest = latestOf([this.latest, latest]);
    this.whole = whole;
    return next;
  }
}
