import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SearchIndex } from '../index/search-index.ts';
import { readWordTable } from '../static/table.ts';
import { pollOf } from './fusion.ts';
import type { Vote } from './parts.ts';
import { gather } from './pool.ts';

const table = readWordTable(readFileSync(join(import.meta.dirname, '../../../data/words.bin')));
let index: SearchIndex;

beforeEach(() => {
  index = new SearchIndex(':memory:', table);
});
afterEach(() => index.close());

const FILLER = 'Nothing of it is about that, and so on for the sake of some length.';

/** The path that a vote is for, most of all. */
function favourite(vote: Vote, question: string, texts: Record<string, string>): string {
  const named = Object.entries(texts).map(([path, text]) => ({ path, text }));
  index.update(named, []);
  const signals = index.signals(null);
  const allowed = index.memory.select(() => true).slots;
  const pool = gather(signals, index.words(question).terms, allowed);
  const values = pollOf(pool, signals, index.stemmer).votes.get(vote) ?? new Float32Array();
  const most = values.indexOf(Math.max(...values));
  const slot = pool.candidates[most]?.passages[0] ?? 0;
  return index.memory.documents.owner(slot).path;
}

describe('each vote has a favourite of its own', () => {
  it.each<[Vote, string, Record<string, string>]>([
    [
      'lead',
      'rotate the signing keys',
      {
        '/in-title.md': `# Rotate signing keys\n\n${FILLER}`,
        '/in-text.md': `# Something else\n\n${FILLER}\n\nHere one may rotate signing keys.`,
      },
    ],
    [
      'pairs',
      'connection pool size',
      {
        '/together.txt': `${FILLER} The connection pool size is four.`,
        '/apart.txt': `${FILLER} The pool has a connection, and of some size it is.`,
      },
    ],
    [
      'pieces',
      'reconnection',
      {
        '/part.txt': `The connections come back. ${FILLER}`,
        '/none.txt': `The sun comes back. ${FILLER}`,
        '/once.txt': 'reconnection',
      },
    ],
    [
      'kindred',
      'repair the car engine',
      {
        '/like.txt': `How to mend an automobile motor. ${FILLER}`,
        '/unlike.txt': `How to boil an egg engine. ${FILLER}`,
      },
    ],
    [
      'words',
      'my car does not start',
      {
        '/like.txt': 'the automobile engine would not run',
        '/unlike.txt': 'start of the novel chapter about kings',
      },
    ],
  ])('%s: "%s"', (vote, question, texts) => {
    const [first] = Object.keys(texts);
    const padding = Object.fromEntries(
      ['alpha', 'beta', 'gamma', 'delta'].map((word) => [`/${word}.txt`, `${word} ${FILLER}`]),
    );
    const found = favourite(vote, question, { ...texts, ...padding });
    expect(vote === 'pieces' ? ['/once.txt', '/part.txt'] : [first]).toContain(found);
  });

  it('what is near to what BM25 finds first, though it has no word of the question', () => {
    const texts: Record<string, string> = {};
    for (let n = 0; n < 30; n++) {
      texts[`/paint${n}.txt`] = `colour brush canvas oil painter frame picture ${n}`;
      if (n < 5) texts[`/leak${n}.txt`] = `zebra heap memory leak garbage collector case ${n}`;
    }
    texts['/near.txt'] = 'heap memory leak garbage collector again';
    texts['/far.txt'] = 'entirely other subjects again';
    index.update(
      Object.entries(texts).map(([path, text]) => ({ path, text })),
      [],
    );
    index.settle();
    const signals = index.signals(null);
    const allowed = index.memory.select(() => true).slots;
    const pool = gather(signals, index.words('zebra').terms, allowed);
    const { votes } = pollOf(pool, signals, index.stemmer);
    const paths = pool.candidates.map(
      ({ passages: [slot = 0] }) => index.memory.documents.owner(slot).path,
    );
    for (const vote of ['found', 'expansion'] as const) {
      const of = (path: string): number => votes.get(vote)?.[paths.indexOf(path)] ?? -9;
      expect(paths).toContain('/near.txt');
      expect(of('/near.txt')).toBeGreaterThan(of('/far.txt'));
    }
  });
});
