/** A collection as somebody has it: a file a document, in a mounted directory, asked by the search's own door. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DiskMount } from '../../src/disk/mount.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { MountTable } from '../../src/namespace/table.ts';
import { localEngine } from '../../src/search/service/client.ts';
import { SearchEngine } from '../../src/search/service/engine.ts';
import { MountedSearch } from '../../src/search/service/mounted-search.ts';
import type { WordTable } from '../../src/search/static/table.ts';
import type { Collection } from './collections.ts';

const POINT = '/mnt/documents';

/** A mounted collection. */
export interface Product {
  /** Ids of documents, best first, each once, as the lines of an answer name them. */
  ask(query: string, limit: number): Promise<string[]>;
  close(): Promise<void>;
}

export async function openProduct({ documents }: Collection, table: WordTable): Promise<Product> {
  const root = mkdtempSync(join(tmpdir(), 'dirigent-bench-'));
  const ids = new Map<string, string>();
  for (const { id, path, text } of documents) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    ids.set(`${POINT}${path}`, id);
  }
  const mounts = new MountTable();
  const mount = new DiskMount({ root, searchable: true });
  mounts.attach({ point: POINT, mount, access: { mode: 'ro' }, searchable: true });
  const gate = () => ({ decision: 'allow' as const, rule: 'bench', reason: '' });
  const fs = new Namespace({ table: mounts, gate, timeoutMs: 60_000, origin: 'shell' });
  const engine = localEngine(new SearchEngine(':memory:', table));
  const search = new MountedSearch({ table: mounts, fs, engine: () => engine });
  await search.state([POINT], true);
  return {
    ask: async (query, limit) => {
      const { answers } = await search.ask({ query, paths: [POINT], limit });
      return [...new Set(answers.map(({ path }) => ids.get(path) ?? path))];
    },
    close: async () => {
      await search.close();
      rmSync(root, { recursive: true });
    },
  };
}
