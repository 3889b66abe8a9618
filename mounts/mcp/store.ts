/** What is held of a server: its lists, what was read of its resources. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceStore, type StoredRecord } from '../../src/mount/index.ts';
import type { ListName } from './client.ts';
import { fileOf, programFileOf } from './names.ts';
import {
  type Contents,
  contentsSchema,
  type Prompt,
  promptSchema,
  type Resource,
  resourceSchema,
  serverSchema,
  type Tool,
  templateSchema,
  toolSchema,
} from './schemas.ts';

/** How a row of a list is kept, and under which name. */
const KINDS = {
  tools: { schema: toolSchema, file: (one: unknown) => programFileOf((one as Tool).name) },
  prompts: { schema: promptSchema, file: (one: unknown) => programFileOf((one as Prompt).name) },
  resources: { schema: resourceSchema, file: (one: unknown) => fileOf((one as Resource).uri) },
  templates: {
    schema: templateSchema,
    file: (one: unknown) => (one as z.infer<typeof templateSchema>).uriTemplate,
  },
} as const satisfies Record<ListName, { schema: z.ZodType; file(one: unknown): string }>;

/** A file as it is held. */
export interface Held<T> {
  record: StoredRecord;
  value: T;
}

export class McpStore extends ServiceStore {
  /**
   * Keeps a whole list. What is no such row, or has a name that is taken, is left out.
   * @returns how many were left out
   */
  keep(list: ListName, rows: readonly unknown[], lacking: string | null): number {
    const { schema, file } = KINDS[list];
    const seen = new Set<string>();
    let left = 0;
    this.replica.transaction(() => {
      for (const row of rows) {
        const parsed = schema.safeParse(row);
        const key = parsed.success ? file(parsed.data) : '';
        if (
          !parsed.success ||
          key === '' ||
          seen.has(key) ||
          (list === 'resources' && !key.includes(':'))
        ) {
          left += 1;
          continue;
        }
        seen.add(key);
        this.#put(list, key, parsed.data, changedAt(parsed.data));
      }
      for (const { key } of this.replica.all(this.mount, list)) {
        if (!seen.has(key)) this.replica.remove(this.mount, list, key);
      }
      this.listed(list, { cursor: lacking });
    });
    return left;
  }

  keepServer(about: unknown): void {
    this.replica.transaction(() => {
      this.#put('server', 'server', about, '');
      this.listed('server');
    });
  }

  keepContents(file: string, contents: readonly Contents[]): void {
    this.#put('contents', file, { contents }, changedAt(this.resource(file)?.value));
  }

  forgetContents(file: string): void {
    this.replica.remove(this.mount, 'contents', file);
  }

  /** What a list lacks, in words. */
  lacking(list: ListName): string | null {
    return this.replica.listing(this.mount, list)?.cursor ?? null;
  }

  /** A list has changed: it is asked for again when it is looked at. */
  outdated(list: ListName): void {
    const state = this.replica.listing(this.mount, list);
    if (state !== null) this.replica.setListing(this.mount, list, { ...state, complete: false });
  }

  all(list: ListName): StoredRecord[] {
    return this.replica.all(this.mount, list);
  }

  tool(file: string): Held<Tool> | null {
    return this.#get('tools', file, toolSchema);
  }

  prompt(file: string): Held<Prompt> | null {
    return this.#get('prompts', file, promptSchema);
  }

  resource(file: string): Held<Resource> | null {
    return this.#get('resources', file, resourceSchema);
  }

  contents(file: string): Held<z.infer<typeof contentsSchema>> | null {
    return this.#get('contents', file, contentsSchema);
  }

  server(): Held<z.infer<typeof serverSchema>> | null {
    return this.#get('server', 'server', serverSchema);
  }

  #put(list: string, key: string, value: unknown, updatedAt: string): void {
    const size = Math.max(1, JSON.stringify(value).length);
    this.replica.upsert(this.mount, list, { key, updatedAt, size, path: null, value });
  }

  #get<T>(list: string, file: string, schema: z.ZodType<T>): Held<T> | null {
    const record = this.replica.get(this.mount, list, file);
    return record === null ? null : { record, value: schema.parse(record.value) };
  }
}

/** Tells a definition from any other: what a call was planned for is what is called. */
export const digestOf = (definition: unknown): string =>
  createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 32);

const changedSchema = z.object({
  annotations: z.object({ lastModified: z.iso.datetime({ offset: true }) }),
});

/** When the server says that it was changed, as UTC; '' where it does not. */
function changedAt(one: unknown): string {
  const parsed = changedSchema.safeParse(one);
  return parsed.success ? new Date(parsed.data.annotations.lastModified).toISOString() : '';
}
