/** What the ranking is compared with: the same documents, whole, by others' means. */
import { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import { best } from '../../src/search/fuse/best.ts';
import { bm25, queryTerms } from '../../src/search/lexical/bm25.ts';
import { Corpus } from '../../src/search/lexical/corpus.ts';
import { porterStem } from '../../src/search/words/porter.ts';
import { isStopWord, Stemmer } from '../../src/search/words/words.ts';
import type { Collection } from './collections.ts';

/** Ids of documents, best first, a hundred at most. */
export type Search = (query: string) => string[];

const MOST = 100;

/** BM25, k1 1.2, b 0.75, on the terms that the search has, Porter's stems. */
export function plainBm25({ documents }: Collection): Search {
  const stemmer = new Stemmer();
  const corpus = new Corpus();
  for (const { text, context = '' } of documents) {
    const counts = new Map<string, number>();
    for (const term of stemmer.terms(`${context}\n${text}`))
      counts.set(term, (counts.get(term) ?? 0) + 1);
    corpus.add(corpus.pack(counts));
  }
  return (query) => {
    const found = best(bm25(corpus, queryTerms(corpus, stemmer.terms(query))), 400, null, 0);
    return [...new Set(found.map((slot) => documents[slot]?.id ?? ''))].slice(0, MOST);
  };
}

/** SQLite's full-text index with its Porter stems, any of the words. */
export function fts5({ documents }: Collection): Search {
  const database = new DatabaseSync(':memory:');
  database.exec("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'porter unicode61')");
  const insert = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
  for (const [at, { text, context = '' }] of documents.entries()) {
    insert.run(at + 1, `${context}\n${text}`);
  }
  const select = database.prepare(
    'SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 400',
  );
  return (query) => {
    const words = query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
    const telling = words.filter((word) => !isStopWord(word.toLowerCase()));
    if (telling.length === 0) return [];
    const rows = select.all(telling.map((word) => `"${word}"`).join(' OR '));
    const ids = rows.map(({ rowid }) => documents[Number(rowid) - 1]?.id ?? '');
    return [...new Set(ids)].slice(0, MOST);
  };
}

/** MiniSearch, any of the words, Porter's stems. */
export function miniSearch({ documents }: Collection): Search {
  const processTerm = (word: string): string | null => {
    const lower = word.toLowerCase();
    return isStopWord(lower) ? null : porterStem(lower);
  };
  const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'], processTerm });
  index.addAll(
    documents.map(({ text, context = '' }, id) => ({ id, text: `${context}\n${text}` })),
  );
  return (query) => {
    const found = index.search(query).slice(0, 400);
    return [...new Set(found.map(({ id }) => documents[Number(id)]?.id ?? ''))].slice(0, MOST);
  };
}
