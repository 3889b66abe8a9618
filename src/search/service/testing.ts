/** Mounts in memory that are searched, and an engine that notes what it is told instead of searching. */
import { MemoryMount } from '../../memory-tree/mount.ts';
import { Namespace } from '../../namespace/namespace.ts';
import { MountTable } from '../../namespace/table.ts';
import type { FeedEntry } from '../../replica/replica.ts';
import type { SentenceState } from '../contract.ts';
import type { FollowedTo, IndexedText } from '../index/search-index.ts';
import type { Answer } from './answers.ts';
import type { EngineClient } from './client.ts';
import type { SearchReply, SearchRequest } from './engine.ts';
import type { FollowedSource } from './source.ts';

export interface SearchedWorld {
  table: MountTable;
  fs: Namespace;
}

/** A root that is not searched, and mounts that are, or are not. */
export function searchedWorld(mounts: Readonly<Record<string, boolean>>): SearchedWorld {
  const table = new MountTable();
  for (const [point, searchable] of Object.entries({ '/': false, ...mounts })) {
    const mount = new MemoryMount({ searchable, initial: [], onChange: () => undefined });
    table.attach({ point, mount, access: { mode: 'rw' }, searchable });
  }
  const gate = () => ({ decision: 'allow' as const, rule: 'test', reason: '' });
  return { table, fs: new Namespace({ table, gate, timeoutMs: 5_000, origin: 'shell' }) };
}

/** A batch, as the engine was given it. */
export interface Update {
  texts: readonly IndexedText[];
  gone: readonly string[];
  followed: FollowedTo | undefined;
}

export interface NotingEngine extends EngineClient {
  readonly updates: Update[];
  readonly asked: SearchRequest[];
  /** What else was done, in order. */
  readonly done: string[];
  /** What is indexed. */
  readonly held: Set<string>;
  /** What it answers. */
  reply: SearchReply;
  state: SentenceState | null;
  /** Before a batch is taken in. */
  onUpdate(): Promise<void> | void;
}

export function notingEngine(): NotingEngine {
  const positions = new Map<string, number>();
  const engine: NotingEngine = {
    updates: [],
    asked: [],
    done: [],
    held: new Set(),
    reply: { answers: [], documents: 0 },
    state: null,
    onUpdate: () => undefined,
    update: async (texts, gone, followed) => {
      await engine.onUpdate();
      engine.updates.push({ texts, gone, followed });
      for (const { path } of texts) engine.held.add(path);
      for (const path of gone) engine.held.delete(path);
      if (followed?.seq != null) positions.set(followed.name, followed.seq);
    },
    settle: async () => void engine.done.push('settle'),
    seen: async () => [],
    followed: async (name) => positions.get(name) ?? 0,
    status: async (paths) => {
      const below = [...engine.held].filter((held) => paths.some((path) => held.startsWith(path)));
      return { documents: below.length, chunks: below.length };
    },
    search: async (request) => {
      engine.asked.push(request);
      return engine.reply;
    },
    sentences: async (wait) => {
      engine.done.push(wait ? 'sentences awaited' : 'sentences');
      return engine.state;
    },
    close: async () => void engine.done.push('close'),
  };
  return engine;
}

/** An answer of the engine. */
export const answerIn = (path: string, more: Partial<Answer> = {}): Answer => ({
  path,
  line: 1,
  text: 'a line',
  from: 0,
  score: 1,
  crumb: '',
  passage: 'a line',
  passageLine: 1,
  ...more,
});

/** A service whose feed has these paths; each document's text is its path. */
export function serviceOf(
  name: string,
  feed: readonly string[],
  more: Partial<FollowedSource> = {},
): FollowedSource {
  const entries = feed.map((path, at) => ({ seq: at + 1, path, op: 'upsert' }) as FeedEntry);
  return {
    name,
    feed: (after) => entries.filter(({ seq }) => seq > after),
    document: (path) => ({ text: `the text of ${path}` }),
    ...more,
  };
}
